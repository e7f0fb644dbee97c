"""The loop as a tool for agents: `make(conf)` (SPEC P1, P2)."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from compile_loop.assemble import generator_of, state_folder
from compile_loop.checks.callables import CallableContract, PathRunner, PathsRunner
from compile_loop.contracts.counting import count
from compile_loop.contracts.events import CheckFinished, Event, RoundFinished, RunFinished
from compile_loop.contracts.outcome import Ending, FailureKind, Outcome
from compile_loop.contracts.protocols import TurnGenerator
from compile_loop.engine.budget import Budget
from compile_loop.engine.handle import Run
from compile_loop.engine.request import Parts, RunRequest
from compile_loop.record.redact import Redactor
from compile_loop.shadow.ending import before_ending
from compile_loop.shadow.held_files import HeldFiles
from compile_loop.shadow.in_place import InPlaceShadow
from compile_loop.tools.catalogue import ToolMode, ToolNameError, offer
from compile_loop.tools.extra import extra_tool
from compile_loop.tools.tool import Tool

_being_written: set[str] = set()
"""Files of runs under way in this process: two runs may not write one file (SPEC L18)."""

OnFailure = Literal["best", "restore", "keep"]
LLM_FIELDS = (
    "provider",
    "base_url",
    "api_key",
    "api_key_env",
    "model",
    "max_tokens",
    "temperature",
    "disable_thinking",
)


class UsageError(AssertionError):
    """The tool or its configuration is used in a way that cannot work; the message names what."""


@dataclass(frozen=True, slots=True)
class Conf:
    """What `make` takes.

    `runner` is called with one absolute path (single-file mode) or a list of them and returns, at once or awaited, a
    mapping with `ok`, `stdout`, `stderr` and `exit_code`. `llm` is a turn generator, or a mapping of the fields
    provider, base_url, api_key, api_key_env, model, max_tokens, temperature, disable_thinking; fields not given come
    from the calling agent's context one by one. `extra_tools` are mappings with name, schema and handler. `on_iter` is
    called after each iteration with a mapping (`iter`, `ok`, `errors_before`, `errors_after`). `on_failure` says what a
    lost run leaves in the files: the best state, the originals, or the last state. `timeout` bounds one call of the
    runner, `deadline` the whole run, both in seconds.
    """

    runner: PathRunner | PathsRunner
    llm: TurnGenerator | Mapping[str, Any] | None = None
    max_iters: int = 5
    lang: str | None = None
    name: str = "compile_loop"
    system: str = ""
    edit_mode: Literal["full", "diff"] = "full"
    tool_mode: str = "auto"
    extra_tools: Sequence[Mapping[str, Any]] = ()
    on_iter: Callable[[dict[str, Any]], Awaitable[None] | None] | None = None
    on_failure: OnFailure = "best"
    guardrails: bool = True
    max_steps: int = 40
    timeout: float = 600.0
    deadline: float = 900.0
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool that an agent can offer to its model.

    `schema` has `description` and `input_schema` (a JSON Schema). `handler(arguments, context=None)` is awaited and
    returns the mapping of SPEC P2; `context` is the calling agent's, of which `llm` is read.
    """

    name: str
    schema: dict[str, Any]
    handler: Callable[..., Awaitable[dict[str, Any]]]


def make(conf: Conf | Mapping[str, Any]) -> ToolDefinition:
    """Build the tool. Raises `UsageError` where the configuration cannot work."""
    conf = _conf(conf)
    extra = _extra_tools(conf)

    async def handler(arguments: Mapping[str, Any], context: Mapping[str, Any] | None = None) -> dict[str, Any]:
        task = _task(conf, arguments)
        return await _run(conf, task, extra, _llm(conf, context or {}))

    return ToolDefinition(conf.name, _schema(conf), handler)


@dataclass(frozen=True, slots=True)
class _Task:
    spec: str
    files: tuple[Path, ...]
    several: bool
    lang: str


def _conf(given: Conf | Mapping[str, Any]) -> Conf:
    if isinstance(given, Mapping):
        known = {f.name for f in fields(Conf)}
        if unknown := sorted(set(given) - known):
            raise UsageError(f"make: unknown {', '.join(map(repr, unknown))}; known are {', '.join(sorted(known))}.")
        if "runner" not in given:
            raise UsageError("make: `runner` is required.")
        given = Conf(**given)
    if not callable(given.runner):
        raise UsageError("make: `runner` must be callable.")
    if isinstance(given.max_iters, bool) or not isinstance(given.max_iters, int) or given.max_iters < 1:
        raise UsageError("make: `max_iters` must be a whole number of 1 or more.")
    if given.edit_mode not in ("full", "diff"):
        raise UsageError("make: `edit_mode` must be 'full' or 'diff'.")
    if given.on_failure not in ("best", "restore", "keep"):
        raise UsageError("make: `on_failure` must be 'best', 'restore' or 'keep'.")
    if given.tool_mode not in {mode.value for mode in ToolMode}:
        raise UsageError(f"make: `tool_mode` must be one of {', '.join(mode.value for mode in ToolMode)}.")
    if isinstance(given.llm, Mapping) and (unknown := sorted(set(given.llm) - set(LLM_FIELDS))):
        raise UsageError(f"make: `llm` has unknown {', '.join(map(repr, unknown))}; known are {', '.join(LLM_FIELDS)}.")
    return given


def _extra_tools(conf: Conf) -> tuple[Tool, ...]:
    tools = []
    for number, given in enumerate(conf.extra_tools, 1):
        name, schema, handler = given.get("name"), given.get("schema"), given.get("handler")
        if not isinstance(name, str) or not callable(handler) or not isinstance(schema, Mapping):
            raise UsageError(
                f"make: extra tool {number} needs `name` (a string), `schema` (a mapping) and `handler` (callable)."
            )
        if not isinstance(schema.get("input_schema"), Mapping):
            raise UsageError(
                f"make: the schema of extra tool {name!r} needs `input_schema`, a JSON Schema of an object."
            )
        tools.append(extra_tool(name, str(schema.get("description", "")), schema["input_schema"], handler))
    try:
        offer(ToolMode.AUTO, may_write=True, asks=False, consults=False, extra=tools)
    except ToolNameError as error:
        raise UsageError(f"make: {error}") from error
    return tuple(tools)


def _schema(conf: Conf) -> dict[str, Any]:
    what = "a file" if conf.edit_mode == "full" else "one file or several"
    return {
        "description": f"Write or repair {what} until its check passes. Give either target_file or target_files.",
        "input_schema": {
            "type": "object",
            "properties": {
                "spec": {"type": "string", "description": "what is wanted, in words"},
                "target_file": {"type": "string", "description": "the one file to write"},
                "target_files": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "description": "the files that may be written (edit mode diff only)",
                },
                "lang": {"type": "string", "description": "the language; default: by the file's ending"},
            },
            "required": ["spec"],
            "additionalProperties": False,
        },
    }


def _task(conf: Conf, arguments: Mapping[str, Any]) -> _Task:
    if unknown := sorted(set(arguments) - {"spec", "target_file", "target_files", "lang"}):
        raise UsageError(f"{conf.name}: unknown argument {', '.join(map(repr, unknown))}.")
    spec, one, many = arguments.get("spec"), arguments.get("target_file"), arguments.get("target_files")
    if not isinstance(spec, str):
        raise UsageError(f"{conf.name}: `spec` must be a string.")
    if (one is None) == (many is None):
        raise UsageError(
            f"{conf.name}: give either `target_file` or `target_files`, not {'both' if one is not None else 'neither'}."
        )
    if many is not None:
        if not isinstance(many, list) or not many or not all(isinstance(path, str) and path for path in many):
            raise UsageError(f"{conf.name}: `target_files` must be a non-empty list of strings.")
        if conf.edit_mode == "full":
            raise UsageError(
                f"{conf.name}: edit_mode 'full' writes one file; use target_file, or make the tool with edit_mode 'diff'."
            )
        if len(set(many)) != len(many):
            raise UsageError(f"{conf.name}: `target_files` names a file twice.")
    elif not isinstance(one, str) or not one:
        raise UsageError(f"{conf.name}: `target_file` must be a string.")
    lang = arguments.get("lang") or conf.lang or ""
    if not isinstance(lang, str):
        raise UsageError(f"{conf.name}: `lang` must be a string.")
    files = tuple(Path(path).absolute() for path in (many or [one]))
    for path in files:
        if path.is_dir():
            raise UsageError(f"{conf.name}: {path} is a folder, not a file.")
    return _Task(spec, files, many is not None, lang)


def _llm(conf: Conf, context: Mapping[str, Any]) -> TurnGenerator:
    if conf.llm is not None and not isinstance(conf.llm, Mapping):
        return conf.llm
    inherited = context.get("llm") or {}
    if not isinstance(inherited, Mapping):
        return inherited  # type: ignore[no-any-return] # the calling agent's own turn generator
    own = conf.llm or {}
    merged = {name: own.get(name, inherited.get(name)) for name in LLM_FIELDS}
    if not merged.get("provider") or not merged.get("model"):
        raise UsageError(
            f"{conf.name}: no model: give `llm` with provider and model, or call it from an agent that has one."
        )
    return generator_of(**{name: value for name, value in merged.items() if value is not None})


async def _run(conf: Conf, task: _Task, extra: tuple[Tool, ...], llm: TurnGenerator) -> dict[str, Any]:
    root = _root(task.files)
    paths = [str(path) for path in task.files]
    shadow = InPlaceShadow(root, state_folder() / "journals")
    request = RunRequest(
        targets=tuple(path.relative_to(root).as_posix() for path in task.files),
        scope="workspace",
        spec=task.spec,
        lang=task.lang,
        system=conf.system,
        edit_mode=conf.edit_mode,
        tool_mode=ToolMode(conf.tool_mode),
        extra_tools=extra,
        max_rounds=conf.max_iters,
        max_steps=conf.max_steps,
        deadline=conf.deadline,
        budget=conf.budget,
        suggestions=False,
        guardrails=conf.guardrails,
        plan=False,
        allow_new_files=True,
        from_spec_alone=True,
    )
    contract = CallableContract(
        conf.runner,
        paths if task.several else paths[0],
        name="runner",
        timeout=conf.timeout,
        redact=Redactor.of(os.environ, _keys(conf)).known,
    )
    parts = Parts(
        shadow=shadow,
        contract=contract,
        generator=llm,
        admit=lambda _path, _error: "only the targets are written",
        clock=time.monotonic,
        hold=HeldFiles(root, state_folder() / "held"),
    )
    if taken := _being_written.intersection(paths):
        raise UsageError(f"{conf.name}: {', '.join(sorted(taken))} is being written by another run; wait for it.")
    _being_written.update(paths)
    last_error, outcome = "", None
    run = Run(request, parts)
    try:
        with before_ending(shadow.restore):
            async for event in run:
                last_error = _error_in(event) or last_error
                await _tell(conf.on_iter, event)
                if isinstance(event, RunFinished):
                    outcome = event.outcome
    except BaseException:
        shadow.restore()
        raise
    finally:
        _being_written.difference_update(paths)
    assert outcome is not None  # the stream always ends with it
    left = _leave(shadow, outcome, conf.on_failure)
    written = sorted(str(root / path) for path in shadow.modified)
    return _result(outcome, task, written, last_error, left)


def _keys(conf: Conf) -> list[str]:
    """The model's key where the caller gave one, by itself or in a variable."""
    own = conf.llm if isinstance(conf.llm, Mapping) else {}
    found = (own.get("api_key"), os.environ.get(str(own.get("api_key_env") or "")))
    return [str(key) for key in found if key]


def _root(files: Sequence[Path]) -> Path:
    """The current folder where it holds every file; else the folder that does."""
    here = Path.cwd()
    if all(path.is_relative_to(here) for path in files):
        return here
    return Path(os.path.commonpath([path.parent for path in files]))


def _leave(shadow: InPlaceShadow, outcome: Outcome, on_failure: OnFailure) -> list[str]:
    """What stays in the files: a result; else what the caller wants of a lost run. A cancelled run leaves nothing.

    Returns files that keep more of the run than that, since somebody else changed the same lines meanwhile.
    """
    cancelled = outcome.failure is not None and outcome.failure.kind is FailureKind.CANCELLED
    if outcome.ok or (on_failure == "keep" and not cancelled):
        shadow.keep()
        return []
    if on_failure == "restore" or cancelled:
        return shadow.restore()
    return shadow.settle({change.path: change.after for change in outcome.edit.files})


def _error_in(event: Event) -> str:
    """What a failing check said: its errors' stream, else its output."""
    if not isinstance(event, CheckFinished) or event.result.ok:
        return ""
    return (event.result.stderr.strip() or event.result.stdout.strip())[-4000:]


async def _tell(on_iter: Callable[[dict[str, Any]], Awaitable[None] | None] | None, event: Event) -> None:
    if on_iter is None or not isinstance(event, RoundFinished):
        return
    told = on_iter(
        {
            "iter": event.number,
            "ok": event.errors_after == 0,
            "errors_before": event.errors_before,
            "errors_after": event.errors_after,
        }
    )
    if inspect.isawaitable(told):
        await told


def _result(outcome: Outcome, task: _Task, written: list[str], last_error: str, left: Sequence[str]) -> dict[str, Any]:
    tally = outcome.tally
    result: dict[str, Any] = {"ok": outcome.ok, "iters": tally.rounds, "summary": _summary(outcome)}
    if task.several:
        result["modified_files"] = written
    else:
        result["artifact_path"] = str(task.files[0])
    if not outcome.ok:
        result["failure_reason"] = _reason(outcome)
        result["last_error"] = last_error or (outcome.failure.message if outcome.failure else "")
        if left:
            result["last_error"] += (
                f"\n{', '.join(left)} was changed by somebody else while the run went on, in the same lines as by the run, "
                "and is left as it is now."
            )
    return result


def _reason(outcome: Outcome) -> str:
    if outcome.failure is None:
        return outcome.ending.value
    return "max_iters" if outcome.failure.kind is FailureKind.MAX_ROUNDS else outcome.failure.kind.value


def _summary(outcome: Outcome) -> str:
    tally = outcome.tally
    iterations = f"{count(tally.rounds, 'iteration')}"
    if outcome.failure is not None:
        return f"Not green after {iterations}: {outcome.failure.message}"
    if outcome.ending is Ending.NOTHING_TO_FIX:
        passed = "No error lies in these files" if tally.exit_code else "The check passed already"
        return f"{passed}; nothing was changed."
    if outcome.ending is Ending.NO_CHANGE_NOMINATED:
        return f"The model holds that nothing needs to change: {tally.explanation}"
    return f"The check passes after {iterations}. {tally.explanation}".strip()
