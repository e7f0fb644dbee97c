"""The loop. Pure: it knows no files, processes, network or editor; all of that comes as parts."""
