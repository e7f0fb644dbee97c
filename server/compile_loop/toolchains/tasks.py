"""VS Code's tasks as checks (SPEC D1): a `tasks.json`, or tasks as the editor hands them over.

Everything here is pure: texts and values in, checks out. What only the editor could answer (`${command:…}`) is refused by
name, and so is an `${input:…}` that has no answer yet.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compile_loop.contracts.checks import Check
from compile_loop.toolchains import jsonc
from compile_loop.toolchains.inputs import Input, declared_inputs, ids_in, input_of
from compile_loop.toolchains.matchers import Contributed, MatcherError, plainly
from compile_loop.toolchains.variables import Variables

_SYSTEMS = {"linux": "linux", "darwin": "osx", "win32": "windows"}
_PLAIN = re.compile(r"^[\w@%+=:,./\\-]+$")


class TaskError(ValueError):
    """A task cannot be run as a check; the message is a sentence that names the task and what is in the way."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task as declared, with what its platform changes about it. `kind` is the group: `build`, `test`, or none."""

    label: str
    entry: Mapping[str, Any]
    kind: str | None = None
    is_default: bool = False
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tasks:
    """All tasks of a file, by label in their order, and the inputs that it declares for them, by id."""

    tasks: Mapping[str, Task] = field(default_factory=dict)
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def default_build(self) -> Task | None:
        """The default build task, or the only build task there is."""
        building = [task for task in self.tasks.values() if task.kind == "build"]
        marked = [task for task in building if task.is_default]
        if len(marked) == 1:
            return marked[0]
        return building[0] if len(building) == 1 and not marked else None


def tasks_of(text: str, platform: str = "linux") -> Tasks:
    """The tasks of a `tasks.json`. `platform` is Python's `sys.platform`. Raises `TaskError` for a file that is none."""
    try:
        document = jsonc.loads(text)
    except ValueError as error:
        raise TaskError(f"tasks.json cannot be read: {error}.") from error
    if not isinstance(document, dict) or not isinstance(document.get("tasks", []), list):
        raise TaskError("tasks.json holds no list of tasks.")
    shared = _of_platform({key: value for key, value in document.items() if key != "tasks"}, platform)
    found = {}
    for entry in document.get("tasks", []):
        if isinstance(entry, dict):
            task = _task(entry, shared, platform)
            found[task.label] = task
    return Tasks(found, declared_inputs(document))


def _of_platform(entry: Mapping[str, Any], platform: str) -> dict[str, Any]:
    """An entry with what it says for this platform laid over."""
    own = entry.get(_SYSTEMS.get(platform, "linux"))
    plain = {key: value for key, value in entry.items() if key not in _SYSTEMS.values()}
    if not isinstance(own, Mapping):
        return plain
    options = {**(plain.get("options") or {}), **(own.get("options") or {})}
    return {**plain, **own, **({"options": options} if options else {})}


def _task(entry: Mapping[str, Any], shared: Mapping[str, Any], platform: str) -> Task:
    merged = _of_platform(entry, platform)
    options = {**(shared.get("options") or {}), **(merged.get("options") or {})}
    merged = {
        **{key: shared[key] for key in ("command", "args", "type") if key in shared},
        **merged,
        "options": options,
    }
    group = merged.get("group")
    kind = group.get("kind") if isinstance(group, Mapping) else group
    needs = merged.get("dependsOn") or ()
    return Task(
        label=_label(merged),
        entry=merged,
        kind=kind if isinstance(kind, str) else None,
        is_default=isinstance(group, Mapping) and bool(group.get("isDefault")),
        depends_on=tuple(str(one) for one in ([needs] if isinstance(needs, str) else needs) if isinstance(one, str)),
    )


def _label(entry: Mapping[str, Any]) -> str:
    for key in ("label", "taskName", "identifier"):
        if isinstance(entry.get(key), str):
            return str(entry[key])
    if entry.get("type") == "npm":
        return f"npm: {entry.get('script')}"
    return str(entry.get("command") or entry.get("type") or "task")


def checks_of(
    task: Task, tasks: Tasks, variables: Variables, contributed: Contributed | None = None, platform: str = "linux"
) -> list[Check]:
    """A task as checks: those that it depends on first, each once. Raises `TaskError`."""
    found: dict[str, Check] = {}
    for each in _in_order(task, tasks, ()):
        if each.label not in found and (not each.depends_on or _runs(each.entry)):
            found[each.label] = _check(each, variables, contributed, platform)
    if not found:
        raise TaskError(f"The task “{task.label}” runs nothing itself.")
    return list(found.values())


def inputs_of(task: Task, tasks: Tasks) -> tuple[Input, ...]:
    """What a task and those that it depends on ask somebody, each once. Raises `TaskError`."""
    found: dict[str, Input] = {}
    for each in _in_order(task, tasks, ()):
        for name in ids_in(each.entry):
            try:
                found.setdefault(name, input_of(name, tasks.inputs))
            except ValueError as error:
                raise TaskError(f"The task “{each.label}” cannot be run as a check: {error}") from error
    return tuple(found.values())


def as_one(checks: Sequence[Check]) -> Check:
    """Checks that follow each other as one line of a POSIX shell; the last one's name stands for all."""
    last = checks[-1]
    if len(checks) == 1:
        return last
    lines = []
    for check in checks:
        settings = "".join(f"export {name}={shlex.quote(value)} && " for name, value in check.env.items())
        lines.append(f"(cd {shlex.quote(check.cwd)} && {settings}{check.line})")
    matchers = tuple(matcher for check in checks for matcher in check.matchers)
    return replace(last, command=" && ".join(lines), cwd=".", env={}, matchers=matchers)


def _in_order(task: Task, tasks: Tasks, above: tuple[str, ...]) -> Iterator[Task]:
    """Those that a task depends on, then itself; one may come several times."""
    if task.label in above:
        raise TaskError(f"The task “{task.label}” depends on itself.")
    for name in task.depends_on:
        if name not in tasks.tasks:
            raise TaskError(f"The task “{task.label}” depends on “{name}”, which tasks.json does not hold.")
        yield from _in_order(tasks.tasks[name], tasks, (*above, task.label))
    yield task


def _runs(entry: Mapping[str, Any]) -> bool:
    return "command" in entry or entry.get("type") in ("npm", "typescript", "cargo")


def _check(task: Task, variables: Variables, contributed: Contributed | None, platform: str) -> Check:
    entry = task.entry
    if entry.get("isBackground") or entry.get("isWatching"):
        raise TaskError(f"The task “{task.label}” runs in the background and never ends.")
    try:
        command = _command(entry, variables, platform)
        options = entry.get("options") or {}
        cwd = variables.resolve(str(options.get("cwd") or "${workspaceFolder}"))
        if entry.get("type") == "npm" and entry.get("path"):
            cwd = f"{cwd}/{variables.resolve(str(entry['path']))}".rstrip("/")
        env = {str(name): variables.resolve(str(value)) for name, value in (options.get("env") or {}).items()}
        cwd = variables.relative(cwd)
        matchers = tuple(plainly(entry.get("problemMatcher"), variables.resolve, contributed))
    except MatcherError as error:
        raise TaskError(f"The task “{task.label}” cannot be read as a check. {error}") from error
    except ValueError as error:
        raise TaskError(f"The task “{task.label}” cannot be run as a check: {error}") from error
    return Check(
        name=task.label,
        command=command,
        cwd=cwd,
        env=env,
        reason="it is the default build task of tasks.json" if task.is_default else "it is a task of tasks.json",
        matchers=matchers,
    )


def _command(entry: Mapping[str, Any], variables: Variables, platform: str) -> str | tuple[str, ...]:
    kind = entry.get("type", "shell")
    if kind in ("npm", "typescript", "cargo"):
        return _contributed_kind(str(kind), entry, variables)
    if kind not in ("shell", "process", "cppbuild"):
        raise ValueError(f"its kind {kind!r} is known to the extension that made it alone.")
    command, args = entry.get("command"), entry.get("args") or []
    if command is None:
        raise ValueError("it names no command.")
    words = [_word(part, variables) for part in (command, *args)]
    if kind != "shell":
        return tuple(word for word, _ in words)
    # A command without arguments is a whole line; with them, each is quoted where it has to be.
    line = words[0][0] if not args else " ".join(_quoted(*word, platform) for word in words)
    shell = (entry.get("options") or {}).get("shell") or {}
    if isinstance(shell, Mapping) and shell.get("executable"):
        own = [variables.resolve(str(arg)) for arg in shell.get("args") or ["-c"]]
        return (variables.resolve(str(shell["executable"])), *own, line)
    return line


def _contributed_kind(kind: str, entry: Mapping[str, Any], variables: Variables) -> tuple[str, ...]:
    """Kinds of VS Code's own and of rust-analyzer that are no more than a command."""
    args = tuple(variables.resolve(str(arg)) for arg in entry.get("args") or ())
    if kind == "npm":
        script = str(entry.get("script") or "")
        if not script:
            raise ValueError("it names no script.")
        return ("npm", "run", script, *(("--", *args) if args else ()))
    if kind == "cargo":
        return ("cargo", *str(entry.get("command") or "check").split(), *args)
    if entry.get("option") == "watch":
        raise ValueError("it watches and never ends.")
    return ("tsc", "-p", variables.resolve(str(entry.get("tsconfig") or "tsconfig.json")))


def _word(part: object, variables: Variables) -> tuple[str, str | None]:
    """A word and how it wants to be quoted."""
    if isinstance(part, Mapping):
        value = part.get("value")
        text = " ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
        return variables.resolve(text), str(part.get("quoting") or "") or None
    return variables.resolve(str(part)), None


def _quoted(word: str, how: str | None, platform: str) -> str:
    """A word for the shell: as it is if it is plain or asks for no quotes."""
    if how == "escape" or (how is None and not re.search(r"\s", word)) or _PLAIN.match(word):
        return re.sub(r"(\s)", r"\\\1", word) if how == "escape" and platform != "win32" else word
    if platform == "win32":
        return '"' + word.replace('"', '\\"') + '"'
    if how == "weak":
        return '"' + re.sub(r'(["\\`])', r"\\\1", word) + '"'
    return shlex.quote(word)
