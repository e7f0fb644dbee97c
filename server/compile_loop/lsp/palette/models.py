"""Choose Model… and Set API Key: only what was asked to be looked for is looked for (SPEC M1, Q26, V7)."""

from __future__ import annotations

import os

from compile_loop.lsp import config
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.keys import ask_for_key, secret_name
from compile_loop.lsp.palette.call import Call
from compile_loop.lsp.places import root_near
from compile_loop.lsp.protocol import PickItem
from compile_loop.lsp.rpc import Refused
from compile_loop.models.choice import NO_MODEL
from compile_loop.models.choose import ConfigurationError, parse_model
from compile_loop.models.find import KeyFound, find_keys, find_servers

NONE, TYPE, LOOK = NO_MODEL, "type", "look"
EXAMPLES = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-4.1"}


async def choose_model(ls: LoopServer, call: Call) -> None:
    """Choose Model…: by name, among a local server's, or none."""
    settings = await config.pull(ls, root_near(ls.documents, call.nearby()))
    keys = find_keys(os.environ)
    items = [
        PickItem(
            id=NONE,
            label="$(circle-slash) No model",
            description="only fixes that the compiler itself suggests; needs no key",
            picked=settings.model.strip() in ("", NO_MODEL),
        ),
        PickItem(
            id=LOOK,
            label="$(search) Look for model servers on this machine…",
            description="asks the usual ports of 127.0.0.1",
            detail="Ollama, LM Studio, llama.cpp, vLLM",
        ),
        PickItem(id=TYPE, label="$(edit) PROVIDER:NAME…", description=f"now: {settings.model or 'none'}"),
    ]
    lent = await ls.ui.language_models()
    if lent:
        items.append(PickItem(id="", label="models of this editor", separator=True))
        items += [
            PickItem(id=f"lent {each.id}", label=f"$(sparkle) {each.name}", description=f"{each.vendor}, needs no key")
            for each in lent
        ]
    if keys:
        items.append(PickItem(id="", label="keys in the environment", separator=True))
        items += [
            PickItem(id=f"key {each.variable}", label=f"$(key) {each.provider}", description=each.variable)
            for each in keys
        ]
    picked = await ls.ui.pick("Model that is asked for fixes", items)
    choice = picked[0] if picked else None
    if choice == NONE:
        await _set(ls, NO_MODEL, "")
    elif choice == TYPE:
        await _typed(ls, settings.model, settings.base_url)
    elif choice == LOOK:
        await _local(ls)
    elif choice and choice.startswith("lent "):
        await _set(ls, f"vscode:{choice.removeprefix('lent ')}", "")
    elif choice:
        await _keyed(ls, next(each for each in keys if choice == f"key {each.variable}"))


async def set_api_key(ls: LoopServer, call: Call) -> None:
    """Set API Key: for the endpoint of the model that is set."""
    settings = await config.pull(ls, root_near(ls.documents, call.nearby()))
    if settings.model.strip() in ("", NO_MODEL):
        raise Refused("Choose a model first: a key belongs to the address of its model.", CHOOSE)
    if secret_name(settings) is None:
        raise Refused(f"The model {settings.model} needs no key.")
    if await ask_for_key(ls.ui, settings):
        await ls.ui.message("info", "The key is kept in the editor's secret storage.")


CHOOSE = {"Choose Model…": ("compileLoop.chooseModel",)}


async def _typed(ls: LoopServer, model: str, base_url: str) -> None:
    name = await ls.ui.ask("Model", "PROVIDER:NAME, such as openai:gpt-4.1 or ollama:qwen2.5-coder", model)
    if name is None or not name.strip():
        return
    try:
        provider, _ = parse_model(name)
    except ConfigurationError as error:
        raise Refused(f"{error}.", CHOOSE) from error
    address: str | None = ""
    if provider in EXAMPLES or provider in ("responses", "ollama"):
        address = await ls.ui.ask("Address of its endpoint", "Empty: the provider's own", base_url)
    if address is not None:
        await _set(ls, name.strip(), address.strip())


async def _local(ls: LoopServer) -> None:
    servers = await find_servers()
    if not servers:
        raise Refused(
            "No model server answered on this machine's usual ports (11434, 1234, 8080, 8000). Start one, then look again.",
            CHOOSE,
        )
    items: list[PickItem] = []
    for server in servers:
        items.append(PickItem(id="", label=f"{server.name} at {server.base_url}", separator=True))
        items += [PickItem(id=f"{server.base_url} {name}", label=name) for name in server.models]
    picked = await ls.ui.pick("Model on this machine", items)
    if picked:
        address, _, name = picked[0].partition(" ")
        await _set(ls, name, "" if name.startswith("ollama:") else address)


async def _keyed(ls: LoopServer, key: KeyFound) -> None:
    name = await ls.ui.ask(
        f"Model of {key.variable}", "Its name, as the provider spells it", EXAMPLES.get(key.provider, "")
    )
    if name and name.strip():
        await _set(ls, f"{key.provider}:{name.strip()}", key.base_url or "", key.variable if key.base_url else "")


async def _set(ls: LoopServer, model: str, base_url: str, api_key_env: str = "") -> None:
    for name, value in (("model", model), ("baseUrl", base_url), ("apiKeyEnv", api_key_env)):
        await ls.ui.configure(name, value or None)
    said = (
        f"Fixes are asked of {model} from now on."
        if model != NO_MODEL
        else "No model is asked: only the compiler's suggestions are tried."
    )
    await ls.ui.message("info", said)
