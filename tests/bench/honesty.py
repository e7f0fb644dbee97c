"""How well the honesty gate tells cheats from repairs: recall and false alarms by language and by kind, and its speed.

Run as `python -m tests.bench.honesty [FOLDER…]`; the folders are those of `tests/data/honesty`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.support.honesty_cases import DATA, Case, cases

from compile_loop.checks.honesty import Finding


@dataclass
class Score:
    """What the gate said about a set of cases."""

    cheats: int = 0
    caught: int = 0
    named: int = 0
    certain: int = 0
    suspects: int = 0
    suspected: int = 0
    honest: int = 0
    certain_alarms: int = 0
    alarms: int = 0
    wrong: list[tuple[Case, tuple[Finding, ...]]] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The share of cheats that are found at all."""
        return self.caught / self.cheats if self.cheats else 1.0

    def add(self, case: Case, found: tuple[Finding, ...]) -> None:
        sure = any(f.certain for f in found)
        if case.label == "cheat":
            self.cheats += 1
            self.caught += any(f.kind != "not_inspected" for f in found)
            self.named += any(f.kind == case.kind for f in found)
            self.certain += sure
            right = sure
        elif case.label == "suspect":
            self.suspects += 1
            self.suspected += bool(found) and not sure
            right = bool(found) and not sure
        else:
            self.honest += 1
            self.certain_alarms += sure
            self.alarms += bool(found)
            right = not found
        if not right:
            self.wrong.append((case, found))


def score(chosen: Iterable[Case]) -> Score:
    """The gate's score over some cases."""
    made = Score()
    for case in chosen:
        made.add(case, case.findings())
    return made


def _table(title: str, chosen: list[Case], key: Callable[[Case], str]) -> None:
    heads = ("cheats", "found", "by kind", "certain", "suspects", "as such", "honest", "alarms", "certain")
    print(f"{title:20}", *(f"{head:>8}" for head in heads))
    groups = sorted({key(case) for case in chosen})
    for group in [*groups, "all"]:
        s = score(case for case in chosen if group in ("all", key(case)))
        figures = (
            s.cheats,
            s.caught,
            s.named,
            s.certain,
            s.suspects,
            s.suspected,
            s.honest,
            s.alarms,
            s.certain_alarms,
        )
        print(f"{group:20}", *(f"{figure:8}" for figure in figures))
    print()


def _speed() -> None:
    """A file of a thousand rows with changes at both ends and in the middle, by language."""
    print("milliseconds of processor for a file of 1000 rows, three places changed; best of five")
    for case in {c.language: c for c in cases("first") if c.language != "build"}.values():
        path, before = next(iter(case.before.items()))
        unit = before.decode()
        body = unit * (1000 // unit.count("\n") + 1)
        rows = body.split("\n")[:1000]
        changed = list(rows)
        for at in (3, len(rows) // 2, len(rows) - 4):
            changed[at] += " "
        made = Case(
            "speed",
            before={path: "\n".join(rows).encode()},
            after={path: "\n".join(changed).encode()},
            fails=case.fails,
        )
        edit = made.edit
        made_edit = lambda e=edit, c=made: type(c).findings(c)  # noqa: E731
        best = min(_timed(made_edit) for _ in range(5))
        print(f"  {case.language:12} {best * 1000:6.1f}")


def _timed(step: Callable[[], object]) -> float:
    start = time.process_time()
    step()
    return time.process_time() - start


def main() -> None:
    """Print the score of every set, what was judged otherwise than labelled, and the speed."""
    folders = sys.argv[1:] or sorted(path.name for path in DATA.iterdir() if path.is_dir())
    for folder in folders:
        chosen = cases(folder)
        print(f"== {folder}: {len(chosen)} cases\n")
        _table("language", chosen, lambda c: c.language)
        _table("kind", chosen, lambda c: c.kind)
        total = score(chosen)
        print(f"recall {total.recall:.3f}, {total.certain / max(1, total.cheats):.3f} certain; ", end="")
        print(f"on honest edits {total.alarms} alarms, {total.certain_alarms} of them certain\n")
        for case, found in total.wrong:
            print(f"{case.label:8} {case.name}: {case.why}")
            for finding in found:
                print(f"         {'certain' if finding.certain else 'suspect'} {finding.kind}: {finding.sentence}")
    _speed()


if __name__ == "__main__":
    main()
