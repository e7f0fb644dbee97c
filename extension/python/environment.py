"""Makes the private environment in which the packed extension runs its server. `bootstrap.py` says how it is called.

Standard library only, and neither network nor pip: an environment without pip, and the wheels that the extension carries
unpacked into it. It is run at each start, by whatever Python was found, and is quick where all is there: an environment is
complete once its list of files is written, and its files are looked at each time. One lock lets windows that start together
wait for one another.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

LIST = "compile-loop.json"
"""Written last: the environment's files with their sizes."""
UNUSED_DAYS = 30


class SetUpError(Exception):
    """A sentence for the user."""


def say(**line: object) -> None:
    """One line to the extension."""
    print(json.dumps(line), flush=True)


def main(extension: Path, storage: Path) -> int:
    """Say which interpreter runs the server; returns the exit code."""
    wheels = extension / "dist" / "wheels"
    carried = (wheels / "index.json").exists() and not (extension / ".venv").exists()
    try:
        say(python=str(prepare(wheels, storage)) if carried else of_a_checkout())
    except SetUpError as trouble:
        say(error=str(trouble))
        return 1
    except OSError as trouble:
        say(error=f"The environment for the server could not be made in {storage}: {trouble}.")
        return 1
    return 0


def of_a_checkout() -> str:
    """This interpreter, which has to have the package itself. Raises `SetUpError`."""
    if subprocess.run([sys.executable, "-I", "-c", "import compile_loop"], check=False, capture_output=True).returncode:
        raise SetUpError(f"{named()} has no package compile-loop: install it there, or choose another Python.")
    return sys.executable


def named() -> str:
    """This interpreter, for people."""
    return f"Python {sys.version_info[0]}.{sys.version_info[1]} ({sys.executable})"


def prepare(wheels: Path, storage: Path) -> Path:
    """The interpreter of a complete environment below `storage`. Raises `SetUpError` or `OSError`."""
    build, names = wanted(wheels)
    key = hashlib.sha256(repr((build, names, sys.version, sys.base_prefix)).encode()).hexdigest()[:12]
    home = storage / f"python-{key}"
    if not complete(home):
        storage.mkdir(parents=True, exist_ok=True)
        with locked(storage / "lock"):
            if not complete(home):
                make(home, [wheels / name for name in names])
    os.utime(home)
    remove_unused(storage, home)
    return interpreter(home)


def wanted(wheels: Path) -> tuple[str, list[str]]:
    """The build of the extension, and the wheels for this Python."""
    try:
        document = json.loads((wheels / "index.json").read_text(encoding="utf-8"))
        build, index = document["build"], document["wheels"]
    except (OSError, ValueError, KeyError) as error:
        raise SetUpError(f"The extension's own files are damaged ({error}). Install it again.") from error
    version = ".".join(map(str, sys.version_info[:2]))
    kind = sys.implementation.name + (" free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
    if version not in index or kind != "cpython":
        covered = f"{next(iter(index))} to {list(index)[-1]}"
        which = named() if kind == "cpython" else f"{named()}, {kind},"
        raise SetUpError(f"{which} is not one that this extension has packages for: choose CPython {covered}.")
    return build, list(index[version])


def complete(home: Path) -> bool:
    """Whether every file is there in its size, and the interpreter that it leads to still exists."""
    try:
        files = json.loads((home / LIST).read_text(encoding="utf-8"))
        return interpreter(home).exists() and all((home / name).stat().st_size == size for name, size in files.items())
    except (OSError, ValueError):
        return False


def make(home: Path, wheels: list[Path]) -> None:
    """Unpack beside the place and rename, so that a half-made environment is never taken for one."""
    try:
        import venv
    except ImportError as error:
        raise SetUpError(
            f"{sys.executable} lacks its module venv. On Debian and Ubuntu: apt-get install python3-venv."
        ) from error
    for left in home.parent.glob("python-*.*"):  # by one that was killed: only the holder of the lock makes any
        shutil.rmtree(left, ignore_errors=True)
    begun = home.with_name(f"{home.name}.{os.getpid()}")
    try:
        say(done=0, of=len(wheels))
        venv.create(begun, symlinks=os.name != "nt", with_pip=False)
        site = next(begun.rglob("site-packages"))
        for number, wheel in enumerate(wheels, 1):
            unpack(wheel, site)
            say(done=number, of=len(wheels))
        files = {str(path.relative_to(begun)): path.stat().st_size for path in site.rglob("*") if path.is_file()}
        (begun / LIST).write_text(json.dumps(files), encoding="utf-8")
        if home.exists():
            shutil.rmtree(home)
        begun.rename(home)
    finally:
        shutil.rmtree(begun, ignore_errors=True)


def unpack(wheel: Path, site: Path) -> None:
    """A wheel's packages; its scripts and headers are nobody's here."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if damaged := archive.testzip():
                raise zipfile.BadZipFile(damaged)
            archive.extractall(site)
    except (OSError, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and wheel.exists():
            raise
        raise SetUpError(f"The extension's own files are damaged ({wheel.name}). Install it again.") from error
    for data in site.glob("*.data"):
        for part in (data / "purelib", data / "platlib"):
            if part.is_dir():
                shutil.copytree(part, site, dirs_exist_ok=True)
        shutil.rmtree(data)


def interpreter(home: Path) -> Path:
    """The environment's Python."""
    return home / "Scripts" / "python.exe" if os.name == "nt" else home / "bin" / "python"


@contextlib.contextmanager
def locked(path: Path):  # type: ignore[no-untyped-def]
    """Held by one process at a time, and by none that has ended."""
    with path.open("a+b") as file:
        if os.name == "nt":
            import msvcrt

            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
                    break
                except OSError:
                    time.sleep(0.1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def remove_unused(storage: Path, used: Path) -> None:
    """Environments of earlier versions, once no window can be using them any more."""
    for home in storage.glob("python-*"):
        with contextlib.suppress(OSError):
            if home != used and time.time() - home.stat().st_mtime > UNUSED_DAYS * 86_400:
                shutil.rmtree(home, ignore_errors=True)
