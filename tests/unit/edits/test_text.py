"""The one line model: lines, encodings, positions (SPEC E8, D3)."""

from __future__ import annotations

import pytest

from compile_loop.contracts.diagnostics import Position
from compile_loop.edits.text import UndecodableError, codec_name, decode, line_end, split_lines, utf16_length

pytestmark = pytest.mark.spec("E8")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a\n"]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("\n\r\n\r\r", ["\n", "\r\n", "\r", "\r"]),
        ("a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\n", ["a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\n"]),
        ("\n\n", ["\n", "\n"]),
    ],
)
def test_only_crlf_lf_and_cr_end_a_line(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
    assert "".join(split_lines(text)) == text


def test_line_end() -> None:
    assert [line_end(line) for line in ("a\r\n", "a\n", "a\r", "a", "")] == ["\r\n", "\n", "\r", "", ""]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("utf8", "utf-8"), ("UTF-8", "utf-8"), ("utf8bom", "utf-8"), ("utf16le", "utf-16-le"), ("utf-16", "utf-16-le"),
        ("windows1252", "cp1252"), ("iso88591", "iso8859-1"), ("latin1", "iso8859-1"), ("shiftjis", "shift_jis"),
        ("gbk", "gbk"), ("big5hkscs", "big5hkscs"), ("cp437", "cp437"), ("koi8u", "koi8-u"), ("macroman", "mac-roman"),
        ("windows1251", "cp1251"), ("euckr", "euc_kr"), ("eucjp", "euc_jp"), ("iso885915", "iso8859-15"),
    ],
)  # fmt: skip
def test_names_as_editors_spell_them(given: str, name: str) -> None:
    assert codec_name(given) == name


@pytest.mark.parametrize("name", ["hex", "zlib", "rot13", "base64", "no-such", ""])
def test_names_of_no_text_encoding(name: str) -> None:
    with pytest.raises(UndecodableError):
        codec_name(name)


def test_a_mark_of_another_encoding_than_the_named_is_text() -> None:
    source = decode(b"\xef\xbb\xbfa", "latin-1")
    assert source.text == "\u00ef\u00bb\u00bfa"
    assert source.bom == b""
    assert source.encode() == b"\xef\xbb\xbfa"


def test_nuls_in_utf8_are_text_but_unmarked_utf16_is_not() -> None:
    for data in (b"a\x00b\x00\x00c\n", b"a\x00\r\na\x00", b"\x00\x00\x00\x00", b"a\x00"):
        assert decode(data).encode() == data
    for codec in ("utf-16-le", "utf-16-be"):
        with pytest.raises(UndecodableError, match="byte order mark"):
            decode("int main(void);\n".encode(codec))
        assert decode("int x;\n".encode(codec), codec).text == "int x;\n"


def test_bytes_that_would_not_come_back_are_refused() -> None:
    escape = b"\x1b$B$\x22\x1b(B\x1b$B$\x22\x1b(B"
    with pytest.raises(UndecodableError, match="round trip"):
        decode(escape, "iso-2022-jp")
    with pytest.raises(UndecodableError):
        decode(b"+AGE-", "utf-7")


class TestPositions:
    TEXT = "aé\U0001f600z\r\n\tb\rc\nlast"

    @pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-8-bom"])
    def test_there_and_back_at_every_character(self, codec: str) -> None:
        bom = b"\xef\xbb\xbf" if codec == "utf-8-bom" else b""
        name = "utf-8" if bom else codec
        source = decode(bom + self.TEXT.encode(name), name)
        line = character = 0
        for at, char in enumerate(self.TEXT):
            offset = len(bom) + len(self.TEXT[:at].encode(name))
            inside_pair = char == "\n" and self.TEXT[at - 1] == "\r"
            if not inside_pair:
                assert source.position_at(offset) == Position(line, character)
                assert source.offset_at(Position(line, character)) == offset
            if char == "\n" or (char == "\r" and self.TEXT[at + 1] != "\n"):
                line, character = line + 1, 0
            elif char != "\r":
                character += utf16_length(char)
        end = len(bom) + len(self.TEXT.encode(name))
        assert source.position_at(end) == Position(3, 4)
        assert source.offset_at(Position(3, 4)) == end

    def test_clamping(self) -> None:
        source = decode(b"\xef\xbb\xbf" + "aé\U0001f600\r\nb\n".encode())
        assert source.offset_at(Position(0, 99)) == 3 + 7
        assert source.offset_at(Position(0, 3)) == 3 + 3  # half of the pair
        assert source.offset_at(Position(9, 9)) == 3 + 11
        assert source.offset_at(Position(-1, 5)) == 3
        assert source.offset_at(Position(0, -5)) == 3
        assert source.position_at(0) == Position(0, 0)
        assert source.position_at(3 + 2) == Position(0, 1)  # inside é
        assert source.position_at(3 + 8) == Position(0, 4)  # between CR and LF
        assert source.position_at(99) == Position(2, 0)

    def test_an_empty_text(self) -> None:
        assert decode(b"").position_at(5) == Position(0, 0)
        assert decode(b"").offset_at(Position(3, 3)) == 0
