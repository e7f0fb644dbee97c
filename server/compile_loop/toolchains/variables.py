"""The variables of VS Code's settings and tasks: `${workspaceFolder}` and its relatives."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_VARIABLE = re.compile(r"\$\{(?P<name>[^{}:]+)(?::(?P<argument>[^{}]*))?\}")
_ONLY_THE_EDITOR = {
    "input": "asks somebody for",
    "command": "runs a command of the editor for",
}


@dataclass(frozen=True, slots=True)
class Variables:
    """What variables stand for. Paths are absolute with forward slashes; `file` is the file in question, if there is one.

    `folders` are the workspace's folders by name, for `${workspaceFolder:name}`. `config` are settings by their full name.
    `answers` are those to `${input:id}`, by id.
    """

    root: str
    file: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, object] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    home: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, text: str) -> str:
        """`text` with its variables replaced, once: a value is never searched for others.

        Raises `ValueError` with a sentence for a variable that has no value here.
        """
        return _VARIABLE.sub(self._value, text)

    def relative(self, path: str) -> str:
        """A directory as checks name it: relative to the root. Raises `ValueError` for one outside."""
        full = posixpath.normpath(posixpath.join(self.root, path.replace("\\", "/")))
        if full != self.root and not full.startswith(self.root.rstrip("/") + "/"):
            raise ValueError(f"its folder {path} lies outside the workspace.")
        return posixpath.relpath(full, self.root)

    def _value(self, found: re.Match[str]) -> str:
        name, argument = found["name"], found["argument"]
        if name == "input" and argument in self.answers:
            return self.answers[argument]
        if name in _ONLY_THE_EDITOR:
            raise ValueError(f"it {_ONLY_THE_EDITOR[name]} {found[0]}.")
        if argument is not None:
            return self._with_argument(name, argument, found[0])
        plain = {
            "workspaceFolder": self.root,
            "workspaceRoot": self.root,
            "workspaceFolderBasename": posixpath.basename(self.root),
            "cwd": self.root,
            "pathSeparator": "/",
            "/": "/",
            "userHome": self.home,
            **self._of_file(),
        }
        if name not in plain or (name == "userHome" and not self.home):
            what = "no file is open" if name.startswith(("file", "relativeFile")) else "it has no value here"
            raise ValueError(f"{found[0]} cannot be replaced: {what}.")
        return plain[name]

    def _with_argument(self, name: str, argument: str, whole: str) -> str:
        if name == "env":
            return self.environment.get(argument, "")
        if name == "config":
            value = self.config.get(argument)
            if not isinstance(value, (str, int, float, bool)):
                raise ValueError(f"{whole} cannot be replaced: there is no such setting with a plain value.")
            return str(value).lower() if isinstance(value, bool) else str(value)
        if name in ("workspaceFolder", "workspaceRoot") and argument in self.folders:
            return self.folders[argument]
        raise ValueError(f"{whole} cannot be replaced: it has no value here.")

    def _of_file(self) -> dict[str, str]:
        if self.file is None:
            return {}
        folder, name = posixpath.split(self.file)
        stem, ending = posixpath.splitext(name)
        relative = posixpath.relpath(self.file, self.root)
        return {
            "file": self.file,
            "fileWorkspaceFolder": self.root,
            "relativeFile": relative,
            "relativeFileDirname": posixpath.dirname(relative) or ".",
            "fileBasename": name,
            "fileBasenameNoExtension": stem,
            "fileDirname": folder,
            "fileDirnameBasename": posixpath.basename(folder),
            "fileExtname": ending,
        }
