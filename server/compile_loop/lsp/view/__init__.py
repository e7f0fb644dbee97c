"""The view of runs (SPEC V6)."""
