"""What every ring shares."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from tests.support.tools import absent, hide_servers

from compile_loop.settings import Settings

settings.register_profile("no clock", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("no clock")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--isolation", choices=["overlay", "clone", "copy"], help="run every test with this setting instead of auto"
    )


@pytest.fixture(autouse=True, scope="session")
def _state_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Records, journals and repair memory of tests never mix with the user's; child processes inherit it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_language_servers() -> Iterator[None]:
    """What a test sees does not hang on the language servers that a machine has; child processes inherit it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([str(hide_servers()), os.environ.get("PATH", "")]))
        yield


@pytest.fixture(autouse=True, scope="session")
def _isolation(request: pytest.FixtureRequest) -> Iterator[None]:
    """The default of the setting `isolation`, where the command line gives one; processes of their own keep theirs."""
    wanted = request.config.getoption("--isolation")
    field = Settings.model_fields["isolation"]
    before = field.default
    if wanted is not None:
        field.default = wanted
        Settings.model_rebuild(force=True)
    yield
    if wanted is not None:
        field.default = before
        Settings.model_rebuild(force=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what no test of toolchains ran live, so that a green run claims no more than it saw."""
    if missing := absent():
        terminalreporter.write_line(f"Not installed here, so not run live: {', '.join(missing)}.")
