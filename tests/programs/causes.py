"""How good the order of failures is: `python -m tests.programs.causes` (SPEC C5).

Programs with one or two faults and the errors that follow from them. Each fault is mended alone with the real compiler,
which tells the errors that it was the cause of. Then: how many of all errors go away when the faults are mended that the
first one or two complaints come from, in the tool's own order and in ours?
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.programs import read, run
from tests.support.tools import CACHE, search_path, where

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.conversation.causes import in_order
from compile_loop.conversation.steady import steady
from compile_loop.engine.fingerprint import Fingerprint, fingerprints


@dataclass(frozen=True)
class Cascade:
    """Files, the command, and each fault as (file, wrong text, right text)."""

    name: str
    tool: str
    command: str
    files: Mapping[str, str]
    faults: Sequence[tuple[str, str, str]]


_USES = "".join(f"int use{n}(const item_t *i) {{ return i->count + {n}; }}\n" for n in range(6))
CASCADES = [
    Cascade(
        "c_type_misspelt_in_header",
        "gcc",
        "gcc -fsyntax-only main.c other.c",
        {
            "item.h": "#pragma once\ntypedef struct { int count; } itme_t;\n",
            "main.c": '#include "item.h"\nint wrong(void) { return "x" + 1.5; }\n' + _USES,
            "other.c": '#include "item.h"\nint other(item_t *i) { return i->count; }\n',
        },
        [("item.h", "itme_t", "item_t"), ("main.c", '"x" + 1.5', "1")],
    ),
    Cascade(
        "c_struct_without_semicolon",
        "gcc",
        "gcc -fsyntax-only main.c",
        {
            "item.h": "#pragma once\nstruct item { int count; }\n",
            "main.c": '#include "item.h"\nint a(struct item *i) { return i->cuont; }\nint b(void) { return a(0); }\n',
        },
        [("item.h", "count; }", "count; };"), ("main.c", "cuont", "count")],
    ),
    Cascade(
        "cpp_class_unknown",
        "g++",
        "g++ -fsyntax-only main.cpp",
        {
            "shape.h": "#pragma once\nstruct Shaep { double area() const; int sides; };\n",
            "main.cpp": '#include "shape.h"\nint first(int n) { return n.size(); }\n'
            + "".join(f"double f{n}(const Shape &s) {{ return s.area() * s.sides; }}\n" for n in range(5)),
        },
        [("shape.h", "Shaep", "Shape"), ("main.cpp", "n.size()", "n")],
    ),
    Cascade(
        "java_import_missing",
        "javac",
        "javac -d out A.java",
        {
            "A.java": 'class A {\n  int bad() { return "s"; }\n'
            + "".join(f"  List<String> m{n}(List<Integer> in) {{ return new ArrayList<>(); }}\n" for n in range(4))
            + "}\n"
        },
        [("A.java", "class A", "import java.util.*;\nclass A"), ("A.java", '"s"', "1")],
    ),
    Cascade(
        "rust_module_item_renamed",
        "cargo",
        "cargo check --offline --message-format=json",
        {
            "Cargo.toml": '[package]\nname = "c"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": 'mod parts;\nuse parts::Part;\npub fn bad() -> i32 { "s" }\n'
            + "".join(f"pub fn f{n}(p: &Part) -> i32 {{ p.size + {n} }}\n" for n in range(4)),
            "src/parts.rs": "pub struct Prat { pub size: i32 }\n",
        },
        [("src/parts.rs", "Prat", "Part"), ("src/lib.rs", '"s"', "1")],
    ),
    Cascade(
        "ts_export_misspelt",
        "tsc",
        "tsc --noEmit --pretty false --strict --types '' main.ts other.ts",
        {
            "shop.ts": "export interface Itme { price: number }\n",
            "main.ts": "import { Item } from './shop';\nexport const bad: number = 'x';\n"
            + "".join(f"export const f{n} = (all: Item[]) => all.map((i) => i.price + {n});\n" for n in range(3)),
            "other.ts": "import { Item } from './shop';\nexport const g = (i: Item) => i.price;\n",
        },
        [("shop.ts", "Itme", "Item"), ("main.ts", "'x'", "1")],
    ),
    Cascade(
        "ts_module_missing_makes_any",
        "tsc",
        "tsc --noEmit --pretty false --strict --types '' a.ts b.ts",
        {
            "math.ts": "export const each = (f: (n: number) => number) => [1].map(f);\n",
            "a.ts": "export const wrong: string = 1;\n",
            "b.ts": "import { each } from './maths';\nexport const r = [each((n) => n + 1), each((m) => m), each((k) => k)];\n",
        },
        [("b.ts", "./maths", "./math"), ("a.ts", "= 1", "= '1'")],
    ),
    Cascade(
        "go_type_renamed",
        "go",
        "go build -gcflags=-e -o /dev/null ./...",
        {
            "go.mod": "module demo\n\ngo 1.18\n",
            "a.go": 'package main\n\nfunc bad() int { return "s" }\n',
            "b.go": "package main\n\ntype Itme struct{ n int }\n",
            "main.go": "package main\n\n"
            + "".join(f"func f{n}(i Item) int {{ return i.n }}\n" for n in range(4))
            + "func main() {}\n",
        },
        [("b.go", "Itme", "Item"), ("a.go", '"s"', "1")],
    ),
]


@dataclass(frozen=True)
class Measure:
    """Shares of all errors that go away, by how many complaints are looked at: the tool's order, ours, the best."""

    name: str
    errors: int
    complaints: int
    theirs: tuple[float, float]
    ours: tuple[float, float]
    best: tuple[float, float]


def measure(cascade: Cascade, root: Path) -> Measure:
    """Build it as it is and with each fault mended alone."""
    errors = _errors(cascade, root / "red")
    all_of_them = fingerprints(errors)
    cleared: list[Counter[Fingerprint]] = []
    for number, fault in enumerate(cascade.faults):
        left = _errors(cascade, root / str(number), fault)
        cleared.append(all_of_them - fingerprints(left))
    ours = [cause.error for cause in in_order(errors, steady)]
    theirs = list({(one.code, steady(one.message), one.file): one for one in reversed(errors)}.values())[::-1]
    sizes = sorted((sum(one.values()) for one in cleared), reverse=True)
    total = len(errors)
    return Measure(
        cascade.name,
        total,
        len(ours),
        _shares(theirs, cleared, total),
        _shares(ours, cleared, total),
        (sizes[0] / total, sum(sizes[:2]) / total),
    )


def _shares(listed: Sequence[Diagnostic], cleared: Sequence[Counter[Fingerprint]], total: int) -> tuple[float, float]:
    def gone(first: int) -> float:
        faults = {n for one in listed[:first] for n, c in enumerate(cleared) if c[next(iter(fingerprints([one])))]}
        return sum(sum(cleared[n].values()) for n in faults) / total

    return gone(1), gone(2)


def _errors(cascade: Cascade, root: Path, *faults: tuple[str, str, str]) -> list[Diagnostic]:
    for name, text in cascade.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for file, wrong, right in faults:
        (root / file).write_text(cascade.files[file].replace(wrong, right, 1))
    if cascade.tool == "tsc":
        (root / "node_modules").symlink_to(CACHE / "node_modules")
    exit_code, output = run(cascade.command, root)
    return [one for one in read(output, root, cascade.command, exit_code) if one.is_error]


def main() -> int:
    """Print a line for each program, and the means."""
    os.environ["PATH"] = search_path()
    here = [one for one in CASCADES if where(one.tool)]
    with tempfile.TemporaryDirectory() as folder:
        found = [measure(one, Path(folder).resolve() / one.name) for one in here]
    print("errors gone by mending what the first, and the first two complaints come from")
    print(f"{'program':30} errors complaints  {'tool':>11} {'here':>11} {'best':>11}")
    for one in found:
        shares = " ".join(f"{a:5.0%} {b:5.0%}" for a, b in (one.theirs, one.ours, one.best))
        print(f"{one.name:30} {one.errors:6} {one.complaints:10}  {shares}")
    for name in ("theirs", "ours", "best"):
        first, both = (sum(getattr(one, name)[n] for one in found) / len(found) for n in (0, 1))
        print(f"mean, {name}: {first:.0%} by the first, {both:.0%} by the first two")
    return 0


if __name__ == "__main__":
    sys.exit(main())
