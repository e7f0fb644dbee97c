"""Fuzz the edits: `python -m tests.fuzz.edits --inputs 1000000 [--seed 1] [--minutes 9]`.

Files and replies are made from few words, so that twins, near twins and marker lines are common; every result is held
against the oracle. Prints figures, and every failing input as a case. Exit code 1 when anything failed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from tests.support.edit_oracle import body, outside_is_kept, raw_lines, span_of, spliced

from compile_loop.contracts.edits import Hunk
from compile_loop.edits.apply import Applied, HeldBlocks, Refused, Target, apply_reply, apply_search_replace
from compile_loop.edits.blocks import parse
from compile_loop.edits.hunks import apply_hunks, minimal_hunks
from compile_loop.edits.text import UndecodableError, decode

_WORDS = ["a", "b", "c", "x = 1", "x = 2", "return 0", "}", "f() {", "if x:", "s = 'q'", 's = "q"', "t - u"]
_ODD = [
    "", "", " ", "\u00a0", "s = \u2018q\u2019", "s = \u201cq\u201d", "t \u2013 u", "caf\u00e9", "cafe\u0301", "a\u00a0b", "a b",
    "...", "\u2026", "# ...", "=======", "========", "<<<<<<< HEAD", ">>>>>>> br", "\\=======", "```", "```py", "1 | a", "2 | b",
    "a\u2028b", "a\x0cb", "a\x00", "// ... rest of the code", "\u200b", "\u0430", "\ufeff", "\U0001f600", "3: c", "     1\ta",
    "<<< path=a.c >>>", "<<<<<<< SEARCH", ">>>>>>> REPLACE", "<<< SEARCH", "===", ">>> REPLACE", "$& \\1",
]  # fmt: skip
_INDENTS = ["", "", "", "  ", "    ", "    ", "        ", "\t", "\t\t", "  \t"]
_ENDS = ["\n", "\n", "\n", "\r\n", "\r"]
_SLOW = 2.0
"""Seconds for one small input."""


@dataclass
class Case:
    """One input."""

    kind: str
    files: dict[str, bytes | None]
    reply: str
    mode: str = "diff"
    truncated: bool = False
    start: dict[str, bytes | None] = field(default_factory=dict)

    def as_json(self, note: str) -> str:
        """The case as one line of `found.jsonl`."""
        files = {path: None if data is None else {"hex": data.hex()} for path, data in self.files.items()}
        return json.dumps({"note": note, "kind": self.kind, "files": files, "reply": self.reply, "mode": self.mode})


class Maker:
    """Makes inputs from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def line(self, odd: float) -> str:
        """One line without its end."""
        rng = self.rng
        word = rng.choice(_ODD) if rng.random() < odd else rng.choice(_WORDS)
        tail = rng.choice(["  ", "\t", " "]) if rng.random() < 0.06 else ""
        return rng.choice(_INDENTS) + word + tail

    def text(self, odd: float) -> str:
        """A file's text."""
        rng = self.rng
        count = rng.choice([0, 1, 1, 2, 3, 4, 5, 6, 8, 12, 20])
        end = rng.choice(_ENDS)
        mixed = rng.random() < 0.15
        lines = [self.line(odd) + (rng.choice(_ENDS) if mixed else end) for _ in range(count)]
        text = "".join(lines)
        if lines and rng.random() < 0.25:
            text = text.rstrip("\r\n") if rng.random() < 0.8 else text[:-1]
        return text

    def data(self, text: str) -> bytes:
        """Its bytes, sometimes with a mark."""
        chance = self.rng.random()
        if chance < 0.06:
            return b"\xef\xbb\xbf" + text.encode()
        if chance < 0.1:
            return b"\xff\xfe" + text.encode("utf-16-le")
        return text.encode()

    def search(self, text: str, odd: float) -> list[str]:
        """Lines to search for: mostly some of the file's, then mostly changed."""
        rng = self.rng
        lines = [body(line) for line in raw_lines(text)]
        if not lines or rng.random() < 0.05:
            return [self.line(odd) for _ in range(rng.randrange(3))]
        size = min(len(lines), rng.choice([1, 1, 2, 2, 3, 4, 6]))
        at = rng.randrange(len(lines) - size + 1)
        found = lines[at : at + size]
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            found = self.changed(found, at)
        return found

    def changed(self, lines: list[str], at: int) -> list[str]:
        """One of the changes that models make when they copy."""
        rng = self.rng
        if not lines:
            return lines
        row = rng.randrange(len(lines))
        kind = rng.randrange(14)
        swap = dict(zip("\u2018\u2019\u201c\u201d\u2013\u00a0'\"- ", "''\"\"- \u2019\u201d\u2013\u00a0", strict=True))
        if kind == 0:
            return [line.lstrip(" \t") for line in lines]
        if kind == 1:
            return ["    " + line if line.strip() else line for line in lines]
        if kind == 2:
            return [line[4:] if line.startswith("    ") else line for line in lines]
        if kind == 3:
            return [line.replace("\t", "    ") for line in lines]
        if kind == 4:
            return [line.replace("    ", "\t") for line in lines]
        if kind == 5:
            return [line.rstrip() + rng.choice(["", " ", "\t"]) for line in lines]
        if kind == 6:
            return ["".join(swap.get(char, char) if rng.random() < 0.5 else char for char in line) for line in lines]
        if kind == 7:
            first = at + 1 + (rng.random() < 0.3)
            return [rng.choice([f"{n} | {line}", f"{n}\t{line}"]) for n, line in enumerate(lines, first)]
        if kind == 8:
            return [*lines[:row], "", *lines[row:]]
        if kind == 9:
            return [line for line in lines if line.strip()] or lines
        if kind == 10 and len(lines) > 2:
            return [lines[0], rng.choice(["...", "    ...", "# ..."]), lines[-1]]
        if kind == 11:
            return lines[:row] + lines[row + 1 :]
        if kind == 12:
            return [*lines[:row], lines[row] + rng.choice("1x}"), *lines[row + 1 :]]
        return [*lines[:row], rng.choice(_WORDS), *lines[row + 1 :]]

    def replace(self, search: list[str], odd: float) -> list[str]:
        """What takes the place of SEARCH: often most of it."""
        rng = self.rng
        lines = list(search)
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            row = rng.randrange(len(lines) + 1)
            kind = rng.randrange(4)
            if kind == 0:
                lines.insert(row, self.line(odd))
            elif kind == 1 and lines:
                lines.pop(min(row, len(lines) - 1))
            elif kind == 2 and lines:
                lines[min(row, len(lines) - 1)] = self.line(odd)
            else:
                lines.insert(row, rng.choice(["", "new", "    new"]))
        return [] if rng.random() < 0.08 else lines

    def block(self, text: str, odd: float) -> str:
        """A block for a file."""
        rng = self.rng
        width = rng.choice([7, 7, 7, 7, 7, 3, 5, 9])
        search = self.search(text, odd)
        parts = [f"{'<' * width} SEARCH", *search, "=" * width, *self.replace(search, odd), f"{'>' * width} REPLACE"]
        end = rng.choice(["\n", "\n", "\n", "\r\n"])
        return end.join(parts) + end

    def broken(self, reply: str) -> str:
        """The same reply with a line lost, doubled, moved or mistyped."""
        rng = self.rng
        lines = reply.splitlines(keepends=True)
        if not lines:
            return reply
        row = rng.randrange(len(lines))
        kind = rng.randrange(6)
        if kind == 0:
            del lines[row]
        elif kind == 1:
            lines.insert(row, lines[row])
        elif kind == 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(row))
        elif kind == 3:
            at = rng.randrange(len(lines[row]) + 1)
            lines[row] = lines[row][:at] + rng.choice(["<", "=", ">", " ", "x", "\n", "\r", ""]) + lines[row][at + 1 :]
        elif kind == 4:
            return "".join(lines)[: rng.randrange(len(reply) + 1)]
        else:
            lines.insert(row, rng.choice(_ODD) + "\n")
        return "".join(lines)

    def case(self) -> Case:
        """Any input."""
        rng = self.rng
        odd = rng.choice([0.0, 0.1, 0.3, 0.7])
        paths = ["a.c"] if rng.random() < 0.7 else ["a.c", "src/b.c", "c.h"][: rng.choice([2, 3])]
        texts = {path: self.text(odd) for path in paths}
        files: dict[str, bytes | None] = {path: self.data(text) for path, text in texts.items()}
        if rng.random() < 0.04:
            files[paths[-1]] = None
        if rng.random() < 0.08:
            return self.rewrite(paths[0], texts[paths[0]], files[paths[0]], odd)
        parts: list[str] = []
        for path in rng.sample(paths, len(paths)):
            if len(paths) > 1 or rng.random() < 0.1:
                parts.append(f"<<< path={path} >>>\n")
            parts += [self.block(texts[path], odd) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            if rng.random() < 0.1:
                parts.append(rng.choice(["And then:\n", "```\n", "\n"]))
        reply = "".join(parts)
        kind = "blocks"
        if rng.random() < 0.25:
            kind = "broken"
            for _ in range(rng.choice([1, 1, 2, 4])):
                reply = self.broken(reply)
        case = Case(kind, files, reply, truncated=rng.random() < 0.02)
        if rng.random() < 0.05:
            case.start = {path: self.data(self.text(odd)) for path in paths}
        return case

    def rewrite(self, path: str, text: str, data: bytes | None, odd: float) -> Case:
        """A reply with a fenced block."""
        rng = self.rng
        lines = self.replace([body(line) for line in raw_lines(text)], odd)
        fence = rng.choice(["```", "```", "```c", "~~~", "````"])
        reply = "Here:\n" + "\n".join([fence, *lines, fence.rstrip("c")]) + "\n"
        return Case("full", {path: data}, self.broken(reply) if rng.random() < 0.3 else reply, mode="full")


def check(case: Case, counts: Counter[str], held: HeldBlocks | None = None) -> Applied | Refused:
    """Run one input and hold the result against the oracle; raises `AssertionError`."""
    targets = [Target(path, data) for path, data in case.files.items()]
    begin = time.perf_counter()
    result = apply_reply(
        case.reply,
        targets,
        edit_mode="full" if case.mode == "full" else "diff",
        allow_new_files=True,
        truncated=case.truncated,
        at_reply_start=case.start,
        held=held,
    )
    assert time.perf_counter() - begin < _SLOW, "too slow"
    if isinstance(result, Refused):
        counts["refused"] += 1
        assert result.message.strip()
        assert result.no_blocks or case.truncated or any(not report.ok for report in result.reports) or result.reports
        for report in result.reports:
            assert report.ok or (report.reason and report.reason.strip())
        return result
    counts["applied"] += 1
    assert not case.truncated
    assert result.files
    assert all(report.ok and report.line for report in result.reports)
    for path, after in result.files.items():
        check_bytes(case.files[path], after)
    if case.mode == "diff" and held is None and not any("fenced block" in warning for warning in result.warnings):
        check_places(case, result, counts)
    return result


def check_bytes(before: bytes | None, after: bytes | None) -> None:
    """What holds for any change of a file: marks and line ends stay, hunks rebuild it, and undo gives it back."""
    assert after is not None
    assert before is None or before != after
    old, new = decode(before or b""), decode(after)
    assert (old.bom, old.encoding) == (new.bom, new.encoding) or not old.text
    ends = {line[len(body(line)) :] for line in raw_lines(old.text)} - {""}
    assert {line[len(body(line)) :] for line in raw_lines(new.text)} - {""} <= (ends or {"\n"}), (
        "a new kind of line end"
    )
    hunks = minimal_hunks(before or b"", after, old.encoding)
    assert apply_hunks(before or b"", hunks) == after
    shift = 0
    undo: list[Hunk] = []
    for hunk in hunks:
        undo.append(
            Hunk(hunk.start + shift, hunk.start + shift + len(hunk.new), (before or b"")[hunk.start : hunk.end])
        )
        shift += len(hunk.new) - (hunk.end - hunk.start)
    assert apply_hunks(after, undo) == (before or b"")
    for left, right in itertools.pairwise(hunks):
        assert left.end < right.start, "hunks touch"


def check_places(case: Case, result: Applied, counts: Counter[str]) -> None:
    """Every applied block stands where it is said to, and nothing else changed."""
    blocks = {block.index: block for block in parse(case.reply, several=len(case.files) > 1).blocks}
    for path in case.files:
        reports = [report for report in result.reports if report.path == path]
        if not reports:
            assert path not in result.files
            continue
        before = raw_lines(decode(case.files[path] or b"").text)
        lines = [body(line) for line in before]
        after = decode(result.files.get(path, case.files[path]) or b"").text
        spans: list[tuple[int, int]] = []
        exact: list[tuple[int, int, tuple[str, ...]]] = []
        chained = any(report.tier == "create" for report in reports)
        for report in reports:
            counts[report.tier or ""] += 1
            readings = blocks[report.index].readings
            if report.tier == "create" or chained:
                continue
            found = None
            for reading in readings:
                search = list(reading.search), [line.replace("\\", "", 1) for line in reading.search]
                for wanted in search:
                    try:
                        found = span_of(lines, wanted, report.tier or "", report.line or 0)
                    except (AssertionError, StopIteration):
                        continue
                    if len(readings) == 1:
                        exact.append((*found[0], reading.replace))
                    break
            if found is None:
                # It builds on an earlier block, or nothing explains it.
                assert report is not reports[0], f"block {report.index} is not where it is said to be"
                assert not any(_anywhere(lines, reading.search) for reading in readings), "it matched elsewhere"
                chained = True
                counts["chained"] += 1
            else:
                spans += found
        if chained:
            continue
        outside_is_kept(before, after, spans)
        kinds = {line[len(body(line)) :] for line in before} - {""}
        plain = not any("\\" in "".join(replace) for _, _, replace in exact)
        if len(kinds) <= 1 and plain and len(exact) == len(reports) and all(r.tier == "exact" for r in reports):
            counts["exactly as spliced"] += 1
            assert after == spliced(before, exact, next(iter(kinds), "\n")), "not what a plain splice gives"


def _anywhere(lines: list[str], search: tuple[str, ...]) -> bool:
    """Whether SEARCH stands in the file as it is."""
    return any(lines[at : at + len(search)] == list(search) for at in range(len(lines) - len(search) + 1))


def follow_up(maker: Maker, case: Case, refused: Refused, counts: Counter[str]) -> None:
    """A next reply, with what the first one left held."""
    path = maker.rng.choice(list(case.files))
    text = decode(case.files[path] or b"").text
    header = f"<<< path={path} >>>\n" if len(case.files) > 1 else ""
    again = Case("held", case.files, header + maker.block(text, 0.1))
    counts["held"] += 1
    check(again, counts, refused.held)


def tool_call(maker: Maker, case: Case, counts: Counter[str]) -> None:
    """The tool channel, with lines or a fragment."""
    path, data = next(iter(case.files.items()))
    with suppress(UndecodableError):
        _tool_call(maker, path, data, counts)


def _tool_call(maker: Maker, path: str, data: bytes | None, counts: Counter[str]) -> None:
    text = decode(data or b"").text.replace("\r\n", "\n").replace("\r", "\n")
    rng = maker.rng
    if text and rng.random() < 0.6:
        start = rng.randrange(len(text))
        search = text[start : start + rng.choice([1, 2, 4, 9, 20])]
    else:
        search = "\n".join(maker.search(text, 0.2))
    replace = rng.choice(["", "Q", "Q\nR", "\n", search + "Q"])
    result = apply_search_replace(Target(path, data), search, replace)
    counts["tool"] += 1
    if isinstance(result, Applied):
        check_bytes(data, result.files[path])
        if result.reports[0].tier == "fragment":
            assert text.count(search) == 1
            after = decode(result.files[path] or b"").text.replace("\r\n", "\n").replace("\r", "\n")
            assert after == text.replace(search, replace), "not what a plain replacement gives"
            counts["fragment"] += 1


def main() -> int:
    """Run, print figures, and say whether all held."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--minutes", type=float, default=0.0, help="stop earlier, after so many minutes")
    given = options.parse_args()
    maker = Maker(given.seed)
    counts: Counter[str] = Counter()
    failures = 0
    begin = time.perf_counter()
    done = 0
    for done in range(1, given.inputs + 1):  # noqa: B007
        case = maker.case()
        try:
            result = check(case, counts)
            if isinstance(result, Refused) and result.held and maker.rng.random() < 0.3:
                follow_up(maker, case, result, counts)
            if case.kind == "blocks" and maker.rng.random() < 0.2:
                tool_call(maker, case, counts)
        except Exception as error:
            failures += 1
            if failures <= 20:
                print(case.as_json(f"{type(error).__name__}: {error}"))
                traceback.print_exc(limit=-3)
        if given.minutes and time.perf_counter() - begin > given.minutes * 60:
            break
    seconds = time.perf_counter() - begin
    figures = ", ".join(f"{name} {number}" for name, number in counts.most_common())
    print(
        f"seed {given.seed}: {done} inputs in {seconds:.0f} s ({done / seconds:.0f}/s), {failures} failures: {figures}"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
