"""Options that several commands have, said in one way."""

from __future__ import annotations

from typing import Annotated

import typer


def address(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """Refuse an address that was given and is empty: a variable is not set, and the provider's own is not what was meant."""
    source = context.get_parameter_source(parameter.name or "")
    if not value and source is not None and source.name == "COMMANDLINE":
        raise typer.BadParameter("The address is empty.")
    return value


Model = Annotated[
    str,
    typer.Option(
        envvar="COMPILE_LOOP_MODEL",
        help="PROVIDER:NAME; `none`: only the toolchain's own suggestions. Default: see `compile-loop models`.",
    ),
]
BaseUrl = Annotated[
    str,
    typer.Option(envvar="COMPILE_LOOP_BASE_URL", callback=address, help="Address of the model's endpoint."),
]
ApiKeyEnv = Annotated[str, typer.Option(help="Name of the environment variable that holds the key.")]
Consult = Annotated[str, typer.Option(help="A stronger model that the model may ask, twice a run: PROVIDER:NAME.")]
ConsultBaseUrl = Annotated[str, typer.Option(callback=address, help="Address of the stronger model's endpoint.")]
MaxRounds = Annotated[int, typer.Option(min=1, max=100, help="How often the model is asked.")]
