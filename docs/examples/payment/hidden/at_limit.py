from payments import settle

assert settle(500, [("1", 100)]) == (["1"], 400)
