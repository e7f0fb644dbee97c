"""Files that decide whether the code is right, by their names (SPEC K6).

Tests, fixtures, build, lint and CI configuration.
"""

from __future__ import annotations

import re

_FOLDERS = re.compile(r"(?:^|/)(?:tests?|__tests__|spec|specs|fixtures|testdata|__snapshots__|ci|\.ci)/", re.IGNORECASE)
_TEST_FILES = re.compile(
    r"(?:^|/)(?:test_[^/]*|[^/]*_test|[^/]*[.-](?:test|spec)|conftest|[^/]*Tests?|[^/]*_spec)\.[A-Za-z]+$"
)
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:Makefile|GNUmakefile|makefile|[^/]*\.mk|CMakeLists\.txt|[^/]*\.cmake|build\.ninja|Cargo\.(?:toml|lock)|build\.rs|"
    r"package(?:-lock)?\.json|tsconfig[^/]*\.json|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|pytest\.ini|mypy\.ini|ruff\.toml|"
    r"pom\.xml|[^/]*\.gradle(?:\.kts)?|go\.(?:mod|sum)|[^/]*eslint[^/]*|biome\.json|Dockerfile|Jenkinsfile|compile-loop\.toml|"
    r"[^/]*\.sh)$"
)


def is_protected(path: str) -> bool:
    """Whether a workspace-relative path names something that decides about green."""
    return any(pattern.search(path) for pattern in (_FOLDERS, _TEST_FILES, _CONFIGURATION))
