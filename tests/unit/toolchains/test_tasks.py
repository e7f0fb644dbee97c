"""tasks.json as checks: comments, platforms, variables, kinds, dependencies, and what is refused (SPEC D1)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from compile_loop.contracts.checks import UNKNOWN, Check
from compile_loop.record.asked import Asked, asked_in
from compile_loop.toolchains import jsonc
from compile_loop.toolchains.detect import detect
from compile_loop.toolchains.inputs import Choice, Input
from compile_loop.toolchains.matchers import Contributed
from compile_loop.toolchains.task_check import TaskCheck, named_task
from compile_loop.toolchains.tasks import TaskError, as_one, checks_of, tasks_of
from compile_loop.toolchains.variables import Variables

pytestmark = pytest.mark.spec("D1")

VARIABLES = Variables(
    "/w/my app",
    "/w/my app/src/main.c",
    environment={"CC": "clang", "EMPTY": ""},
    config={"make.target": "all", "flag": True, "list": [1]},
    folders={"lib": "/w/lib"},
    home="/home/u",
)


def resolved(entry: dict[str, Any], platform: str = "linux", **document: Any) -> list[Check]:
    tasks = tasks_of(json.dumps({"version": "2.0.0", **document, "tasks": [{"label": "t", **entry}]}), platform)
    return checks_of(tasks.tasks["t"], tasks, VARIABLES, platform=platform)


def command(entry: dict[str, Any], platform: str = "linux") -> str | tuple[str, ...]:
    return resolved(entry, platform)[0].command


def test_comments_trailing_commas_and_a_mark() -> None:
    text = '\ufeff// head\n{"tasks": [ /* one, */ {"label": "a//b", "command": "make", }, ], // end\n}\n'
    assert list(tasks_of(text).tasks) == ["a//b"]
    assert jsonc.loads('{"a": "x,}", "b": [1,2,],}') == {"a": "x,}", "b": [1, 2]}
    with pytest.raises(TaskError, match="line 2 column"):
        tasks_of("{\n bad\n}")
    with pytest.raises(TaskError, match="no list of tasks"):
        tasks_of("[]")


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"command": "make -j4 | tee log"}, "make -j4 | tee log"),
        ({"command": "make", "args": ["all", "X=a b"]}, "make all 'X=a b'"),
        ({"command": "make", "args": [{"value": "a b", "quoting": "weak"}]}, 'make "a b"'),
        ({"command": "make", "args": [{"value": "a b", "quoting": "escape"}]}, "make a\\ b"),
        ({"command": "echo", "args": ["$HOME", "it's here"]}, "echo $HOME 'it'\"'\"'s here'"),
        ({"command": {"value": ["make", "all"]}}, "make all"),
        ({"type": "process", "command": "gcc", "args": ["-c", "${file}"]}, ("gcc", "-c", "/w/my app/src/main.c")),
        (
            {"type": "cppbuild", "command": "/usr/bin/gcc", "args": ["${file}"]},
            ("/usr/bin/gcc", "/w/my app/src/main.c"),
        ),
        ({"type": "npm", "script": "build"}, ("npm", "run", "build")),
        ({"type": "cargo", "command": "build", "args": ["--release"]}, ("cargo", "build", "--release")),
        ({"type": "typescript", "tsconfig": "a/tsconfig.json"}, ("tsc", "-p", "a/tsconfig.json")),
        (
            {"command": "make x", "options": {"shell": {"executable": "/bin/bash", "args": ["-lc"]}}},
            ("/bin/bash", "-lc", "make x"),
        ),
        ({"command": "make", "linux": {"command": "gmake"}, "windows": {"command": "nmake"}}, "gmake"),
        ({"command": "${env:CC} ${config:make.target} ${config:flag}"}, "clang all true"),
        ({"command": "echo ${env:NOPE}."}, "echo ."),
        ({"command": "echo ${/}${pathSeparator}${userHome}"}, "echo ///home/u"),
        ({"command": "${workspaceFolder:lib}/x"}, "/w/lib/x"),
    ],
)
def test_commands(entry: dict[str, Any], line: str | tuple[str, ...]) -> None:
    assert command(entry) == line


def test_other_platforms() -> None:
    entry = {"command": "make", "windows": {"command": "nmake"}, "osx": {"command": "bmake"}}
    assert (command(entry, "win32"), command(entry, "darwin")) == ("nmake", "bmake")
    assert command({"command": "cl", "args": ["a b.c", "/W4"]}, "win32") == 'cl "a b.c" /W4'


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("workspaceFolder", "/w/my app"),
        ("workspaceFolderBasename", "my app"),
        ("file", "/w/my app/src/main.c"),
        ("relativeFile", "src/main.c"),
        ("relativeFileDirname", "src"),
        ("fileBasename", "main.c"),
        ("fileBasenameNoExtension", "main"),
        ("fileDirname", "/w/my app/src"),
        ("fileDirnameBasename", "src"),
        ("fileExtname", ".c"),
        ("cwd", "/w/my app"),
    ],
)
def test_variables(name: str, value: str) -> None:
    assert VARIABLES.resolve(f"<${{{name}}}>") == f"<{value}>"


@pytest.mark.spec("Z1")
def test_a_value_is_never_searched_for_variables() -> None:
    variables = Variables("/w", environment={"A": "${command:evil} ${env:B}", "B": "b"})
    assert variables.resolve("${env:A}") == "${command:evil} ${env:B}"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "make ${input:target}"}, "asks somebody for ${input:target}"),
        (
            {"command": "x", "args": ["${command:cpptools.pick}"]},
            "runs a command of the editor for ${command:cpptools.pick}",
        ),
        ({"command": "x", "options": {"env": {"A": "${input:key}"}}}, "${input:key}"),
        ({"command": "x ${config:list}"}, "no such setting"),
        ({"command": "x ${lineNumber}"}, "it has no value here"),
        ({"command": "x ${workspaceFolder:nope}"}, "it has no value here"),
        ({"command": "x", "options": {"cwd": "/elsewhere"}}, "lies outside the workspace"),
        ({"command": "x", "isBackground": True}, "never ends"),
        ({"type": "typescript", "option": "watch"}, "never ends"),
        ({"type": "gulp", "task": "x"}, "known to the extension"),
        ({"label": "t"}, "names no command"),
        ({"type": "npm"}, "names no script"),
        ({"command": "x", "problemMatcher": "$nosuch"}, "$nosuch is not known"),
        ({"command": "x", "dependsOn": "other"}, "“other”, which tasks.json does not hold"),
        ({"command": "x", "dependsOn": "t"}, "depends on itself"),
    ],
)
def test_what_is_refused_is_named(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(TaskError) as refused:
        resolved(entry)
    assert words in str(refused.value)
    assert "“t”" in str(refused.value)


def test_file_needs_an_open_file() -> None:
    with pytest.raises(ValueError, match="no file is open"):
        Variables("/w").resolve("${file}")


def test_options_of_the_whole_file_and_of_the_task() -> None:
    (check,) = resolved(
        {"command": "make", "options": {"env": {"B": "${env:CC}"}, "cwd": "${workspaceFolder}/src"}},
        options={"cwd": "/other", "env": {"A": "1"}},
    )
    assert (check.cwd, dict(check.env)) == ("src", {"B": "clang"})
    (check,) = resolved({"type": "npm", "script": "b", "path": "packages/a"})
    assert check.cwd == "packages/a"


def test_dependencies_come_first_and_once() -> None:
    text = json.dumps(
        {
            "tasks": [
                {"label": "all", "dependsOn": ["a", "b"], "group": {"kind": "build", "isDefault": True}},
                {"label": "a", "command": "make a", "dependsOn": "gen"},
                {"label": "b", "type": "process", "command": "cc", "args": ["x y"], "dependsOn": ["gen"]},
                {"label": "gen", "command": "make gen", "options": {"cwd": "sub", "env": {"K": "v w"}}},
            ]
        }
    )
    tasks = tasks_of(text)
    task = tasks.default_build()
    assert task is not None
    checks = checks_of(task, tasks, VARIABLES)
    assert [check.name for check in checks] == ["gen", "a", "b"]
    line = "(cd sub && export K='v w' && make gen) && (cd . && make a) && (cd . && cc 'x y')"
    assert as_one(checks).command == line


@pytest.mark.parametrize(
    ("groups", "label"),
    [
        (["build", None], "0"),
        (["build", "build"], None),
        (["build", {"kind": "build", "isDefault": True}], "1"),
        (["test", None], None),
        ([{"kind": "test", "isDefault": True}, {"kind": "build", "isDefault": False}], "1"),
    ],
)
def test_default_build_task(groups: list[Any], label: str | None) -> None:
    tasks = [{"label": str(n), "command": "x", **({"group": g} if g else {})} for n, g in enumerate(groups)]
    found = tasks_of(json.dumps({"tasks": tasks})).default_build()
    assert (found.label if found else None) == label


INPUTS = [
    {"id": "what", "type": "promptString", "description": "What to build", "default": "all"},
    {"id": "word", "type": "promptString", "description": "Pass phrase", "password": True},
    {
        "id": "how",
        "type": "pickString",
        "options": ["fast", {"label": "With care", "value": "slow"}],
        "default": "slow",
    },
    {"id": "pick", "type": "command", "command": "ext.pick"},
]


def asking(folder: Path, *entries: dict[str, Any]) -> TaskCheck:
    (folder / ".vscode").mkdir(exist_ok=True)
    tasks = [{"label": f"t{number}", **entry} for number, entry in enumerate(entries)]
    (folder / ".vscode" / "tasks.json").write_text(json.dumps({"inputs": INPUTS, "tasks": tasks}))
    found = named_task(folder, "t0")
    assert found is not None
    return found


def test_inputs_are_found_wherever_a_task_asks_for_them(tmp_path: Path) -> None:
    first = {"command": "make ${input:what}", "args": ["${input:how}", "${input:what}"], "dependsOn": "t1"}
    second = {"command": "x", "detail": "${input:pick}", "options": {"env": {"A": "${input:word}"}}}
    asked = asking(tmp_path, first, second).inputs
    assert asked == (
        Input("word", "Pass phrase", password=True),
        Input("what", "What to build", "all"),
        Input("how", "", "slow", choices=(Choice("fast", "fast"), Choice("With care", "slow"))),
    )
    assert asked[2].refused("slow") is None
    assert asked[2].refused("medium") == "'medium' is no answer to ${input:how}. It can be 'fast', 'slow'."
    task = asking(tmp_path, {"command": "make", "args": ["${input:what}"]})
    assert task.check({"what": "a b ${env:HOME}"}).command == "make 'a b ${env:HOME}'", "an answer is text"
    assert named_task(tmp_path, "t9") is None


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "x ${input:pick}"}, "asks the editor's command “ext.pick” for ${input:pick}"),
        ({"command": "x ${input:nope}"}, "asks for ${input:nope}, which its tasks.json does not declare"),
    ],
)
def test_inputs_that_nobody_can_answer_are_refused(entry: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError) as refused:
        asking(tmp_path, entry)
    assert words in str(refused.value) and "“t0”" in str(refused.value)


@pytest.mark.spec("Z1")
def test_a_password_is_in_what_is_started_and_nowhere_else(tmp_path: Path) -> None:
    entry = {"command": "login", "args": ["${input:word}"], "options": {"env": {"P": "${input:word}"}}}
    check = asking(tmp_path, entry).check({"word": "it's secret"})
    assert (check.line, dict(check.env)) == ("login ${input:word}", {"P": "${input:word}"})
    assert check.hidden is not None
    assert check.hidden.command == "login " + shlex.quote("it's secret") and check.hidden.env == {"P": "it's secret"}
    assert "secret" not in repr(check)
    asked = Asked(root=str(tmp_path), targets=(), tasks={"": check})
    assert "secret" not in json.dumps(asked.out())
    again = asked_in(json.loads(json.dumps(asked.out()))).tasks[""]
    assert (again.line, again.hidden) == (check.line, UNKNOWN)


def test_a_task_comes_back_from_a_record_as_it_was(tmp_path: Path) -> None:
    check = asking(tmp_path, {"command": "make ${input:what}", "problemMatcher": "$gcc"}).check({"what": "x"})
    asked = Asked(root=str(tmp_path), targets=("a.c",), tasks={"task: t0": check})
    assert asked_in(json.loads(json.dumps(asked.out()))).tasks == {"task: t0": check}
    without = {key: value for key, value in asked.out().items() if key != "tasks"}
    assert asked_in(without).tasks == {}, "records of earlier versions have none"


def test_matchers_travel_with_the_check() -> None:
    declared = {"owner": "foo", "pattern": {"regexp": r"^(.*):(\d+): (.*)$", "file": 1, "line": 2, "message": 3}}
    tasks = tasks_of(json.dumps({"tasks": [{"label": "t", "command": "x", "problemMatcher": ["$mine", "$gcc"]}]}))
    (check,) = checks_of(tasks.tasks["t"], tasks, VARIABLES, Contributed({"mine": declared}))
    assert [matcher["owner"] for matcher in check.matchers] == ["foo", "cpp"]
    assert check.matchers[0]["fileLocation"] == ["search", {"include": ["/w/my app"]}]
    json.dumps(check.matchers)


def test_default_build_task_goes_before_manifests(tmp_path: Path) -> None:
    (tmp_path / ".vscode").mkdir()
    tasks = tmp_path / ".vscode" / "tasks.json"
    (tmp_path / "Makefile").write_text("all:\n")
    tasks.write_text('{"tasks": [{"label": "build it", "command": "make -s", "group": "build"},]}')
    (proposal,) = detect(tmp_path, [Path("a.c")])
    assert (proposal.check.command, proposal.toolchain) == ("make -s", "tasks.json")
    assert proposal.check.reason == "it is a task of tasks.json"
    tasks.write_text('{"tasks": [{"label": "b", "command": "make", "group": "build", "problemMatcher": "$elsewhere"}]}')
    (proposal,) = detect(tmp_path, [Path("a.c")])
    assert (proposal.check.command, proposal.check.matchers) == ("make", ()), "nobody here knows extensions"
    tasks.write_text('{"tasks": [{"label": "b", "command": "make ${input:x}", "group": "build"}]}')
    assert [one.check.command for one in detect(tmp_path, [Path("a.c")])] == [("make",)]
