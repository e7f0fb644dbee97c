"""Offers of toolchains that must not be taken, although the tool calls them safe (SPEC D5).

Each reason was met: a fix-it of gcc's that takes the object off a member, one that turns an unknown name into a keyword,
a conversion that panics when it runs, a pair of parentheses that only silences a warning. They stay visible to people and
models; they are not applied unasked.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from compile_loop.contracts.diagnostics import Diagnostic, SuggestedEdit, Suggestion
from compile_loop.toolchains.tokens import quoted

ReadRange = Callable[[SuggestedEdit], "str | None"]
"""The text that an edit replaces."""

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
_KEYWORD = re.compile(
    r"auto|bool|break|case|catch|char|class|const|constexpr|continue|default|delete|do|double|else|enum|explicit|extern"
    r"|false|final|float|for|friend|goto|if|inline|int|long|mutable|namespace|new|noexcept|nullptr|operator|private"
    r"|protected|public|register|requires|return|short|signed|sizeof|static|struct|switch|template|this|throw|true|try"
    r"|typedef|typename|union|unsigned|using|virtual|void|while"
)
_FAILS_LATER = re.compile(
    r"\.unwrap\(|\.expect\(|\bunsafe\b|\b(?:panic|todo|unimplemented|unreachable)!"
    r"|\bpanic\(|\bthrow new Error\(|\bNotImplemented|\btransmute\b|\bunchecked_"
)
_SILENCES = re.compile(
    r"@ts-(?:ignore|nocheck|expect-error)|\bas (?:any|unknown|never)\b|: any\b|<any>|eslint-disable|shellcheck disable|NOLINT"
    r"|#\s*(?:noqa|[\w-]+:\s*(?:ignore|disable)|pyright:|pylint:|nosec)|#!?\[(?:allow|expect)\(|@SuppressWarnings|//\s*nolint"
    r"|\(void\)\s*\w|__attribute__\(\(unused|\[\[maybe_unused"
)
_INVENTS = re.compile(
    r"(?:auto-?)?(?:fill|generate|declare|create|implement|populate|stub|initiali[sz]e|infer)\b"
    r"|add (?:all )?missing (?:function|member|method|propert|attribute|case|match|enum|initiali[sz]er|parameter|argument)",
    re.IGNORECASE,
)
"""How editors' tools call what they make up: a field's value, a function that does nothing."""
_TO_SILENCE = re.compile(r"\bto silence\b|\bsuppress\b|\bignore this\b|to disable this", re.IGNORECASE)
_TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
_UNUSED = re.compile(r"\b(?:unused|never (?:read|used)|not used)\b", re.IGNORECASE)
_CALLS = re.compile(r"[\w\])]\s*\(|\b(?:await|yield|new)\b|`[^`]*\$\{")


def harm(diagnostic: Diagnostic, suggestion: Suggestion, old_text: ReadRange) -> str | None:
    """Why a suggestion must not be taken unasked; None where nothing speaks against it."""
    if _TO_SILENCE.search(suggestion.message):
        return "it only silences the finding"
    if _INVENTS.match(suggestion.message):
        return "it makes up what its author has to say"
    for edit in suggestion.edits:
        old = old_text(edit)
        if old is None:
            return "its place is gone"
        if (reason := _of_edit(diagnostic, edit, old)) is not None:
            return reason
    return "it only silences the finding" if _is_parentheses(diagnostic, suggestion) else None


def _of_edit(diagnostic: Diagnostic, edit: SuggestedEdit, old: str) -> str | None:
    new = edit.new_text
    if _FAILS_LATER.search(new) and not _FAILS_LATER.search(old):
        return "what it puts in may fail when the program runs"
    if _SILENCES.search(new) and not _SILENCES.search(old):
        return "it only silences the finding"
    if new == "!" and not old and edit.file.endswith(_TYPESCRIPT):
        return "it asserts what the compiler could not prove"
    if new == f"_{old}" or (not old and new.strip() == "_ ="):
        return "it only silences the finding"
    if _UNUSED.search(diagnostic.message) and not new.strip() and _CALLS.search(old):
        return "what it takes away may do something"
    if _KEYWORD.fullmatch(new.strip()) and _IDENTIFIER.fullmatch(old):
        return "it turns a name into a keyword"
    names = quoted(diagnostic.message)
    if "did you mean" in diagnostic.message and new in names and old not in names:
        inside = [name for name in names if name in old and name != new]
        if inside and not _IDENTIFIER.fullmatch(old):
            return "it takes away more than the name that the message is about"
    return None


def _is_parentheses(diagnostic: Diagnostic, suggestion: Suggestion) -> bool:
    """A pair of parentheses around an assignment that is used as a condition."""
    pair = [edit.new_text for edit in suggestion.edits]
    return pair == ["(", ")"] and ("assignment" in diagnostic.message or "parentheses" in diagnostic.message)
