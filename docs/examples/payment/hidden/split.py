from payments import settle

assert settle(500, [("7/1", 60), ("8", 10), ("7/2", 60)]) == (["7/1", "8"], 430)
