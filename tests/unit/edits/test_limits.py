"""Bad input: bounded time and a clear refusal for files, lines and replies of megabytes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from tests.unit.edits.build import block

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply, apply_search_replace

MEGABYTE = 1024 * 1024
pytestmark = pytest.mark.timeout(
    90
)  # a guard against quadratic time, which would take hours; speed itself is benchmarked


def on(data: bytes, reply: str) -> Applied | Refused:
    return apply_reply(reply, [Target("f.txt", data)])


@pytest.fixture(scope="module")
def large() -> bytes:
    """50 MB in 1.3 million lines."""
    return "".join(f"value_{n} = compute({n}, 'abc')\n" for n in range(1_350_000)).encode()


@pytest.fixture(scope="module")
def middling() -> bytes:
    """100,000 lines."""
    return "".join(f"value_{n} = compute({n}, 'abc')\n" for n in range(100_000)).encode()


class TestLargeFiles:
    @pytest.mark.parametrize("end", [b"\n", b"\r\n"])
    def test_an_edit(self, large: bytes, end: bytes) -> None:
        data = large.replace(b"\n", end)
        result = on(data, block("value_700000 = compute(700000, 'abc')\n", "x\n"))
        assert isinstance(result, Applied)
        assert result.files["f.txt"] == data.replace(b"value_700000 = compute(700000, 'abc')", b"x")

    def test_a_miss_is_told_with_the_closest_lines(self, large: bytes) -> None:
        result = on(large, block("value_700000 = compute(700000, 'abd')\nvalue_700001 = 1\n", "x\n"))
        assert isinstance(result, Refused)
        assert "700001 | value_700000 = compute(700000, 'abc')" in result.message

    def test_no_text(self) -> None:
        result = on(bytes(range(256)) * (50 * 4096), block("x\n", "y\n"))
        assert isinstance(result, Refused)
        assert "f.txt cannot be edited: it is not valid UTF-8" in result.message

    def test_a_file_beyond_the_limit_is_refused_by_name(self) -> None:
        result = on(b"x\n" * (33 * MEGABYTE), block("x\n", "y\n"))
        assert isinstance(result, Refused)
        assert "f.txt is too large to be edited" in result.message

    def test_full_mode(self, large: bytes) -> None:
        result = apply_reply(
            "```\n" + "x\n" * MEGABYTE + "```\n", [Target("f.txt", large[: 10 * MEGABYTE])], edit_mode="full"
        )
        assert isinstance(result, Applied)


class TestOneLongLine:
    LINE = b"x" * (5 * MEGABYTE) + b"foo(1)" + b"y" * (5 * MEGABYTE)

    def test_as_a_whole(self) -> None:
        result = on(self.LINE, block(self.LINE.decode() + "\n", "z\n"))
        assert isinstance(result, Applied)
        assert result.files == {"f.txt": b"z"}

    def test_a_part_or_one_letter_off(self) -> None:
        for search in ("foo(1)", self.LINE.decode().replace("foo", "fop")):
            result = on(self.LINE, block(search + "\n", "z\n"))
            assert isinstance(result, Refused)
            assert len(result.message) < 2000

    def test_a_fragment(self) -> None:
        result = apply_search_replace(Target("f.txt", self.LINE), "foo(1)", "bar(2)")
        assert isinstance(result, Applied)
        assert result.files == {"f.txt": self.LINE.replace(b"foo(1)", b"bar(2)")}

    @pytest.mark.parametrize(
        "line", [" " * (5 * MEGABYTE) + "a", "<" * (5 * MEGABYTE), "... " * MEGABYTE, "`" * (5 * MEGABYTE)]
    )
    def test_lines_that_are_nearly_something(self, line: str) -> None:
        result = on(b"q\n" + line.encode() + b"b\n", block(f"q\n{line}\n", f"q\n{line}c\n"))
        assert isinstance(result, Refused)
        result = apply_reply(f"```\n{line}\n```\n", [Target("f.txt", b"x\n")], edit_mode="full")


REPLIES: dict[str, Callable[[], str]] = {
    "exact": lambda: "".join(block(f"value_{n} = compute({n}, 'abc')\n", f"changed {n}\n") for n in range(60_000)),
    "miss": lambda: "".join(block(f"value_{n} = compute({n}, 'abd')\n", f"changed {n}\n") for n in range(60_000)),
    "same": lambda: block("value_1 = compute(1, 'abc')\n", "y\n") * 80_000,
    "chain": lambda: (
        block("value_0 = compute(0, 'abc')\n", "v0\n")
        + "".join(block(f"v{n}\n", f"v{n + 1}\n") for n in range(100_000))
    ),
    "one block": lambda: block("".join(f"zalue_{n} = compute({n}, 'abc')\n" for n in range(140_000)), "x\n"),
    "prose": lambda: "lorem ipsum dolor sit amet\n" * 190_000,
    "opened": lambda: "<<<<<<< SEARCH\n" * 340_000,
    "ended": lambda: ">>>>>>> REPLACE\n" * 320_000,
    "headers": lambda: "".join(f"<<< path=a{n}.c >>>\n" for n in range(240_000)),
    "no line ends": lambda: "x" * (5 * MEGABYTE),
    "fences": lambda: "```py\n" * 850_000,
}


@pytest.mark.parametrize("kind", REPLIES)
def test_replies_of_five_megabytes(kind: str, middling: bytes) -> None:
    reply = REPLIES[kind]()
    assert len(reply) > 4.5 * MEGABYTE
    result = on(middling, reply)
    if kind == "exact":
        assert isinstance(result, Applied)
        data = result.files["f.txt"] or b""
        assert data.splitlines()[59_998:60_002] == [
            b"changed 59998", b"changed 59999", b"value_60000 = compute(60000, 'abc')", b"value_60001 = compute(60001, 'abc')",
        ]  # fmt: skip
    else:
        assert isinstance(result, Refused)
        assert 0 < len(result.message) < 20_000


def test_thousands_of_ambiguous_blocks() -> None:
    result = on(b"  a\n" * 100_000, "".join(block("a\n", f"b{n}\n") for n in range(8_000)))
    assert isinstance(result, Refused)
    assert "more than 100 places" in result.message


def test_a_reply_beyond_the_limit_is_refused_unread() -> None:
    result = on(b"x\n", "x\n" * (10 * MEGABYTE))
    assert isinstance(result, Refused)
    assert "too long" in result.message


def test_memory_is_linear_in_the_file() -> None:
    def peak(lines: int) -> float:
        data = "".join(f"value_{n} = compute({n})\n" for n in range(lines)).encode()
        tracemalloc.start()
        try:
            on(data, block(f"value_{lines // 2} = computed({lines // 2})\nvalue_1\n", "x\n"))
            return tracemalloc.get_traced_memory()[1] / len(data)
        finally:
            tracemalloc.stop()

    assert peak(40_000) < 1.3 * peak(10_000) + 1
