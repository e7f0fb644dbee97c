"""Problem matchers that VS Code or its usual extensions know by name, in our own words.

Their tools are read better than a matcher can; these are for names that a task's matcher is built upon, and for lines
that no reader takes.
"""

from __future__ import annotations

from collections.abc import Mapping

_GNU = r"^(.*?):(\d+):(?:(\d+):)?\s+(?:(?:fatal|internal compiler)\s+)?([Ee]rror|[Ww]arning|note|info):\s+(.*)$"

PATTERNS: Mapping[str, object] = {
    "gcc": {"regexp": _GNU, "file": 1, "line": 2, "column": 3, "severity": 4, "message": 5},
    "msCompile": {
        "regexp": (
            r"^(?:\s*\d+>)?\s*(\S.*?)\((\d+|\d+,\d+|\d+,\d+,\d+,\d+)\)\s*:"
            r"\s+(?:fatal\s+)?(error|warning|info)\s+([A-Z]+\d+)\s*:\s*(.*)$"
        ),
        "file": 1,
        "location": 2,
        "severity": 3,
        "code": 4,
        "message": 5,
    },
    "tsc": {
        "regexp": r"^(\S.*?)[(:](\d+)[,:](\d+)(?:\)?:|\s+-)\s+(error|warning|info)\s+TS(\d+)\s*:\s*(.*)$",
        "file": 1,
        "line": 2,
        "column": 3,
        "severity": 4,
        "code": 5,
        "message": 6,
    },
    "go": {
        "regexp": r"^(?:vet:\s+)?([^:]*?\.go):(\d+):(?:(\d+):)?\s+(.*)$",
        "file": 1,
        "line": 2,
        "column": 3,
        "message": 4,
    },
    "eslint-stylish": [
        {"regexp": r"^((?:[A-Za-z]:)?[./\\]?\S.*)$", "kind": "location", "file": 1},
        {
            "regexp": r"^\s+(\d+):(\d+)\s+(error|warning|info)\s+(.+?)(?:\s\s+(\S+))?$",
            "line": 1,
            "column": 2,
            "severity": 3,
            "message": 4,
            "code": 5,
            "loop": True,
        },
    ],
    "eslint-compact": {
        "regexp": r"^(.+):\s+line\s+(\d+),\s+col\s+(\d+),\s+(Error|Warning|Info)\s+-\s+(.+?)(?:\s+\(([^()]+)\))?$",
        "file": 1,
        "line": 2,
        "column": 3,
        "severity": 4,
        "message": 5,
        "code": 6,
    },
    "rustc": [
        {"regexp": r"^(warning|error|note)(?:\[([A-Z]\d+)\])?: (.*)$", "severity": 1, "code": 2, "message": 3},
        {"regexp": r"^\s*--> (.+):(\d+):(\d+)$", "file": 1, "line": 2, "column": 3},
    ],
    "jshint": {
        "regexp": r"^(.*):\s+line\s+(\d+),\s+col\s+(\d+),\s(.+?)(?:\s+\(([WE])(\d+)\))?$",
        "file": 1,
        "line": 2,
        "column": 3,
        "message": 4,
        "severity": 5,
        "code": 6,
    },
    "jshint-stylish": [
        {"regexp": r"^(\S.+)$", "file": 1},
        {
            "regexp": r"^\s+line\s+(\d+)\s+col\s+(\d+)\s+(.+?)(?:\s+\(([WE])(\d+)\))?$",
            "line": 1,
            "column": 2,
            "message": 3,
            "severity": 4,
            "code": 5,
            "loop": True,
        },
    ],
    "lessCompile": {
        "regexp": r"^\s*(.*) in file (.*) line no\. (\d+)$",
        "message": 1,
        "file": 2,
        "line": 3,
    },
    "python": [
        {"regexp": r'^\s*File "(.+)", line (\d+)(?:, in .*)?$', "file": 1, "line": 2},
        {"regexp": r"^\s+\S.*$"},
        {"regexp": r"^(\w*(?:Error|Exception|Warning): .*)$", "message": 1},
    ],
}


def _named(owner: str, pattern: str, **more: object) -> Mapping[str, object]:
    return {"owner": owner, "pattern": f"${pattern}", "fileLocation": ["autoDetect", "${workspaceFolder}"], **more}


MATCHERS: Mapping[str, Mapping[str, object]] = {
    "gcc": _named("cpp", "gcc", source="gcc"),
    "msCompile": _named("msCompile", "msCompile"),
    "tsc": _named("typescript", "tsc", source="ts"),
    "tsc-watch": _named("typescript", "tsc", source="ts"),
    "gulp-tsc": _named("typescript", "tsc", source="ts"),
    "go": _named("go", "go"),
    "eslint-stylish": _named("eslint", "eslint-stylish", source="eslint"),
    "eslint-compact": _named("eslint", "eslint-compact", source="eslint"),
    "rustc": _named("rustc", "rustc", source="rustc"),
    "rustc-watch": _named("rustc", "rustc", source="rustc"),
    "jshint": _named("jshint", "jshint", source="jshint"),
    "jshint-stylish": _named("jshint", "jshint-stylish", source="jshint"),
    "lessCompile": _named("lessCompile", "lessCompile", source="less"),
    "nvcc": _named("nvcc", "msCompile"),
    "python": _named("python", "python", source="python"),
}
