"""Where a text names a file, whether failures ask for one, and what judges: the parts of what a check goes by (SPEC K6, K7)."""

from __future__ import annotations

import pytest

from compile_loop.checks.gone_by.asked_for import asked_for
from compile_loop.checks.gone_by.judging import judges_in
from compile_loop.checks.gone_by.naming import names
from compile_loop.contracts.diagnostics import Diagnostic, Range

# The file, what the text is called, its line, and whether that asks if the file is there; None: it does not name it.
NAMED: list[tuple[str, str, str, bool | None]] = [
    ("check.json", "check.py", "if os.path.isfile('check.json'):", True),
    ("relaxed", "Makefile", "ifneq ($(wildcard relaxed),)", True),
    ("relaxed", "Makefile", "all: relaxed_build", None),
    ("relaxed", "Makefile", "# where a build is relaxed", None),
    ("relaxed", "check.py", "print('a relaxed build')", None),
    (".skip", "check.sh", "[ -e .skip ] && exit 0", True),
    ("cflags.local", "check.sh", "CFLAGS=$(cat cflags.local)", False),
    ("tools/rules.json", "tools/lint.py", "RULES = load(HERE / 'rules.json')", False),
    ("tools/rules.json", "tools/lint.py", "RULES = load('other/rules.json')", None),
    ("tools/rules.json", "tools/lint.py", "RULES = load('rules.json.bak')", None),
    ("local_settings.py", "check.py", "from local_settings import *", False),
    ("local_settings.py", "check.py", "s = importlib.util.find_spec('local_settings')", True),
    ("local_settings.py", "check.py", "print('local_settings')", None),
    ("lib/skip.js", "check.js", "const skip = require('./lib/skip')", False),
    ("overrides/a.json", "check.py", "for f in glob('overrides/*.json'):", False),
    ("overrides/a.json", "check.py", "for f in glob('**/*.json'):", None),
    ("check.local.txt", "check.py", "path = f'{name}.local.txt'", False),
]


@pytest.mark.spec("K6")
@pytest.mark.parametrize(("path", "by", "line", "asks"), NAMED)
def test_a_line_names_a_file(path: str, by: str, line: str, asks: bool | None) -> None:
    found = [naming.optional for naming in names(path, by, f"first\n{line}\nlast\n")]
    assert found == ([] if asks is None else [asks])


@pytest.mark.spec("K6")
def test_what_is_tried_is_optional() -> None:
    text = "try:\n    from more import x\nexcept ImportError:\n    pass\n"
    assert [(n.line, n.optional) for n in names("more.py", "check.py", text)] == [(2, True)]


CHECK = "import calc\ncfg = load('opts.json') if there('opts.json') else {}\nassert cfg or calc.add(1, 2) == 3\n"
ASKED: list[tuple[str, str, int, bool]] = [
    ("util.c", "No rule to make target 'util.o', needed by 'a'.", 0, True),
    ("more.py", "ModuleNotFoundError: No module named 'more'", 0, True),
    ("pkg/calc.py", "ModuleNotFoundError: No module named 'pkg'", 0, True),
    ("lib/add.js", "Cannot find module './lib/add'", 0, True),
    ("util.h", "util.h: No such file or directory", 0, True),
    ("src/util.rs", "file not found for module `util`", 0, True),
    ("opts.json", "FileNotFoundError: [Errno 2] No such file or directory: 'opts.json'", 0, True),
    ("opts.json", "the options are wrong", 1, True),
    ("opts.json", "AssertionError", 2, False),
    ("opts.json", "AssertionError\ncfg = load('opts.json') if there('opts.json') else {}", 2, False),
    ("check.json", "check.py:3: AssertionError", 2, False),
    ("opts.json", "`cat opts.json` failed with exit code 1; the end of its output:\nno", 2, False),
]


@pytest.mark.spec("K6")
@pytest.mark.parametrize(("path", "message", "row", "asked"), ASKED)
def test_failures_ask_for_a_file(path: str, message: str, row: int, asked: bool) -> None:
    failure = Diagnostic(message, file="check.py", range=Range.of(row, 0, row, 0))
    assert asked_for(path, [failure], {"check.py": CHECK}.__getitem__, lambda folder: folder == "pkg") is asked


JUDGES: dict[str, tuple[str, str, bool]] = {
    "two values": ("a.py", "def same(a, b):\n    if a != b:\n        raise ValueError(a)\n", True),
    "two values in JavaScript": ("a.js", "exports.same = (a, b) => {\n  if (a !== b) {\n    throw new Error(a);\n  }\n};\n", True),
    "two values in Go": ("a.go", "func Same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatalf(\"%d\", a)\n\t}\n}\n", True),
    "a function of C": ("a.h", "static void same(int a, int b)\n{\n    if (a != b)\n        abort();\n}\n", True),
    "a macro": ("a.h", "#define CHECK(x) do { if (!(x)) exit(1); } while (0)\n", True),
    "limits": ("a.py", "class A:\n    def __eq__(self, other):\n        return abs(self.v - other) < 0.1\n", True),
    "one value": ("a.rb", "def ok(x)\n  raise 'no' unless x\nend\n", True),
    "a function that goes on": ("a.py", "def move(a, b):\n    if a == b:\n        raise ValueError(a)\n    box[a] -= 1\n", False),
    "a function that answers": ("a.py", "def ratio(a, b):\n    if b == a:\n        raise ValueError(a)\n    return a / b\n", False),
    "a macro that fails at nothing": ("a.h", "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n", False),
    "an exact comparison": ("a.py", "class A:\n    def __eq__(self, other):\n        return self.v == other.v\n", False),
}  # fmt: skip


@pytest.mark.spec("K7")
@pytest.mark.parametrize("kind", JUDGES)
def test_what_judges(kind: str) -> None:
    path, text, judges = JUDGES[kind]
    assert bool(judges_in(path, text)) is judges
