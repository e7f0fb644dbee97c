"""Protected files of a workspace, looked at before and after, byte for byte, additions too (SPEC K6, Q16)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

from compile_loop.checks.contract_file import NAME
from compile_loop.checks.expectations import SOURCE, Doubt, Expectations
from compile_loop.checks.gone_by import DecidingTexts, GoneBy
from compile_loop.checks.headers import Headers
from compile_loop.checks.hidden_folders import HiddenFolders
from compile_loop.checks.led_to import LedTo
from compile_loop.checks.protected import is_found_by_name, is_protected, is_taken_by_itself
from compile_loop.checks.same_names import SameNames
from compile_loop.checks.test_data import TestData
from compile_loop.checks.tools_make import ToolsMake, is_generated
from compile_loop.checks.version_control import VersionControl
from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.honesty import Finding
from compile_loop.contracts.protected import AS_THE_USERS, Broken, FileMark, Marks
from compile_loop.contracts.protocols import Shadow
from compile_loop.edits.paths import protected_part

_PROGRAMS: tuple[bytes, ...] = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm", b"!<arch>")

_PREREQUISITES = re.compile(r"\.(?:d|dep|depend|Po|Plo)$")
"""What compilers write for make to include: a build with no fault in it makes them anew."""


class WorkspaceProtection:
    """Files below `root` that decide about green.

    By their names, by `listed` patterns, since a check runs them, or since it or a test compares with them.
    """

    def __init__(
        self,
        root: Path,
        listed: Iterable[str],
        scripts: frozenset[str],
        expected: Expectations | None = None,
        led: LedTo | None = None,
        checks: Sequence[Check] = (),
        hidden: HiddenFolders | None = None,
    ) -> None:
        self._root = root
        self._expected = expected or Expectations()
        self._led = led or LedTo()
        self._doubt = Doubt(root, {*scripts, *self._expected.programs})
        self._test_data = TestData(root, self._doubt)
        self._listed = GitIgnoreSpec.from_lines(listed)
        self._scripts = scripts
        self._version_control = VersionControl(root)
        self._headers = Headers(root)
        self._same_names = SameNames(root)
        self._hidden = hidden or HiddenFolders()
        self._tools = ToolsMake(root, self._version_control)
        self._gone_by = GoneBy(root, DecidingTexts(root, checks, self._led, self._expected.programs))

    def decides(self, path: str) -> bool:
        """Whether a workspace-relative path names a file that decides about green."""
        if self._named(path) or path in self._expected.certain or path in self._expected.programs:
            return True
        if path in self._expected.produced and not SOURCE.search(path):
            return False
        if path.startswith(".git/") or self._tools.makes(path):
            return False
        if is_protected(path) or protected_part(path) is not None:
            return True
        if path in self._led.helpers:
            return True
        if path in self._led.files and not _PREREQUISITES.search(path):
            return True
        return self._expects(path) or self._test_data.has(path)

    def _expects(self, path: str) -> bool:
        return path in self._expected.unsure and self._doubt.is_expectation(path)

    def holds_against(self, path: str) -> bool:
        """Whether a workspace-relative path names a helper of tests, which holds the code against what is right."""
        return path in self._led.helpers

    def addition(self, path: str, apart: Collection[str]) -> tuple[str, bool] | None:
        """Why a new file of an edit decides about green, and whether that is certain.

        `apart` are all files that the edit adds or removes.
        """
        if self._named(path) or is_protected(path) or protected_part(path) is not None:
            return "a new file", True
        if (sure := self._led.awaits(path)) is not None:
            return "a new file that the check or its configuration takes in", sure
        if self.decides(path):
            return "a new file", True
        if (sure := self._hidden.take_in(path)) is not None:
            return "a new file in a folder of hidden checks", sure
        if (other := self._headers.instead_of(path, apart)) is not None:
            return f"a new file that may be included instead of {other}", False
        other = self._same_names.instead_of(path, apart)
        return None if other is None else (f"a new file that may be taken instead of {other}", False)

    def doubt(self, change: FileChange, failures: Sequence[Diagnostic]) -> Finding | None:
        """What is doubtful about one file of an edit: the check goes by it, and none of the failures asked for it."""
        return self._gone_by.doubt(change, failures)

    async def look(self, shadow: Shadow) -> Marks:
        """Those files as they are now in the shadow. Raises `ShadowError`."""
        return await shadow.marks(lambda path: self.decides(path) or self._is_own_product(path))

    def broken(self, before: Marks, after: Marks) -> list[Broken]:
        """What became different, where that can matter: what tools make, and what is ignored, cannot."""
        found = []
        for path in filter(self.decides, sorted(before.keys() | after.keys())):
            was, now = before.get(path, AS_THE_USERS), after.get(path, AS_THE_USERS)
            if was.digest != now.digest and (how := self._how(path, was, now)) is not None:
                found.append(
                    Broken(path, f"{path} decides whether the code is right, and was {how} while the check ran")
                )
        return found

    def rewritten(self, before: Marks, after: Marks) -> list[Broken]:
        """What was written, or only touched, and has the same bytes again."""
        found = []
        for path, now in sorted(after.items()):
            was = before.get(path, AS_THE_USERS)
            if (
                self.decides(path)
                and was.digest == now.digest
                and now.digest is not None
                and was.trace != now.trace
                and self._matters(path, now)
            ):
                found.append(
                    Broken(
                        path,
                        f"{path} decides whether the code is right, and was written while the check ran; it has the same "
                        "bytes again. See whether the code did that, or one of the check's own tools",
                    )
                )
        return found

    def remade(self, before: Marks, after: Marks) -> list[str]:
        """Files with a protected name that a check's own script says it writes, and that became different."""
        return [
            path
            for path in sorted(before.keys() | after.keys())
            if self._is_own_product(path)
            and (was := before.get(path, AS_THE_USERS)).digest != (now := after.get(path, AS_THE_USERS)).digest
            and self._how(path, was, now) is not None
        ]

    def _is_own_product(self, path: str) -> bool:
        return path in self._expected.produced and is_protected(path) and not self.decides(path)

    def passing(self, arrived: Collection[str], after: Marks) -> list[Broken]:
        """Files that came while a check ran, that a tool takes into account by their names, and that are gone again."""
        return [
            Broken(
                path,
                f"{path} decides whether the code is right, was there for a while when the check ran, and is gone again. See "
                "whether the code did that, or one of the check's own tools",
            )
            for path in sorted(arrived)
            if is_taken_by_itself(path) and not self._tools.makes(path) and not self._is_there(path, after)
        ]

    def _is_there(self, path: str, after: Marks) -> bool:
        """Whether a file is there now, or was before."""
        there = path in after and after[path].digest is not None
        return (
            there
            or (self._root / path).exists()
            or path in self._expected.produced
            or self._version_control.leaves_out(path)
        )

    def _how(self, path: str, was: FileMark, now: FileMark) -> str | None:
        existed = (self._root / path).is_file() if was.digest == AS_THE_USERS.digest else was.digest is not None
        exists = now.digest is not None
        if not existed and not exists:
            return None
        if not self._matters(path, now):
            return None
        if existed:
            return "changed" if exists else "removed"
        # Output of a test run beside the tests decides nothing; what a tool finds by its name does.
        made_anew = not (self._root / path).parent.is_dir()
        generated = is_generated(now.head) or path.endswith("compile_commands.json")
        return "added" if self._named(path) or (is_found_by_name(path) and not made_anew and not generated) else None

    def _matters(self, path: str, now: FileMark) -> bool:
        return self._named(path) or not (self._version_control.leaves_out(path) or now.head.startswith(_PROGRAMS))

    def _named(self, path: str) -> bool:
        return path == NAME or path in self._scripts or self._listed.match_file(path)
