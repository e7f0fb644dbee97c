"""When the tool itself could not do its work: nothing that a model should be asked to repair (SPEC L3, Q7)."""

from __future__ import annotations

import re
from collections.abc import Callable

from compile_loop.toolchains.missing import INSTALL

_SHOWN = 300
"""Characters of a PATH."""
_CANNOT = (
    (re.compile(r"No space left on device|Disk quota exceeded"), "there is no room left on the disk"),
    (
        re.compile(r"Could not resolve host|Temporary failure in name resolution|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)"),
        "the network could not be reached",
    ),
    (
        re.compile(r"Cannot allocate memory|virtual memory exhausted|JavaScript heap out of memory"),
        "the tool ran out of memory",
    ),
    (
        re.compile(r"error: linker [`'‘]\w+['’] not found|rustup could not choose a version|no default toolchain"),
        "a part of the toolchain is missing",
    ),
    (
        re.compile(r"EXDEV|Invalid cross-device link"),
        "the isolated copy cannot rename a folder that was there before (set isolation to clone or copy)",
    ),
    (
        re.compile(r"EROFS|Read-only file system"),
        "it writes outside the workspace, where checks may not (settings writableFolders and confineChecks)",
    ),
)
_CALLED = re.compile(
    r"^(?:g?make(?:\[\d+\])?: (?:exec: )?|/bin/(?:ba|da|z|k)?sh: (?:\d+: |line \d+: )?)(?P<name>[^\s:]+): "
    r"(?:No such file or directory|(?:[Cc]ommand )?not found|Command not found)\s*$",
    re.MULTILINE,
)
"""What a build tool says of a program that it was to call and that is not there; it ends with a code of its own."""
_CMAKE_CALLED = re.compile(
    r"The CMAKE_\w+_COMPILER:\s+(?P<name>\S+)\s+is not a full path (?:and was not found in the PATH|to an existing compiler)"
    r"|Could not find compiler set in environment variable \w+:\s+(?P<set>[^\s.]+)"
)
_PART_MISSING = re.compile(
    r"No CMAKE_\w+_COMPILER could be found|CMake was unable to find a build program corresponding to \S+ \S+"
    r"|No compiler is provided in this environment|JAVA_HOME is not (?:set|defined)[^\n]*"
    r"|^(?:/\S+/)?python[\d.]*(?:\.exe)?: No module named [\w.]+",
    re.MULTILINE,
)
_PORT_TAKEN = re.compile(
    r"EADDRINUSE[^\n]{0,80}|[Aa]ddress already in use[^\n]{0,80}|Only one usage of each socket address"
)
_NOT_FOUND = re.compile(
    r"(?:^|: )(?P<name>[\w.+/-]+): (?:command )?not found\s*$|env: [‘'](?P<env>[^’']+)[’']: No such file", re.MULTILINE
)
_DENIED = re.compile(
    r"^(?:/bin/)?(?:ba|da|z)?sh: (?:\d+: |line \d+: )?(?P<name>[^:]+): Permission denied", re.MULTILINE
)
_WATCHING = re.compile(
    r"(?:watching|waiting) for (?:file )?changes|watch(?:ing)? mode|press .{1,20} to (?:quit|exit|run|show)|"
    r"listening on|server (?:is )?running at",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r"(?:\[[yYnN]/[yYnN]\]|\((?:yes|y)/(?:no|n)\)|password|passphrase|username).{0,20}[:?]?\s*$|\?\s*$", re.IGNORECASE
)


Advise = Callable[[str], str]
"""A program that was not found → what to do about it, as a sentence."""


def _install(_: str) -> str:
    return INSTALL


def trouble(
    exit_code: int, stdout: str, stderr: str, has_errors: bool, path: str = "", advise: Advise = _install
) -> str | None:
    """A sentence on why the tool could not run, in its own words; None where it did run.

    `has_errors`: errors in files of the workspace were read from its output. `path` is the PATH that it ran with; `advise`
    knows what to do about a program that is not there.
    """
    output = f"{stderr}\n{stdout}"[-20_000:]
    if exit_code == 127 and (match := _NOT_FOUND.search(output)):
        return _not_found(match.group("name") or match.group("env"), path, advise)
    if exit_code == 126 and (match := _DENIED.search(output)):
        return f"“{match.group('name')}” may not be executed (permission denied). Make it executable, then run again."
    if exit_code in (126, 127) and not has_errors:
        return f"The check's command could not be started: {_last(output)}"
    if match := _PORT_TAKEN.search(output):
        return f"A port that the check needs is taken by another program: {match.group().strip()}. End that, then run again."
    if match := _CMAKE_CALLED.search(output):  # it names the line of its own file, too
        return _not_found(match.group("name") or match.group("set"), path, advise)
    if has_errors:
        return None
    if match := _CALLED.search(output):
        return _not_found(match.group("name"), path, advise)
    if match := _PART_MISSING.search(output):
        return f"The check could not do its work because a part of the toolchain is missing: {match.group()}."
    for pattern, words in _CANNOT:
        if match := pattern.search(output):
            return f"The check could not do its work because {words}: {match.group()}."
    return None


def _not_found(name: str, path: str, advise: Advise) -> str:
    looked = f" It was looked for in {path[:_SHOWN]}{'…' if len(path) > _SHOWN else ''}." if path else ""
    return f"The command “{name}” was not found. {advise(name)}{looked}"


def cannot_start(program: str, error: OSError, path: str = "", advise: Advise = _install) -> str:
    """A sentence for a command that the system would not start; `path` and `advise` as for `trouble`."""
    if isinstance(error, FileNotFoundError):
        return _not_found(program, path, advise)
    if isinstance(error, PermissionError):
        return f"“{program}” may not be executed (permission denied). Make it executable, then run again."
    return f"“{program}” could not be started: {error.strerror or error}."


def stuck(last_line: str) -> str:
    """Why a command that was ended by its timeout may have been waiting, as the rest of a sentence.

    Empty where nothing shows.
    """
    if _WATCHING.search(last_line):
        return f" It seems to be in a watch mode (“{last_line.strip()[-120:]}”); use a command that ends by itself."
    if _PROMPT.search(last_line.strip()):
        return f" It seems to wait for an answer (“{last_line.strip()[-120:]}”); use a command that asks nothing."
    return ""


def _last(output: str) -> str:
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no output")
