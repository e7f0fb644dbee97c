"""The loop as a tool that an agent calls: what it is given, and what it answers, whatever carries the two (SPEC P4)."""
