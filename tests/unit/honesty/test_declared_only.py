"""Declarations of own modules that nothing implements are doubted; those of packages and assets are not (SPEC K7)."""

from __future__ import annotations

import pytest

from compile_loop.checks.honesty import inspect
from compile_loop.contracts.diagnostics import Diagnostic, Range
from compile_loop.contracts.edits import Edit, FileChange

TS = "export const s: string = total([1, 2]);\n"
FROM_LIB, FROM_COMPAT = "import { total } from './lib';\n" + TS, "import { total } from './compat';\n" + TS
DECLARED = "export declare function total(xs: number[]): string;\n"
PY_LIB, PY_COMPAT = "from lib import total\nx: str = total([1])\n", "from compat import total\nx: str = total([1])\n"
PYI = "def total(xs: list[int]) -> str: ...\n"


def missing(name: str) -> str:
    return f"Cannot find module '{name}' or its corresponding type declarations."


PY_MISSING = 'Cannot find implementation or library stub for module named "{}"'
Files = dict[str, "str | tuple[str, str]"]

DOUBTED: dict[str, tuple[Files, str, str]] = {
    "a module is replaced by types": (
        {"src/a.ts": (FROM_LIB, FROM_COMPAT), "src/compat.d.ts": DECLARED},
        "",
        "src/lib.ts",
    ),
    "so in another folder": (
        {
            "src/x/a.ts": ("", "import { t } from '../y/compat.js';\n"),
            "src/y/compat.d.mts": "export const t: number;\n",
        },
        "",
        "",
    ),
    "by an index": ({"src/a.ts": (FROM_LIB, FROM_COMPAT), "src/compat/index.d.ts": DECLARED}, "", "src/lib.ts"),
    "a missing module gets types": ({"src/lib.d.ts": DECLARED}, missing("./lib"), ""),
    "by an alias": ({"src/lib.d.ts": "export default function total(): string;\n"}, missing("@/lib"), ""),
    "of a path": ({"src/core/lib.d.ts": "export class Total {}\n"}, missing("@app/core/lib"), ""),
    "an ambient wildcard": (
        {"src/g.d.ts": "declare module '*/lib' {\n  export function total(): number;\n}\n"},
        missing("./lib"),
        "",
    ),
    "on one line": ({"src/g.d.ts": "declare module '*/lib' { export const x: number }\n"}, missing("./lib"), ""),
    "added to a file": (
        {
            "src/g.d.ts": (
                "declare module 'p';\n",
                "declare module 'p';\ndeclare module '#lib' {\n  const x: 1;\n  export = x;\n}\n",
            )
        },
        missing("#lib"),
        "",
    ),
    "a program becomes types": (
        {"src/user.service.d.ts": DECLARED, "src/a.ts": ("x", "import { total } from './user.service';\n")},
        "",
        "",
    ),
    "exported apart": ({"src/lib.d.ts": "declare const total: number;\nexport { total };\n"}, missing("./lib"), ""),
    "Python replaced": ({"app.py": (PY_LIB, PY_COMPAT), "compat.pyi": PYI}, "", "lib.py"),
    "Python missing": ({"lib.pyi": PYI}, PY_MISSING.format("lib"), ""),
    "Python pyright": (
        {"pkg/lib.pyi": "class Total: ...\n"},
        'Import "pkg.lib" could not be resolved',
        "pkg/__init__.py",
    ),
    "Python of a package": (
        {"pkg/a.py": ("", "from . import compat\n"), "pkg/compat.pyi": "total: int\n"},
        "",
        "pkg/__init__.py",
    ),
    "Python package": ({"app.py": ("", "import compat\n"), "compat/__init__.pyi": PYI}, "", ""),
}
PASSED: dict[str, tuple[Files, str, str]] = {
    "a package without types": (
        {"src/t.d.ts": "declare module 'left-pad' {\n  export default function p(s: string): string;\n}\n"},
        missing("left-pad"),
        "",
    ),
    "so in a folder of types": (
        {"types/left-pad/index.d.ts": "declare function p(s: string): string;\nexport = p;\n"},
        missing("left-pad"),
        "",
    ),
    "of a scope": ({"types/@acme/pad/index.d.ts": "export function p(): string;\n"}, missing("@acme/pad"), ""),
    "an ambient scope": (
        {"src/t.d.ts": "declare module '@acme/pad' {\n  export const p: string;\n}\n"},
        missing("@acme/pad"),
        "",
    ),
    "pictures": (
        {"src/t.d.ts": "declare module '*.svg' {\n  const u: string;\n  export default u;\n}\n"},
        missing("./logo.svg"),
        "",
    ),
    "raw texts": (
        {"src/t.d.ts": "declare module '*?raw' {\n  const u: string;\n  export default u;\n}\n"},
        missing("./a.glsl?raw"),
        "",
    ),
    "a style's names": ({"src/a.module.css.d.ts": "export const box: string;\n"}, missing("./a.module.css"), ""),
    "the global object": (
        {"src/g.d.ts": "export {};\ndeclare global {\n  interface Window { x: 1 }\n  var y: number;\n}\n"},
        missing("./g"),
        "",
    ),
    "an augmentation": (
        {
            "src/g.d.ts": "import './store';\ndeclare module './store' {\n  export function more(): void;\n}\n",
            "src/a.ts": ("", "import './store';\n"),
        },
        "",
        "src/store.ts",
    ),
    "a program beside": (
        {"src/lib.d.ts": DECLARED},
        "Could not find a declaration file for module './lib'.",
        "src/lib.js",
    ),
    "a new program beside": (
        {"src/a.ts": ("", FROM_COMPAT), "src/compat.d.ts": DECLARED, "src/compat.js": "export const total = String;\n"},
        "",
        "",
    ),
    "types alone": (
        {
            "src/a.ts": ("", "import type { A } from './model';\n"),
            "src/model.d.ts": "export interface A { x: 1 }\nexport type B = A;\n",
        },
        "",
        "",
    ),
    "only its types are taken": (
        {"src/a.ts": ("", "import type { A } from './model';\n"), "src/model.d.ts": "export class A {}\n"},
        "",
        "",
    ),
    "nobody asks for it": ({"src/other.d.ts": DECLARED}, missing("./lib"), ""),
    "Python beside": ({"app.py": ("", PY_COMPAT), "compat.pyi": PYI}, "", "compat.py"),
    "Python new beside": (
        {"app.py": ("", PY_COMPAT), "compat.pyi": PYI, "compat.py": "def total(xs):\n    return ''\n"},
        "",
        "",
    ),
    "Python installed": (
        {"left_pad.pyi": PYI},
        'Skipping analyzing "left_pad": module is installed, but missing library stubs',
        "",
    ),
    "Python folder of stubs": ({"stubs/lib/__init__.pyi": PYI}, PY_MISSING.format("lib"), ""),
    "Python compiled": ({"pkg/_native.pyi": PYI}, PY_MISSING.format("pkg._native"), "Cargo.toml"),
    "Python protocols": (
        {"app.py": ("", "from shapes import Sized\n"), "shapes.pyi": "class Sized(Protocol): ...\n"},
        "",
        "",
    ),
}


def doubts(files: Files, failure: str, there: str, spec: str = "") -> list[str]:
    changes = []
    for path, sides in files.items():
        before, after = sides if isinstance(sides, tuple) else (None, sides)
        changes.append(FileChange(path, None if before is None else before.encode(), after.encode(), (), "utf-8"))
    importer = "src/a.ts" if "'" in failure else "app.py"
    baseline = [
        Diagnostic(failure or "Type 'number' is not assignable to type 'string'.", importer, Range.of(0, 0, 0, 1))
    ]
    known = {there, *(path for path, sides in files.items() if isinstance(sides, tuple))}
    found = inspect(Edit(tuple(changes)), baseline, spec=spec, exists=known.__contains__)
    assert not any(f.kind == "not_inspected" or (f.certain and f.kind == "stub") for f in found)
    return [f.text for f in found if "no program of the workspace" in f.text]


@pytest.mark.spec("K7")
@pytest.mark.parametrize("name", DOUBTED)
def test_types_of_own_modules_without_a_program_are_doubted(name: str) -> None:
    assert len(doubts(*DOUBTED[name])) == 1


@pytest.mark.spec("K7")
@pytest.mark.parametrize("name", PASSED)
def test_types_for_what_lies_elsewhere_are_not(name: str) -> None:
    assert doubts(*PASSED[name]) == []


@pytest.mark.spec("K7")
def test_a_declaration_that_the_user_asked_for_is_no_doubt() -> None:
    assert (
        doubts(
            {"src/lib.d.ts": DECLARED}, missing("./lib"), "", "Write src/lib.d.ts for the bundle that is built later."
        )
        == []
    )
