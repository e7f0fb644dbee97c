"""The person at the editor: messages, questions, picks. Every editor has the first; the rest is ours (SPEC V10)."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from compile_loop.lsp.protocol import (
    PREFIX,
    AskModelParams,
    Chosen,
    ConfigureParams,
    DiffFile,
    DiffParams,
    EditorTask,
    Entered,
    ExecuteParams,
    FixPlace,
    InputParams,
    LentModel,
    LentModels,
    Matchers,
    MessageParams,
    Model,
    ModelEnded,
    Nothing,
    Picked,
    PickItem,
    PickParams,
    QuickFix,
    QuickFixes,
    QuickFixesParams,
    SecretParams,
    TaskList,
    dump,
)
from compile_loop.lsp.rpc import Refused

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client

log = logging.getLogger(__name__)
Kind = Literal["info", "warning", "error"]
Offers = Mapping[str, Sequence[Any]]
"""Words of a button, and the editor's command with its arguments that it stands for."""
Answer = TypeVar("Answer", bound=Model)
KINDS = {"info": types.MessageType.Info, "warning": types.MessageType.Warning, "error": types.MessageType.Error}
MOST_BUTTONS = 12
LOG: Offers = {"Show Log": ("compileLoop.showLog",)}
SETTINGS: Offers = {"Open Settings": ("compileLoop.openSettings",)}


def uri_argument(uri: str) -> dict[str, str]:
    """An argument of the editor's command that stands for a URI."""
    return {"$uri": uri}


class Ui:
    """What any editor can do: the protocol's own messages."""

    rich = False
    """Whether the client knows our messages."""

    def __init__(self, ls: Client) -> None:
        self._ls = ls

    async def message(self, kind: Kind, text: str, *choices: str, modal: bool = False) -> str | None:
        """Show a message; the button that was pressed. Without buttons nothing is waited for."""
        if not choices:
            self._ls.window_show_message(types.ShowMessageParams(KINDS[kind], text))
            return None
        buttons = [types.MessageActionItem(choice) for choice in choices]
        params = types.ShowMessageRequestParams(KINDS[kind], text, buttons)
        try:
            chosen = await self._ls.window_show_message_request_async(params)
        except Exception as error:
            log.warning("A question got no answer: %r", error)
            return None
        return chosen.title if chosen else None

    async def tell(self, kind: Kind, text: str, offers: Offers | None = None) -> None:
        """Show a message with what could be done about it, and do what was chosen."""
        offers = offers or {}
        choice = await self.message(kind, text, *(offers if self.rich else ()))
        if choice is not None and choice in offers:
            await self.execute(*offers[choice])

    async def pick(
        self, title: str, items: Sequence[PickItem], *, many: bool = False, placeholder: str = ""
    ) -> list[str] | None:
        """Ids of the lines that were picked; None where it was dismissed. Here: a message with a button for each."""
        lines = [item for item in items if not item.separator][:MOST_BUTTONS]
        if many:
            return [item.id for item in lines if item.picked]
        choice = await self.message("info", f"{title}. {placeholder}".rstrip(), *(item.label for item in lines))
        return next(([item.id] for item in lines if item.label == choice), None)

    async def ask(self, title: str, prompt: str = "", value: str = "", *, password: bool = False) -> str | None:
        """A line of text; None where it was dismissed. Raises `Refused` where the editor has no such thing."""
        raise Refused(f"This editor cannot ask for a text ({title}).")

    async def secret(self, name: str) -> str | None:
        """A secret that the editor keeps."""
        return None

    async def keep_secret(self, name: str, value: str | None) -> None:
        """Have the editor keep a secret, or forget it. Raises `Refused` where it cannot."""
        raise Refused("This editor keeps no secrets. Put the key into the environment, or into the system's keyring.")

    async def configure(self, name: str, value: object, folder: str | None = None) -> None:
        """Write a setting: the user's, or a folder's. Raises `Refused` where the editor cannot."""
        raise Refused(f"This editor does not let settings be written. Set compileLoop.{name} to {value!r} yourself.")

    async def execute(self, command: str, *arguments: Any) -> None:
        """Carry out a command of the editor."""

    async def diff(self, key: str, title: str, files: Sequence[DiffFile], *, result: bool = False) -> None:
        """Show files side by side; `result`: a result that waits for its answer."""

    async def close_diff(self, key: str) -> None:
        """Close what `diff` opened under this key."""

    async def tasks(self) -> list[EditorTask]:
        """The editor's tasks."""
        return []

    async def matchers(self) -> Matchers:
        """Problem matchers that its extensions declare."""
        return Matchers()

    async def quick_fixes(self, places: Sequence[FixPlace]) -> list[list[QuickFix]]:
        """What other extensions offer at each place."""
        return []

    async def language_models(self) -> list[LentModel]:
        """Models that the editor offers."""
        return []

    async def ask_model(self, params: AskModelParams) -> ModelEnded:
        """Ask one of them; being cancelled cancels it there. Its pieces come as notifications."""
        return ModelEnded(code="NotFound", message="This editor offers no models.")


class RichUi(Ui):
    """The client of ours: everything is asked of it."""

    rich = True

    async def message(self, kind: Kind, text: str, *choices: str, modal: bool = False) -> str | None:
        """Show a message; the button that was pressed."""
        params = MessageParams(kind=kind, text=text, choices=list(choices), modal=modal)
        if not choices and not modal:
            self._ls.keep(self._shown(params))
            return None
        return (await self._request("message", params, Chosen)).choice

    async def _shown(self, params: MessageParams) -> None:
        await self._request("message", params, Chosen)

    async def pick(
        self, title: str, items: Sequence[PickItem], *, many: bool = False, placeholder: str = ""
    ) -> list[str] | None:
        """Ids of the lines that were picked; None where it was dismissed."""
        params = PickParams(title=title, items=list(items), many=many, placeholder=placeholder)
        return (await self._request("pick", params, Picked)).ids

    async def ask(self, title: str, prompt: str = "", value: str = "", *, password: bool = False) -> str | None:
        """A line of text; None where it was dismissed."""
        params = InputParams(title=title, prompt=prompt, value=value, password=password)
        return (await self._request("input", params, Entered)).value

    async def secret(self, name: str) -> str | None:
        """A secret that the editor keeps."""
        try:
            return (await self._request("secret", SecretParams(name=name), Entered)).value
        except JsonRpcException as error:
            log.warning("The editor was asked for a key and gave none: %s", error)
            return None

    async def keep_secret(self, name: str, value: str | None) -> None:
        """Have the editor keep a secret, or forget it."""
        await self._request("secret", SecretParams(name=name, value=value, forget=value is None), Entered)

    async def configure(self, name: str, value: object, folder: str | None = None) -> None:
        """Write a setting: the user's, or a folder's."""
        await self._request("configure", ConfigureParams(name=name, value=value, folder=folder), Nothing)

    async def execute(self, command: str, *arguments: Any) -> None:
        """Carry out a command of the editor."""
        await self._request("execute", ExecuteParams(command=command, arguments=list(arguments)), Nothing)

    async def diff(self, key: str, title: str, files: Sequence[DiffFile], *, result: bool = False) -> None:
        """Show files side by side; `result`: a result that waits for its answer."""
        await self._request("diff", DiffParams(key=key, title=title, files=list(files), result=result), Nothing)

    async def close_diff(self, key: str) -> None:
        """Close what `diff` opened under this key."""
        await self._request("diff", DiffParams(key=key), Nothing)

    async def tasks(self) -> list[EditorTask]:
        """The editor's tasks."""
        return (await self._request("tasks", Nothing(), TaskList)).tasks

    async def matchers(self) -> Matchers:
        """Problem matchers that its extensions declare."""
        try:
            return await self._request("matchers", Nothing(), Matchers)
        except (JsonRpcException, ValueError) as error:
            log.warning("The editor does not say which problem matchers its extensions have: %s", error)
            return Matchers()

    async def quick_fixes(self, places: Sequence[FixPlace]) -> list[list[QuickFix]]:
        """What other extensions offer at each place."""
        try:
            return (await self._request("quickFixes", QuickFixesParams(places=list(places)), QuickFixes)).offers
        except (JsonRpcException, ValueError) as error:
            log.warning("The editor does not say which quick fixes its extensions offer: %s", error)
            return []

    async def language_models(self) -> list[LentModel]:
        """Models that the editor offers."""
        try:
            return (await self._request("languageModels", Nothing(), LentModels)).models
        except JsonRpcException as error:
            log.warning("The editor does not say which models it offers: %s", error)
            return []

    async def ask_model(self, params: AskModelParams) -> ModelEnded:
        """Ask one of them; being cancelled cancels it there. Its pieces come as notifications."""
        return await self._request("askModel", params, ModelEnded)

    async def _request(self, name: str, params: Model, answer: type[Answer]) -> Answer:
        """One request; being cancelled takes the question away."""
        msg_id = str(uuid.uuid4())
        protocol = self._ls.protocol
        try:
            reply = await protocol.send_request_async(PREFIX + name, dump(params), msg_id)
        except asyncio.CancelledError:
            protocol.notify(types.CANCEL_REQUEST, types.CancelParams(msg_id))
            raise
        return answer.model_validate(reply or {})
