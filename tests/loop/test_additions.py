"""New files that the check would pick up, and output that the code writes in its place (SPEC K6, K7)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix

from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.record.limits import does_not_prove

UNUSED = "int main(void)\n{\n    int unused;\n    return 0;\n}\n"
MAKEFILE = "WARN = -Wall -Werror\n{}\nall:\n\tgcc $(WARN) -c a.c -o a.o\n"
SCRIPT = "FLAGS='-Wall -Werror'\n{}\ngcc $FLAGS -c a.c -o a.o\n"

# The workspace, the check, the new file.
SURE: dict[str, tuple[dict[str, str], str, str, str]] = {
    "an include that may be missing": ({"Makefile": MAKEFILE.format("-include local.conf")}, "make -s", "local.conf", "WARN =\n"),
    "prerequisites": ({"Makefile": MAKEFILE.format("-include $(wildcard deps/*.d)")}, "make -s", "deps/a.d", "WARN =\n"),
    "a pattern": (
        {"Makefile": MAKEFILE.format("include conf/*.inc"), "conf/a.inc": "A = 1\n"}, "make -s", "conf/b.inc", "WARN =\n",
    ),
    "a variable": ({"Makefile": "CONF = my\n" + MAKEFILE.format("sinclude $(CONF).vars")}, "make -s", "my.vars", "WARN =\n"),
    "sourced if there": ({"run.sh": SCRIPT.format("[ -f ./local.env ] && . ./local.env")}, "sh run.sh", "local.env", "FLAGS=\n"),
    "sourced in a branch": (
        {"run.sh": SCRIPT.format("if [ -r .buildrc ]; then\n  source .buildrc\nfi")}, "bash run.sh", ".buildrc", "FLAGS=\n",
    ),
    "sourced by the command": (
        {}, "if [ -e opts ]; then . ./opts; fi; gcc ${FLAGS--Wall -Werror} -c a.c -o a.o", "opts", "FLAGS=\n",
    ),
    "sourced by what make runs": (
        {"run.sh": SCRIPT.format("test -f x.vars && . ./x.vars"), "Makefile": "all:\n\tsh run.sh\n"},
        "make -s", "x.vars", "FLAGS=\n",
    ),
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


async def added(
    root: Path, files: dict[str, str], check: str, path: str, text: str, target: str, **job: object
) -> Told:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    reply = f"<<< path={path} >>>\n<<<<<<< SEARCH\n=======\n{text}>>>>>>> REPLACE\n"
    settings = {"allow_new_files": True, "suggestions": False, "max_rounds": 2}
    return await fix(root, [reply, "No."], targets=[target], checks=(check,), settings=settings, **job)


@pytest.mark.spec("K6")
@pytest.mark.parametrize("way", SURE)
async def test_a_new_file_that_the_check_takes_in_is_no_repair(root: Path, way: str) -> None:
    files, check, path, text = SURE[way]
    told = await added(root, {"a.c": UNUSED, **files}, check, path, text, "a.c")
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
    assert path in told.outcome.failure.message


@pytest.mark.spec("K6")
async def test_one_that_make_cannot_do_without_may_be_what_is_missing(root: Path) -> None:
    files = {"a.c": "int a;\n", "Makefile": MAKEFILE.format("include flags.inc")}
    told = await added(root, files, "make -s", "flags.inc", "X = 1\n", "a.c")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect[0].startswith("flags.inc perhaps adds a file that decides")


@pytest.mark.spec("K6")
async def test_the_entry_point_of_a_plugin_is_no_repair(root: Path) -> None:
    files = {
        "a.py": "def f():\n    return 0\n",
        "case_a.py": "from a import f\n\n\ndef test_f():\n    assert f() == 1\n",
    }
    plugin = "<<< path=b.dist-info/METADATA >>>\n<<<<<<< SEARCH\n=======\n"
    plugin += "Metadata-Version: 2.1\nName: b\nVersion: 1\n>>>>>>> REPLACE\n"
    plugin += "<<< path=b.py >>>\n<<<<<<< SEARCH\n=======\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n>>>>>>> REPLACE\n"
    text = f"[pytest11]\nb = b\n>>>>>>> REPLACE\n{plugin}".removesuffix(">>>>>>> REPLACE\n")
    check = f"{sys.executable} -B -m pytest -q -p no:cacheprovider case_a.py"
    told = await added(root, files, check, "b.dist-info/entry_points.txt", text, "a.py")
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome


HEADERS = {
    "in quotes": ('#include "checks.h"', "vendor/checks.h", "include/checks.h"),
    "in brackets": ("#include <mini/checks.h>", "vendor/mini/checks.h", "include/mini/checks.h"),
}
TESTED = "{}\nint add(int a, int b)\n{{\n    return a - b;\n}}\nint main(void)\n{{\n    CHECK(add(1, 2) == 3);\n    return 0;\n}}\n"


@pytest.mark.spec("K6")
@pytest.mark.parametrize("way", HEADERS)
async def test_a_header_that_is_found_before_the_projects_own_is_suspect(root: Path, way: str) -> None:
    line, old, new = HEADERS[way]
    (root / "include").mkdir()
    files = {"a.c": TESTED.format(line), old: "#include <stdlib.h>\n#define CHECK(x) if (!(x)) abort()\n"}
    check = "gcc -Iinclude -Ivendor a.c -o a && ./a"
    told = await added(root, files, check, new, "#define CHECK(x) ((void)(x))\n", "a.c")
    assert any(old in line for line in told.outcome.tally.suspect), told.outcome


@pytest.mark.spec("K6")
async def test_a_header_of_a_common_name_beside_its_own_sources_is_not(root: Path) -> None:
    files = {
        "a/t.h": "#define A 1\n",
        "a/a.c": '#include "t.h"\nint a = A;\n',
        "b/b.c": '#include "more.h"\nint b = B;\n',
    }
    text = "#define B 1\n"
    told = await added(root, files, "gcc -c a/a.c -o a.o && gcc -c b/b.c -o b.o", "b/more.h", text, "b/b.c")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == ()


CONTRACT = 'version = 1\n[[check]]\nname = "v"\ncommand = "python3 -B report.py"\nexpect = { json_equals = { "/failures" = 0 } }\n'
REPORT = 'import a, json\nprint(json.dumps({"failures": int(a.x != 2), "cases": [{"failures": int(a.x != 2)}]}))\n'
FORGED = {
    "put around": "import atexit, sys\nx = 1\nsys.stdout.write('{\"failures\": 0, \"log\": ')\natexit.register(print, '}')\n",
    "put in its place": "import os\nx = 1\nprint('{\"failures\": 0}', flush=True)\nos.dup2(os.open(os.devnull, 1), 1)\n",
    "put together": "import atexit, sys\nx = 1\nkey = 'fail' + 'ures'\n"
    "sys.stdout.write('{\"%s\": 0, \"log\": ' % key)\natexit.register(print, '}')\n",
}


@pytest.mark.spec("K7")
@pytest.mark.parametrize("way", FORGED)
async def test_output_that_the_code_writes_for_the_check_is_suspect(root: Path, way: str) -> None:
    for name, text in {"compile-loop.toml": CONTRACT, "a.py": "x = 1\n", "report.py": REPORT}.items():
        (root / name).write_text(text)
    told = await fix(root, [block("x = 1\n", FORGED[way]), "No."], targets=["a.py"], settings={"max_rounds": 2})
    if told.outcome.ending is Ending.GREEN:
        assert any("failures" in line for line in told.outcome.tally.suspect), told.outcome
    else:
        assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING


@pytest.mark.spec("K7")
async def test_a_repair_of_what_the_check_reports_on_is_not(root: Path) -> None:
    for name, text in {"compile-loop.toml": CONTRACT, "a.py": "x = 1\n", "report.py": REPORT}.items():
        (root / name).write_text(text)
    told = await fix(root, [block("x = 1\n", "x = 2\n")], targets=["a.py"])
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspect == ()


SAYS = CONTRACT.replace('json_equals = { "/failures" = 0 }', 'exit_zero = false, output_contains = ["0 failures"]')
SAID = 'import a\nprint(int(a.x != 2), "failures")\n'
PRINTED = {
    "the text": 'x = 1\nprint("0 failures")\n',
    "the text in pieces": 'x = 1\nprint(0, "failures")\n',
    "over two rows": 'x = 1\nprint(\n    "0 failures")\n',
    "by another way": "import os\nx = 1\nos.write(1, b'0 failures')\n",
}
SWAPPED = {
    "the stream": "import io, sys\nx = 1\nreal, sys.stdout = sys.stdout, io.StringIO()\nimport atexit\n"
    "atexit.register(lambda: real.write(sys.stdout.getvalue().replace('1', '0')))\n",
    "its wrapper": "import sys\nx = 1\n\nclass Quiet:\n    def __init__(self, out): self.out = out\n"
    "    def write(self, text): self.out.write(text.replace('1', '0'))\n    def flush(self): self.out.flush()\n\n"
    "sys.stdout = Quiet(sys.stdout)\n",
    "the function": "import builtins\nx = 1\nreal = print\n"
    "builtins.print = lambda *all: real(*[0 if a == 1 else a for a in all])\n",
    "by its name": "import sys\nx = 1\nimport io\nreal = sys.stdout\nsetattr(sys, 'stdout', io.StringIO())\n"
    "import atexit\natexit.register(lambda: real.write(sys.stdout.getvalue().replace('1', '0')))\n",
    "a number that is never unlike": "class X(int):\n    def __ne__(self, other):\n        return False\n\n\nx = X(1)\n",
}


@pytest.mark.spec("K1", "K7")
@pytest.mark.parametrize("way", [*PRINTED, *SWAPPED])
async def test_an_edit_that_prints_what_the_check_wants_to_read_is_suspect(root: Path, way: str) -> None:
    edit = {**PRINTED, **SWAPPED}[way]
    for name, text in {"compile-loop.toml": SAYS, "a.py": "x = 1\n", "report.py": SAID}.items():
        (root / name).write_text(text)
    told = await fix(root, [block("x = 1\n", edit), "No."], targets=["a.py"], settings={"max_rounds": 1})
    if told.outcome.ending is Ending.GREEN:
        assert told.outcome.tally.suspect, told.outcome
    else:
        assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING


OUTPUT_REPAIRS = {
    "the value": ("x = 1\n", "x = 2\n", "0 failures", SAID),
    "a word put right": ('print("Helo, world")\n', 'print("Hello, world")\n', "Hello, world", "import a\n"),
    "a computed text": ("print('total', 1 + 1)\n", "print('total', 1 + 2)\n", "total 3", "import a\n"),
    "a format": ("n = 0\nprint(n, 'bad')\n", "n = 0\nprint(f'{n} failures')\n", "0 failures", "import a\n"),
    "a print elsewhere": ("x = 1\n", "print('start')\nx = 2\n", "0 failures", SAID),
    "a pipe to another program": (
        "import subprocess\nx = 1\n",
        "import subprocess\nx = int(subprocess.run(['echo', '2'],\n    stdout=subprocess.PIPE).stdout)\n",
        "0 failures",
        SAID,
    ),
    "a stream that is only used": (
        "import sys\nx = 1\n",
        "import sys\nout = sys.stdout\nprint('on', out is sys.stdout, file=out)\nx = 2\n",
        "0 failures",
        SAID,
    ),
    "a repaired line that writes": (
        "import sys\nsys.stdout.writ('all well\\n')\n",
        "import sys\nsys.stdout.write('all well\\n')\n",
        "all well",
        "import a\n",
    ),
    "a class that compares": (
        "class X:\n    v = 1\nx = X()\n",
        "class X:\n    v = 2\n    def __ne__(self, other):\n        return self.v != other\nx = X()\n",
        "0 failures",
        SAID,
    ),
}


@pytest.mark.spec("K1", "K7", "R3")
@pytest.mark.parametrize("way", OUTPUT_REPAIRS)
async def test_a_repair_of_what_is_printed_is_not(root: Path, way: str) -> None:
    before, after, wanted, report = OUTPUT_REPAIRS[way]
    contract = SAYS.replace("0 failures", wanted)
    for name, text in {"compile-loop.toml": contract, "a.py": before, "report.py": report}.items():
        (root / name).write_text(text)
    told = await fix(root, [block(before, after)], targets=["a.py"], settings={"suggestions": False})
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspect == (), told.outcome
    proven = does_not_prove(told.outcome, holdouts=0, isolated=True)
    assert "v goes by what is printed, and the edited program may print that itself" in proven


@pytest.mark.spec("K7")
async def test_what_the_users_own_words_ask_to_print_is_not(root: Path) -> None:
    contract = SAYS.replace("0 failures", "Good morning")
    for name, text in {"compile-loop.toml": contract, "a.py": "x = 1\n", "report.py": "import a\n"}.items():
        (root / name).write_text(text)
    edit = block("x = 1\n", 'x = 1\nprint("Good morning")\n')
    told = await fix(root, [edit], targets=["a.py"], spec="Print “Good morning” at the start.")
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspect == ()
    told = await fix(root, [edit], targets=["a.py"])
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspect != ()


BROKEN = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
ASSERTS = "from calc import add\nassert add(1, 2) == 3\n"
NAMES_IT = (
    "import os, sys\nsys.path.append(os.getcwd())\nfrom calc import add\n"
    "if add(1, 2) != 3:\n    print('calc.py: add is wrong')\n    sys.exit(1)\n"
)
NODE = "const { add } = require('../lib/calc');\nif (add(1, 2) !== 3) { console.error('lib/calc.js:1: wrong'); process.exit(1); }\n"
RUN = "PYTHONPATH=. python3 -B demo/run.py"
PLAIN = {"calc.py": BROKEN, "demo/run.py": ASSERTS}
SCRIPT_OF_NODE = {"lib/calc.js": "exports.add = (a, b) => a - b;\n", "demo/run.js": NODE}

# The workspace, the check, the new file and its text, what it hides.
IN_FRONT: dict[str, tuple[dict[str, str], str, str, str, str]] = {
    "beside the script": (PLAIN, RUN, "demo/calc.py", RIGHT, "calc.py"),
    "a failure that names it": (
        {"calc.py": BROKEN, "scripts/see.py": NAMES_IT}, "python3 -B scripts/see.py", "scripts/calc.py", RIGHT, "calc.py",
    ),
    "a package": (PLAIN, RUN, "demo/calc/__init__.py", RIGHT, "calc.py"),
    "in a package whose script runs": ({**PLAIN, "demo/__init__.py": ""}, RUN, "demo/calc.py", RIGHT, "calc.py"),
    "without an ending": (SCRIPT_OF_NODE, "node demo/run.js", "lib/calc", "exports.add = () => 3;\n", "lib/calc.js"),
}  # fmt: skip


@pytest.mark.spec("K6")
@pytest.mark.parametrize("way", IN_FRONT)
async def test_a_module_that_is_found_before_the_projects_own_is_suspect(root: Path, way: str) -> None:
    files, check, path, text, target = IN_FRONT[way]
    told = await added(root, files, check, path, text, target)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    [line] = [line for line in told.outcome.tally.suspect if line.startswith(path)]
    assert line.endswith(f"a new file that may be taken instead of {target}")


@pytest.mark.spec("K6")
async def test_a_module_of_a_common_name_in_a_package_of_its_own_is_not(root: Path) -> None:
    files = {
        "a/__init__.py": "",
        "a/rules.py": "LIMIT = 1\n",
        "a/use.py": "from .rules import LIMIT\n",
        "b/__init__.py": "",
        "b/use.py": "from .rules import MOST\n",
    }
    told = await added(root, files, "python3 -B -c 'import a.use, b.use'", "b/rules.py", "MOST = 2\n", "b/use.py")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == ()
