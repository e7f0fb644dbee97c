"""The data that a check compares with, however its command, scripts and recipes say so (SPEC K6)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compile_loop.checks.admission import gate
from compile_loop.checks.contract_file import ContractFile
from compile_loop.checks.expectations import expectations_of
from compile_loop.checks.protection import WorkspaceProtection
from compile_loop.contracts.checks import Check

FILES = (
    "prog.c",
    "lib.py",
    "out.txt",
    "want.txt",
    "data.txt",
    "other.txt",
    "input.txt",
    "right.out",
    "wanted.json",
    "sums.md5",
    "wanted.dat",
    "cases/one.in",
    "cases/one.out",
    "cases/two.in",
    "cases/two.out",
    "sub/want.txt",
    "settings.json",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid_out(tmp_path, dict.fromkeys(FILES, "x\n"))


def laid_out(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder.resolve()


def decided(root: Path, command: str | tuple[str, ...]) -> set[str]:
    """The files of the workspace that decide about green since the check compares with them."""
    expected = expectations_of([Check("check", command)], root)
    protection = WorkspaceProtection(root, (), frozenset(), expected)
    admit = gate(root, ContractFile(), frozenset(), expected)
    files = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and ".git" not in p.parts}
    found = {path for path in files if admit(path, False) == "the check compares with it"}
    assert all(protection.decides(path) for path in found)
    assert all(admit(path, True) is None for path in found), "one with an error in it may still join"
    return found


COMPARED = [
    ("diff out.txt want.txt", {"want.txt"}),
    ("diff -u want.txt out.txt && echo same", {"want.txt"}),
    ("./prog > out.txt; cmp -s out.txt data.txt", {"data.txt"}),
    ("./prog > data.txt && diff data.txt other.txt", {"other.txt"}),
    ("git diff --no-index --exit-code out.txt data.txt", {"data.txt"}),
    ("git diff --exit-code -- settings.json", set()),
    ("./prog < input.txt | diff - right.out", {"input.txt", "right.out"}),
    ("./prog <input.txt 2>&1 | tr -d '\\r' | diff -q data.txt -", {"input.txt", "data.txt"}),
    ("diff <(./prog) data.txt", {"data.txt"}),
    ("diff <(sort out.txt) <(sort data.txt)", {"data.txt"}),
    ("cat data.txt | diff - out.txt", {"data.txt"}),
    ('test "$(cat data.txt)" = "$(./prog)"', {"data.txt"}),
    ('[ "$(./prog)" = "$(< want.txt)" ]', {"want.txt"}),
    ('[[ `./prog` == `cat data.txt` ]]', {"data.txt"}),
    ('got=$(./prog); want=$(cat data.txt); [ "$got" = "$want" ] || exit 1', {"data.txt"}),
    ('test "$(cat out.txt)" = 42', set()),
    ("./prog > out.txt && test $(wc -l < out.txt) = 1", set()),
    ("jq -e '.a == 1' wanted.json", {"wanted.json"}),
    ("./prog | jq -e --slurpfile want data.txt '. == $want[0]'", {"data.txt"}),
    ("jq -S . out.txt | diff - <(jq -S . data.txt)", {"data.txt"}),
    ("cat cases/one.in | ./prog | grep -q x", {"cases/one.in"}),
    ("./prog | grep -qxFf data.txt", {"data.txt"}),
    ("./prog | md5sum -c sums.md5", {"sums.md5"}),
    ("while read -r n; do ./prog $n; done < input.txt", {"input.txt"}),
    ("./prog --golden=wanted.dat", {"wanted.dat"}),
    ("cd sub && ../prog | diff - want.txt", {"sub/want.txt", "want.txt"}),
    ("cmake -E compare_files out.txt data.txt", {"data.txt"}),
    ('for f in cases/*.in; do ./prog < "$f" | diff - "${f%.in}.out"; done', {f for f in FILES if f.startswith("cases/")}),
    (
        'for n in one two; do ./prog < cases/$n.in > out.txt; cmp out.txt cases/$n.out || exit 1; done',
        {f for f in FILES if f.startswith("cases/")},
    ),
    ("bash -c 'diff <(./prog) data.txt'", {"data.txt"}),
    ('run() { ./prog < "$1" | diff - "$2"; }; run input.txt data.txt', {"input.txt", "data.txt"}),
    ("echo 42 | diff - out.txt", set()),
    # What is compiled, written, or only formatted is no expectation.
    ("gcc prog.c -o prog && ./prog", set()),
    ("diff <(clang-format prog.c) prog.c", set()),
    ("diff <(jq -S . settings.json) settings.json", set()),
    ("python3 -m json.tool settings.json | diff - settings.json", set()),
    ("gcc -x c - < prog.c", set()),
    ("cat prog.c lib.py | wc -l", set()),
    ("./prog | tee data.txt; diff data.txt want.txt", {"want.txt"}),
    ("cp out.txt data.txt; diff data.txt want.txt", {"want.txt"}),
    ("if [ -n \"$BLESS\" ]; then cp out.txt data.txt; fi; ./prog | diff - data.txt", {"data.txt"}),
    ("cat settings.json", set()),
    ("./prog --config settings.json", set()),
    ("echo 'unclosed", set()),
]  # fmt: skip


@pytest.mark.spec("K6")
@pytest.mark.parametrize(("line", "files"), COMPARED, ids=[line for line, _ in COMPARED])
def test_a_check_compares_with_these_files(root: Path, line: str, files: set[str]) -> None:
    assert decided(root, line) == files


@pytest.mark.spec("K6")
@pytest.mark.parametrize(("line", "files"), COMPARED, ids=[line for line, _ in COMPARED])
@pytest.mark.parametrize("way", ["script", "make", "npm", "vector"])
def test_a_script_a_recipe_and_a_package_say_the_same(root: Path, line: str, files: set[str], way: str) -> None:
    if way == "script":
        (root / "check.sh").write_text(f"#!/bin/sh\n# it's a check\nset -e\n{line}\n")
        assert decided(root, "./check.sh") == files
    elif way == "npm":
        quoted = line.replace("\\", "\\\\").replace('"', '\\"')
        (root / "package.json").write_text(f'{{"scripts": {{"pretest": "true", "test": "{quoted}"}}}}')
        assert decided(root, "npm test --silent") == decided(root, "npm run test") == files
    elif way == "vector":
        assert decided(root, ("sh", "-c", line)) == files
    else:
        recipe = line.replace("$", "$$")
        (root / "Makefile").write_text(
            f"WANT := want.txt\nall: prog\nprog: prog.c\n\tcc -o $@ $<\ncheck: prog\n\t@{recipe}\n"
        )
        assert decided(root, "make -j2 check") == files
        assert decided(root, "make") == set()


MAKEFILE = """\
CASES := $(wildcard cases/*.in)
WANT ?= want.txt
.PHONY: check all
all: prog
prog: prog.c
\tgcc $< -o $@

check: $(CASES:.in=.ok) last ; @echo done

%.ok: %.in %.out prog
\t./prog < $< | diff - $*.out

last:
\t./prog > out.txt; \\
\tdiff out.txt $(WANT)

sub:
\t$(MAKE) -C below test

bless:
\t./prog > want.txt
"""


@pytest.mark.spec("K6")
def test_a_makefile_is_followed_through_its_rules(root: Path) -> None:
    laid_out(
        root,
        {
            "Makefile": MAKEFILE,
            "below/Makefile": "test:\n\tdiff mine.txt right.txt\n",
            "below/right.txt": "",
            "below/mine.txt": "",
        },
    )
    cases = {name for name in FILES if name.startswith("cases/")}
    assert decided(root, "make check") == {*cases, "want.txt"}
    assert decided(root, "make check WANT=data.txt") == {*cases, "data.txt"}
    assert decided(root, "make sub") == {"below/right.txt"}
    assert decided(root, "make all") == set()
    assert decided(root, "make last -C .") == {"want.txt"}


PROGRAMS = {
    "verify.py": "import subprocess\nfrom pathlib import Path\nHERE = Path(__file__).parent\nWANT = HERE / 'want.txt'\n"
    "got = subprocess.check_output(['./prog'], stdin=open('input.txt')).decode()\nassert got == WANT.read_text()\n"
    "with open('out.txt', 'w') as log:\n    log.write(got)\n",
    "check.js": "const fs = require('fs');\nconst want = fs.readFileSync(path.join(__dirname, 'want.txt'), 'utf8');\n"
    "const given = fs.readFileSync(`input.txt`);\nfs.writeFileSync('out.txt', run(given));\n",
    "check.rb": "want = File.read('want.txt')\nFile.write('out.txt', `./prog < input.txt`)\nx = File.read(\"input.txt\")\n",
    "check.pl": "open(my $want, '<', 'want.txt') or die;\nopen my $in, '<', 'input.txt';\n",
    "verify_by.py": "import os, subprocess\nsubprocess.run(['diff', 'out.txt', 'want.txt'], check=True)\n"
    "os.system('./prog < input.txt')\n",
}


@pytest.mark.spec("K6")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_checks_own_program_reads_its_expectation(root: Path, name: str) -> None:
    laid_out(root, {name: PROGRAMS[name]})
    runs = {".py": "python3", ".js": "node", ".rb": "ruby", ".pl": "perl"}[Path(name).suffix]
    assert decided(root, f"{runs} {name}") == {"want.txt", "input.txt"}
    laid_out(root, {"Makefile": f"check:\n\t{runs} {name}\n"})
    assert decided(root, "make check") == {"want.txt", "input.txt"}
    expected = expectations_of([Check("check", "make check")], root)
    assert name in expected.programs, "only a recipe runs it, and it decides all the same"


@pytest.mark.spec("K6")
def test_a_file_that_the_program_itself_writes_is_its_product(root: Path) -> None:
    laid_out(root, {"prog.c": 'int main() { fopen("data.txt", "w"); }\n'})
    assert decided(root, "./prog && diff data.txt other.txt") == {"other.txt"}
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "data.txt"], cwd=root, check=True)
    assert decided(root, "./prog && diff data.txt other.txt") == {"data.txt", "other.txt"}, "version control keeps it"


@pytest.mark.spec("K6", "Q16")
def test_what_a_check_makes_by_itself_is_no_addition(root: Path) -> None:
    check = Check("check", "gcc prog.c && ./gen > expected.txt && ./prog | diff - expected.txt")
    protection = WorkspaceProtection(root, (), frozenset(), expectations_of([check], root))
    assert not protection.decides("expected.txt") and protection.decides("sub/expected.txt")


TESTS = {
    "test_prog.py": "def test_it():\n    assert run() == json.loads(Path('levels.json').read_text())\n",
    "prog.test.ts": "import levels from './levels.json';\n",
    "prog_test.go": "//go:embed levels.json\nvar levels string\n",
    "lib.rs": 'pub fn run() {}\n#[cfg(test)]\nmod tests {\n    const LEVELS: &str = include_str!("levels.json");\n}\n',
    "LevelsTest.java": 'class LevelsTest { void a() { Files.readString(Path.of("levels.json")); } }\n',
    "tests/test_far.py": "LEVELS = ROOT / 'levels.json'\n\ndef test_it():\n    with open(LEVELS) as file:\n"
    "        assert file.read() == run()\n",
}
NO_TESTS = {
    "test_prog.py": "def test_it():\n    Path('levels.json').write_text(run())\n"
    "    assert Path('levels.json').read_text() == 'x'\n",
    "prog.py": "LEVELS = open('levels.json').read()\n",
    "lib.rs": 'const LEVELS: &str = include_str!("levels.json");\n',
    "test_name.py": "def test_it():\n    assert run('levels.json')\n",
}


@pytest.mark.spec("K6")
@pytest.mark.parametrize("name", TESTS)
def test_data_beside_a_test_decides_as_the_test_does(tmp_path: Path, name: str) -> None:
    root = laid_out(tmp_path, {name: TESTS[name], "levels.json": "{}", "other.json": "{}"})
    protection = WorkspaceProtection(root, (), frozenset(), expectations_of([], root))
    assert protection.decides("levels.json") and not protection.decides("other.json")


@pytest.mark.spec("K6")
@pytest.mark.parametrize("name", NO_TESTS)
def test_data_that_a_program_has_is_the_programs(tmp_path: Path, name: str) -> None:
    root = laid_out(tmp_path, {name: NO_TESTS[name], "levels.json": "{}"})
    assert not WorkspaceProtection(root, (), frozenset()).decides("levels.json")
