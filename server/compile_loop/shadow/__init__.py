"""Isolated copies in which edits are tried, and the writing of an accepted edit."""
