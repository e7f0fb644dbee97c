"""The same tests where things are otherwise: an ordinary user, a file system that clones, no user namespaces, a full disk.

Each needs root to set up, and runs in processes and mounts of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import MUST_RUN

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can set this up"),
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
    pytest.mark.timeout(300),
]

HERE = Path(__file__).parent
NOBODY = 65534

AS_USER = """
import os, subprocess, sys
os.setgroups([]); os.setgid({user}); os.setuid({user})
sys.exit(subprocess.call(sys.argv[1:]))
"""
NO_NAMESPACES = """
import os, subprocess, sys
from compile_loop.shadow.namespaces import syscalls
syscalls.unshare(syscalls.CLONE_NEWUSER)
for name, value in (("setgroups", "deny"), ("uid_map", "{user} {user} 1"), ("gid_map", "{user} {user} 1")):
    with open("/proc/self/" + name, "w") as file: file.write(value)
with open("/proc/sys/user/max_user_namespaces", "w") as file: file.write("0")
sys.exit(subprocess.call(sys.argv[1:]))
"""
IN_MOUNTS = """
import os, subprocess, sys
from compile_loop.shadow.namespaces import syscalls
syscalls.unshare(syscalls.CLONE_NEWNS)
syscalls.mount(b"none", b"/", b"", syscalls.MS_REC | syscalls.MS_PRIVATE)
{mounts}
sys.exit(subprocess.call(sys.argv[1:]))
"""


def _prepared(script: str, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command below a small program that prepares the process for it."""
    return subprocess.run(
        [sys.executable, "-c", script.replace("{user}", str(NOBODY)), *command],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _pytest(base: Path, *arguments: str) -> list[str]:
    files = [
        str(HERE / f"test_{name}.py")
        for name in ("files", "watching", "commands_inside", "aside", "repositories", "leftovers", "builds")
    ]
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={base}", *arguments, *files]


def _as_user(*command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python as an ordinary user: the system's own, where this one lies in a folder that is closed to others.

    Off CI, since an ordinary user cannot install what a test wants.
    """
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin") or ""
    known = [path for path in sys.path if path.endswith("site-packages")] + [str(HERE.parents[2] / "server")]
    done = _prepared(
        AS_USER, python, "-c", "import sys, compile_loop, psutil, pydantic, pytest; print(sys.version_info[:2])",
        PYTHONPATH=os.pathsep.join(known),
    )  # fmt: skip
    if done.stdout.strip() != str(sys.version_info[:2]):
        pytest.skip(f"no Python for an ordinary user: {done.stderr[-300:] or done.stdout}")
    return _prepared(
        AS_USER, *(python if word == sys.executable else word for word in command),
        PYTHONPATH=os.pathsep.join(known), PATH="/usr/local/bin:/usr/bin:/bin", CI="",
        HOME=str(folder / "home"), TMPDIR=str(folder / "tmp"), **variables,
    )  # fmt: skip


@pytest.fixture
def user_folder() -> Iterator[Path]:
    """A folder of the ordinary user's, reachable by it."""
    folder = Path(tempfile.mkdtemp(prefix="loop-user-", dir="/var/lib"))
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    for path in (folder, *folder.iterdir()):
        os.chown(path, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.spec("W1", "Q13", "Q14")
def test_as_an_ordinary_user(user_folder: Path) -> None:
    must = {MUST_RUN: "overlay,copy"}
    done = _as_user(*_pytest(user_folder / "tmp/t", "-k", "overlay or copy"), folder=user_folder, **must)
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.spec("W1")
def test_on_a_file_system_that_clones(tmp_path: Path) -> None:
    if shutil.which("mkfs.btrfs") is None:
        pytest.skip("mkfs.btrfs is not installed")
    image = tmp_path / "image"
    place = Path(tempfile.mkdtemp(prefix="b-", dir="/var/tmp"))  # short: paths of sockets below it have a limit
    with image.open("wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.btrfs", "-q", str(image)], check=True)
    mounts = f'subprocess.check_call(["mount", "-o", "loop", {str(image)!r}, {str(place)!r}])'
    done = _prepared(
        IN_MOUNTS.replace("{mounts}", mounts), *_pytest(place / "t", "-k", "clone"),
        TMPDIR=str(place), **{MUST_RUN: "clone"},
    )  # fmt: skip
    place.rmdir()
    assert done.returncode == 0, done.stdout[-6000:]


CHOOSE = """
import asyncio, os, sys
from pathlib import Path
from compile_loop.shadow.probe import choose, explain

async def main():
    root = Path(sys.argv[1])
    for found in explain(root): print(*found)
    shadow = choose(root, {})
    print(shadow.isolation)
    await shadow.open()
    await shadow.write("a.c", b"changed")
    print(await shadow.read("a.c"), (root / "a.c").read_bytes())
    await shadow.close()
asyncio.run(main())
"""


def _files_of(user: int, root: Path) -> Path:
    root.mkdir()
    (root / "a.c").write_text("original")
    for path in (root, root / "a.c"):
        os.chown(path, user, user)
    return root


@pytest.mark.spec("W1")
def test_without_user_namespaces_it_falls_back_and_says_why(user_folder: Path) -> None:
    root = _files_of(NOBODY, user_folder / "ws")
    script = NO_NAMESPACES.replace("{user}", str(NOBODY))
    done = _as_user(sys.executable, "-c", script, sys.executable, "-c", CHOOSE, str(root), folder=user_folder)
    assert done.returncode == 0, done.stderr
    overlay, _, copy, isolation, contents = done.stdout.splitlines()
    assert overlay.startswith("overlay False a private user namespace is not allowed here")
    assert copy.startswith("copy True") and "copy in a temporary folder" in isolation
    assert "no overlay: a private user namespace is not allowed here" in isolation
    assert contents == "b'changed' b'original'"


@pytest.mark.spec("Q13")
def test_files_of_another_group_are_noticed_and_copied_instead(user_folder: Path) -> None:
    root = _files_of(NOBODY, user_folder / "ws")
    os.chown(root / "a.c", NOBODY, 4242)
    done = _as_user(sys.executable, "-c", CHOOSE, str(root), folder=user_folder)
    assert done.returncode == 0, done.stderr
    assert "no overlay: " in done.stdout and "a.c belongs to another user or group" in done.stdout
    assert done.stdout.splitlines()[-1] == "b'changed' b'original'"


@pytest.mark.spec("Q13")
def test_a_foreign_file_deep_inside_can_still_be_edited(user_folder: Path) -> None:
    """Beyond what is sampled: an unprivileged overlay cannot copy it up, so that it is replaced."""
    root = _files_of(NOBODY, user_folder / "ws")
    (root / ".hidden").mkdir()
    (root / ".hidden/a.c").write_text("original")
    os.chown(root / ".hidden", NOBODY, NOBODY)
    os.chown(root / ".hidden/a.c", NOBODY, 4242)
    done = _as_user(sys.executable, "-c", CHOOSE.replace("a.c", ".hidden/a.c"), str(root), folder=user_folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2].startswith("overlay on the same path")
    assert done.stdout.splitlines()[-1] == "b'changed' b'original'"


@pytest.mark.spec("W1", "Q13")
def test_layers_go_to_memory_where_the_temporary_folder_cannot_hold_them(tmp_path: Path) -> None:
    """As in a container whose temporary folder knows no extended attributes."""
    root = _files_of(0, tmp_path / "ws")
    (tmp_path / "tmp").mkdir()
    place = str(tmp_path / "tmp").encode()
    mounts = (
        f'syscalls.mount(b"r", {place!r}, b"ramfs", 0)\nsyscalls.mount({place!r}, b"/var/tmp", b"", syscalls.MS_BIND)'
    )
    done = _prepared(
        IN_MOUNTS.replace("{mounts}", mounts),
        sys.executable,
        "-c",
        CHOOSE,
        str(root),
        TMPDIR=str(tmp_path / "tmp"),
        XDG_CACHE_HOME=str(tmp_path / "tmp"),
    )
    assert done.returncode == 0, done.stderr
    assert "overlay True overlay on the same path, what is written kept in memory" in done.stdout
    assert done.stdout.splitlines()[-1] == "b'changed' b'original'"


@pytest.mark.spec("Q13")
def test_what_is_mounted_inside_the_workspace_is_covered_too(tmp_path: Path) -> None:
    root = _files_of(0, tmp_path / "ws")
    (root / "inner").mkdir()
    mounts = (
        f'syscalls.mount(b"t", {str(root / "inner").encode()!r}, b"tmpfs", 0)\n'
        f'open({str(root / "inner/f")!r}, "w").write("1")'
    )
    more = CHOOSE.replace(
        'await shadow.write("a.c", b"changed")',
        'await shadow.write("a.c", b"changed"); print(await shadow.read("inner/f")); await shadow.write("inner/f", b"2");'
        'print(await shadow.read("inner/f"), (root / "inner/f").read_bytes())',
    )
    done = _prepared(IN_MOUNTS.replace("{mounts}", mounts), sys.executable, "-c", more, str(root))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-4].startswith("overlay on the same path")
    assert done.stdout.splitlines()[-3:] == ["b'1'", "b'2' b'1'", "b'changed' b'original'"]


@pytest.mark.spec("Q13")
def test_what_is_mounted_inside_is_named_to_an_ordinary_user(user_folder: Path) -> None:
    """It cannot cover that; the copy can be made all the same."""
    root = _files_of(NOBODY, user_folder / "ws")
    (root / "inner").mkdir()
    mounts = (
        f'syscalls.mount(b"t", {str(root / "inner").encode()!r}, b"tmpfs", 0)\nos.execv("/proc/self/exe", sys.argv[1:])'
    )
    script = AS_USER.replace("{user}", str(NOBODY))
    known = [path for path in sys.path if path.endswith("site-packages")] + [str(HERE.parents[2] / "server")]
    done = _prepared(
        IN_MOUNTS.replace("{mounts}", mounts), sys.executable, "-c", script, shutil.which("python3", path="/usr/bin") or "",
        "-c", CHOOSE, str(root), PYTHONPATH=os.pathsep.join(known), TMPDIR=str(user_folder / "tmp"), HOME=str(user_folder / "home"),
    )  # fmt: skip
    if done.returncode and "compile_loop" not in done.stderr:
        pytest.skip(done.stderr[-300:])
    assert "inner is mounted inside the workspace" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "b'changed' b'original'"


FILL = """
import asyncio, os, sys
from pathlib import Path
from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.probe import choose

async def main():
    root = Path(sys.argv[1])
    try:
        shadow = choose(root, {}, sys.argv[2])
        await shadow.open()
        await shadow.write("big", b"x" * (4 << 20))
    except ShadowError as error:
        print(error)
    await shadow.close()
    print(sorted(p.name for p in root.iterdir()), os.listdir(os.environ["TMPDIR"]))
asyncio.run(main())
"""


@pytest.mark.spec("L3", "W1")
@pytest.mark.parametrize("strategy", ["overlay", "copy"])
def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path, strategy: str) -> None:
    (tmp_path / "tmp").mkdir()
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.c").write_text("x" * 1000)
    mounts = f'syscalls.mount(b"t", {str(tmp_path / "tmp").encode()!r}, b"tmpfs", 0, b"size=1m")'
    done = _prepared(
        IN_MOUNTS.replace("{mounts}", mounts),
        sys.executable,
        "-c",
        FILL,
        str(root),
        strategy,
        TMPDIR=str(tmp_path / "tmp"),
    )
    assert done.returncode == 0, done.stderr
    said, left = done.stdout.splitlines()
    assert "could not be written in the isolated copy" in said
    assert f"the disk at {tmp_path / 'tmp'} is full. Make room there." in said
    assert left == "['a.c'] []"


@pytest.mark.spec("W1")
@pytest.mark.parametrize("strategy", ["overlay", "copy"])
def test_a_workspace_on_a_read_only_disk(tmp_path: Path, strategy: str) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.c").write_text("original")
    place = str(root).encode()
    mounts = f'syscalls.mount({place!r}, {place!r}, b"", syscalls.MS_BIND)\nsyscalls.make_read_only({place!r})'
    choose = CHOOSE.replace("choose(root, {})", f"choose(root, {{}}, {strategy!r})")
    done = _prepared(IN_MOUNTS.replace("{mounts}", mounts), sys.executable, "-c", choose, str(root))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "b'changed' b'original'"


APPLY = """
import os, sys
from pathlib import Path
from compile_loop.contracts.edits import Edit
from compile_loop.edits.hunks import file_change
from compile_loop.shadow.apply import ApplyError, apply_edit

root, journals = Path(sys.argv[1]), Path(sys.argv[2])
if not (root / "a.c").exists():
    for name in ("a.c", "b.c"):
        (root / name).write_bytes(name.encode() * 1000)
if sys.argv[3] == "further name":
    os.link(root / "b.c", root / "other")
before = {p.name: p.read_bytes() for p in root.iterdir()}
small, big = file_change("a.c", before["a.c"], b"new"), file_change("b.c", before["b.c"], b"x" * (1 << 20))
try:
    apply_edit(root, Edit((small, big)), journals)
except ApplyError as error:
    print(error)
assert {p.name: p.read_bytes() for p in root.iterdir()} == before, sorted(os.listdir(root))
assert not list(journals.glob("*")) or not list(journals.glob("*/*"))
"""


@pytest.mark.spec("W3", "W4")
@pytest.mark.parametrize("how", ["full", "read-only", "further name"])
def test_an_edit_that_the_disk_does_not_take_changes_nothing(tmp_path: Path, how: str) -> None:
    """A disk that is full or read-only; also where a file with a further name has to be written where it is."""
    root, journals = tmp_path / "ws", tmp_path / "journals"
    root.mkdir()
    place = str(root).encode()
    if how == "read-only":
        for name in ("a.c", "b.c"):
            (root / name).write_bytes(name.encode() * 1000)
        mounts = f'syscalls.mount({place!r}, {place!r}, b"", syscalls.MS_BIND)\nsyscalls.make_read_only({place!r})'
    else:
        mounts = f'syscalls.mount(b"t", {place!r}, b"tmpfs", 0, b"size=64k")'
    done = _prepared(IN_MOUNTS.replace("{mounts}", mounts), sys.executable, "-c", APPLY, str(root), str(journals), how)
    assert done.returncode == 0, done.stderr
    assert "could not be written, and nothing was changed" in done.stdout or "write-protected" in done.stdout, (
        done.stdout
    )


MOUNTED_IN_HOME = """
import asyncio, os, subprocess, sys
from pathlib import Path
from compile_loop.shadow.probe import choose

async def main():
    base = Path(sys.argv[1])
    home = base / "home"
    (home / ".vscode/allowed").mkdir()
    (home / ".vscode/kept").write_text("1 ")
    shadow = choose(base / "ws", {}, "overlay", writable=[str(home / ".vscode/allowed")])
    await shadow.open()
    script = f"cat {home}/.vscode/kept; echo x > {home}/.vscode/planted; echo y > {home}/.vscode/allowed/f; echo z > here; cat here"
    command, directory = shadow.command(["/bin/sh", "-c", script], ".")
    print(subprocess.run(command, cwd=directory, capture_output=True, text=True).stdout.split())
    await shadow.close()
    print(sorted(str(p.relative_to(home)) for p in home.rglob("*") if p.is_file()))
asyncio.run(main())
"""


@pytest.mark.spec("Q14")
def test_what_is_mounted_in_the_home_folder_is_read_only_too(user_folder: Path) -> None:
    """As the folders of a container that are volumes of their own."""
    (user_folder / "home/.vscode").mkdir()
    (user_folder / "ws").mkdir()
    mounts = f'syscalls.mount(b"t", {str(user_folder / "home/.vscode").encode()!r}, b"tmpfs", 0)'
    done = _prepared(
        IN_MOUNTS.replace("{mounts}", mounts), sys.executable, "-c", MOUNTED_IN_HOME, str(user_folder),
        HOME=str(user_folder / "home"), TMPDIR=str(user_folder / "tmp"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["['1', 'z']", "['.vscode/allowed/f', '.vscode/kept']"]
