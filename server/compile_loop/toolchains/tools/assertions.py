"""Tests that fail in what C, C++, Swift and shells have for frameworks, and `assert`: `file:line:` and what was wrong.

GoogleTest, Catch2, doctest, CppUTest, Boost.Test, CxxTest, Check, cmocka, Criterion, Unity, CUnit, XCTest, and hand-made ones
that print the shape of a compiler's error. A compiler names a column, too, and says other things.
"""

from __future__ import annotations

import re

from compile_loop.contracts.diagnostics import NOWHERE, Phase, Severity
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.reader import Context
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Toolchain
from compile_loop.toolchains.tools.gnu_phase import phase_of

_AT = r"(?P<file>\S(?:[^:()\n]*?[^\s:()])?)(?::(?P<line>\d{1,9})|\((?P<row>\d{1,9})\))"
_WORDS = (
    r"Failure\b.*|(?:critical )?check .+|in \".*|(?!static)(?i:.*\bassert(?:ion)?\w*\b.*)|Test failed.*|"
    r"[Ee]xpected\b.*\b(?:got|but|was|found|actual|instead|received|is)\b.*|[Gg]ot\b.*\b(?:want|expected)\b.*|.*!=.*|"
    r".*\b(?:not equal|mismatch|FAIL(?:ED)?|differs?)\b.*|.*\b(?:[Tt]est|[Cc]heck|[Cc]ase)\w*\b.*\bfail.*"
)
"""What an assertion says and a compiler does not."""
_SCRIPT = r"\S+\.(?:sh|bash|bats|zsh|ksh|t|exp|tcl|pl|rb|lua)"
_TEST_FILE = r"(?i:[^\s:]*test[^\s:]*\.(?:c|cc|cpp|cxx|h|hpp|m|mm))"
"""What gcc and clang say of such a file has a column."""
_FORMS = tuple(
    (re.compile(pattern), more)
    for pattern, more in (
        (rf"^{_AT}: (?P<message>Failure)$", True),
        (rf"^{_AT}: (?P<message>FAILED:)$", True),
        (rf"^{_AT}: (?P<message>failed: .+)$", False),
        (rf"^{_AT}: (?:FATAL )?ERROR: (?P<message>.+)$", True),
        (rf"^{_AT}: error: (?P<message>Failure in .+)$", True),
        (rf"^(?:\[ +LINE +\] --- )?{_AT}: (?:fatal )?[Ee]rror: (?P<message>{_WORDS})$", False),
        (rf"^(?P<file>{_SCRIPT}):(?P<line>\d{{1,9}}): (?:fatal )?[Ee]rror: (?P<message>.+)$", False),
        (rf"^(?P<file>{_TEST_FILE}):(?P<line>\d{{1,9}}): error: (?P<message>.+)$", False),
        (rf"^{_AT}: error: (?P<message>(?:-\[.+\]|[\w.]+) : .+)$", False),
        (rf"^{_AT}:[FE]:(?P<message>[^:]*:[^:]+:\d+: .+)$", False),
        (rf"^{_AT}:(?P<message>[\w.]+(?:\(.*\))?:FAIL(?:: ?.*)?)$", False),
        (rf"^\[-+\] +{_AT}: (?P<message>[Aa]ssertion [Ff]ailed.*)$", True),
        (rf"^ +\d+\. {_AT} +- (?P<message>\S.*)$", False),
        (rf"^(?:\S+: )?{_AT}: (?P<message>(?:.+: )?Assertion [`'].*' failed\.)$", False),
        (r"^(?P<message>Assertion failed: .+), (?:function .+, )?file (?P<file>.+), line (?P<line>\d{1,9})\.$", False),
        (r"^(?P<message>Assertion failed: .+) \((?P<file>[^\s:]+): [^:]+: (?P<line>\d{1,9})\)$", False),
        (
            rf"^(?:not ok \d+ - |FAIL(?:ED|URE)?:? +)?{_AT}:? +"
            r"(?P<message>(?:FAIL(?:ED|URE)?\b|[Ff]ailed\b|[Aa]ssert(?:ion)? ?[Ff]ailed|ASSERT\w*).*)$",
            False,
        ),
        (rf"^(?:not ok \d+ - |FAIL(?:ED|URE)?:? +){_AT}:? +(?P<message>\S.*)$", False),
        (rf"^(?P<message>Assertion failed) (?:at|in) {_AT}\b.*$", False),
    )
)
_ANY_OF_TEST = next(form for form, _ in _FORMS if _TEST_FILE in form.pattern)
_NO_PLACE = "unknown location"
_LAST_KNOWN = re.compile(rf"^{_AT}: last checkpoint\b")
_ENDS = re.compile(r"^(?:\[ *[A-Z]+ *\]|[=~.-]{3,}$|\.+$|\s*$|Errors \(|OK \()")
_BEFORE_CMOCKA = re.compile(r"^(?:\[ +ERROR +\] --- )?(.+)$")
_MOST_LINES = 12


class Assertions(HeadedReader):
    """Reads the places of failed assertions with what the lines below say of them."""

    source = "test"
    triggers = (
        "Failure",
        "FAILED",
        "FAIL ",
        "FAIL:",
        ":FAIL",
        "ailed",
        "rror: ",
        ":F:",
        ":E:",
        "ERROR: ",
        "not ok ",
        "CU_ASSERT",
    )
    order = 33
    default_phase = Phase.TEST
    most_lines = _MOST_LINES

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._more = self._last_known = False

    def begin(self, line: Line) -> bool:
        """Take the place of a failed assertion."""
        for form, more in _FORMS:
            found = form.match(line.text)
            if found is None:
                continue
            block = self.open(found, line)
            if block is None:
                continue
            if found["message"] == "Failure!" and (said := _BEFORE_CMOCKA.match(self.context.before())):
                block.message = [said[1]]
            self._block, self._more = block, more
            return True
        return False

    def place(self, path: str, parts: dict[str, str | None], message: str) -> None:
        """An assertion has no column."""
        parts["line"] = parts.get("line") or parts.get("row")

    def open(self, found: re.Match[str], line: Line) -> Block | None:
        """Boost.Test does not know where an exception came from, and names the last place that it knew."""
        if found["file"] != _NO_PLACE:
            by_compiler = phase_of(found["message"]) is Phase.PARSE or self.context.hinted("tcc")
            return None if found.re is _ANY_OF_TEST and by_compiler else super().open(found, line)
        self._last_known = True
        return Block(found, None, None, NOWHERE, [found["message"]], Severity.ERROR, None, [line.text])

    def belongs(self, block: Block, text: str) -> bool:
        """Take what is said below, up to a blank line or the runner's own words."""
        if block.path is None and self._last_known and (known := _LAST_KNOWN.match(text)):
            self._last_known = False
            block.path = self.tree.resolve(known["file"])
            block.range = (
                self.tree.whole_line(block.path, int(known["row"] or known["line"]) - 1) if block.path else NOWHERE
            )
            return True
        self._more = self._more and not (_ENDS.match(text) or any(form.match(text) for form, _ in _FORMS))
        if self._more:
            block.message.append(text)
        return self._more


TOOLCHAIN = Toolchain(name="assertions", readers=(Assertions,), order=90)
