"""The private environment of the packed extension: made, kept, repaired, and every way in which it cannot be (SPEC V9, Q20)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
VERSIONS = [f"3.{minor}" for minor in range(10, 15)]


def pythons() -> dict[tuple[int, int], str]:
    """The Pythons of this machine by version, old ones too."""
    places = [sys.executable, *map(str, Path.home().glob(".pyenv/versions/*/bin/python"))]
    places += filter(None, (shutil.which(f"python{v}") for v in ("2.7", *(f"3.{minor}" for minor in range(6, 15)))))
    found: dict[tuple[int, int], str] = {}
    for place in places:
        done = subprocess.run(
            [place, "-c", "import sys; print('%d %d' % sys.version_info[:2])"], capture_output=True, check=False
        )
        if done.returncode == 0:
            major, minor = map(int, done.stdout.split())
            found.setdefault((major, minor), place)
    return found


PYTHONS = pythons()
FIT = {version: path for version, path in PYTHONS.items() if (3, 10) <= version <= (3, 14)}
OLD = {version: path for version, path in PYTHONS.items() if version < (3, 10)}


def wheel(folder: Path, name: str, files: dict[str, str]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-1-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return f"{name}-1-py3-none-any.whl"


def index(wheels: Path, build: str, names: list[str], versions: list[str] = VERSIONS) -> None:
    (wheels / "index.json").write_text(json.dumps({"build": build, "wheels": dict.fromkeys(versions, names)}))


@pytest.fixture
def extension(tmp_path: Path) -> Path:
    """A packed extension in a folder with a blank and an umlaut, with two wheels for every Python."""
    folder = tmp_path / "ext ü"
    shutil.copytree(ROOT / "extension" / "python", folder / "extension" / "python")
    wheels = folder / "dist" / "wheels"
    names = [
        wheel(wheels, "alpha", {"alpha/__init__.py": "name = 'alpha'\n", "alpha-1.data/purelib/beside.py": "x = 1\n"}),
        wheel(wheels, "beta", {"beta.py": "import alpha\n" * 50}),
    ]
    index(wheels, "first", names)
    return folder


def start(extension: Path, python: str = sys.executable, **env: str) -> subprocess.Popen[str]:
    script = extension / "extension" / "python" / "bootstrap.py"
    return subprocess.Popen(
        [python, str(script), str(extension), str(extension.parent / "stor age")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    )


def said(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    out, err = process.communicate(timeout=60)
    assert out, err
    return [json.loads(line) for line in out.splitlines()]


def imported(python: str) -> str:
    code = "import alpha, beta, beside, sys; print(alpha.__file__, sys.flags.no_user_site)"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.spec("V9", "Q20")
@pytest.mark.parametrize("version", sorted(FIT))
def test_it_is_made_once_by_each_python_without_pip(extension: Path, version: tuple[int, int]) -> None:
    without = extension.parent / "without"
    without.mkdir()
    (without / "ensurepip.py").write_text("raise ImportError('ensurepip is a package of its own here')\n")
    first = said(start(extension, FIT[version], PYTHONPATH=str(without)))
    assert first[:3] == [{"done": 0, "of": 2}, {"done": 1, "of": 2}, {"done": 2, "of": 2}]
    python = first[-1]["python"]
    assert str(extension.parent / "stor age") in imported(python)
    pip = subprocess.run([python, "-I", "-m", "pip"], capture_output=True, text=True, check=False)
    assert "No module named pip" in pip.stderr
    assert said(start(extension, FIT[version])) == [{"python": python}], "all is there already"


@pytest.mark.spec("V9")
@pytest.mark.parametrize("version", sorted(OLD))
def test_a_python_that_is_too_old_says_so_in_a_sentence(extension: Path, version: tuple[int, int]) -> None:
    (line,) = said(start(extension, OLD[version]))
    assert line["error"].startswith(f"Python {version[0]}.{version[1]} (")
    assert line["error"].endswith("is too old: Compile Loop needs 3.10 or newer.")


@pytest.mark.spec("V9")
def test_a_damaged_file_is_noticed_and_the_environment_made_again(extension: Path) -> None:
    python = said(start(extension))[-1]["python"]
    file = next(Path(python).parents[1].rglob("beta.py"))
    file.write_text("cut off")
    again = said(start(extension))
    assert again[0] == {"done": 0, "of": 2} and again[-1] == {"python": python}
    assert file.read_text() != "cut off"
    Path(python).unlink()
    Path(python).symlink_to("/nowhere/python")
    assert said(start(extension))[-1] == {"python": python} and imported(python)


@pytest.mark.spec("V9")
def test_a_new_version_gets_an_environment_of_its_own_and_old_ones_go_in_time(extension: Path) -> None:
    old = Path(said(start(extension))[-1]["python"]).parents[1]
    wheels = extension / "dist" / "wheels"
    names = json.loads((wheels / "index.json").read_text())["wheels"]["3.11"]
    index(wheels, "second", names)  # of the same version number
    new = Path(said(start(extension))[-1]["python"]).parents[1]
    assert new != old and old.exists(), "another window may still use it"
    long_ago = time.time() - 31 * 86_400
    os.utime(old, (long_ago, long_ago))
    said(start(extension))
    assert new.exists() and not old.exists()


@pytest.mark.spec("V9")
def test_two_windows_at_once_make_it_once(extension: Path) -> None:
    both = [said(process) for process in [start(extension), start(extension)]]
    assert both[0][-1] == both[1][-1]
    assert sorted(len(lines) for lines in both) == [1, 4], "one made it, the other waited"


@pytest.mark.spec("V9", "W4")
def test_what_a_killed_start_left_is_removed(extension: Path) -> None:
    left = extension.parent / "stor age" / "python-0123456789ab.4711"
    (left / "lib").mkdir(parents=True)
    assert imported(said(start(extension))[-1]["python"])
    assert not left.exists()


@pytest.mark.spec("V9")
def test_every_hindrance_is_a_sentence(extension: Path, tmp_path: Path) -> None:
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "venv.py").write_text("raise ImportError('venv')\n")
    (line,) = said(start(extension, PYTHONPATH=str(stub)))
    assert "lacks its module venv" in line["error"] and "apt-get install python3-venv" in line["error"]

    wheels = extension / "dist" / "wheels"
    whole = (wheels / "beta-1-py3-none-any.whl").read_bytes()
    (wheels / "beta-1-py3-none-any.whl").write_bytes(whole[: len(whole) // 2])
    damaged = said(start(extension))[-1]
    assert "own files are damaged (beta-1-py3-none-any.whl). Install it again." in damaged["error"]
    assert not list((extension.parent / "stor age").glob("python-*")), "nothing half made is left"
    (wheels / "beta-1-py3-none-any.whl").write_bytes(whole)

    storage = extension.parent / "stor age"
    shutil.rmtree(storage)
    storage.write_text("a file in its place")
    assert "could not be made in" in said(start(extension))[-1]["error"]
    storage.unlink()

    index(wheels, "later", [], ["3.98", "3.99"])
    assert "has packages for: choose CPython 3.98 to 3.99." in said(start(extension))[-1]["error"]
    (wheels / "index.json").write_text("{")
    assert "own files are damaged" in said(start(extension))[-1]["error"]


@pytest.mark.spec("V9")
def test_a_checkout_takes_a_python_that_has_the_package(extension: Path) -> None:
    shutil.rmtree(extension / "dist")
    assert said(start(extension)) == [{"python": sys.executable}]
    bare = extension.parent / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    (line,) = said(start(extension, str(bare / "bin" / "python")))
    assert "has no package compile-loop: install it there, or choose another Python." in line["error"]
