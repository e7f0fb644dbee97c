"""Whose failure a shell's text hears: the text as a tree, what its commands judge, and the ways through it (SPEC Q9)."""
