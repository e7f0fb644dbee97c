"""Full mode: the single fenced block is the whole new file; what is no whole file is refused (SPEC E3)."""

from __future__ import annotations

import pytest
from tests.unit.edits.build import block

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply

pytestmark = pytest.mark.spec("E3")

OLD = "".join(f"line {n}\n" for n in range(40))


def full(text: str | bytes | None, reply: str, path: str = "f.py", *, new: bool = False) -> Applied | Refused:
    data = text.encode() if isinstance(text, str) else text
    return apply_reply(reply, [Target(path, data)], edit_mode="full", allow_new_files=new)


def written(text: str | bytes | None, reply: str, path: str = "f.py", *, new: bool = False) -> bytes | None:
    result = full(text, reply, path, new=new)
    assert isinstance(result, Applied), result.message
    return result.files[path]


def why_not(text: str | bytes | None, reply: str, path: str = "f.py") -> str:
    result = full(text, reply, path)
    assert isinstance(result, Refused), result.files
    return result.message


@pytest.mark.parametrize(
    "reply",
    [
        "Here:\n```python\na = 2\n```\nDone.",
        "~~~\na = 2\n~~~\n",
        "````py\na = 2\n````",
        "```\r\na = 2\r\n```\r\n",
        "  ```\n  a = 2\n  ```\n",
        "```python\na = 2\n```\nRun it:\n```bash\npython f.py\n```\n",
        '```python\na = 2\n```\nIts settings:\n```json\n{"a": 2}\n```\n',
        "```text\nold output\n```\n```python f.py\na = 2\n```\n",
    ],
)
def test_the_fenced_block_is_the_file(reply: str) -> None:
    assert written("a = 1\n", reply) == b"a = 2\n"


def test_fences_inside() -> None:
    inner = "# Title\n\n```python\nx = 1\n```\n\nmore\n"
    assert written("# Old\n", f"```markdown\n{inner}```\n", "README.md") == inner.encode()
    assert written("# Old\n", f"````\n{inner}````\n", "README.md") == inner.encode()
    code = 'def f():\n    """\n    ```\n    f()\n    ```\n    """\n'
    assert written("x\n", f"```python\n{code}```\n") == code.encode()


@pytest.mark.spec("E8")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\n", b"a\r\nB\r\nc\r\n"),
        (b"a\nb", b"a\nB\nc"),
        (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\nc\n"),
        (b"a\r\nb\nx\n", b"a\r\nB\nc\n"),
        ("a\r\nb\r\n".encode("utf-16"), "a\r\nB\r\nc\r\n".encode("utf-16")),
    ],
)
def test_the_files_own_bytes_stay(before: bytes, after: bytes) -> None:
    assert written(before, "```\na\nB\nc\n```\n") == after


def test_a_mark_in_the_reply_is_not_doubled() -> None:
    assert written(b"\xef\xbb\xbfa\n", "```\n\ufeffb\n```\n") == b"\xef\xbb\xbfb\n"
    assert written(None, "```\n\ufeffb\n```\n", new=True) == b"b\n"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("a = 2\n", "no fenced block"),
        (block("line 1\n", "line 2\n"), "has SEARCH/REPLACE blocks"),
        ("```python\n```\n", "empty"),
        ("```python\n\n  \n```\n", "empty"),
        ("```python\na = 2\n", "no end"),
        ("```python\na = 2\n```\n```python\na = 3\n```\n", "each could be the file"),
        ("```\na = 2\n```\nor\n```\na = 3\n```\n", "each could be the file"),
        ("```python\nline 1\n```\n", "most of the file would be lost"),
        ("```python\n" + OLD + "# ... rest of the file unchanged\n```\n", "stands for code that was left out"),
        ("```python\n" + OLD + "...[truncated]\n```\n", "stands for code that was left out"),
        ("```python\n" + OLD + "```\n", "nothing would change"),
        ("```\n" + block("line 1\n", "line 2\n") + "```\n", "holds SEARCH/REPLACE blocks"),
    ],
)
def test_what_is_no_whole_file_is_refused(reply: str, why: str) -> None:
    assert why in why_not(OLD, reply)


def test_only_a_reply_without_any_fence_has_no_edit() -> None:
    for reply, none in (("a\n", True), ("```\n```\n", False)):
        result = full("x\n", reply)
        assert isinstance(result, Refused)
        assert result.no_blocks is none


def test_a_placeholder_that_was_there_before_stays() -> None:
    assert written("// ... rest of the args\nf();\n", "```\n// ... rest of the args\ng();\n```\n", "a.js")


def test_the_lazy_rewrite_of_a_report() -> None:
    text = "function a(){}\nfunction b(){}\nfunction c(){}\n"
    reply = "```js\nfunction a(){return 1}\n// ... rest of the file remains the same\n```\n"
    assert "left out" in why_not(text, reply, "a.js")


def test_a_small_file_may_shrink() -> None:
    assert written("a\nb\nc\nd\ne\n", "```\nx\n```\n") == b"x\n"


def test_cut_off() -> None:
    target = [Target("f.py", b"x\n")]
    result = apply_reply("```\ny\n```\n", target, edit_mode="full", truncated=True)
    assert isinstance(result, Refused)
    assert "cut off" in result.message


def test_several_targets_need_diff() -> None:
    with pytest.raises(ValueError, match="exactly one target"):
        apply_reply("```\nx\n```\n", [Target("a", b""), Target("b", b"")], edit_mode="full")


@pytest.mark.parametrize(("content", "state"), [(None, "does not exist"), (b"", "is empty")])
def test_diff_mode_falls_back_on_a_missing_or_empty_file(content: bytes | None, state: str) -> None:
    result = apply_reply("```python\nx = 1\n```\n", [Target("f.py", content)], allow_new_files=True)
    assert isinstance(result, Applied)
    assert result.files == {"f.py": b"x = 1\n"}
    assert state in result.warnings[0]


def test_diff_mode_does_not_fall_back_on_a_file_with_content() -> None:
    result = apply_reply("```python\nx = 1\n```\n", [Target("f.py", b"y = 1\n")])
    assert isinstance(result, Refused)
    assert result.no_blocks
