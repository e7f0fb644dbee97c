"""How far rustc or cargo had come, and which of their lines only count or repeat."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compile_loop.contracts.diagnostics import Phase

_COMMAND_LINE = ('"', "some arguments are omitted", "LC_ALL=", "PATH=")
_ERROR_CODE = re.compile(r"E\d{4}$")
_SYNTAX = re.compile(
    r"^(?:expected (?!.* because of)|unexpected |unclosed |mismatched closing|this file contains an unclosed"
    r"|unknown start of token|unknown prefix|unterminated |unknown character escape|invalid suffix|missing `"
    r"|character literal may only|prefix |`[^`]*` is not (?:followed|a valid)|no rules expected"
    r"|macros that expand|leading `|found single colon|visibility |missing (?:fn|type|struct|condition|parameters)"
    r"|struct literals are not allowed|incorrect |comparison operators cannot be chained|statements? must)"
)
_SYNTAX_CODES = frozenset(
    {"E0583", "E0586", "E0748", "E0758", "E0762", "E0763", "E0765", "E0766", "E0768", "E0584", "E0585"}
)
_LINK = re.compile(r"^(?:linking with |linker |could not exec the linker)")
_CONFIGURE = re.compile(
    r"^(?:failed to (?:run custom build|parse|load|read|select|get|download|fetch|resolve)|no matching package"
    r"|could not find `Cargo\.toml`"
    r"|can't find (?:library|crate|bin)|no targets specified|package `|invalid |unknown (?:variant|field|key)|the lock file"
    r"|current package believes|virtual manifest|unable to (?:get|update)|target .* installed|duplicate key|missing field)"
)
_SUMMARY = re.compile(
    r"^(?:aborting due to|could not compile|\d+ warnings? emitted|`[^`]+` \(.*\) generated \d+|build failed"
    r"|test failed, to rerun|\d+ targets? failed|For more information|Some errors have detailed|could not document"
    r"|doctest failed|bench failed|unused manifest key$)"
)


def phase_of(message: str, code: str | None) -> Phase:
    """The phase of a compiler's message with its code, if it has one."""
    if code in _SYNTAX_CODES or (code is None and _SYNTAX.match(message)):
        return Phase.PARSE
    return Phase.LINK if _LINK.match(message) else Phase.TYPE


def is_configure(message: str) -> bool:
    """Whether cargo said this about a manifest or a dependency."""
    return bool(_CONFIGURE.match(message))


def is_summary(message: str) -> bool:
    """Whether the line only sums up or points elsewhere."""
    return bool(_SUMMARY.match(message))


def with_details(message: str, details: Iterable[str]) -> str:
    """The message of an error that has no place, with what its notes add; not the linker's whole command line."""
    kept = [detail for detail in details if not detail.lstrip().startswith(_COMMAND_LINE)]
    return "\n".join([message, *kept])


def error_page(code: str | None) -> str | None:
    """The address that explains an error code."""
    return f"https://doc.rust-lang.org/error_codes/{code}.html" if _ERROR_CODE.match(code or "") else None
