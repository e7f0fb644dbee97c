"""Contracts, expectations, environments: what is refused, hidden, or called suspicious."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import fix, workspace

from compile_loop.checks.child_environment import child_environment
from compile_loop.checks.expectation import suspicious, unmet
from compile_loop.checks.process_tree import MARK
from compile_loop.checks.protected import is_protected
from compile_loop.checks.tool_trouble import stuck, trouble
from compile_loop.checks.validate import ContractError, validate
from compile_loop.contracts.checks import Check, Expectation
from compile_loop.contracts.events import CheckFinished


@pytest.mark.spec("K1")
@pytest.mark.parametrize(
    ("checks", "words"),
    [
        ([], "There is no check"),
        ([Check("a", "  ")], "is empty"),
        ([Check("a", ())], "is empty"),
        ([Check("gcc a.c\0 -c", "gcc a.c\0 -c")], "“gcc a.c\ufffd -c” holds a character that no command can have"),
        ([Check("a", ("gcc", "\ud800"))], "holds a character that no command can have"),
        ([Check("a", "make"), Check("a", "make test")], "given twice"),
        ([Check("a", "make"), Check("b", "make")], "given twice"),
        ([Check("a", "make", expect=Expectation(exit_zero=False))], "asserts nothing"),
        ([Check("a", "gcc --version")], "only prints a version"),
        ([Check("a", ("node", "-v"))], "only prints a version"),
    ],
)
def test_a_contract_that_cannot_tell_red_from_green_is_refused_with_the_reason(checks: list[Check], words: str) -> None:
    with pytest.raises(ContractError, match=words):
        validate(checks)


@pytest.mark.spec("K1")
@pytest.mark.parametrize("command", ["make", "pytest -v", "make -C sub", "make\ttest", "echo --version && make"])
def test_real_checks_are_accepted(command: str) -> None:
    validate([Check("a", command), Check("b", command, cwd="sub")])


@pytest.mark.spec("K1")
@pytest.mark.parametrize(
    ("expect", "code", "out", "reason"),
    [
        (Expectation(), 0, "", None),
        (Expectation(), 2, "", "exit code 2"),
        (Expectation(output_contains=("done",)), 0, "all done", None),
        (Expectation(output_contains=("done",)), 0, "nothing", "the output does not contain “done”"),
        (Expectation(exit_zero=False, output_contains=("ok",)), 3, "ok", None),
        (Expectation(json_equals={"/tests/0/ok": True}), 0, '{"tests": [{"ok": true}]}', None),
        (Expectation(json_equals={"/a~1b": 1}), 0, '{"a/b": 2}', "“/a~1b” is 2, not 1"),
        (Expectation(json_equals={"/x": 1}), 0, "no json", "the output is no JSON with a value at “/x”"),
    ],
)
def test_expectations(expect: Expectation, code: int, out: str, reason: str | None) -> None:
    assert unmet(expect, code, out, "") == reason


@pytest.mark.spec("Z1", "K3")
def test_a_check_gets_the_users_environment_without_model_keys() -> None:
    ours = {
        "PATH": "/bin", "VIRTUAL_ENV": "/venv", "MY_TOKEN": "theirs", "OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "sk-2",
        "COMPILE_LOOP_API_KEY": "sk-3", "COMPANY_LLM": "sk-4", "HF_TOKEN": "hf-1", "DATABASE_URL": "db",
    }  # fmt: skip
    env = child_environment(ours, ["COMPANY_LLM"], {"EXTRA": "1"})
    assert not [value for value in env.values() if value.startswith(("sk-", "hf-"))]
    assert (env["PATH"], env["VIRTUAL_ENV"], env["MY_TOKEN"], env["DATABASE_URL"]) == ("/bin", "/venv", "theirs", "db")
    assert (env["CI"], env["NO_COLOR"], env["PAGER"], env["EXTRA"]) == ("1", "1", "cat", "1")


@pytest.mark.spec("Z1", "K3")
@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_AUTH_TOKEN",
        "GOOGLE_API_KEY",
        "OPENAI_ADMIN_KEY",
        "CLAUDE_API_KEY",
        "AWS_BEARER_TOKEN_BEDROCK",
        "CODESTRAL_API_KEY",
        "OPENAI_API_KEY_BACKUP",
        "OPENAI_API_KEY_2",
        "openai_api_key",
        "MY_OPENAI_KEY",
        "AZURE_OPENAI_API_KEY",
        "AZURE_API_KEY",
        "GEMINI_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "GROQ_API_KEY",
        "OPENROUTER_API_KEY",
        "DEEPSEEK_API_KEY",
        "XAI_API_KEY",
        "TOGETHER_API_KEY",
        "FIREWORKS_API_KEY",
        "COHERE_API_KEY",
        "CO_API_KEY",
        "PERPLEXITY_API_KEY",
        "HUGGING_FACE_HUB_TOKEN",
        "HUGGINGFACEHUB_API_TOKEN",
        "HF_TOKEN",
        "OLLAMA_API_KEY",
        "CEREBRAS_API_KEY",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "MISTRAL_APIKEY",
        "LITELLM_MASTER_KEY",
        "OPENAI_PASSWORD",
        "GENAI_SECRET",
    ],
)
def test_a_models_key_is_known_by_a_providers_word_and_a_secrets(name: str) -> None:
    assert child_environment({name: "x"}, [], {}).get(name) is None


@pytest.mark.spec("K3")
@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "NPM_TOKEN",
        "CARGO_REGISTRY_TOKEN",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "TWINE_PASSWORD",
        "NUGET_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_MAPS_API_KEY",
        "AZURE_CLIENT_SECRET",
        "DOCKER_PASSWORD",
        "OPENAI_BASE_URL",
        "OLLAMA_HOST",
        "HF_HOME",
        "CLAUDE_CONFIG_DIR",
        "GPG_KEY",
        "KEYBOARD",
        "TOKENIZERS_PARALLELISM",
        "SSH_AUTH_SOCK",
    ],
)
def test_what_builds_need_stays(name: str) -> None:
    assert child_environment({name: "x"}, [], {})[name] == "x"


@pytest.mark.spec("Z1", "R1")
async def test_a_builds_secret_that_a_check_prints_reaches_neither_prompt_nor_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NPM_TOKEN", "zebra-stripes-1")
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "quagga-quagga-2")
    root = tmp_path / "ws"
    workspace(root, a_c="int x;\n")
    check = 'echo "a.c:1:1: error: $NPM_TOKEN"; env; exit 1'
    told = await fix(root, ["no edit"], targets=["a.c"], checks=(check,), settings={"max_rounds": 1, "record": True})
    assert told.asked and "error: [redacted]" in repr(told.model.requests)
    said = repr(told.model.requests) + repr(told.events)
    written = [path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert any(b"NPM_TOKEN=[redacted]" in data for data in written)
    for secret in ("zebra-stripes-1", "quagga-quagga-2"):
        assert secret not in said and not any(secret.encode() in data for data in written)


@pytest.mark.spec("Z1")
async def test_the_key_of_a_live_environment_never_reaches_a_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-user")
    workspace(tmp_path, a_c="int x;\n")
    told = await fix(tmp_path, ["no edit"], targets=["a.c"], checks=("env; exit 1",), settings={"max_rounds": 1})
    output = told.of(CheckFinished)[0].result.stdout
    assert "PATH=" in output and MARK in output
    assert "sk-secret-of-the-user" not in repr(told.events)


@pytest.mark.spec("Q9")
def test_green_that_looks_wrong_is_called_suspicious() -> None:
    assert "3 errors were printed" in suspicious("", "", 3)[0]
    assert suspicious("collected 0 items\n\n=== no tests ran in 0.01s ===\n", "", 0) == ("it ran no tests",)
    assert suspicious("running 0 tests\n\nrunning 4 tests\n", "", 0) == ()
    assert suspicious("3 passed in 0.1s", "", 0) == ()


@pytest.mark.spec("Q7")
@pytest.mark.parametrize(
    ("code", "stderr", "has_errors", "words"),
    [
        (127, "sh: 1: cargo: not found\n", False, "“cargo” was not found"),
        (127, "bash: line 1: tsc: command not found\n", False, "“tsc” was not found"),
        (126, "sh: 1: ./build.sh: Permission denied\n", False, "“./build.sh” may not be executed"),
        (1, "curl: (6) Could not resolve host: example.org\n", False, "the network could not be reached"),
        (1, "Error: EROFS: read-only file system, mkdir '/srv/build'\n", False, "writableFolders"),
        (1, "rename 'dist' -> 'old': Invalid cross-device link\n", False, "set isolation to clone or copy"),
        (1, "a.c:1:10: fatal error: zlib.h: No such file or directory\n", True, None),
        (1, "error: cannot find module './x'\n", False, None),
        (1, "test asserts 'No space left on device'\n", True, None),
    ],
)
def test_environment_is_only_what_the_tool_itself_could_not_do(
    code: int, stderr: str, has_errors: bool, words: str | None
) -> None:
    found = trouble(code, "", stderr, has_errors)
    assert (found is None) if words is None else (found is not None and words in found)


@pytest.mark.spec("K3")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Found 0 errors. Watching for file changes.", "watch mode"),
        ("press h + enter to show help", "watch mode"),
        ("Overwrite existing file? [y/N] ", "wait for an answer"),
        ("Password:", "wait for an answer"),
        ("Compiling 3 of 9", ""),
    ],
)
def test_watch_modes_and_prompts_are_named(line: str, words: str) -> None:
    assert words in stuck(line) and bool(stuck(line)) == bool(words)


@pytest.mark.spec("K6")
@pytest.mark.parametrize(
    ("path", "protected"),
    [
        ("tests/test_a.py", True), ("src/a.test.ts", True), ("pkg/a_test.go", True), ("src/AppTest.java", True),
        ("Makefile", True), ("sub/Cargo.toml", True), (".github/workflows/x.yml", False), ("ci/build.yml", True),
        ("src/main.c", False), ("src/latest.ts", False), ("contest.py", False), ("src/testing.rs", False),
    ],
)  # fmt: skip
def test_protected_files_are_known_by_their_names(path: str, protected: bool) -> None:
    assert is_protected(path) == protected
