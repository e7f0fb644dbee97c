"""Checks: real processes with an expectation, and what their result means."""
