"""Options of commands whose value is configuration, whatever it is called (SPEC K6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from compile_loop.checks.expectations import SOURCE
from compile_loop.checks.scripts import Command

_LONG = re.compile(
    r"--?(?:[\w-]*config(?:-?file|-?path)?|conf|rc-?file|init-file|settings?|[\w-]*rules?(?:et)?|rules-?dir|project|tsconfig|require|import|loader|"
    r"preload|plugins?|load-plugins?|[\w-]*preset|options-file|opts|toolchain|env-file|suppressions(?:-list|-file)?|ignore-(?:file|path)|"
    r"setup-?files?\w*|global-?setup|global-?teardown|helper|bootstrap|include|imacros|specs|test-sequencer|reporters?|dotenv-path|"
    r"vmargs|baseline|custom-rules|build-file|settings-file|init-script)$",
    re.IGNORECASE,
)
_SHORT = re.compile(r"-[cprfC]$")
_OF_CODE = re.compile(
    r"(?:.*/)?(?:(?:[\w.]+-)?(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?)(?:-[\d.]+)?|rustc|javac|kotlinc|swiftc|ghc|go|python[\d.]*|(?:ba|da|z|k)?sh|pip|tar|"
    r"grep|sed|awk|cp|rm|mkdir|perl|php|ar|ld|make|cd|test|\[|\[\[|printf|echo|cat|diff|cmp|docker)$"
)
"""Programs whose short options say other things."""
_LOADS = re.compile(r"(?:.*/)?(?:node|mocha|tsx|ts-node|ruby|nyc|c8|npx)$")
_CONFIGURED = re.compile(
    r"(?:.*/)?(?:eslint|jest|vitest|mocha|prettier|stylelint|webpack|rollup|vite|playwright|wdio|ava|nyc|c8|npx)$"
)
"""Programs whose modules to load, or whose configuration, may be a program itself."""
_PLUGGED = re.compile(r"(?:.*/)?(?:pytest|py\.test)$")
"""Programs whose `-p` names a module to load."""
_DEFINED = re.compile(r"-D?(?:CMAKE_TOOLCHAIN_FILE|CMAKE_PROJECT_\w*INCLUDE\w*)(?::\w+)?=(.+)")


def modules_of_options(command: Command) -> Iterator[str]:
    """The modules that a test runner is told to load, as paths without their ending: `pytest -p x.y`."""
    words = command.words
    at = next((n for n, word in enumerate(words) if _PLUGGED.match(word)), len(words))
    for word, following in pairwise([*words[at:], ""]):
        name = following if word == "-p" else word[2:] if re.match(r"-p\w", word) else ""
        if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)*", name):
            yield name.replace(".", "/")


def files_of_options(command: Command) -> Iterator[str]:
    """The words that name files of configuration: `--config x`, `--require=./x`, `-include x.h`, `@options`, `-p x.json`."""
    bare = command.bare
    if not bare:
        return
    for word, following in pairwise([*bare[1:], ""]):
        option, sign, value = word.partition("=")
        if made := _DEFINED.match(word):
            yield made.group(1)
        elif word.startswith("@") and len(word) > 1:
            yield word[1:]
        elif _LONG.match(option):
            yield value if sign else following
        elif _SHORT.match(word) and not _OF_CODE.match(bare[0]):
            may_be_code = _LOADS if word == "-r" else _CONFIGURED
            if may_be_code.match(bare[0]) or not SOURCE.search(following):
                yield following
