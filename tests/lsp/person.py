"""An editor that knows our messages, and the person at it: answers are given before they are asked for (SPEC V10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from typing import Any

from tests.lsp.editor import Editor

Reply = Callable[[dict[str, Any]], Any]


@dataclass
class Person:
    """What was asked, in its order, and what is answered: by the first of `replies` whose words are in the question."""

    editor: Editor
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    replies: list[tuple[str, str, Any]] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    declared: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Problem matchers and patterns of extensions."""
    fixes: Callable[[dict[str, Any]], Any] = lambda _place: []
    """What extensions offer at a place."""

    def __post_init__(self) -> None:
        features = self.editor.client.protocol.fm.features
        for name in ("message", "pick", "input", "execute", "diff", "configure"):
            features[f"compileLoop/{name}"] = self._handler(name)
        features["compileLoop/secret"] = self._secret
        features["compileLoop/tasks"] = lambda _params: {"tasks": self.tasks}
        features["compileLoop/matchers"] = lambda _params: self.declared
        features["compileLoop/quickFixes"] = self._quick_fixes
        features["compileLoop/languageModels"] = lambda _params: {"models": []}
        for name in ("progress", "treeChanged"):
            features[f"compileLoop/{name}"] = self._noted(name)

    def answers(self, name: str, words: str, answer: Any) -> None:
        """To a question of this kind with these words in it, this is the answer, from now on."""
        self.replies.insert(0, (name, words, answer))

    def _handler(self, name: str) -> Callable[[Any], Any]:
        async def handle(params: Any) -> Any:
            value = _plain(params)
            self.asked.append((name, value))
            for kind, words, answer in self.replies:
                if kind == name and words in str(value):
                    given = answer(value) if callable(answer) else answer
                    return await given if isawaitable(given) else given
            return {}

        return handle

    def _quick_fixes(self, params: Any) -> dict[str, Any]:
        value = _plain(params)
        self.asked.append(("quickFixes", value))
        return {"offers": [self.fixes(place) for place in value["places"]]}

    def _noted(self, name: str) -> Callable[[Any], None]:
        return lambda params: self.editor.log.append((f"compileLoop/{name}", _plain(params)))

    def _secret(self, params: Any) -> dict[str, str]:
        value = _plain(params)
        if value.get("forget"):
            self.secrets.pop(value["name"], None)
        elif "value" in value:
            self.secrets[value["name"]] = value["value"]
        kept = self.secrets.get(value["name"])
        return {"value": kept} if kept else {}

    async def gives(self, command: str, *args: Any, **facts: Any) -> None:
        """A command of the palette."""
        params = {"command": command, "args": list(args), "facts": facts}
        assert await self.editor.request("compileLoop/command", params) == {}

    def tells(self, name: str, params: dict[str, Any]) -> None:
        """A notification of the client's."""
        self.editor.client.protocol.notify(f"compileLoop/{name}", params)

    def questions(self, name: str) -> list[dict[str, Any]]:
        """Everything of one kind that was asked."""
        return [params for kind, params in self.asked if kind == name]

    def words(self) -> list[str]:
        """The texts of all messages."""
        return [message["text"] for message in self.questions("message")]

    async def hears(self, words: str, count: int = 1) -> dict[str, Any]:
        """Wait until a message with these words has come `count` times; the last one."""
        found = await self.editor.until(
            lambda: (m := [q for q in self.questions("message") if words in q["text"]]) and len(m) >= count and m
        )
        return dict(found[-1])


def _plain(value: Any) -> Any:
    """What pygls made of JSON, as JSON again."""
    if hasattr(value, "_asdict"):
        return {key: _plain(each) for key, each in value._asdict().items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


def uris(*paths: Path) -> list[str]:
    """Files as an editor names them."""
    return [path.as_uri() for path in paths]
