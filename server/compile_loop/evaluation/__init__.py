"""The same engine over a folder of red programs, and what that came to (SPEC R4)."""
