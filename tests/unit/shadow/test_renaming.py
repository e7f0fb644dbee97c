"""A workspace's path in commands and variables becomes the copy's, other paths stay."""

from __future__ import annotations

import pytest

from compile_loop.shadow.renaming import Renaming


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/a/ws", "/C"),
        ("/a/ws/x.c", "/C/x.c"),
        ("-I/a/ws/include -L'/a/ws'", "-I/C/include -L'/C'"),
        ("x=/a/ws:/a/ws/bin:/usr", "x=/C:/C/bin:/usr"),
        ("file:///a/ws/x", "file:///C/x"),
        ('cd "/a/ws" && make', 'cd "/C" && make'),
        ("/a/ws2 /a/ws.old /a/ws-build /a/ws_x", "/a/ws2 /a/ws.old /a/ws-build /a/ws_x"),
        ("/b/a/ws ./a/ws ~/a/ws $HOME/a/ws ${X}/a/ws", "/b/a/ws ./a/ws ~/a/ws $HOME/a/ws ${X}/a/ws"),
        ("no path", "no path"),
    ],
)
def test_whole_paths_only(text: str, expected: str) -> None:
    assert Renaming("/a/ws", "/C").text(text) == expected
