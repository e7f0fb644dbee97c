"""Bytes outside an edit never change; its own lines take the line end of their place (SPEC E8)."""

from __future__ import annotations

import pytest
from tests.unit.edits.build import apply, block

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply

pytestmark = pytest.mark.spec("E8")


def data_after(data: bytes, reply: str, encoding: str | None = None) -> bytes | None:
    result = apply_reply(reply, [Target("f.txt", data, encoding)])
    assert isinstance(result, Applied), result.message
    return result.files["f.txt"]


@pytest.mark.parametrize(
    ("text", "search", "replace", "expected"),
    [
        ("a\r\nb\r\n", "b\n", "B1\nB2\n", "a\r\nB1\r\nB2\r\n"),
        ("a\r\nb\nc\r\nd\n", "c\n", "C\nC2\n", "a\r\nb\nC\r\nC2\r\nd\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nB\nc\n", "a\r\nB\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nb\nx\nc\n", "a\r\nb\nx\nc\r\n"),
        ("a\rb\nc\n", "c\n", "C\n", "a\rb\nC\n"),
        ("a\rb\rc\r", "b\n", "B\nD\n", "a\rB\rD\rc\r"),
        ("a\r\nb\r\nlog1\rlog2\r\n", "b\n", "B1\nB2\n", "a\r\nB1\r\nB2\r\nlog1\rlog2\r\n"),
        ("a\nb", "b\n", "B\n", "a\nB"),
        ("a\nb", "b\n", "b\nc\n", "a\nb\nc"),
        ("a\r\nb", "b\n", "b\nc\n", "a\r\nb\r\nc"),
        ("a\nb", "a\n", "A\n", "A\nb"),
        ("a\nb", "b\n", "", "a\n"),
        ("a", "a\n", "b\nc\n", "b\nc"),
        ("a\nb\n", "a\nb\n", "", ""),
        ("a\x0cb\nc\n", "c\n", "d\n", "a\x0cb\nd\n"),
        ("a\u2028b\x85c\x1cd\nc\n", "c\n", "d\n", "a\u2028b\x85c\x1cd\nd\n"),
        ("a\x00b\nc\x00\n", "c\x00\n", "d\x00\n", "a\x00b\nd\x00\n"),
        ("\n\n\na\n\n", "a\n", "b\n", "\n\n\nb\n\n"),
    ],
)
def test_line_ends(text: str, search: str, replace: str, expected: str) -> None:
    assert apply(text, search, replace) == expected


def test_a_reply_in_crlf_for_a_file_in_lf_and_the_reverse() -> None:
    assert data_after(b"x\n", block("x\n", "y\nz\n").replace("\n", "\r\n")) == b"y\nz\n"
    assert data_after(b"x\r\n", block("x\n", "y\nz\n")) == b"y\r\nz\r\n"


@pytest.mark.parametrize(
    ("bom", "codec"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\x00\x00", "utf-32-le"),
        (b"\x00\x00\xfe\xff", "utf-32-be"),
    ],
)
def test_byte_order_marks_stay_and_decide(bom: bytes, codec: str) -> None:
    data = bom + "$a = 1\r\nü\U0001f600\r\n".encode(codec)
    assert data_after(data, block("$a = 1\n", "$a = 2\n")) == bom + "$a = 2\r\nü\U0001f600\r\n".encode(codec)


@pytest.mark.parametrize(
    "name", ["latin-1", "iso88591", "windows1252", "cp1252", "shiftjis", "gb18030", "utf16le", "koi8r"]
)
def test_the_editors_encoding(name: str) -> None:
    codec = {"iso88591": "latin-1", "windows1252": "cp1252", "utf16le": "utf-16-le", "koi8r": "koi8-r"}.get(name, name)
    word = {"shiftjis": "日本", "gb18030": "中文", "koi8r": "слово"}.get(name, "caf\u00e9")
    data = f"{word}\nx = 1\n".encode(codec)
    assert data_after(data, block("x = 1\n", f"x = '{word}'\n"), name) == f"{word}\nx = '{word}'\n".encode(codec)


def test_what_the_encoding_cannot_hold_is_refused_by_name() -> None:
    result = apply_reply(block("x\n", "\u201cy\u201d\n"), [Target("f.txt", b"x\n\xe9\n", "latin-1")])
    assert isinstance(result, Refused)
    assert "U+201C" in result.message
    assert "ISO8859-1" in result.message


@pytest.mark.parametrize(
    ("data", "encoding", "why"),
    [
        (b"a\xff\n", None, "not valid UTF-8 (byte 0xFF at offset 1)"),
        ("abc\n".encode("utf-16-le"), None, "UTF-16 without a byte order mark"),
        (b"a\n", "rot13", "no text encoding"),
        (b"a\n", "klingon", "not known"),
        (b"a\x81\n", "cp1252", "not valid CP1252"),
        (b"\xff\xfea", None, "not valid UTF-16-LE"),
    ],
)
def test_what_cannot_be_decoded_is_refused_with_its_name(data: bytes, encoding: str | None, why: str) -> None:
    for mode in ("diff", "full"):
        reply = block("a\n", "b\n") if mode == "diff" else "```\nb\n```\n"
        result = apply_reply(reply, [Target("odd.txt", data, encoding)], edit_mode=mode)  # type: ignore[arg-type]
        assert isinstance(result, Refused)
        assert "odd.txt" in result.message
        assert why in result.message


def test_a_file_that_cannot_be_decoded_does_not_stand_in_the_way_of_others() -> None:
    targets = [Target("odd.txt", b"\xff"), Target("f.txt", b"a\n")]
    result = apply_reply("<<< path=f.txt >>>\n" + block("a\n", "b\n"), targets)
    assert isinstance(result, Applied)
    assert result.files == {"f.txt": b"b\n"}


def test_an_untouched_target_is_not_in_the_result() -> None:
    targets = [Target("a.txt", b"\xef\xbb\xbfa\r\n"), Target("b.txt", b"b")]
    result = apply_reply("<<< path=b.txt >>>\n" + block("b\n", "c\n"), targets)
    assert isinstance(result, Applied)
    assert result.files == {"b.txt": b"c"}
