"""Omission placeholders are told from code and from ordinary comments (SPEC E3)."""

from __future__ import annotations

import pytest
from tests.unit.edits.build import apply, block, refused

from compile_loop.edits.omission import is_placeholder

pytestmark = pytest.mark.spec("E3")


@pytest.mark.parametrize(
    "line",
    [
        "// ... rest of the file remains the same",
        "# ... existing code ...",
        "// existing code...",
        "/* ... */",
        "# ...",
        "<!-- ... -->",
        "// rest of the code unchanged",
        "# Rest of the function remains the same",
        "...[truncated]",
        "[truncated]",
        "... (rest of file unchanged)",
        "// ... other methods ...",
        "# (rest of code unchanged)",
        "// remaining methods unchanged",
        "<snip>",
        "[... 20 lines omitted ...]",
        "    # ... keep the existing code ...",
        "// unchanged",
        "{/* ... existing JSX ... */}",
        "-- rest of file stays the same",
        "# The rest of your code here",
        "// code omitted for brevity",
        "# ... (rest of the code)",
        "... rest of the file ...",
        "// … rest of file",
    ],
)
def test_placeholders(line: str) -> None:
    assert is_placeholder(line)
    assert is_placeholder("    " + line)


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "  ...rest,",
        "...restProps",
        "return {...previous, x}",
        "# process remaining items",
        "# Check the other cases...",
        "# same as above",
        "x = 1  # ...",
        "// loading...",
        "# The rest of the arguments are passed on to the parser",
        "args ...string",
        "print('... rest of the code')",
        "* item",
        "# TODO: handle the rest",
        "// keep the original order",
        "#include <rest.h>",
        "# existing users stay logged in",
        "<div>",
        "[other]",
        "(void) rest;",
        "// unchanged since v1",
        "# Remaining lines are copied",
        "* rest of the list",
        "# ---",
        "    pass  # unchanged",
        "...existing,",
        "[...rest]",
        "case 1:",
    ],
)
def test_other_lines(line: str) -> None:
    assert not is_placeholder(line)


def test_a_block_that_would_write_one_is_refused() -> None:
    refusal = refused("a\nb\nc\n", block("a\nb\n", "A\n# ... rest of the code unchanged\n"))
    assert "would delete it" in refusal.message


@pytest.mark.parametrize(
    "line",
    [
        "[… 40 lines left out …]",
        "x = [" + "1, " * 200 + "[… 12 characters left out]",
        "[7 lines left out; go on with read_file_range from 501]",
    ],
)
def test_how_this_program_shortens_text_is_never_written(line: str) -> None:
    assert "would delete it" in refused("a\n", block("a\n", f"b\n{line}\n")).message


def test_one_that_is_in_the_file_may_stay() -> None:
    assert apply("// ... rest of the args\nf();\n", "f();\n", "g();\n") == "// ... rest of the args\ng();\n"
    text = "// ... rest of the args\nf();\n"
    assert apply(text, text, text.replace("f", "g", 1).replace("g", "f", 1) + "g();\n") == text + "g();\n"


@pytest.mark.timeout(60)
def test_no_line_takes_time_without_end() -> None:
    for line in ("# " + "rest of the " * 24, "// " + " ." * 140, "... " + "a " * 140, "#" * 300, "... " * 75):
        is_placeholder(line)
