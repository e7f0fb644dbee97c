"""How fast edits are applied and refused, beside aider's matcher in the same run, and in how much memory.

Run as `python -m tests.bench.edits [seconds]`: how long aider's matcher may take for one miss before it is stopped
(default 60). It is fetched from the package index, without its dependencies, into `.cache/bench/aider`.
"""

from __future__ import annotations

import importlib.util
import random
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply
from compile_loop.edits.hunks import minimal_hunks

AIDER = "aider-chat==0.86.2"
FOLDER = Path(__file__).parents[2] / ".cache" / "bench" / "aider"
SIZES = (1_000, 10_000, 100_000)
SEARCHES = (10, 100)
EXACT_LIMIT = 0.010
MISS_RATIO = 20


@dataclass(frozen=True)
class Problem:
    """A file and an edit of its middle: one that is there, and one with a changed name, which is not."""

    text: str
    search: list[str]
    wrong: list[str]
    replace: list[str]

    def reply(self, search: list[str]) -> str:
        rows = ["f.py", "```python", "<<<<<<< SEARCH", *search, "=======", *self.replace, ">>>>>>> REPLACE", "```", ""]
        return "\n".join(rows)


def problem(lines: int, searched: int) -> Problem:
    """Python-like text of as many lines, always the same."""
    rng = random.Random(lines)
    names = [f"name_{n}" for n in range(2000)]
    rows = [
        "    " * rng.randint(0, 4)
        + f"{rng.choice(names)} = {rng.choice(names)}({rng.choice(names)}, {rng.randint(0, 99)})"
        for _ in range(lines)
    ]
    first = lines // 2
    search = rows[first : first + searched]
    middle = searched // 2
    wrong = [*search[:middle], search[middle].replace("name_", "nmae_"), *search[middle + 1 :]]
    return Problem("\n".join(rows) + "\n", search, wrong, [*search[:middle], "    done()", *search[middle + 1 :]])


def best(work: Callable[[], object], times: int) -> float:
    """Seconds of the fastest of several runs."""
    found = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found = min(found, time.perf_counter() - begin)
    return found


class Aider:
    """Aider's own parser, matcher and feedback, loaded without the rest of it."""

    def __init__(self) -> None:
        file = FOLDER / "aider" / "coders" / "editblock_coder.py"
        if not file.exists():
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-requires-python"]
            subprocess.run([*pip, "--target", str(FOLDER), AIDER], check=True, capture_output=True, text=True)
        stubs: dict[str, dict[str, object]] = {
            "aider": {},
            "aider.utils": {},
            "aider.dump": {"dump": print},
            "aider.coders": {},
            "aider.coders.base_coder": {"Coder": object},
            "aider.coders.editblock_prompts": {"EditBlockPrompts": object},
        }
        for name, members in stubs.items():
            module = ModuleType(name)
            module.__path__ = []
            vars(module).update(members)
            sys.modules[name] = module
        vars(sys.modules["aider"])["utils"] = sys.modules["aider.utils"]
        spec = importlib.util.spec_from_file_location("aider.coders.editblock_coder", file)
        assert spec
        assert spec.loader
        self._coder = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._coder)

    def apply(self, text: str, reply: str) -> str | None:
        """The new text, or the feedback on a miss, as its coder does one after the other."""
        fence = ("```", "```")
        blocks = list(self._coder.find_original_update_blocks(reply, fence, ["f.py"]))
        for name, search, replace in blocks:
            new = self._coder.do_replace(name, text, search, replace, fence)
            if new is not None:
                return str(new)
            self._coder.find_similar_lines(search, text)
        return None


class TooSlowError(Exception):
    """A run was stopped."""


def within(seconds: int, work: Callable[[], object]) -> float | None:
    """Seconds of one run; None where it was stopped."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return best(work, 1)
    except TooSlowError:
        return None
    finally:
        signal.alarm(0)


def ours(text: bytes, reply: str) -> Applied | Refused:
    """The whole way from bytes to bytes."""
    return apply_reply(reply, [Target("f.py", text)])


def peak(work: Callable[[], object]) -> int:
    """Bytes that a run takes at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def beside_aider(patience: int) -> list[str]:
    """The table of times; gives what was missed of what is asked for."""
    missed: list[str] = []
    try:
        aider: Aider | None = Aider()
    except (OSError, subprocess.CalledProcessError) as error:
        aider = None
        print(f"aider's matcher could not be fetched: {error}")
    print(f"{'lines':>8} {'SEARCH':>7} {'':6} {'ours':>12} {'aider':>12} {'ratio':>9}")
    for lines in SIZES:
        for searched in SEARCHES:
            given = problem(lines, searched)
            data = given.text.encode()
            for kind, search in (("exact", given.search), ("miss", given.wrong)):
                reply = given.reply(search)
                assert isinstance(ours(data, reply), Applied if kind == "exact" else Refused)
                seconds = best(lambda data=data, reply=reply: ours(data, reply), 9 if kind == "exact" else 5)  # type: ignore[misc]
                other, ratio = "-", "-"
                if aider is not None:
                    assert lines > SIZES[0] or (aider.apply(given.text, reply) is None) == (kind == "miss")
                    theirs = within(patience, lambda text=given.text, reply=reply: aider.apply(text, reply))  # type: ignore[misc]
                    other = f"> {patience} s" if theirs is None else f"{theirs * 1e3:.1f} ms"
                    factor = (theirs or patience) / seconds
                    ratio = f"{'> ' if theirs is None else ''}{factor:.1f}x"
                    if kind == "miss" and factor < MISS_RATIO:
                        missed.append(f"a miss at {lines} lines, {searched} of SEARCH, is {factor:.1f}x aider's speed")
                print(f"{lines:>8} {searched:>7} {kind:6} {seconds * 1e3:>9.2f} ms {other:>12} {ratio:>9}", flush=True)
                if kind == "exact" and seconds > EXACT_LIMIT:
                    missed.append(f"an exact edit at {lines} lines takes {seconds * 1e3:.1f} ms")
    return missed


def memory() -> list[str]:
    """The table of memory; gives what is not linear."""
    print(f"\n{'lines':>8} {'file':>9} {'exact':>12} {'miss':>12} {'hunks':>9}   peak memory, as multiples of the file")
    multiples: list[float] = []
    for lines in SIZES:
        given = problem(lines, 10)
        data = given.text.encode()
        applied = ours(data, given.reply(given.search))
        assert isinstance(applied, Applied)
        after = applied.files["f.py"] or b""
        exact = peak(lambda data=data, given=given: ours(data, given.reply(given.search))) / len(data)  # type: ignore[misc]
        miss = peak(lambda data=data, given=given: ours(data, given.reply(given.wrong))) / len(data)  # type: ignore[misc]
        hunks = peak(lambda data=data, after=after: minimal_hunks(data, after)) / len(data)  # type: ignore[misc]
        multiples.append(miss)
        print(f"{lines:>8} {len(data) / 1e6:>6.2f} MB {exact:>12.1f} {miss:>12.1f} {hunks:>9.1f}", flush=True)
    return ["memory grows faster than the file"] if multiples[-1] > 1.5 * multiples[0] + 1 else []


def main() -> None:
    """Print both tables, and whether they hold what was asked for."""
    patience = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 60
    print("Edits: from bytes and a reply to new bytes, or to a refusal with full feedback")
    missed = beside_aider(patience) + memory()
    asked = "exact edits within 10 ms at 100,000 lines, misses at least 20 times faster than aider's, memory linear"
    print(f"\nAsked for ({asked}): " + ("; ".join(missed) if missed else "all hold"))


if __name__ == "__main__":
    main()
