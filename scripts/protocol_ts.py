"""Write `extension/src/protocol.ts` from `compile_loop.lsp.protocol` (SPEC S2).

python scripts/protocol_ts.py           writes the file
python scripts/protocol_ts.py --check   exit 1 and a sentence where the file is stale
"""

from __future__ import annotations

import argparse
import ast
import inspect
import itertools
import json
import sys
import types
import typing
from pathlib import Path

from compile_loop.lsp import protocol
from compile_loop.lsp.protocol import Model

TARGET = Path(__file__).resolve().parent.parent / "extension" / "src" / "protocol.ts"
WIDTH = 120
HEADER = """\
// Generated from server/compile_loop/lsp/protocol.py by scripts/protocol_ts.py: change the former and run the latter.

import type { NotificationType, RequestType } from "vscode-languageclient/node";
"""
METHODS = """\
// Names of methods. Whoever sends or hears one may pass its name or its type; the name needs none of the library's code,
// which is most of the extension's and is loaded with the first server only.""".splitlines()
SCALARS: dict[object, str] = {
    typing.Any: "unknown",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def attribute_docs() -> dict[tuple[str, str], str]:
    """The strings beneath fields and constants, by class (empty for the module) and name."""
    found: dict[tuple[str, str], str] = {}

    def collect(owner: str, body: list[ast.stmt]) -> None:
        for here, following in itertools.pairwise(body):
            target: ast.expr | None = here.target if isinstance(here, ast.AnnAssign) else None
            if isinstance(here, ast.Assign):
                target = here.targets[0]
            if not isinstance(target, ast.Name) or not isinstance(following, ast.Expr):
                continue
            if isinstance(following.value, ast.Constant) and isinstance(following.value.value, str):
                found[owner, target.id] = inspect.cleandoc(following.value.value)

    tree = ast.parse(inspect.getsource(protocol))
    collect("", tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            collect(node.name, node.body)
    return found


def models() -> list[type[Model]]:
    """Every message, in the order of the file."""
    return [
        value
        for value in vars(protocol).values()
        if isinstance(value, type) and issubclass(value, Model) and value is not Model
    ]


def parts(annotation: object) -> typing.Iterator[type[Model]]:
    """The messages that a field's type mentions."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from parts(argument)


def sent_by_client() -> set[type[Model]]:
    """Messages that the client writes: their defaults are optional. In what the server writes only null is left out."""
    todo: list[type[Model]] = [pair[0] for pair in protocol.REQUESTS.values()]
    todo += [protocol.InitializationOptions, protocol.StartRunArguments, protocol.StopArguments]
    todo += protocol.CLIENT_NOTIFICATIONS.values()
    todo += [pair[1] for pair in protocol.SERVER_REQUESTS.values()]
    found: set[type[Model]] = set()
    while todo:
        model = todo.pop()
        if model not in found:
            found.add(model)
            todo += [part for field in model.model_fields.values() for part in parts(field.annotation)]
    return found


def typescript(annotation: object) -> str:
    """A field's type, without null."""
    if annotation in SCALARS:
        return SCALARS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation.__name__
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " | ".join(json.dumps(argument) for argument in arguments)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(typescript(a) for a in arguments if a is not type(None)))
    if origin is list:
        inner = typescript(arguments[0])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if origin is dict and arguments[0] is str:
        return f"Record<string, {typescript(arguments[1])}>"
    raise TypeError(f"no TypeScript is known for {annotation!r}")


def comment(text: str, indent: str = "") -> list[str]:
    """A documentation comment, on one line where it fits."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    one = f"{indent}/** {lines[0]} */"
    if len(lines) == 1 and len(one) <= WIDTH:
        return [one]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def interface(model: type[Model], docs: dict[tuple[str, str], str], client: bool) -> list[str]:
    """One message as an interface."""
    base = model.__base__
    heir = f" extends {base.__name__}" if base is not None and base is not Model else ""
    opening = f"export interface {model.__name__}{heir} {{"
    lines = ["", *comment(inspect.getdoc(model) or model.__name__)]
    own = [
        (name, field) for name, field in model.model_fields.items() if name in vars(model).get("__annotations__", {})
    ]
    if not own:
        return [*lines, opening + "}"]
    lines.append(opening)
    for name, field in own:
        if text := docs.get((model.__name__, name)):
            lines += comment(text, "  ")
        nullable = type(None) in typing.get_args(field.annotation)
        optional = nullable or (client and not field.is_required())
        value = typescript(field.annotation)
        if optional and client:
            value += " | undefined"  # so that `exactOptionalPropertyTypes` lets callers pass what they have
        lines.append(f"  {field.alias or name}{'?' if optional else ''}: {value};")
    return [*lines, "}"]


def constants(docs: dict[tuple[str, str], str]) -> list[str]:
    """Names that both sides use."""
    lines: list[str] = []
    for name in ("SECTION", "CONTENT_SCHEME", "CODE_ACTION_KIND"):
        lines += ["", *(comment(docs["", name]) if ("", name) in docs else [])]
        lines.append(f"export const {name} = {json.dumps(getattr(protocol, name))};")
    lines += ["", *comment(docs["", "COMMANDS"]), "export const COMMANDS = {"]
    lines += [f"  {key}: {json.dumps(value)}," for key, value in protocol.COMMANDS.items()]
    return [*lines, "} as const;"]


def capitalised(name: str) -> str:
    """`runEvent` → `RunEvent`."""
    return name[0].upper() + name[1:]


def method(constant: str, name: str, kind: str) -> str:
    """One method's name, which the compiler takes for its type."""
    opening, value = f"export const {constant} =", f'"{protocol.PREFIX}{name}" as unknown as {kind};'
    one = f"{opening} {value}"
    return one if len(one) <= WIDTH else f"{opening}\n  {value}"


def render() -> str:
    """The whole file."""
    docs, client = attribute_docs(), sent_by_client()
    lines = constants(docs)
    for model in models():
        lines += interface(model, docs, model in client)
    lines += ["", *METHODS]
    for name, (params, result) in {**protocol.REQUESTS, **protocol.SERVER_REQUESTS}.items():
        generic = f"{params.__name__}, {result.__name__}, void"
        lines.append(method(f"{capitalised(name)}Request", name, f"RequestType<{generic}>"))
    for name, params in {**protocol.NOTIFICATIONS, **protocol.CLIENT_NOTIFICATIONS}.items():
        lines.append(method(f"{capitalised(name)}Notification", name, f"NotificationType<{params.__name__}>"))
    return HEADER + "\n".join(lines) + "\n"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file is stale")
    wanted = render()
    if arguments.parse_args().check:
        if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == wanted:
            return 0
        print(f"{TARGET.name} is stale: run `python scripts/protocol_ts.py`", file=sys.stderr)
        return 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
