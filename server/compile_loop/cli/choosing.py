"""Which model the command line asks where none is named: see docs/models.md."""

from __future__ import annotations

import asyncio
import sys

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.assemble import answers_file, unasked, with_choice
from compile_loop.models.choice import Choice, Memory, remember, remembered
from compile_loop.models.find import ServerFound, find_servers
from compile_loop.settings import Settings
from compile_loop.shadow.full_disk import why

_MOST_OFFERED = 9


def with_model(settings: Settings, *, may_ask: bool) -> tuple[Settings, str]:
    """The settings with a model, if there is one, and why it is that one; "" where the user named it.

    With `may_ask`, and a person at the terminal, servers on this machine are looked for and offered, once each.
    """
    if settings.model.strip() or settings.base_url:
        return settings, ""
    choice = unasked()
    if choice is None and may_ask and _somebody_is_there():
        choice = _offer()
    return with_choice(settings, choice)


def agree(model: str, base_url: str = "", api_key_env: str = "") -> Choice:
    """Keep a yes for later runs."""
    choice = Choice(model, "you agreed to it; `compile-loop models --forget` takes that back", base_url, api_key_env)
    _keep(Memory(choice, remembered(answers_file()).declined))
    return choice


def _somebody_is_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _offer() -> Choice | None:
    """Ask about each server that answers here and has not been declined. Enter is a no, and kept."""
    console = Console(stderr=True, highlight=False)
    memory = remembered(answers_file())
    for server in asyncio.run(find_servers()):
        if not server.models or server.base_url in memory.declined:
            continue
        name = _pick(console, server)
        if name:
            return agree(name, server.base_url)
        memory = memory.with_no(server.base_url)
        _keep(memory)
    return None


def _pick(console: Console, server: ServerFound) -> str:
    """One of the server's models; empty for none."""
    offered = server.models[:_MOST_OFFERED]
    console.print(
        f"No model is named. {server.name} answers at {escape(server.base_url)}, on this machine, with:", soft_wrap=True
    )
    for number, model in enumerate(offered, 1):
        console.print(f"  {number}  {escape(model)}")
    if len(server.models) > len(offered):
        console.print(f"  and {len(server.models) - len(offered)} more: `compile-loop models` lists them")
    said = typer.prompt(
        "Which one may be asked, now and later? (Enter: none)", default="", show_default=False, err=True
    )
    number = int(said) if said.strip().isdigit() else 0
    return offered[number - 1] if 1 <= number <= len(offered) else ""


def _keep(memory: Memory) -> None:
    try:
        remember(answers_file(), memory)
    except OSError as error:
        Console(stderr=True).print(f"The answer cannot be kept: {why(error, answers_file())}.", highlight=False)
