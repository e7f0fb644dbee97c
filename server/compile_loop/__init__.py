"""Compile Loop: fix code until its check passes."""

__version__ = "0.1.0"
