from payments import settle

assert settle(90, [("1", 20), ("1", 20), ("2", 5)]) == (["1", "2"], 65)
