"""The only place where parts meet: from what a face was asked to a run that is ready to start."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from compile_loop import clearing
from compile_loop.checks.admission import check_scripts, gate
from compile_loop.checks.advisers import AdvisersInTurn, ToolAdvisers
from compile_loop.checks.concealment import hide_from_processes
from compile_loop.checks.contract import CommandContract
from compile_loop.checks.contract_file import NAME as CONTRACT_FILE
from compile_loop.checks.contract_file import ContractFile, read_contract_file
from compile_loop.checks.expectations import expectations_of
from compile_loop.checks.hidden_files import all_names, files_named
from compile_loop.checks.hidden_folders import hidden_folders
from compile_loop.checks.holding import complains_itself
from compile_loop.checks.holdout_commands import CommandHoldouts
from compile_loop.checks.led_to import led_to
from compile_loop.checks.protection import WorkspaceProtection
from compile_loop.checks.small_workspace import sources_of
from compile_loop.checks.validate import ContractError
from compile_loop.contracts.checks import UNKNOWN, Check, ContractResult
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import Event, Pass
from compile_loop.contracts.holdouts import Holdout
from compile_loop.contracts.honesty import Finding, Inspect
from compile_loop.contracts.inline_secrets import without_secrets
from compile_loop.contracts.protocols import (
    Advisers,
    AskUser,
    AuthGate,
    ModelError,
    RepairMemory,
    Shadow,
    ShadowError,
    TurnGenerator,
)
from compile_loop.edits.text import UndecodableError, decode
from compile_loop.engine.budget import Budget
from compile_loop.engine.course import Kept
from compile_loop.engine.handle import Run
from compile_loop.engine.request import Parts, RunRequest, Scope
from compile_loop.models.choice import NO_MODEL, Choice, advice, by_keys, remembered
from compile_loop.models.choose import ModelSettings, Timeouts, make_generator, parse_model
from compile_loop.models.prices import Price, price_of
from compile_loop.models.relay import Relay
from compile_loop.record.asked import Asked
from compile_loop.record.file_secrets import FileSecrets
from compile_loop.record.memory import FileMemory
from compile_loop.record.recorder import Recorder
from compile_loop.record.redact import Redactor
from compile_loop.recording import recorded, secrets_of
from compile_loop.settings import Settings
from compile_loop.shadow.held_files import HeldFiles
from compile_loop.shadow.probe import choose
from compile_loop.shadow.visible import Visible
from compile_loop.toolchains.detect import detect
from compile_loop.toolchains.plain_files import data_of
from compile_loop.toolchains.task_check import TaskCheck, default_task, label_in, named_task
from compile_loop.toolchains.tasks import TaskError
from compile_loop.tools.catalogue import ToolMode

DEFAULT_TASK = ""
"""The line that stands for the default build task."""
clear_up = clearing.clear_up
state_folder = clearing.state_folder


class ConfigurationError(ValueError):
    """The run cannot start as asked; the message is a sentence that a user can act on."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a face was asked. Paths are absolute.

    `targets` may be empty only where `scope` is `workspace`. `checks` are command lines, or `task: LABEL` for a task;
    empty: the setting, else found from the default build task, the manifest or the language. `tasks` are those of them
    that a face resolved, by their line, and the default build task by `""` (see `tasks_wanted`). `holdouts` are command
    lines of hidden checks. `buffers` is unsaved text, encoded as the file on disk is. `generator` and `consult` stand in
    for the models of the settings. `ask_user` and `auth` are the face's dialogs, where it has any. `memory` stands in for
    this machine's repair memory; `lineage` names runs that this one `continues` or `resumes`. `model_reason` says why the
    settings name this model where the user did not, `model_advice` how a user of this face gets one. `advisers` are asked
    for fixes after the tools.
    """

    root: Path
    targets: tuple[Path, ...]
    settings: Settings
    scope: Scope = "files"
    checks: tuple[str, ...] = ()
    spec: str = ""
    buffers: Mapping[Path, bytes] = field(default_factory=dict)
    encodings: Mapping[Path, str] = field(default_factory=dict)
    reproduce: Diagnostic | None = None
    generator: TurnGenerator | None = None
    consult: TurnGenerator | None = None
    model_reason: str = ""
    model_advice: str = ""
    holdouts: tuple[str, ...] = ()
    ask_user: AskUser | None = None
    auth: AuthGate | None = None
    memory: RepairMemory | None = None
    lineage: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, Check] = field(default_factory=dict)
    advisers: Advisers | None = None
    keep: tuple[Path, ...] = ()
    """Folders beside the workspace that no check may change, even where they lie in a temporary folder."""


def start(job: Job) -> Run:
    """Put the parts together. Raises `ConfigurationError`; nothing runs until the run is iterated."""
    root = _workspace(job.root)
    targets = tuple(_inside(root, path) for path in job.targets)
    if not targets and job.scope == "files":
        raise ConfigurationError("There is no file to fix. Name the files, or ask for the whole workspace.")
    unsaved = {path.resolve() for path in job.buffers}
    for path, name in zip(job.targets, targets, strict=True):
        _usable(path, name, path.resolve() in unsaved or job.settings.allow_new_files, job.encodings.get(path))
    request = RunRequest(
        targets=targets,
        scope=job.scope,
        spec=job.spec,
        system=job.settings.system_prompt,
        tool_mode=ToolMode(job.settings.tool_mode),
        max_rounds=job.settings.max_rounds,
        max_steps=job.settings.max_steps,
        max_holdout_rounds=job.settings.max_holdout_rounds,
        budget=Budget(job.settings.max_tokens_per_run, job.settings.max_cost),
        context_window=job.settings.context_window,
        questions_wait=job.settings.question_seconds,
        guardrails=job.settings.guardrails,
        plan=job.settings.plan,
        deadline=job.settings.deadline_seconds,
        suggestions=job.settings.suggestions,
        allow_new_files=job.settings.allow_new_files,
        encodings={_inside(root, path): name for path, name in job.encodings.items()},
        reproduce=job.reproduce,
    )
    file = _contract_file(root)
    redactor = redactor_of(job, file)
    contract = _contract(job, file, redactor)
    clear_up()
    hide_from_processes(os.environ, _secret_names(job.settings))
    holdouts = _holdouts(job, root, file, contract.checks, redactor)
    hidden = tuple(holdouts.hidden) if holdouts else ()
    scripts = check_scripts(contract.checks, root)
    expected = expectations_of(contract.checks, root)
    visible = Visible(root)
    led = led_to(contract.checks, root)
    admit = gate(root, file, scripts, expected, led, named=job.scope == "files", hidden=hidden)
    parts = Parts(
        shadow=_shadow(job, root, hidden, asides=holdouts is not None),
        contract=contract,
        generator=job.generator or model_of(job.settings),
        readable=visible.why_not,
        concealed=visible.concealed,
        redact=redactor.known_bytes,
        admit=admit,
        sources=lambda: sources_of(root, lambda path: admit(path, False) or visible.why_not(path)),
        tells_only=lambda error: error.file in led.helpers and complains_itself(error, root),
        holdouts=holdouts,
        memory=job.memory or (FileMemory(state_folder() / "repairs", root) if job.settings.repair_memory else None),
        ask_user=job.ask_user,
        auth=job.auth,
        inspect=_inspector(root),
        protected=WorkspaceProtection(
            root, file.protected, scripts, expected, led, contract.checks, hidden_folders(root, hidden, targets)
        ),
        clock=time.monotonic,
        price=price_of_model(job.settings),
        consult=job.consult or consultant_of(job.settings),
        consult_price=price_of_model(_for_consulting(job.settings)),
        model_reason=job.model_reason,
        advice=job.model_advice or advice(os.environ),
        advisers=_advisers(job),
        hold=HeldFiles(root, state_folder() / "held"),
    )
    if not job.settings.record:
        return Run(request, parts)
    parts, recorder = _recorded(job, root, request, parts, redactor)
    return Run(request, parts, listeners=(recorder,))


def _advisers(job: Job) -> Advisers | None:
    """Who is asked for fixes that no check prints: tools, then whom the face knows."""
    if not job.settings.suggestions:
        return None
    tools = ToolAdvisers(os.environ, _secret_names(job.settings))
    return AdvisersInTurn(tools, job.advisers) if job.advisers else tools


def _inspector(root: Path) -> Inspect:
    """The honesty gate, which may ask what files the workspace has."""

    def look(
        edit: Edit, failures: Sequence[Diagnostic], wish: str, before: int | None, after: int | None
    ) -> Sequence[Finding]:
        from compile_loop.checks.honesty import inspect  # grammars of eight languages: only a green edit needs them

        def exists(path: str) -> bool:
            return (root / path).is_file()

        return inspect(edit, failures, spec=wish, tests_before=before, tests_after=after, exists=exists)

    return look


def _recorded(job: Job, root: Path, request: RunRequest, parts: Parts, redactor: Redactor) -> tuple[Parts, Recorder]:
    buffers = {_inside(root, path): data for path, data in job.buffers.items()}
    asked = Asked(
        root=str(root),
        targets=request.targets,
        scope=job.scope,
        checks=tuple(str(without_secrets(line)) for line in job.checks),
        holdouts=tuple(str(without_secrets(line)) for line in job.holdouts),
        tasks=job.tasks,
        spec=job.spec,
        settings={**job.settings.model_dump(mode="json"), "check": without_secrets(job.settings.check)},
        encodings=request.encodings,
        buffers=tuple(buffers),
        reproduce=job.reproduce,
    )
    return recorded(parts, runs_folder(), asked, buffers, redactor=redactor, lineage=job.lineage)


def carry_on(job: Job, finished: Run | Kept) -> Run:
    """Continue a finished run, or what its record kept, with `job.spec` as a further wish in its conversation (SPEC L19)."""
    run = start(replace(job, lineage={**job.lineage, "continues": finished.run_id}))
    run.carry_on(finished)
    return run


def contract_and_shadow(job: Job) -> tuple[CommandContract, Shadow]:
    """The job's checks and an isolated copy, not laid out yet. Raises `ConfigurationError`."""
    root = _workspace(job.root)
    file = _contract_file(root)
    return _contract(job, file, redactor_of(job, file)), _shadow(job, root)


async def run_contract_once(job: Job, emit: Callable[[Event], None] = lambda _event: None) -> ContractResult:
    """Run the checks in an isolated copy, without a loop, and tell of it. Raises `ConfigurationError` or `ShadowError`."""
    checks, shadow = contract_and_shadow(job)
    try:
        await shadow.open()
        return await checks.run(shadow, Pass.BASELINE, 0, emit)
    finally:
        await shadow.close()


def _shadow(job: Job, root: Path, hidden: Sequence[str] = (), *, asides: bool = False) -> Shadow:
    """The isolated copy that the settings ask for. Raises `ConfigurationError` where it cannot be had.

    Its checks see no records of ours, nor the user's own `hidden` files.
    """
    try:
        return choose(
            root,
            {_inside(root, path): data for path, data in job.buffers.items()},
            job.settings.isolation,
            confine=job.settings.confine_checks,
            writable=job.settings.writable_folders,
            asides=asides,
            keep=job.keep,
            unseen=(*_own_records(), *(root / name for name in hidden)),
        )
    except ShadowError as error:
        raise ConfigurationError(str(error)) from error


def _own_records() -> list[Path]:
    """Folders of ours that tell of runs. A sample to try things out on lies beside them, and is there to be checked."""
    with contextlib.suppress(OSError):
        (state_folder() / "runs").mkdir(parents=True, exist_ok=True)  # what is not there yet could not be covered
    return [state_folder() / name for name in ("runs", "repairs", "journals", "held")]


def _contract(job: Job, file: ContractFile, redactor: Redactor) -> CommandContract:
    """The job's checks, ready to run. Raises `ConfigurationError` where there is none, or none that could fail."""
    try:
        return CommandContract(_checks(job, file), os.environ, _secret_names(job.settings), redactor.known)
    except ContractError as error:
        raise ConfigurationError(str(error)) from error


def _contract_file(root: Path) -> ContractFile:
    try:
        return read_contract_file(root)
    except ContractError as error:
        raise ConfigurationError(str(error)) from error


def _holdouts(
    job: Job, root: Path, file: ContractFile, visible: Sequence[Check], redactor: Redactor
) -> CommandHoldouts | None:
    """The hidden checks, with the files that they name; the file that lists them is hidden as well."""
    holdouts = [*(Holdout(Check(line, line)) for line in job.holdouts), *file.holdouts]
    if not holdouts:
        return None
    targets = {_inside(root, path) for path in job.targets}
    unsaved = {_inside(root, path): data for path, data in job.buffers.items()}
    of_each = [set(each.files) or files_named(each.check, root, targets, visible, unsaved) for each in holdouts]
    in_sight = [each.check.name for each, names in zip(holdouts, of_each, strict=True) if not names]
    named = all_names({name for names in of_each for name in names}, root)
    if file.holdouts:
        named.add(CONTRACT_FILE)
    named -= targets
    try:
        files = {name: unsaved[name] if name in unsaved else (root / name).read_bytes() for name in sorted(named)}
        programs = [name for name in files if os.access(root / name, os.X_OK)]
        return CommandHoldouts(
            holdouts, files, os.environ, _secret_names(job.settings), redactor.known, in_sight, programs
        )
    except ContractError as error:
        raise ConfigurationError(str(error)) from error
    except OSError as error:
        raise ConfigurationError(f"A holdout's file cannot be read: {error}.") from error


def _checks(job: Job, file: ContractFile) -> list[Check]:
    lines = _lines(job)
    if lines:
        return [_named(job, line) for line in lines]
    if file.checks:
        return list(file.checks)
    if (task := job.tasks.get(DEFAULT_TASK)) is not None:
        return [_timed(task, job.settings)]
    root = _workspace(job.root)
    proposals = detect(root, [path.resolve() for path in job.targets])
    if not proposals:
        raise ConfigurationError(
            "No check was found for this: no build manifest and no language with a known compiler. "
            "Give the command that should pass as the check."
        )
    return [_timed(proposals[0].check, job.settings)]


def _lines(job: Job) -> Sequence[str]:
    """The checks that the user named."""
    return job.checks or ((job.settings.check,) if job.settings.check.strip() else ())


def _named(job: Job, line: str) -> Check:
    label = label_in(line)
    if label is None:
        return _timed(Check(name=line.strip(), command=line), job.settings)
    try:
        if (check := job.tasks.get(line.strip())) is None:
            task = _task(job, label, None)
            if task is None:
                raise ConfigurationError(f"There is no task “{label}” in .vscode/tasks.json. Name another check.")
            check = task.check()
    except TaskError as error:
        raise ConfigurationError(str(error)) from error
    return _timed(check, job.settings)


def _timed(check: Check, settings: Settings) -> Check:
    if check.hidden == UNKNOWN:
        raise ConfigurationError(
            f"The task “{check.name}” was given a password, which no record keeps. Give a check anew, or fix the files anew."
        )
    idle, total = settings.check_idle_timeout_seconds, settings.check_timeout_seconds
    return replace(check, idle_timeout=idle, total_timeout=total)


def _task(job: Job, label: str, file: Path | None) -> TaskCheck | None:
    return named_task(_workspace(job.root), label, _meant(job, file))


def _meant(job: Job, file: Path | None) -> list[Path]:
    """What `${file}` of a task may mean: that file, else the targets."""
    return [file] if file else [path.resolve() for path in job.targets]


def tasks_wanted(job: Job, file: Path | None = None) -> dict[str, TaskCheck | None]:
    """The tasks that decide and are not in `job.tasks`: by their line, or `""` for the default build task.

    A face asks what their `inputs` say, and puts what they resolve to into `job.tasks`. None: the workspace's tasks.json
    holds no such task. A default build task that nobody could answer for is none. `file` is the one that `${file}` means,
    if it is not the job's only target. Raises `ConfigurationError`.
    """
    root, lines = _workspace(job.root), _lines(job)
    named = {line.strip(): label for line in lines if (label := label_in(line)) is not None}
    try:
        if lines or DEFAULT_TASK in job.tasks or _contract_file(root).checks:
            return {line: _task(job, label, file) for line, label in named.items() if line not in job.tasks}
    except TaskError as error:
        raise ConfigurationError(str(error)) from error
    try:
        task = default_task(root, _meant(job, file))
    except TaskError:
        return {}
    return {DEFAULT_TASK: task} if task else {}


def runs_folder() -> Path:
    """Where the records of runs lie, one folder each (SPEC R1)."""
    return state_folder() / "runs"


def generator_of(**fields: Any) -> TurnGenerator:
    """A turn generator from a model's settings by name. Raises `ConfigurationError`."""
    try:
        return make_generator(ModelSettings(**fields))
    except ModelError as error:
        raise ConfigurationError(error.message) from error
    except (TypeError, ValueError) as error:
        raise ConfigurationError(str(error)) from error


def answers_file() -> Path:
    """Where it is kept which model the user agreed to when asked."""
    return state_folder() / "model.json"


def unasked() -> Choice | None:
    """The model that is asked where none is named: one agreed to earlier, or one that stands beside its key."""
    return remembered(answers_file()).agreed or by_keys(os.environ)


def with_choice(settings: Settings, choice: Choice | None) -> tuple[Settings, str]:
    """The settings with a model where they name neither one nor an address, and why it is that one."""
    if choice is None or settings.model.strip() or settings.base_url:
        return settings, ""
    key = settings.api_key_env or choice.api_key_env
    named = {"model": choice.model, "base_url": choice.base_url, "api_key_env": key}
    return settings.model_copy(update=named), choice.why


def names_model(settings: Settings) -> bool:
    """Whether the settings name a model to ask."""
    return settings.model.strip() not in ("", NO_MODEL)


def model_of(settings: Settings, relay: Relay | None = None) -> TurnGenerator | None:
    """The settings' model; None where they name none. `relay` reaches the editor's own. Raises `ConfigurationError`."""
    if not names_model(settings):
        return None
    try:
        provider, model = parse_model(settings.model)
        return make_generator(
            ModelSettings(
                provider=provider,
                model=model,
                base_url=settings.base_url or None,
                api_key=settings.api_key.get_secret_value() if settings.api_key else None,
                api_key_env=settings.api_key_env or None,
                max_tokens=settings.max_tokens,
                temperature=settings.temperature,
                timeouts=Timeouts(**settings.timeouts.model_dump()),
                headers=settings.headers,
                extra_body=settings.extra_body,
                disable_thinking=settings.disable_thinking,
                proxy=settings.proxy or None,
                ca_file=settings.ca_file or None,
            ),
            relay=relay,
        )
    except ModelError as error:
        raise ConfigurationError(error.message) from error
    except ValueError as error:
        raise ConfigurationError(str(error)) from error


def consultant_of(settings: Settings) -> TurnGenerator | None:
    """The stronger model that may be asked; None where none is set. Raises `ConfigurationError`."""
    return model_of(_for_consulting(settings))


def _for_consulting(settings: Settings) -> Settings:
    """The settings with the stronger model in the place of the model (SPEC L13)."""
    model, address, key = settings.consult_model, settings.consult_base_url, settings.consult_api_key_env
    own: dict[str, Any] = {
        "api_key": None,
        "headers": {},
        "extra_body": {},
    }  # those of the model may not suit another endpoint
    return settings.model_copy(update={"model": model, "base_url": address, "api_key_env": key, **own})


def price_of_model(settings: Settings) -> Price | None:
    """What a call of the settings' model costs; None where that is not known. Raises `ConfigurationError`."""
    if not names_model(settings):
        return None
    try:
        provider, model = parse_model(settings.model)
        return price_of(provider, model, settings.base_url or None, settings.prices)
    except ValueError as error:
        raise ConfigurationError(str(error)) from error


def _secret_names(settings: Settings) -> Sequence[str]:
    return [name for name in (settings.api_key_env, settings.consult_api_key_env) if name]


def redactor_of(job: Job, file: ContractFile | None = None) -> Redactor:
    """Takes out the secrets of this environment, of the settings, tasks and checks, and of the workspace (SPEC Q26, Z1)."""
    root = job.root.resolve()
    if file is None:
        try:
            file = _contract_file(root)
        except ConfigurationError:
            file = ContractFile()
    unsaved = {
        path.resolve().relative_to(root).as_posix(): data
        for path, data in job.buffers.items()
        if path.resolve().is_relative_to(root)
    }
    return Redactor.of(os.environ, _secrets(job, file), FileSecrets(root, unsaved))


def _secrets(job: Job, file: ContractFile) -> list[str]:
    lines = (*job.checks, *job.holdouts, job.settings.check)
    given = [*file.checks, *(each.check for each in file.holdouts), *job.tasks.values(), *(Check(c, c) for c in lines)]
    return secrets_of(job.settings, os.environ, given)


def _workspace(root: Path) -> Path:
    root = root.resolve()
    if not root.is_dir():
        raise ConfigurationError(f"The workspace {root} is no folder.")
    if Path.home().resolve().is_relative_to(root) or root == Path(root.anchor):
        raise ConfigurationError(f"The workspace is {root}, which is never copied. Open the project's own folder.")
    return root


def _inside(root: Path, path: Path) -> str:
    """The path relative to the workspace, after resolving links on both sides (SPEC E10)."""
    resolved = path.resolve()
    if not resolved.is_relative_to(root):
        raise ConfigurationError(f"{path} lies outside the workspace {root}. Open the folder that holds it.")
    return resolved.relative_to(root).as_posix()


def _usable(path: Path, name: str, may_be_absent: bool, encoding: str | None) -> None:
    if path.is_dir():
        raise ConfigurationError(f"{name} is a folder. Name the files to fix.")
    if path.exists() and not path.is_file():
        raise ConfigurationError(f"{name} is no regular file and cannot be edited.")
    if not path.exists():
        if may_be_absent:
            return
        raise ConfigurationError(f"{name} does not exist.")
    try:
        text = decode(data_of(path), encoding).text
    except OSError as error:
        raise ConfigurationError(f"{name} cannot be read: {error.strerror}.") from error
    except UndecodableError as error:
        raise ConfigurationError(
            f"{name} is a binary file or in another encoding, and is not edited: {error}."
        ) from error
    if text.count("\0") * 20 > len(text):
        raise ConfigurationError(f"{name} is a binary file and is not edited.")
