"""What a terminal would have shown (SPEC D3: ANSI and OSC 8)."""

from __future__ import annotations

import pytest

from compile_loop.toolchains.terminal import clean

pytestmark = pytest.mark.spec("D3")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[01m\x1b[Ka.c:1:\x1b[m\x1b[K x", "a.c:1: x"),
        ("\x1b[38;2;255;0;0mred\x1b[0m", "red"),
        ("\x1b[?25lhidden cursor\x1b[?25h", "hidden cursor"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Bcharset", "charset"),
        (" 10%\r 50%\ra.c:1:1: error: x", "a.c:1:1: error: x"),
        ("line of a CRLF log\r", "line of a CRLF log"),
        ("no escape at all [31m", "no escape at all [31m"),
    ],
)
def test_shown_text(raw: str, shown: str) -> None:
    assert clean(raw).text == shown


@pytest.mark.parametrize("end", ["\x07", "\x1b\\"])
def test_links_keep_their_address(end: str) -> None:
    line = clean(f"x [\x1b]8;id=1;https://e.org/a?b=c{end}\x1b[35m-Wall\x1b[m\x1b]8;;{end}]")
    assert line.text == "x [-Wall]"
    assert line.link("-Wall") == "https://e.org/a?b=c"
    assert line.link("-Wextra") is None
