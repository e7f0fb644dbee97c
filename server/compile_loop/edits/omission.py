"""Words that stand for code that a model left out; writing them would delete the code (SPEC E3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_OWN_MARK = re.compile(r"\[(?:… )?\d+ (?:more )?(?:lines?|characters?|earlier turns?) (?:were )?left out")
"""How this program itself shortens what it shows a model; a reply may have copied it."""

_LONGEST = 300
_OPENERS = ("...", "…", "[", "(", "<", "{")
_LEADER = re.compile(r"\s*(//+|#+|--+|;+|%+|\{?/\*+|\*+(?!/)|<!--+|\"\"\"|'''|\(\*|REM\b)\s*", re.IGNORECASE)
_TRAILER = re.compile(r"\s*(?:\*+/\}?|--+>|\"\"\"|'''|\*\))?\s*$")
_THING = (
    r"(?:(?:file|code|function|method|class|implementation|content|body|line|logic|module|program|import|statement|"
    r"test|definition|handler|field|propert|case|section|entr|helper|component|style|rule)(?:s|es|y|ies)?)"
)
_LEFT = r"(?:unchanged|omitted|elided|truncated|snipped|(?:the )?same(?: as before)?|as (?:before|is)|here|goes here|follows?)"
_STATE = rf"(?:(?: (?:is|are|remains?|stays?|left|kept|continues?|goes))* {_LEFT})"
_WORDS = re.compile(
    r"\b(?:rest|remain\w*|existing|unchanged|same|previous|other|omitted|elided|truncated|snip\w*|as before|keep|original|"
    r"more|etc|continue\w*)\b",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    rf"(?:(?:the )?(?:rest|remainder) of (?:the |your |this |my )?(?:\w+ )?{_THING}(?: \w+)?{_STATE}?(?: for brevity)?"
    rf"|(?:the |your |all |all the )?(?:existing|remaining|previous|original|other|unchanged) "
    rf"(?:\w+ )?{_THING}{_STATE}(?: for brevity)?"
    rf"|{_THING}{_STATE}(?: for brevity)?"
    r"|unchanged|no changes?(?: here| needed)?|omitted(?: for brevity)?|snip(?:ped)?|truncated)",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"(?:the |your |all |all the )?(?:rest of|remainder of|existing|remaining|previous|original|other|unchanged|more) "
    rf"(?:\w+ ){{0,2}}{_THING}.*",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    r"(?:\.\.\.|…)? ?[\[(<{] ?(?:\.\.\.|…)? ?(?:\d+ )?(?:more |other )?(?:lines?|characters|code|rest|content)? ?"
    r"(?:are |is |were )?(?:truncated|omitted|snip(?:ped)?|unchanged|elided|left out)\b[^\])>}]{0,80}[\])>}]?.{0,10}",
    re.IGNORECASE,
)


def placeholder_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are omission placeholders, without the white space around them."""
    for line in lines:
        if ("left out" in line and _OWN_MARK.search(line)) or is_placeholder(line):
            yield line.strip()


def is_placeholder(line: str) -> bool:
    """Whether the line says that something was left out: `// ... rest of the file unchanged`, `[truncated]`.

    Without a comment's mark before it only dots or brackets count, and spread syntax such as `...rest` does not.
    """
    if len(line) > _LONGEST:
        return False
    leader = _LEADER.match(line)
    if leader is None and not line.lstrip().startswith(_OPENERS):
        return False
    text = " ".join(_TRAILER.sub("", line[leader.end() :] if leader else line).split())
    if not text:
        return False
    if _BRACKETED.fullmatch(text):
        return True
    dots = text.startswith(("...", "…"))
    inner = text.strip(".… ").strip("[](){}<> ").strip(".… ")
    if leader is None:
        return dots and text.lstrip(".…").startswith(" ") and " " in inner and bool(_WORDS.search(inner))
    if not inner:
        return "..." in text or "…" in text
    if dots and _WORDS.search(inner):
        return True
    if text.endswith(("...", "…")) and _UNFINISHED.fullmatch(inner):
        return True
    return bool(_PHRASE.fullmatch(inner.rstrip(".")))
