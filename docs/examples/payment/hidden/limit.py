from payments import settle

assert settle(500, [("1", 101), ("2", 50)]) == (["2"], 450)
