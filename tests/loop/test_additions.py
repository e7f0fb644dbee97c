"""New files that the check would pick up, and output that the code writes in its place (SPEC K6, K7)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix

from compile_loop.contracts.outcome import Ending, FailureKind

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
