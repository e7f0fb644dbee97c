"""The wheels that the extension carries, for each supported Python: `python scripts/wheels.py TARGET FOLDER`.

Downloaded with the hashes of requirements/vsix.txt; nothing is built but our own. `index.json` lists, by Python, what its
environment is made of, and names the build.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.requirements import Requirement
from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
_LINUX = ("2_28", "2_27", "2_26", "2_24", "2_17", "2_12", "2_5")
_MAC_VERSIONS = ("13_0", "12_0", "11_0", "10_15", "10_13", "10_12", "10_9")
_MAC_ARM = [f"macosx_{major}_0_{arch}" for major in (13, 12, 11) for arch in ("arm64", "universal2")]
_MAC_INTEL = [f"macosx_{v}_{arch}" for v in _MAC_VERSIONS for arch in ("x86_64", "universal2")]
TARGETS = {
    "linux-x64": ([*(f"manylinux_{v}_x86_64" for v in _LINUX), "manylinux2014_x86_64"], "linux"),
    "linux-arm64": ([*(f"manylinux_{v}_aarch64" for v in _LINUX), "manylinux2014_aarch64"], "linux"),
    "alpine-x64": (["musllinux_1_2_x86_64", "musllinux_1_1_x86_64"], "linux"),
    "darwin-arm64": (_MAC_ARM, "darwin"),
    "darwin-x64": (_MAC_INTEL, "darwin"),
    "win32-x64": (["win_amd64"], "win32"),
}


def main(target: str, folder: Path) -> None:
    platforms, system = TARGETS[target]
    folder.mkdir(parents=True, exist_ok=True)
    own = _build(folder)
    index = {}
    for version in PYTHONS:
        wanted = dict(_wanted(version, system))
        missing = [text for name, text in wanted.items() if not _fitting(name, text, version, platforms, folder)]
        if missing:
            _download(missing, version, platforms, folder)
        index[version] = [own]
        for name, text in wanted.items():
            fitting = _fitting(name, text, version, platforms, folder)
            if not fitting:
                raise SystemExit(f"There is no wheel of {text.split()[0]} for Python {version}.")
            index[version].append(fitting[0])
    build = hashlib.sha256(
        (folder / own).read_bytes()
    ).hexdigest()  # our version number alone does not tell builds apart
    (folder / "index.json").write_text(json.dumps({"build": build, "wheels": index}, indent=1) + "\n")
    used = {name for names in index.values() for name in names}
    for wheel in folder.glob("*.whl"):
        if wheel.name not in used:
            wheel.unlink()
    size = sum((folder / name).stat().st_size for name in used) / 2**20
    print(f"{len(used)} wheels for Python {PYTHONS[0]} to {PYTHONS[-1]} on {target}: {size:.1f} MiB")


def _build(folder: Path) -> str:
    """Our own wheel."""
    for old in folder.glob("compile_loop-*.whl"):
        old.unlink()
    hatchling = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(hatchling, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("compile_loop-*.whl")).name


def _wanted(version: str, system: str) -> list[tuple[str, str]]:
    """(name, requirement with hashes) of each package that a Python on a system needs. pip would ask itself, not the target."""
    environment = {
        "python_version": version,
        "python_full_version": f"{version}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "sys_platform": system,
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system],
        "os_name": "nt" if system == "win32" else "posix",
        "extra": "",
    }
    wanted = []
    for line in (ROOT / "requirements" / "vsix.txt").read_text().replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        text, *hashes = line.split(" --hash=")
        requirement = Requirement(text.strip())
        if requirement.marker is None or requirement.marker.evaluate(environment):
            requirement.marker = None
            wanted.append(
                (
                    canonicalize_name(requirement.name),
                    f"{requirement} {' '.join(f'--hash={h.strip()}' for h in hashes)}",
                )
            )
    return wanted


def _download(wanted: list[str], version: str, platforms: list[str], folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    pip += ["--only-binary", ":all:", "--require-hashes", "--implementation", "cp", "--python-version", version]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(wanted))
        file.flush()
        where = [word for platform in platforms for word in ("--platform", platform)]
        subprocess.run([*pip, *where, "--dest", str(folder), "-r", file.name], check=True)


def _fitting(name: str, text: str, version: str, platforms: list[str], folder: Path) -> list[str]:
    """The wheels of a package in the folder that its lock line allows and that a Python can use."""
    python = tuple(map(int, version.split(".")))
    tags = {*cpython_tags(python, platforms=platforms), *compatible_tags(python, platforms=platforms)}
    requirement, *hashes = text.split(" --hash=sha256:")
    found = []
    for wheel in sorted(folder.glob("*.whl")):
        its_name, its_version, _, its_tags = parse_wheel_filename(wheel.name)
        fits = its_name == name and Requirement(requirement).specifier.contains(its_version) and tags & its_tags
        if fits and hashlib.sha256(wheel.read_bytes()).hexdigest() in hashes:
            found.append(wheel.name)
    return found


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
