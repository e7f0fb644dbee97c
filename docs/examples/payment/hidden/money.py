from payments import settle

assert settle(30, [("1", 20), ("2", 20), ("3", 10)]) == (["1", "3"], 0)
