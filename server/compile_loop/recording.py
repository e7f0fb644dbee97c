"""Putting a recorder on a run's parts (SPEC R1, Q24): it listens, and the generator and the memory keep logs for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from compile_loop.checks.protected import is_protected
from compile_loop.contracts.checks import Check
from compile_loop.contracts.inline_secrets import secrets_of_vector
from compile_loop.engine.request import Parts
from compile_loop.models.endpoint import logins_in
from compile_loop.models.turn_log import LoggedGenerator
from compile_loop.record.asked import Asked
from compile_loop.record.recall_log import LoggedMemory
from compile_loop.record.recorder import Recorder
from compile_loop.record.redact import Redactor, given_secrets
from compile_loop.record.report import ReportBuilder
from compile_loop.settings import Settings
from compile_loop.shadow.in_place import InPlaceShadow
from compile_loop.version import VERSION

_CARRIES_KEY = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)


def recorded(
    parts: Parts,
    runs: Path,
    asked: Asked,
    buffers: Mapping[str, bytes],
    *,
    redactor: Redactor,
    lineage: Mapping[str, str],
) -> tuple[Parts, Recorder]:
    """The parts with their logs, and the listener that writes a folder below `runs`.

    `lineage` names runs that this one continues or resumes.
    """
    recorder = Recorder(
        runs,
        asked,
        buffers,
        redactor,
        ReportBuilder(
            engine=VERSION,
            isolated=not isinstance(parts.shadow, InPlaceShadow),
            protected=is_protected,
            asked_for=asked.targets,
        ),
        {"engine": VERSION, **lineage},
    )
    generator = parts.generator and LoggedGenerator(parts.generator, recorder.turn)
    memory = parts.memory and LoggedMemory(parts.memory, recorder.recalled)
    return replace(parts, generator=generator, memory=memory), recorder


def secrets_of(settings: Settings, environment: Mapping[str, str], checks: Iterable[Check] = ()) -> list[str]:
    """The keys that settings hold or name, what they send in headers that carry keys, log-ins in addresses.

    And secrets among the variables that the user gave to `checks`, and in their commands.
    """
    key = settings.api_key.get_secret_value() if settings.api_key else ""
    named = [environment.get(name, "") for name in (settings.api_key_env, settings.consult_api_key_env) if name]
    sent = [value for name, value in settings.headers.items() if _CARRIES_KEY.search(name)]
    logins = [
        login
        for address in (settings.base_url, settings.consult_base_url, settings.proxy)
        for login in logins_in(address)
    ]
    given = [s for check in checks for s in (*given_secrets(check.env), *secrets_of_vector(check.command))]
    return [
        secret
        for value in (key, *named, *sent, *logins, *given)
        for secret in (value, value.rpartition(" ")[2])
        if secret
    ]
