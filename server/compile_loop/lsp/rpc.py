"""How messages are read and answered: ours as plain JSON into pydantic models, everything with a reply (SPEC S2)."""

from __future__ import annotations

import asyncio
import importlib
import logging
import re
import typing
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

log = logging.getLogger(__name__)
PREFIX = "compileLoop/"
INTERNAL = -32603
_loaded: dict[str, Callable[..., Any]] = {}


class Refused(JsonRpcException):
    """The request was understood and is not done; the message is a sentence for the user (LSP `RequestFailed`).

    `offers` are what a person could do about it: words of a button, and the editor's command with its arguments.
    """

    CODE = -32803
    MESSAGE = "Refused"

    def __init__(self, message: str, offers: Mapping[str, Sequence[Any]] | None = None) -> None:
        super().__init__(message)
        self.offers = dict(offers or {})


@dataclass
class RawRequest:
    """A request of ours: its parameters stay the JSON they were."""

    id: str | int
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@dataclass
class RawNotification:
    """A notification of ours."""

    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@dataclass
class RawResponse:
    """An answer to a request of ours."""

    id: str | int
    result: Any = None
    jsonrpc: str = "2.0"


class LoopProtocol(LanguageServerProtocol):
    """pygls' protocol, with a reply to every request, no leaks, and no traceback on the wire."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Leave JSON as it is: this hook sees nested objects too, and one of them may have a `jsonrpc` key."""
        return data

    def handle_message(self, message: Any) -> None:
        """Give a message its type and pass it on; what has none is answered, not dropped."""
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            log.warning("A message that is not JSON-RPC 2.0 was ignored.")
            return
        method = message.get("method")
        if isinstance(method, str) and method.startswith(PREFIX):
            known = {key: message[key] for key in ("id", "method", "params") if key in message}
            super().handle_message(RawRequest(**known) if "id" in message else RawNotification(**known))
            return
        try:
            typed = super().structure_message(message)
        except JsonRpcException as error:
            self._unreadable(message, error)
            return
        super().handle_message(typed)

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override] # pygls caches its own
        """Our requests go out as they are."""
        return RawRequest if method.startswith(PREFIX) else super().get_message_type(method)

    def notify(self, method: str, params: Any | None = None) -> None:
        """Our notifications go out as they are."""
        if method.startswith(PREFIX):
            self._send_data(RawNotification(method, params))
        else:
            super().notify(method, params)

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override] # pygls caches its own
        """What the client answers us stays the JSON it is."""
        return RawResponse if method.startswith(PREFIX) else super().get_result_type(method)

    def _unreadable(self, message: dict[str, Any], error: JsonRpcException) -> None:
        """Answer a message whose parts have the wrong types."""
        details = _details(error.__cause__)
        sentence = f"Invalid params: {'; '.join(details) or 'not of the expected types'}"
        reply = types.ResponseError(JsonRpcInvalidParams.CODE, sentence, details)
        if "id" not in message:
            log.warning("A %r notification was ignored. %s", message.get("method"), sentence)
        elif "method" in message:
            self._send_response(message["id"], error=reply)
        else:
            self._handle_response(message["id"], error=reply)

    def _execute_handler(
        self,
        msg_id: str | int,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls does, but forget a future once it is done."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def _handle_response(
        self, msg_id: str | int, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        """Drop a reply that nobody waits for any more."""
        future = self._request_futures.get(msg_id)
        if future is not None and future.done():
            self._request_futures.pop(msg_id, None)
            return
        super()._handle_response(msg_id, result, error)

    def _send_response(
        self, msg_id: str | int, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        """Send a reply; a fault of ours is a sentence, and its traceback is in the log."""
        if error is not None and error.code == INTERNAL and error.data is not None:
            error = types.ResponseError(INTERNAL, f"A fault in Compile Loop: {error.message}. Its log says more.")
        super()._send_response(msg_id, result, error)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:  # type: ignore[override]
        """Run a command as one task: pygls' own way lets it go on after it was cancelled, or never answers."""
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"Invalid params: command: {params.command!r} is not known")
        return await command(*(params.arguments or ()))

    @lsp_method(types.SHUTDOWN)
    async def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override]
        """End every run, then answer: after that pygls drops replies of the client."""
        server: Any = self._server
        await server.finish()
        mine = self.msg_id
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != mine and not future.done():
                future.cancel()
        self._shutdown = True


def _details(error: BaseException | None) -> list[str]:
    """What cattrs found wrong, with the fields named."""
    from cattrs import transform_error

    try:
        found = transform_error(error) if error is not None else []
    except Exception:
        return []
    return [re.sub(r"_([a-z])", lambda match: match[1].upper(), problem) for problem in found]


def _problems(error: Any) -> Iterator[str]:
    """What pydantic found wrong, with the fields named."""
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(str(part) for part in problem["loc"]) or "params"
        yield f"{place}: {problem['msg']}"


def parse(model: type[Any], value: Any) -> Any:
    """A message from JSON. Raises `JsonRpcInvalidParams` that names the fields."""
    from pydantic import ValidationError

    try:
        return model.model_validate({} if value is None else value)
    except ValidationError as error:
        found = list(_problems(error))
        raise JsonRpcInvalidParams(f"Invalid params: {'; '.join(found)}", data=found) from error


async def load(target: str) -> Callable[..., Any]:
    """The function behind `module:name`, imported off the loop: the first import of a room takes a while."""
    if target not in _loaded:
        module, _, name = target.partition(":")
        _loaded[target] = getattr(await asyncio.to_thread(importlib.import_module, module), name)
    return _loaded[target]


def rpc(server: LanguageServer, name: str, target: str) -> None:
    """Answer `compileLoop/NAME` by the function at `target`: `async def f(ls, params: SomeModel) -> Model`."""

    async def handler(ls: Any, params: Any) -> Any:
        if not ls.greeted.is_set():
            raise JsonRpcServerNotInitialized("Send `initialize` first.")
        return await answer(ls, target, params)

    server.feature(PREFIX + name)(handler)


async def answer(ls: Any, target: str, params: Any) -> Any:
    """Parse, call, and turn the result into JSON; every exception leaves as an error with a sentence."""
    try:
        function: Callable[..., Awaitable[Any]] = await load(target)
        parsed = parse(typing.get_type_hints(function)["params"], params)
        result = await function(ls, parsed)
    except JsonRpcException:
        raise
    except Exception as error:
        log.exception("A fault in %s", target)
        raise JsonRpcInternalError(f"A fault in Compile Loop: {error!r}. Its log says more.") from None
    from compile_loop.lsp.protocol import dump

    return None if result is None else dump(result)
