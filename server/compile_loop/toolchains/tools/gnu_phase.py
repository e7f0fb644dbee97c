"""How far a C or C++ compiler had come, from its message."""

from __future__ import annotations

import re

from compile_loop.contracts.diagnostics import Phase

_SYNTAX = re.compile(
    r"^(?:expected |stray |missing terminating|unterminated |extraneous |parse error|syntax error"
    r"|invalid preprocessing|unbalanced |#error|#else|#endif|#elif|#if |missing binary operator"
    r"|declaration or statement at end of input|invalid suffix|empty character constant"
    r"|to match this|unmatched |.*: No such file or directory$|.* file not found$|.* before .* token$"
    r"|.*without a previous|.* at end of input$)"
)


def phase_of(message: str) -> Phase:
    """The phase of a compiler's message: preprocessing and parsing, or types and names."""
    return Phase.PARSE if _SYNTAX.match(message) else Phase.TYPE
