from payments import settle

assert settle(50, [("1", 0), ("2", -5)]) == ([], 50) and settle(50, []) == ([], 50)
