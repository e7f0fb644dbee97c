"""Runs that begin with something other than a command (SPEC V3)."""
