"""What a check is led to by configuration, includes, options and modules, and what by none of them (SPEC K6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compile_loop.checks.headers import Headers
from compile_loop.checks.led_to import LedTo, led_to
from compile_loop.contracts.checks import Check

PROGRAMS = Path(__file__).parents[2] / "data/programs"


def laid_out(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder.resolve()


def led(root: Path, command: str | tuple[str, ...] = "true") -> LedTo:
    return led_to([Check("check", command)], root)


# The configuration, what it leads to, and further files, which it does not lead to.
CONFIGURATION: dict[str, tuple[dict[str, str], set[str], set[str]]] = {
    "tsconfig": (
        {"app/tsconfig.json": '{"extends": ["../shared/common", "@tsconfig/node20"], "references": [{"path": "../lib/ts.json"}], '
                              '"files": ["a.ts"]}',
         "shared/common.json": '{"extends": "./base.json"}'},
        {"shared/common.json", "shared/base.json", "lib/ts.json"}, {"app/a.ts"}),
    "eslint": (
        {"eslint.config.mjs": "import rules from './lint/rules.mjs';\nexport default [rules, { files: ['src/a.js'] }];\n",
         "lint/rules.mjs": "import { one } from './one.mjs';\n"},
        {"lint/rules.mjs", "lint/one.mjs"}, {"src/a.js"}),
    "eslint in YAML": ({".eslintrc.yml": "extends:\n  - ./lint/base.yml\nrules: {}\n"}, {"lint/base.yml"}, set()),
    "jest in package.json": (
        {"package.json": json.dumps({"main": "./src/a.js", "jest": {"setupFiles": ["<rootDir>/lint/set-up.js"]}})},
        {"lint/set-up.js"}, {"src/a.js"}),
    "vitest": (
        {"vitest.config.ts": "import { shared } from './lint/shared'\n"
                             "export default { test: { setupFiles: './lint/set-up.js', include: ['src/a.js'] } }\n"},
        {"lint/shared.ts", "lint/set-up.js"}, {"src/a.js"}),
    "mypy": ({"mypy.ini": "[mypy]\nplugins =\n    lint/plugin.py,\n    pydantic.mypy\n"}, {"lint/plugin.py"}, set()),
    "pytest": ({"pytest.ini": "[pytest]\naddopts = -q -p lint.plugin\n"}, {"lint/plugin.py"}, set()),
    "pyproject": (
        {"pyproject.toml": '[tool.ruff]\nextend = "lint/base.cfg"\nsrc = ["src/a.py"]\n'}, {"lint/base.cfg"}, {"src/a.py"}),
    "conftest": ({"conftest.py": "from src.a import app\npytest_plugins = ['lint.plugin']\n"}, {"lint/plugin.py"}, {"src/a.py"}),
    "CMake": (
        {"CMakeLists.txt": "include(${CMAKE_CURRENT_SOURCE_DIR}/lint/flags.inc)\nadd_executable(a src/a.c)\n"
                           "file(STRINGS lint/options OPTIONS)\n"},
        {"lint/flags.inc", "lint/options"}, {"src/a.c"}),
    "ninja": ({"build.ninja": "include lint/rules.inc\nbuild a.o: cc src/a.c\n"}, {"lint/rules.inc"}, {"src/a.c"}),
    "Cargo": (
        {"Cargo.toml": '[package]\nbuild = "lint/make.rs"\n[lib]\npath = "src/a.rs"\n',
         "build.rs": 'include!("lint/shared.rs");\n'},
        {"lint/make.rs", "lint/shared.rs"}, {"src/a.rs"}),
    "Gradle": ({"build.gradle": "apply from: \"$rootDir/lint/style.conf\"\ncheckstyle { configFile = file('lint/style.xml') }\n"},
               {"lint/style.conf", "lint/style.xml"}, set()),
    "Maven": ({"pom.xml": "<project><configLocation>lint/style.xml</configLocation></project>"}, {"lint/style.xml"}, set()),
    "MSBuild": (
        {"a.csproj": '<Project><Import Project="lint/warn.inc" /><ItemGroup><Compile Include="src/a.cs" /></ItemGroup></Project>'},
        {"lint/warn.inc"}, {"src/a.cs"}),
    "PHPUnit": ({"phpunit.xml": '<phpunit bootstrap="lint/start.php"></phpunit>'}, {"lint/start.php"}, {"src/a.php"}),
    "RuboCop": (
        {".rubocop.yml": "inherit_from: lint/style.yml\nrequire:\n  - ./lint/cop.rb\n"}, {"lint/style.yml", "lint/cop.rb"}, set()),
}  # fmt: skip


@pytest.mark.spec("K6")
@pytest.mark.parametrize("kind", CONFIGURATION)
def test_configuration_leads_to_its_parts_and_not_to_the_code(tmp_path: Path, kind: str) -> None:
    files, parts, code = CONFIGURATION[kind]
    root = laid_out(tmp_path, {**dict.fromkeys(parts | code, "\n"), **files})
    found = led(root).files
    assert parts <= found and not code & found


COMMANDS: dict[str, tuple[str | tuple[str, ...], set[str]]] = {
    "an option": ("eslint --config lint/my.js src", {"lint/my.js"}),
    "an option with a sign": (("pylint", "--rcfile=lint/rc", "src"), {"lint/rc"}),
    "a short option": ("tsc -p lint/ts.json", {"lint/ts.json"}),
    "a loader": ("node --import ./lint/my.js src/a.js", {"lint/my.js"}),
    "a file of options": ("gcc @lint/rc -c src/a.c", {"lint/rc"}),
    "a toolchain": ("cmake -S . -DCMAKE_TOOLCHAIN_FILE=lint/rc", {"lint/rc"}),
    "a compiler's own": ("gcc -c src/a.c -o a.o", set()),
    "a shell's start": ("BASH_ENV=lint/rc bash -c true", {"lint/rc"}),
    "an interpreter's text": ("python3 -c 'import src.a'", set()),
}


@pytest.mark.spec("K6")
@pytest.mark.parametrize("kind", COMMANDS)
def test_options_lead_to_configuration_and_not_to_the_code(tmp_path: Path, kind: str) -> None:
    command, parts = COMMANDS[kind]
    root = laid_out(
        tmp_path, dict.fromkeys(("lint/my.js", "lint/rc", "lint/ts.json", "src/a.js", "src/a.c", "src/a.py"), "\n")
    )
    assert led(root, command).files == parts


@pytest.mark.spec("K6")
def test_what_is_not_there_yet_is_awaited(tmp_path: Path) -> None:
    root = laid_out(tmp_path, {"Makefile": "-include my.conf $(wildcard conf/*.inc)\ninclude must.inc\nall:\n\ttrue\n"})
    found = led(root, "make")
    assert [found.awaits(path) for path in ("my.conf", "conf/a.inc", "must.inc")] == [True, True, False]
    assert [found.awaits(path) for path in ("conf/a/b.inc", "sub/my.conf", "src/a.c")] == [None] * 3


BOTH = "from calc import add\nfrom same import same\n"
HELPERS: dict[str, tuple[dict[str, str], set[str]]] = {
    "beside what is tested": ({"test_a.py": BOTH}, {"same.py"}),
    "that is all that is tested": ({"test_a.py": "from same import same\n"}, set()),
    "that the code takes in too": ({"test_a.py": BOTH, "calc.py": "from same import same\n"}, set()),
    "that demands nothing": ({"test_a.py": BOTH, "same.py": "def same(a):\n    return a\n"}, set()),
}  # fmt: skip


@pytest.mark.spec("K6", "K7")
@pytest.mark.parametrize("kind", HELPERS)
def test_a_helper_of_tests_is_what_they_alone_take_in(tmp_path: Path, kind: str) -> None:
    files, helpers = HELPERS[kind]
    own = {"calc.py": "def add(a, b):\n    return a + b\n", "same.py": "def same(a, b):\n    assert a == b\n"}
    assert led(laid_out(tmp_path, {**own, **files})).helpers == helpers


@pytest.mark.spec("K6")
@pytest.mark.parametrize("program", sorted(path.name for path in PROGRAMS.iterdir() if (path / "fixed").is_dir()))
def test_no_file_that_a_program_is_repaired_in_is_taken_for_the_checks(program: str) -> None:
    """The handed programs: what their true repairs change stays open, unless it is protected by its name."""
    root = (PROGRAMS / program).resolve()
    command = (root / "cmd.txt").read_text().splitlines()[0]
    found = led(root, command)
    repaired = {path.relative_to(root / "fixed").as_posix() for path in (root / "fixed").rglob("*") if path.is_file()}
    changed = {
        path
        for path in repaired
        if (root / path).is_file() and (root / path).read_bytes() != (root / "fixed" / path).read_bytes()
    }
    assert not changed & (found.files | found.helpers)


@pytest.mark.spec("K6")
def test_a_header_stands_before_another_only_where_folders_are_searched(tmp_path: Path) -> None:
    root = laid_out(tmp_path, {"a/t.h": "", "a/a.c": '#include "t.h"\n', "v/u.h": "", "b/b.c": "#include <u.h>\n"})
    headers = Headers(root)
    assert headers.instead_of("b/t.h", ["b/t.h"]) is None
    assert headers.instead_of("i/u.h", ["i/u.h"]) == "v/u.h"
    assert headers.instead_of("i/w.h", ["i/w.h"]) is None and headers.instead_of("i/u.c", ["i/u.c"]) is None
