"""Options by which a shell stops at the first failure, and their loss (SPEC K7, Q9)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.shell_words import CHECKS, HARMLESS, PIPE
from compile_loop.checks.honesty.texts import Text

_ERREXIT = re.compile(
    r"^\s*set\s+(?:-\w*\s+)*-\w*e|^\s*set\b.*-o\s+errexit|^\.?SHELL\w*\s*[:?]?=.*-\w*e|^#!.*sh\s+-\w*e|^\s*(?:-\s+)?shell:.*-\w*e",
    re.MULTILINE,
)
_PIPEFAIL = re.compile(r"^\s*(?:-\s+)?(?:set|shopt|shell:|SHELL\b|\.SHELLFLAGS\b|#!)[^\n]*\bpipefail", re.MULTILINE)
_HEEDED = re.compile(
    r"\|\|\s*(?!true\b|:\s*$|exit 0)\S|\bPIPESTATUS\b|&&\s*\\?$|^\s*(?:if|while|until|elif|!)\s|^\s*(?:return|exit)\s+\$|\$\?"
)
_SETS = re.compile(r"^\s*(?:set\s|\.?SHELL|shopt\s|#!|(?:-\s+)?shell:)")


def lost_strictness(line: str, new: Text) -> bool | None:
    """Whether the loss of this old line lets a check's failure pass: certainly, perhaps (False), or not at all (None)."""
    if not _SETS.match(line):
        return None
    verdicts = []
    if _PIPEFAIL.search(line) and not _PIPEFAIL.search(new.text):
        verdicts.append(_piped(new))
    if _ERREXIT.search(line) and not _ERREXIT.search(new.text):
        verdicts.append(_unheeded(new))
    known = [verdict for verdict in verdicts if verdict is not None]
    return any(known) if known else None


def _commands(new: Text) -> list[str]:
    rows = [row.strip() for row in new.rows if row.strip() and not row.lstrip().startswith("#")]
    return [
        row
        for row in rows
        if not re.match(r"(?:set|cd|export|echo|printf)\b|[\w.-]+\s*[:?+]?=|fi$|done$|esac$|\}$", row)
    ]


def _piped(new: Text) -> bool | None:
    """A check before a pipe whose status nobody looks at."""
    if "PIPESTATUS" in new.text:
        return None
    piped = [
        row for row in _commands(new) if PIPE.search(row) and not re.search(r"\$\(|`", row) and not HARMLESS.match(row)
    ]
    return any(CHECKS.search(row[: row.index("|")]) for row in piped) if piped else None


def _unheeded(new: Text) -> bool:
    """A check that is not the last command, and whose status nobody looks at."""
    rows = _commands(new)
    checks = [i for i, row in enumerate(rows) if CHECKS.search(row) and not HARMLESS.match(row)]
    heeded = any(_HEEDED.search(row) for row in rows)
    return bool(checks) and not heeded and checks[0] < len(rows) - 1
