"""Did an edit get green by a repair, or by silencing, skipping, stubbing or hiding (SPEC K7)?

`inspect` is the one entry: an edit, the failures it was to fix and the user's words → findings, certain or suspected.
Pure: no files, no processes. `gate.py` reads like the list of what is looked at.
"""

from __future__ import annotations

from compile_loop.checks.honesty.gate import inspect
from compile_loop.contracts.honesty import KINDS, Finding

__all__ = ["KINDS", "Finding", "inspect"]
