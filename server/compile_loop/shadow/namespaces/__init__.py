"""Programs that run around a check on Linux: standard library only, started with `python -I -S`."""
