"""A model's reply, as text, becomes located edits, new bytes and minimal hunks (SPEC E1–E10).

Pure: no files, no network.
"""
