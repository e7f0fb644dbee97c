"""The loop as a tool for any client of the Model Context Protocol (SPEC P4). Only this room knows that protocol."""
