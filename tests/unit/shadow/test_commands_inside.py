"""Commands in a shadow behave as they do outside it, and nothing of them is left (SPEC K3, Q14, L15)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.sleepers import own_seconds, sleeping
from tests.support.tools import need

from .conftest import Workspace, everything, git, run

FOLLOWER = "env -i setsid /bin/sh -c 'sleep {0} & sleep {0}' >/dev/null 2>&1 &"
"""Leaves its group, its session, its parent and its environment."""


@pytest.mark.spec("K3")
async def test_output_exit_codes_and_the_directory(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    done = await run(shadow, "pwd; echo err >&2; cat; exit 7", cwd="sub")
    assert (done.exit_code, done.stdout, done.stderr) == (7, f"{workspace.root}/sub\n", "err\n")


@pytest.mark.spec("K3")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGPIPE])
async def test_a_command_that_dies_by_a_signal_is_seen_to(workspace: Workspace, number: signal.Signals) -> None:
    shadow = await workspace.opened()
    done = await run(shadow, f"kill -{int(number)} $$")
    assert done.exit_code == -number


@pytest.mark.spec("K3")
async def test_signals_mean_to_a_command_what_they_mean_outside(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    assert (await run(shadow, "yes | head -1")).stdout == "y\n"
    ignored = await run(shadow, "grep -i sigign /proc/self/status")
    assert ignored.stdout.split()[1].strip("0") == ""
    group = await run(shadow, "(sleep 41.5 & kill -TERM 0; wait)", idle=5)
    assert group.stopped is None and not sleeping("41.5")


@pytest.mark.spec("L3")
@pytest.mark.parametrize(("argv", "code"), [(("no-such-program",), 127), (("./a.c",), 126), (("./sub",), 126)])
async def test_a_command_that_cannot_start_says_so(workspace: Workspace, argv: tuple[str, ...], code: int) -> None:
    shadow = await workspace.opened()
    try:
        done = await run(shadow, "", argv=argv)
    except OSError:
        return  # as without a shadow
    assert done.exit_code == code and argv[0] in done.stderr


async def test_a_directory_that_is_only_in_the_shadow_can_be_worked_in(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    await shadow.write("made/f", b"1")
    assert (await run(shadow, "cat f; pwd", cwd="made")).stdout == f"1{workspace.root}/made\n"


async def until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something that comes; how soon is a matter of the machine's load."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


@pytest.mark.spec("K3")
@pytest.mark.parametrize("how", ["ends", "idles", "is cancelled"])
async def test_what_a_check_started_is_gone_with_it(workspace: Workspace, how: str) -> None:
    shadow = await workspace.opened()
    seconds = own_seconds()
    script = FOLLOWER.format(seconds) + ("" if how == "ends" else f" sleep {seconds}")
    task = asyncio.ensure_future(run(shadow, script, idle=1.0 if how == "idles" else 20))
    if how == "is cancelled":
        await until(lambda: sleeping(seconds))
        task.cancel()
    try:
        done = await task
        assert (done.stopped is not None) == (how == "idles")
    except asyncio.CancelledError:
        pass
    assert not sleeping(seconds)


@pytest.mark.spec("K3", "L15")
async def test_what_a_check_starts_while_it_is_ended_is_gone_too(workspace: Workspace) -> None:
    """A process away from its group, its session and its environment starts others all the time."""
    shadow = await workspace.opened()
    seconds = own_seconds()
    started = f"while :; do sleep {seconds} & sleep 0.02; done"
    task = asyncio.ensure_future(run(shadow, f"env -i setsid /bin/sh -c '{started}' >/dev/null 2>&1 & sleep {seconds}"))
    await until(lambda: len(sleeping(seconds)) > 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not sleeping(seconds)


@pytest.mark.spec("K3")
async def test_a_command_that_ignores_sigterm_is_killed(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    seconds = own_seconds()
    task = asyncio.ensure_future(run(shadow, f"trap '' TERM; while :; do sleep {seconds}; done"))
    await until(lambda: sleeping(seconds))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not sleeping(seconds)


@pytest.mark.spec("K3")
async def test_a_command_is_asked_to_end_before_it_is_killed(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    said = tmp_path / "beside" / "said"
    shadow = await workspace.opened()
    seconds = own_seconds()
    task = asyncio.ensure_future(run(shadow, f"trap 'echo asked > {said}; exit 0' TERM; sleep {seconds} & wait"))
    await until(lambda: sleeping(seconds))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert said.read_text() == "asked\n" and not sleeping(seconds)


@pytest.mark.spec("K3", "Q14")
async def test_checks_have_processes_of_their_own(workspace: Workspace) -> None:
    if workspace.strategy != "overlay":
        pytest.skip("only an overlay sets processes apart")
    shadow = await workspace.opened()
    if "processes apart" not in shadow.isolation:
        pytest.skip(shadow.isolation)
    done = await run(shadow, f"kill -0 {os.getpid()} 2>/dev/null && echo reached; ls /proc | grep -c '^[0-9]'; echo $$")
    count, own = done.stdout.split()
    assert int(count) < 8 and int(own) < 8
    seconds = own_seconds()
    first = await run(shadow, f"sleep {seconds} & echo started")
    assert first.stdout == "started\n" and not sleeping(seconds)


@pytest.mark.spec("Q7")
async def test_the_processor_time_of_a_check_is_seen_from_outside(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    busy = "import time\nend = time.time() + 2.5\nwhile time.time() < end: pass"
    done = await run(shadow, "", argv=(sys.executable, "-c", busy), idle=1)
    assert done.exit_code == 0


@pytest.mark.spec("Q14")
async def test_a_check_that_writes_outside_reaches_neither_home_nor_neighbours(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The temporary folder is elsewhere here: the workspace's neighbours and home are no temporary folders."""
    home, scratch = _apart(workspace, tmp_path_factory, monkeypatch)
    neighbour = workspace.root.parent / "neighbour"
    neighbour.mkdir()
    (home / "kept").write_text("1")
    shadow = await workspace.opened()
    if "checks can write only" not in shadow.isolation:
        pytest.skip(shadow.isolation)
    done = await run(
        shadow,
        f'echo 1 > "{neighbour}/f"; echo 2 > "{home}/kept"; echo 3 > "{home}/new"; mkdir "{home}/.fresh"; '
        f'echo 4 > "{home}/.cache/f"; echo 5 > "{scratch}/f"; echo 6 > here; cat here "{home}/.cache/f" "{scratch}/f"',
    )
    assert done.stdout == "6\n4\n5\n"
    assert (home / "kept").read_text() == "1" and (home / ".cache/f").read_text() == "4\n"
    assert sorted(p.name for p in home.iterdir()) == [".cache", "kept"] and list(neighbour.iterdir()) == []


@pytest.mark.spec("Q14")
async def test_a_folder_can_be_allowed_and_confinement_can_be_off(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    _apart(workspace, tmp_path_factory, monkeypatch)
    before = everything(workspace.root)
    allowed = workspace.root.parent / "allowed"
    allowed.mkdir()
    shadow = await workspace.opened(writable=[str(allowed)])
    await run(shadow, f'echo 1 > "{allowed}/f"')
    assert (allowed / "f").read_text() == "1\n"
    free = await workspace.opened(confine=False)
    done = await run(free, f'echo 2 > "{allowed}/f"; echo 3 > "{workspace.root.parent}/g"')
    assert (allowed / "f").read_text() == "2\n" and "also write outside" in free.isolation, done.stderr
    assert everything(workspace.root) == before


PLANTED = (
    ".local/lib/python3.11/site-packages/x.pth",
    ".local/bin/git",
    ".local/share/pnpm/pnpm",
    ".cargo/bin/cargo",
    ".cargo/config.toml",
    ".config/autostart/x.desktop",
    ".vscode/extensions/x.js",
    ".gradle/init.d/x.gradle",
    ".m2/settings.xml",
    ".sbt/1.0/plugins/x.sbt",
    ".npm/_npx/x.js",
    "go/bin/gopls",
    ".bashrc",
    ".profile.d/x.sh",
)


@pytest.mark.spec("Q14", "Q13")
async def test_what_a_check_plants_in_hidden_folders_of_home_is_neither_there_nor_at_the_clean_start(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs, settings and what starts by itself: only listed caches keep what is written."""
    home, _ = _apart(workspace, tmp_path_factory, monkeypatch)
    for name in PLANTED:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
    kept = [home / ".cargo/bin/cargo", home / ".cargo/config.toml", home / ".bashrc"]
    for place in kept:
        place.write_text("the user's")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("CARGO_HOME", str(home / ".cargo"))
    monkeypatch.setenv("JAVA_HOME", str(home / ".local"))
    monkeypatch.setenv("CCACHE_PATH", str(home / ".local/bin"))
    shadow = await workspace.opened()
    if "checks can write only" not in shadow.isolation:
        pytest.skip(shadow.isolation)
    plant = "; ".join(f'echo planted > "{home}/{name}"' for name in PLANTED)
    await run(shadow, f'{plant}; echo 1 > "{home}/.cargo/registry/f"; echo 2 > "{home}/go/pkg/f"')
    found = {str(p.relative_to(home)) for p in home.rglob("*") if p.is_file() and p not in kept}
    assert found == {".cargo/registry/f", "go/pkg/f"}
    assert [place.read_text() for place in kept] == ["the user's"] * 3
    await shadow.renew({})
    seen = await run(shadow, f'grep -rl planted "{home}"')
    assert (seen.exit_code, seen.stdout) == (1, "")


@pytest.mark.spec("Q13", "L2")
async def test_what_is_written_to_caches_that_are_set_apart_is_gone_at_the_clean_start(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was fetched before stays; so does what is written to a folder that the user allows, also within a cache."""
    home, _ = _apart(workspace, tmp_path_factory, monkeypatch)
    named, mine = home.parent / "pip cache", home / ".cache/mine"
    for folder in (named, mine):
        folder.mkdir()
    monkeypatch.setenv("PIP_CACHE_DIR", str(named))
    shadow = await workspace.opened(writable=[str(mine)])
    if "overlay" not in shadow.isolation or "checks can write only" not in shadow.isolation:
        pytest.skip(shadow.isolation)
    caches = (home / ".cache", named)
    await run(shadow, "; ".join(f'echo 1 > "{cache}/fetched"' for cache in caches))
    await shadow.set_caches_apart()
    write = "; ".join(
        f'echo 2 > "{cache}/fetched"; echo 3 > "{cache}/new"; cat "{cache}"/*' for cache in (*caches, mine)
    )
    done = await run(shadow, f"({write}) 2>/dev/null")
    assert done.stdout == "2\n3\n" * 3
    for cache in caches:
        assert [p.name for p in cache.iterdir() if p.is_file()] == ["fetched"] and (
            cache / "fetched"
        ).read_text() == "1\n"
    assert (mine / "new").read_text() == "3\n"
    await shadow.renew({})
    read = "; ".join(f'cat "{cache}"/*' for cache in (*caches, mine))
    assert (await run(shadow, f"({read}) 2>/dev/null")).stdout == "1\n1\n2\n3\n"
    await run(shadow, f'echo 4 > "{named}/new"')
    assert not (named / "new").exists()


@pytest.mark.spec("Q14")
async def test_a_link_that_a_check_lays_in_a_cache_opens_nothing_in_the_next_run(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _ = _apart(workspace, tmp_path_factory, monkeypatch)
    (home / ".local/bin").mkdir(parents=True)
    monkeypatch.setenv("PIP_CACHE_DIR", str(home / ".cache/pip"))
    first = await workspace.opened()
    if "checks can write only" not in first.isolation:
        pytest.skip(first.isolation)
    await run(first, f'ln -s ../.local/bin "{home}/.cache/pip"')
    assert (home / ".cache/pip").is_symlink()
    second = await workspace.opened()
    await run(second, f'echo planted > "{home}/.cache/pip/git"; echo planted > "{home}/.local/bin/git"')
    assert list((home / ".local/bin").iterdir()) == []


@pytest.mark.spec("Q14", "W1")
async def test_cargo_works_with_a_home_that_it_cannot_change(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It locks its caches by files beside them, and keeps there what it fetches."""
    need("cargo")
    rustup = os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))
    home, _ = _apart(workspace, tmp_path_factory, monkeypatch)
    (home / ".cargo").mkdir()
    monkeypatch.setenv("CARGO_HOME", str(home / ".cargo"))
    monkeypatch.setenv("RUSTUP_HOME", rustup)
    far = home.parent / "far"
    for folder, name in ((far, "far"), (workspace.root, "near")):
        (folder / "src").mkdir(parents=True)
        (folder / "src/lib.rs").write_text("")
        (folder / "Cargo.toml").write_text(f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n')
    git(far, "init", "-q")
    git(far, "add", ".")
    git(far, "commit", "-qm", "far")
    with (workspace.root / "Cargo.toml").open("a") as manifest:
        manifest.write(f'[dependencies]\nfar = {{ git = "{far.as_uri()}" }}\n')
    shadow = await workspace.opened()
    if "checks can write only" not in shadow.isolation:
        pytest.skip(shadow.isolation)
    fetched = await run(shadow, "cargo fetch", idle=60)
    assert fetched.exit_code == 0, fetched.stderr
    checked = await run(shadow, "cargo check --offline", idle=60)
    assert checked.exit_code == 0, checked.stderr
    assert list((home / ".cargo/git/db").glob("far-*"))
    await shadow.set_caches_apart()
    checked = await run(shadow, "cargo fetch && touch src/lib.rs && cargo check --offline", idle=60)
    assert checked.exit_code == 0, checked.stderr


def _apart(workspace: Workspace, factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A home folder, and a temporary folder that does not hold the workspace; returns both."""
    if workspace.strategy == "clone":
        pytest.skip("the folder is on another file system; a clone's guard is a copy's")
    base = Path("/var/lib") if os.access("/var/lib", os.W_OK) else Path.home()
    folder = Path(tempfile.mkdtemp(prefix="loop-test-", dir=base))
    home, scratch = folder / "home", factory.mktemp("scratch")
    (home / ".cache").mkdir(parents=True)
    workspace.root = folder / "ws"
    workspace.file("a.c", "int a;\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    workspace.also_remove.append(folder)
    return home, scratch
