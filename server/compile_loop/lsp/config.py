"""Settings, pulled from the client for each run (section `compileLoop`, scoped to the folder)."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from lsprotocol import types
from pydantic import ValidationError

from compile_loop.lsp.protocol import SECTION
from compile_loop.settings import Settings

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client

log = logging.getLogger(__name__)
TIMEOUT = 5.0
KEYS = ("apiKey", "api_key")
_MAY_BE_NOTHING = {field.alias for field in Settings.model_fields.values() if type(None) in get_args(field.annotation)}
"""Settings that null takes away, such as a bound; of all others it means the default."""


async def pull(ls: Client, root: Path) -> Settings:
    """The settings for a folder. What the client does not say, or says wrongly, is the default."""
    workspace = ls.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return settings_from(ls.pushed_settings)
    item = types.ConfigurationItem(scope_uri=root.as_uri(), section=SECTION)
    request = ls.workspace_configuration_async(types.ConfigurationParams([item]))
    try:
        values = await asyncio.wait_for(request, TIMEOUT)
    except Exception as error:
        log.warning("The client did not tell the settings (%s); the defaults are used.", error or type(error).__name__)
        return Settings()
    return settings_from(values[0] if values else None)


def settings_from(values: Any) -> Settings:
    """Settings from JSON; one log line for each value that is not usable (SPEC Z1: a key is never a setting)."""
    if values is None:
        return Settings()
    if not isinstance(values, dict):
        log.warning("%s: the settings are no object; the defaults are used.", SECTION)
        return Settings()
    given = {key: value for key, value in values.items() if value is not None or key in _MAY_BE_NOTHING}
    for key in KEYS:
        if given.pop(key, None):
            log.warning("%s.%s is ignored: a key is never a setting. Put it into the environment.", SECTION, key)
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_context=False, include_input=False):
            name = str(problem["loc"][0])
            given.pop(name, None)
            log.warning("%s.%s is not usable (%s); the default is used.", SECTION, name, problem["msg"])
        return Settings.model_validate(given)
