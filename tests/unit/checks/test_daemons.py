"""Tools work themselves in a check, and ask no daemon that was started outside (SPEC Q14)."""

from __future__ import annotations

import pytest

from compile_loop.checks.daemons import without_daemons

pytestmark = pytest.mark.spec("Q14")


def test_the_user_s_own_options_stay() -> None:
    found = without_daemons({"GRADLE_OPTS": "-Xmx2g"}, "./gradlew build")
    assert found["GRADLE_OPTS"].startswith("-Xmx2g ") and "-Dorg.gradle.daemon=false" in found["GRADLE_OPTS"]


def test_each_check_has_an_sccache_server_of_its_own() -> None:
    ports = {without_daemons({}, "cargo build")["SCCACHE_SERVER_PORT"] for _ in range(20)}
    assert len(ports) > 10 and "4226" not in ports


@pytest.mark.parametrize(
    ("command", "moved"), [("bazel test //...", True), ("cd x && bazelisk build :a", True), ("make bazelgeuse", False)]
)
def test_bazel_has_a_home_of_its_own(command: str, moved: bool) -> None:
    assert ("TEST_TMPDIR" in without_daemons({}, command)) == moved
