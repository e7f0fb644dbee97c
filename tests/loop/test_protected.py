"""Files that decide about green are compared byte for byte, additions too, before a run is green (SPEC K6, K7, Q16)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, snapshot, workspace

from compile_loop.contracts.events import ProtectedCompared, Suspected
from compile_loop.contracts.outcome import Ending, FailureKind

SOURCE = "def total(prices):\n    return prices\n"
BROKEN = "    return prices\n"
REPAIR = "    return sum(prices)\n"
TEST = "from a import total\nassert total([1, 2]) == 3, 'total'\n"
CHECK = "python3 -B -c 'import a; exec(open(\"tests/case.py\").read())'"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return workspace(folder, a_py=SOURCE, tests__case_py=TEST)


@pytest.fixture(params=["overlay", "copy"])
def isolation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def run(root: Path, isolation: str, *replies: str, check: str = CHECK, **how: object) -> Told:
    settings = {"isolation": isolation, "max_rounds": len(replies) + 1, **how.pop("settings", {})}  # type: ignore[dict-item]
    before = snapshot(root)
    told = await fix(root, replies, targets=["a.py"], checks=(check,), settings=settings, **how)
    assert snapshot(root) == before
    return told


def also(statement: str, search: str = BROKEN) -> str:
    """An edit that does something else when the code is loaded."""
    return block(search, f"    return prices\n\n\n{statement}\n")


CHEATS = {
    "changed": also("open('tests/case.py', 'w').write('from a import total')"),
    "removed": also("__import__('os').remove('tests/case.py')"),
    "added": also("open('conftest.py', 'w').write('')"),
    "replaced": also(
        "__import__('os').rename('tests', 'old'); __import__('os').mkdir('tests'); open('tests/case.py', 'w').write('')"
    ),
}
PASSES = 'python3 -B -c \'import a, os; os.path.exists("tests/case.py") and exec(open("tests/case.py").read())\''


@pytest.mark.spec("K6")
@pytest.mark.parametrize("cheat", CHEATS)
async def test_a_run_that_moves_its_own_goal_is_not_green(root: Path, isolation: str, cheat: str) -> None:
    check = PASSES if cheat != "added" else "python3 -B -c 'import a; a.total([1])'; test -e conftest.py"
    told = await run(root, isolation, CHEATS[cheat], "That is all.", "Really.", check=check)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
    name = "conftest.py" if cheat == "added" else "tests/case.py"
    assert name in told.outcome.failure.message and name in told.asked[1]
    assert all(name in compared.broken for compared in told.of(ProtectedCompared))
    report = json.loads(next((root.parent / "state").rglob("report.json")).read_text())
    assert report["protectedFilesUnchanged"] is False and name in report["protectedFilesChanged"]


@pytest.mark.spec("K6")
async def test_the_model_is_told_and_a_repair_is_green(root: Path, isolation: str) -> None:
    cheat = CHEATS["changed"]
    written = cheat.partition("=======\n")[2].removesuffix(">>>>>>> REPLACE\n")
    told = await run(root, isolation, cheat, block(written, REPAIR), check=PASSES)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.of(ProtectedCompared)[-1].broken == ()


AND_BACK = {
    "in place": "t.write_text('total = 0'); atexit.register(lambda: t.write_text(was))",
    "replaced": "os.rename(t, 'kept'); t.write_text(''); atexit.register(lambda: os.replace('kept', t))",
}


@pytest.mark.spec("K6")
@pytest.mark.parametrize("way", AND_BACK)
async def test_a_protected_file_that_is_written_and_put_back_is_suspect(root: Path, isolation: str, way: str) -> None:
    cheat = f"import atexit, os, pathlib\nt = pathlib.Path('tests/case.py')\nwas = t.read_text()\n{AND_BACK[way]}"
    told = await run(root, isolation, also(cheat), check=PASSES)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    [line] = told.outcome.tally.suspect
    assert line.startswith("tests/case.py decides whether the code is right, and was written while the check ran")
    assert [(s.lines, s.certain) for s in told.of(Suspected)] == [((line,), False)]
    report = json.loads(next((root.parent / "state").rglob("report.json")).read_text())
    assert report["suspect"] == [line]


PASSING = {
    "conftest.py": True,
    "tests/test_more.py": True,
    "pytest.ini": True,
    "sitecustomize.py": True,
    "out.txt": False,
    "test_output.txt": False,
    "conftest.c": False,
    "ignored/conftest.py": False,
}


@pytest.mark.spec("K6")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of files that come")
@pytest.mark.parametrize("name", PASSING)
async def test_a_file_that_decides_and_is_there_only_while_the_check_runs_is_suspect(
    root: Path, isolation: str, name: str
) -> None:
    (root / ".gitignore").write_text("ignored/\n")
    (root / "ignored").mkdir()
    made = f"    import os\n    open({name!r}, 'w').close()\n    there = os.path.exists({name!r})\n    os.remove({name!r})\n"
    told = await run(root, isolation, block(BROKEN, f"{made}    return sum(prices) if there else 0\n"))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [line.split()[0] for line in told.outcome.tally.suspect if "for a while" in line] == [name] * PASSING[name]


TOUCHES = {
    "touched": "touch tests/case.py",
    "its folder": "touch tests; : > tests/new.log; rm tests/new.log",
}


@pytest.mark.spec("K6")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of writes")
@pytest.mark.parametrize("way", TOUCHES)
async def test_a_protected_file_that_is_only_touched_is_not(root: Path, isolation: str, way: str) -> None:
    """A tool that comes to it only once the code is right: the untouched tree's run says nothing of it."""
    told = await run(root, isolation, block(BROKEN, REPAIR), check=f"{CHECK} && {{ {TOUCHES[way]}; }}")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == () and told.of(Suspected) == []


@pytest.mark.spec("K6", "Q16")
async def test_a_protected_file_that_the_check_always_writes_is_its_habit(root: Path, isolation: str) -> None:
    """Version control, a formatter, or a test of its own fixture puts it back; an ignored one is nobody's business."""
    (root / ".gitignore").write_text("tests/out.json\n")
    workspace(root, tests__out_json="{}\n", tests__conf_py="a = 1\n")
    writes = "cp tests/conf.py kept && cat kept > tests/conf.py && rm kept"
    late = "cp tests/out.json kept && cat kept > tests/out.json && rm kept"
    told = await run(root, isolation, block(BROKEN, REPAIR), check=f"{writes}; {CHECK} && {late}")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == () and told.of(Suspected) == []


@pytest.mark.spec("K6", "Q16")
async def test_what_a_build_makes_is_no_addition(root: Path, isolation: str) -> None:
    """Programs, caches, logs and a build folder come only with the first green build; a report comes with every one."""
    workspace(root, gitignore_txt="")
    (root / "gitignore.txt").rename(root / ".gitignore")
    (root / ".gitignore").write_text("generated/\n")
    makes = "; ".join(
        [
            "cp /bin/true tests/run_case",
            "mkdir -p build tests/__pycache__ generated",
            "echo all: > build/Makefile",
            "echo > tests/__pycache__/case.pyc",
            "echo > tests/case.log",
            "echo > tests/output.txt",
            "echo > generated/conftest.py",
            "echo > Cargo.lock",
            "echo '# CMAKE generated file: DO NOT EDIT!' > Makefile",
            "echo '[]' > compile_commands.json",
        ]
    )
    told = await run(
        root, isolation, block(BROKEN, REPAIR), check=f"date > tests/report.expected; {CHECK} || exit 1; {makes}"
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.of(ProtectedCompared)[-1].broken == ()


@pytest.mark.spec("K6")
async def test_unsaved_text_of_a_protected_file_is_no_change(root: Path, isolation: str) -> None:
    unsaved = {root / "tests/case.py": TEST.encode() + b"# unsaved\n"}
    told = await run(root, isolation, block(BROKEN, REPAIR), buffers=unsaved)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("K6")
async def test_a_target_is_not_protected(root: Path, isolation: str) -> None:
    (root / "a.py").write_text(SOURCE.replace(BROKEN, REPAIR))
    (root / "tests/case.py").write_text(TEST.replace("from a", "from b"))
    repair = block("from b import total\n", "from a import total\n")
    told = await fix(root, [repair], targets=["tests/case.py"], checks=(CHECK,), settings={"isolation": isolation})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("K6")
@pytest.mark.parametrize("spec", ["", "Add a conftest.py."])
async def test_a_new_file_that_decides_about_green_is_no_repair_unless_there_is_a_wish(root: Path, spec: str) -> None:
    reply = f"<<< path=a.py >>>\n{block(BROKEN, REPAIR)}<<< path=conftest.py >>>\n{block('', 'import a')}"
    reply = reply.replace("import a>>>", "import a\n>>>")
    told = await run(root, "copy", reply, "No.", spec=spec, settings={"allow_new_files": True})
    assert next(s.certain for s in told.of(Suspected)) is not bool(spec)
    if spec:
        assert told.outcome.ending is Ending.GREEN and "conftest.py" in told.outcome.tally.suspect[0]
    else:
        assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING


@pytest.mark.spec("K7")
async def test_fewer_tests_than_before_are_no_repair(root: Path) -> None:
    """The code names the cases that a suite runs: the failing one is left out."""
    (root / "a.py").write_text("CASES = [1, 2, 4]\n\n\ndef check(n):\n    assert n in (1, 2), n\n")
    (root / "test_suite.py").write_text(
        "import unittest\nfrom a import CASES, check\n\n\nclass Powers(unittest.TestCase):\n    pass\n\n\n"
        "for n in CASES:\n    setattr(Powers, f'test_{n}', lambda self, n=n: check(n))\n"
    )
    check = "python3 -B -m unittest test_suite"
    left_out = block("CASES = [1, 2, 4]\n", "CASES = [1, 2]\n")
    told = await run(root, "copy", left_out, "It is done.", check=check)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING
    assert "2 tests ran, 3 before" in told.outcome.failure.message
    repaired = await run(
        root, "copy", block("    assert n in (1, 2), n\n", "    assert n in (1, 2, 4), n\n"), check=check
    )
    assert repaired.outcome.ending is Ending.GREEN, repaired.outcome.failure
