from payments import settle

made = settle(50, [("1", 20)])
assert made == (["1"], 30), f"one payment of 20 out of 50 gave {made}"
