"""Checks that are a caller's own functions: one for a single path, one for a list of paths; two types (SPEC K1, P1)."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compile_loop.checks.lines import HeadAndTail
from compile_loop.contracts.checks import Check, CheckResult, ContractResult
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.events import CheckFinished, CheckStarted, Event, Pass
from compile_loop.contracts.protocols import Shadow
from compile_loop.toolchains.reading import OutputReader
from compile_loop.toolchains.sources import FolderSources

Answer = Mapping[str, Any]
PathRunner = Callable[[str], "Answer | Awaitable[Answer]"]
PathsRunner = Callable[[list[str]], "Answer | Awaitable[Answer]"]


class CallableContract:
    """One check that is a function. `argument` is what it is called with: an absolute path, or a list of them.

    `redact` takes secrets out of what it returns. A sync function runs in a thread; when the run is cancelled or the check
    times out the thread cannot be ended, so it is left behind and named (SPEC Q15).
    """

    def __init__(
        self,
        runner: Callable[[Any], Any],
        argument: str | list[str],
        *,
        name: str,
        timeout: float = 600.0,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._runner = runner
        self._redact = redact
        self._argument = argument
        self._timeout = timeout
        self.checks: tuple[Check, ...] = (Check(name, (name,), total_timeout=timeout, reason="the caller's runner"),)

    async def run(self, shadow: Shadow, in_pass: Pass, number: int, emit: Callable[[Event], None]) -> ContractResult:
        """Call the function once."""
        name = self.checks[0].name
        emit(CheckStarted(name, in_pass, number))
        began = time.monotonic()
        try:
            answer = await asyncio.wait_for(self._call(), self._timeout)
        except asyncio.TimeoutError:
            sentence = f"The runner did not return within {self._timeout:g} s; its thread {name!r} is left behind."
            result = CheckResult(name, ok=False, exit_code=-1, stderr=sentence, timeout=sentence)
        except Exception as error:  # whatever a caller's function raises is a red check
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-6:])
            result = self._result(
                name, shadow, False, "", f"The runner raised {type(error).__name__}: {error}\n{text}", -1
            )
        else:
            result = self._read(name, shadow, answer)
        result = replace(result, duration=time.monotonic() - began)
        emit(CheckFinished(in_pass, number, result))
        return ContractResult((result,))

    async def _call(self) -> object:
        argument = list(self._argument) if isinstance(self._argument, list) else self._argument
        if inspect.iscoroutinefunction(self._runner):
            return await self._runner(argument)
        answer = await _in_thread(self._runner, argument, self.checks[0].name)
        return await answer if inspect.isawaitable(answer) else answer

    def _read(self, name: str, shadow: Shadow, answer: object) -> CheckResult:
        if not isinstance(answer, Mapping) or not isinstance(answer.get("ok"), bool):
            got = (
                type(answer).__name__
                if not isinstance(answer, Mapping)
                else f"a mapping with the keys {sorted(answer)}"
            )
            sentence = (
                f"The runner returned {got}; it must return a mapping with ok (a bool), stdout, stderr and exit_code."
            )
            return CheckResult(name, ok=False, exit_code=-1, stderr=sentence, environment=sentence)
        code = answer.get("exit_code", 0 if answer["ok"] else 1)
        return self._result(
            name,
            shadow,
            answer["ok"],
            answer.get("stdout") or "",
            answer.get("stderr") or "",
            code if isinstance(code, int) else 1,
        )

    def _result(self, name: str, shadow: Shadow, ok: bool, stdout: object, stderr: object, code: int) -> CheckResult:
        found: list[Diagnostic] = []
        kept = []
        for text in (stdout, stderr):
            words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
            reader = OutputReader(root=shadow.root, cwd=shadow.root, sources=FolderSources(Path(shadow.root)))
            excerpt = HeadAndTail()
            lines = list(_bounded_lines(self._redact(words)))
            excerpt.add(lines)
            for line in lines if not ok else ():
                found += reader.feed(line)
            if not ok:
                found += reader.close(0)
            kept.append(excerpt.text())
        return CheckResult(name, ok, code, kept[0], kept[1], diagnostics=tuple(found))


def _bounded_lines(text: str) -> Sequence[str]:
    """Lines of at most 2,000 characters of at most 20 MB of text, head and tail."""
    if len(text) > 20_000_000:
        text = f"{text[:10_000_000]}\n{text[-10_000_000:]}"
    return [line[:2000] for line in text.splitlines()]


async def _in_thread(function: Callable[[Any], Any], argument: object, name: str) -> object:
    """Call a sync function in a daemon thread: unlike a pool's, it does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def settle(result: object, error: BaseException | None) -> None:
        if not done.done():
            done.set_exception(error) if error is not None else done.set_result(result)

    def work() -> None:
        try:
            result, error = function(argument), None
        except BaseException as raised:  # also SystemExit must not vanish in a thread
            result, error = None, raised if isinstance(raised, Exception) else RuntimeError(repr(raised))
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, name=name, daemon=True).start()
    return await done
