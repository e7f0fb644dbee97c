"""Offers that are not taken unasked, although a tool is sure of them (SPEC D5): each kind was met."""

from __future__ import annotations

import pytest
from tests.support.sources import Tree as Files

from compile_loop.contracts.diagnostics import Diagnostic, Range, SuggestedEdit, Suggestion
from compile_loop.toolchains.suggestions import weighed
from compile_loop.toolchains.tree import Tree

pytestmark = pytest.mark.spec("D5")

HARMFUL = [
    # (file, line, the text to replace, the new text, the diagnostic's message, the offer's words)
    ("a.cpp", "  return box.lenght;", "box.lenght", "length", "‘lenght’ not declared; did you mean ‘length’?", ""),
    ("a.cpp", "externn int x;", "externn", "extern", "‘externn’ does not name a type; did you mean ‘extern’?", ""),
    ("a.rs", "add(1, two())", "two()", "two().try_into().unwrap()", "mismatched types", "convert and panic"),
    ("a.rs", "deref(p)", "deref(p)", "unsafe { deref(p) }", "call to unsafe function", "wrap it"),
    ("a.rs", "let n = f();", "n", "_n", "unused variable: `n`", "if this is intentional, prefix it"),
    ("a.rs", "fn f() {}", "fn", "#[allow(dead_code)] fn", "function `f` is never used", ""),
    ("a.c", "if (n = 3)", "n = 3", "(n = 3)", "suggest parentheses around assignment", "to silence this warning"),
    ("a.ts", "const x = f();", "const x = f();", "", "'x' is declared but its value is never read.", "Remove unused"),
    ("a.ts", "user.name;", "user", "user!", "'user' is possibly 'undefined'.", ""),
    ("a.ts", "const y = z;", "z", "z as any", "Type 'number' is not assignable to type 'string'.", ""),
    ("a.py", "import os", "import os", "import os  # noqa: F401", "`os` imported but unused", ""),
    ("a.py", "x = f()", "x = f()", "x = f()  # ty: ignore[unresolved-reference]", "Name `f` used when not defined", ""),
    ("a.py", "x = f()", "x = f()", "x = f()  # pyrefly: ignore[unknown-name]", "Could not find name `f`", ""),
    ("a.py", "f()", "", "_ = ", "Result of call expression is not used", "Assign unused result to `_`"),
    ("a.py", "x = f()", "", "def f():\n    pass\n", "Could not find name `f`", "Generate function `f`"),
    ("a.go", "return 1", "return 1", "return 1, nil", "not enough return values", "Fill in return values"),
    ("a.rs", "P { a: 1 }", "1", "1, b: ()", "missing field `b`", "Fill struct fields"),
    ("a.ts", "class A {", "class A {", "class A {\n  b: any;", "Property 'b' does not exist", "Declare property 'b'"),
    ("a.rs", "fn f() {}", "fn", "#[expect(dead_code)] fn", "function `f` is never used", ""),
    ("a.go", "f()", "f()", "f() //nolint", "Error return value is not checked", ""),
    ("A.java", "class A {}", "class", '@SuppressWarnings("all") class', "found raw type: List", ""),
]
HARMLESS = [
    ("a.cpp", "  return box.lenght;", "lenght", "length", "‘lenght’ not declared; did you mean ‘length’?", ""),
    ("a.rs", "println(1);", "println", "println!", "expected function, found macro `println`", "use `!`"),
    ("a.rs", "use std::io;", "use std::io;", "", "unused import: `std::io`", "remove the whole `use` item"),
    ("a.rs", "let v = s;", "s", "s.clone()", "use of moved value: `s`", "consider cloning"),
    ("a.go", "package main", "", 'import "fmt"\n', "undeclared name: fmt", 'Add import:  "fmt"'),
    ("a.c", "int f(void)", "", "#include <stdlib.h>\n", "undeclared function", "Include <stdlib.h> for symbol malloc"),
    ("a.js", "if (n == 1)", "==", "===", "Expected '===' and instead saw '=='.", ""),
    ("a.ts", "import { a } from './a';", "import { a } from './a';", "", "'a' is declared but never used.", "Remove"),
]


def ruled(file: str, line: str, old: str, new: str, message: str, words: str) -> bool:
    """Whether it stays safe. An insertion is an edit of nothing, as compilers give it."""
    start = line.index(old)
    kept = len(old) if new.startswith(old) else 0
    where = Range.of(0, start + kept, 0, start + len(old))
    offer = Suggestion(words, (SuggestedEdit(file, where, new[kept:]),))
    finding = Diagnostic(message, file, where)
    tree = Tree(root="/w", cwd="/w", sources=Files({file: line + "\n"}))
    return weighed(finding, offer, tree).safe


@pytest.mark.parametrize("case", HARMFUL, ids=lambda case: case[4][:30])
def test_harmful_offer_is_not_safe(case: tuple[str, str, str, str, str, str]) -> None:
    assert not ruled(*case)


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case[4][:30])
def test_offer_that_states_what_was_meant_stays_safe(case: tuple[str, str, str, str, str, str]) -> None:
    assert ruled(*case)


def test_place_that_is_gone_is_not_safe() -> None:
    tree = Tree(root="/w", cwd="/w", sources=Files({}))
    where = Range.of(3, 0, 3, 4)
    offer = Suggestion("", (SuggestedEdit("gone.c", where, "x"),))
    assert not weighed(Diagnostic("m", "gone.c", where), offer, tree).safe
