"""Languages by the endings of file names."""
