"""`compile-loop models`: which models could be asked, and one token of one on request."""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import asdict

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.assemble import answers_file, unasked
from compile_loop.cli.choosing import agree
from compile_loop.cli.exits import GREEN, NOT_GREEN, USAGE
from compile_loop.cli.model_keys import change_key
from compile_loop.cli.options import ApiKeyEnv, address
from compile_loop.contracts.protocols import Message, ModelError, Reply
from compile_loop.models.choice import Choice, advice
from compile_loop.models.choose import PROVIDERS, ModelSettings, make_generator, parse_model
from compile_loop.models.find import KEYS, KeyFound, ServerFound, find_keys, find_servers
from compile_loop.models.keyring import key_in_keyring
from compile_loop.models.prices import price_of, table_date

NAME = "models"
EXAMPLE = "Example: `compile-loop models --try ollama:qwen2.5-coder`"


def run(
    model: str = typer.Option("", "--try", metavar="PROVIDER:NAME", help="Ask this model for one token."),
    use: str = typer.Option("", "--use", metavar="PROVIDER:NAME", help="Ask this model in later runs of `fix`."),
    forget: bool = typer.Option(False, "--forget", help="Forget every answer about which model may be asked."),
    set_key: str = typer.Option(
        "",
        "--set-key",
        metavar="PROVIDER",
        help="Put a key, read from the terminal or stdin, into the system's keyring.",
    ),
    delete_key: str = typer.Option("", "--delete-key", metavar="PROVIDER", help="Take a key out of the keyring."),
    base_url: str = typer.Option(
        "", "--base-url", callback=address, help="Address of the model's endpoint, for --try and --use."
    ),
    api_key_env: ApiKeyEnv = "",
    as_json: bool = typer.Option(False, "--json", help="Print one JSON document (schema compile-loop/models/1)."),
) -> None:
    """List keys (by name) and model servers on this machine's usual ports, say which model `fix` asks, or try one.

    Looking asks ports 11434, 1234, 8080 and 8000 of 127.0.0.1 and nothing else. Exit code: 0 if something was found or
    the model answered, 1 if not, 2 if the model is not named as PROVIDER:NAME.
    """
    if sum(map(bool, (model, use, forget, set_key, delete_key))) > 1:
        raise typer.BadParameter("--try, --use, --forget, --set-key and --delete-key exclude each other.")
    if set_key or delete_key:
        raise typer.Exit(change_key(set_key or delete_key, delete=bool(delete_key)))
    if use:
        raise typer.Exit(_use(use, base_url, api_key_env))
    if forget:
        answers_file().unlink(missing_ok=True)
        typer.echo("Every answer is forgotten.")
        return
    raise typer.Exit(_try(model, base_url, api_key_env, as_json) if model else _list(as_json))


def _use(model: str, base_url: str, api_key_env: str) -> int:
    try:
        parse_model(model)
    except ValueError as error:
        return _told(Console(stderr=True, highlight=False), model, str(error), False, USAGE)
    agree(model, base_url, api_key_env)
    typer.echo(f"`compile-loop fix` asks {model} from now on. `compile-loop models --forget` takes that back.")
    return GREEN


def _list(as_json: bool) -> int:
    keys, servers, choice = find_keys(os.environ), asyncio.run(find_servers()), unasked()
    kept = [each.variable for each in KEYS if each not in keys and key_in_keyring(each.variable)]
    if as_json:
        document = {
            "schema": "compile-loop/models/1",
            "keys": [asdict(each) for each in keys],
            "keyring": kept,
            "servers": [asdict(each) for each in servers],
            "chosen": asdict(choice) if choice else None,
            "prices": table_date(),
        }
        typer.echo(json.dumps(document, indent=2))
    else:
        _print(keys, kept, servers, choice)
    return GREEN if keys or kept or servers or choice else NOT_GREEN


def _print(keys: list[KeyFound], kept: list[str], servers: list[ServerFound], choice: Choice | None) -> None:
    console = Console(highlight=False)
    for key in keys:
        address = f" --base-url {key.base_url} --api-key-env {key.variable}" if key.base_url else ""
        console.print(f"key     {key.variable}: --model {key.provider}:NAME{escape(address)}", soft_wrap=True)
    for variable in kept:
        console.print(f"key     {variable}, in the keyring", soft_wrap=True)
    for server in servers:
        address = "" if server.name == "Ollama" else f" --base-url {server.base_url}"
        console.print(f"server  {server.name} at {server.base_url}", soft_wrap=True)
        for name in server.models:
            console.print(f"          --model {escape(name)}{address}", soft_wrap=True)
    if not (keys or kept or servers):
        console.print(
            "No key in the environment and no model server on this machine's usual ports. Without a model, fixes that the"
            " compiler itself suggests are tried. Set a key such as OPENAI_API_KEY, or start a server such as Ollama.",
            soft_wrap=True,
        )
    if choice:
        console.print(f"`fix` without --model asks {escape(choice.model)}: {escape(choice.why)}.", soft_wrap=True)
    else:
        how = advice(os.environ) if keys else "Name one with it, as PROVIDER:NAME, or agree to one with `models --use`."
        console.print(f"`fix` without --model asks no model. {how}", soft_wrap=True)
    console.print(f"Providers: {', '.join(PROVIDERS)}. Prices: {table_date()}.", soft_wrap=True)


def _try(model: str, base_url: str, api_key_env: str, as_json: bool) -> int:
    console = Console(stderr=True, highlight=False)
    started = time.monotonic()
    try:
        provider, name = parse_model(model)
        settings = ModelSettings(
            provider, name, base_url=base_url or None, api_key_env=api_key_env or None, max_tokens=1, retries=0
        )
        reply = asyncio.run(_one_token(settings))
    except ModelError as error:
        return _told(console, model, error.message, as_json, NOT_GREEN)
    except ValueError as error:
        return _told(console, model, str(error), as_json, USAGE)
    seconds = time.monotonic() - started
    price = price_of(provider, name, base_url or None)
    cost = price(reply.usage) if price and reply.usage else None
    if as_json:
        typer.echo(json.dumps({"schema": "compile-loop/models/1", "model": model, "ok": True, "seconds": seconds}))
    else:
        told = "its price is not known" if cost is None else f"{cost:.6f} US dollars"
        console.print(f"{escape(model)} answered in {seconds:.1f} s; {told}.")
    return GREEN


def _told(console: Console, model: str, message: str, as_json: bool, code: int) -> int:
    if as_json:
        typer.echo(json.dumps({"schema": "compile-loop/models/1", "model": model, "ok": False, "message": message}))
    else:
        console.print(escape(message), soft_wrap=True)
    return code


async def _one_token(settings: ModelSettings) -> Reply:
    generator = make_generator(settings)
    try:
        async for event in generator.generate((Message("user", "Answer OK."),)):
            if isinstance(event, Reply):
                return event
    finally:
        await generator.aclose()
    raise AssertionError("a generator ends with a reply")
