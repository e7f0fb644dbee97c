"""A test that fails because of the target is the target's failure, however its framework prints the place (SPEC Q1, Q4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import cli
from tests.loop.running import block, workspace
from tests.support.model_server import ModelServer, says

BROKEN = "int twice(int n)\n{\n    return n + 3;\n}\n"
REPAIR = block("    return n + 3;\n", "    return n * 2;\n")
HEAD = "#define AT __FILE__, __LINE__\n#include <assert.h>\n#include <stdio.h>\nint twice(int n);\nint main(void)\n{\n"
PRINTS = {
    "a compiler's shape": 'fprintf(stderr, "%s:%d: error: expected 4, got %d\\n", AT, twice(2));',
    "CppUTest": 'printf("%s:%d: error: Failure in TEST(G, Twice)\\n\\texpected <4>\\n\\tbut was  <%d>\\n", AT, twice(2));',
    "GoogleTest": 'printf("%s:%d: Failure\\nExpected equality of these values:\\n  4\\n  %d\\n", AT, twice(2));',
    "Catch2": 'printf("%s:%d: FAILED:\\n  CHECK( twice(2) == 4 )\\nwith expansion:\\n  %d == 4\\n\\n", AT, twice(2));',
    "Unity": 'printf("%s:%d:test_twice:FAIL: Expected 4 Was %d\\n", AT, twice(2));',
    "assert": "assert(twice(2) == 4);",
}


@pytest.mark.spec("Q1", "Q4")
@pytest.mark.parametrize("framework", PRINTS)
def test_the_model_is_asked_about_a_failing_test(tmp_path: Path, framework: str) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    test = (
        f"{HEAD}    if (twice(2) != 4) {{\n        {PRINTS[framework]}\n        return 1;\n    }}\n    return 0;\n}}\n"
    )
    workspace(root, lib_c=BROKEN, tests__test_lib_c=test)
    with ModelServer(says(REPAIR)) as server:
        line = (
            "--check",
            "gcc tests/test_lib.c lib.c -o run && ./run",
            "--model",
            "openai:m",
            "--base-url",
            server.base_url,
        )
        done = cli(root, "fix", "lib.c", *line, "--apply", "--json")
        [asked] = server.requests
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["ending"]) == (0, "green"), done.stdout + done.stderr
    assert "tests/test_lib.c:8" in asked.body.decode(), "the model is told where"
    assert (root / "lib.c").read_text() == BROKEN.replace("n + 3", "n * 2")
    assert (root / "tests/test_lib.c").read_text() == test
