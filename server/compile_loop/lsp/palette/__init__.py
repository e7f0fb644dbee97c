"""The editor's commands, one file for those of one kind (SPEC V2)."""
