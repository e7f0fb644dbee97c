"""A small broken program, the reply that fixes it, and the settings to have that done."""

from __future__ import annotations

from typing import Any

from tests.support.model_server import ModelServer

BROKEN = "int twice(int x) {\n    return x + y;\n}\n"
FIXED = BROKEN.replace("x + y", "x + x")
CHECK = "gcc -fsyntax-only -Wall a.c"


def block(search: str, replace: str, path: str = "") -> str:
    """One edit block."""
    header = f"<<< path={path} >>>\n" if path else ""
    return f"{header}<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


REPLY = "y is not declared; x was meant.\n" + block("    return x + y;", "    return x + x;")


def asks(server: ModelServer, **more: Any) -> dict[str, Any]:
    """Settings that use a model server."""
    return {"model": "openai:test", "baseUrl": server.base_url, "check": CHECK, **more}
