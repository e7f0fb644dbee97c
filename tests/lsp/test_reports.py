"""Which test proves what users reported about editors, their trust and their processes, one case a line (areas E, G, H)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lsprotocol import types

from compile_loop.lsp.documents import SafeWorkspace

TESTS = Path(__file__).parents[1]
MANIFEST = json.loads((TESTS.parent / "package.json").read_text("utf-8"))
REPORTS = {
    "E03 a keystroke between the check of the version and the edit": [
        "lsp/test_accept.py: test_a_keystroke_between_edit_and_application_is_noticed",
        "lsp/test_accept.py: test_typing_at_random_during_runs_and_applies_loses_no_keystroke",
    ],
    "E04 saved right after, or two edits at once": [
        "lsp/test_accept.py: test_one_edit_is_in_flight_at_a_time",
        "lsp/test_palette.py: test_files_are_saved_only_once_the_text_is_as_it_was_meant",
    ],
    "E05 versions that get lost": ["lsp/test_accept.py: test_the_version_is_that_of_the_text_that_was_compared"],
    "E08 the build reads the disk, the edit lies in the buffer": [
        "lsp/test_run.py: test_the_check_sees_every_unsaved_buffer",
        "vscode/journeys/fix-file.test.ts: one undo",
    ],
    "E09 the first folder taken for every file": [
        "lsp/test_parts.py: test_the_folder_is_that_of_the_file",
        "lsp/test_run.py: test_settings_are_asked_for_the_files_own_folder",
        "vscode/journeys/two-folders.test.ts: with the same file name in both",
    ],
    "E10 paths of another host": ["lsp/test_reports.py: test_the_extension_runs_where_the_files_are"],
    "E11 documents of other schemes": [
        "lsp/test_run.py: test_virtual_documents_are_refused",
        "lsp/test_reports.py: test_the_extension_runs_where_the_files_are",
    ],
    "E12 files taken by their base name": ["lsp/test_reports.py: test_a_file_is_known_by_its_whole_path"],
    "E13 a notebook as text": ["lsp/test_parts.py: test_what_is_no_file_is_refused_with_a_reason"],
    "G04 the list of restricted settings": [
        "lsp/test_manifest.py: test_no_folder_names_a_program_an_address_or_a_secret"
    ],
    "G05 a restricted setting that slips through": [
        "lsp/test_run.py: test_an_untrusted_workspace_runs_nothing_until_it_is_trusted",
        "lsp/test_palette.py: test_nothing_runs_in_an_untrusted_folder_and_the_way_out_is_offered",
        "vscode/journeys/trust.test.ts: nothing of the folder runs until it is trusted",
    ],
    "G07 words in a file that ask for other files": [
        "loop/test_trouble.py: test_words_of_the_compiler_or_of_a_file_widen_nothing",
        "unit/edits/test_paths.py: test_protected",
    ],
    "G08 a path in another spelling": [
        "unit/edits/test_paths.py: test_protected",
        "unit/edits/test_paths.py: test_a_listed_link_into_a_protected_place_is_refused",
    ],
    "G09 a command that a model chose": [
        "loop/test_trouble.py: test_words_of_the_compiler_or_of_a_file_widen_nothing",
        "mcp/test_tool.py: test_the_start_can_fix_the_check_for_every_caller",
        "vscode/journeys/agents.test.ts: VS Code asks with our words, since the tool runs a command",
    ],
    "G10 a key in a log": [
        "loop/test_record.py: test_no_secret_is_in_any_file_of_a_record",
        "lsp/test_rpc.py: test_messages_are_not_logged",
        "lsp/test_palette.py: test_a_refused_key_is_asked_for_and_the_run_goes_on",
        "vscode/journeys/dialogs.test.ts: the key is in the log",
    ],
    "G11 keys in the environment of a check": [
        "unit/checks/test_contract_rules.py: test_a_check_gets_the_users_environment_without_model_keys",
        "loop/test_hostile_checks.py: test_no_check_finds_a_model_key_in_any_process",
    ],
    "G12 secrets in the prompt": [
        "loop/test_asking.py: test_what_may_not_be_read_is_refused_with_the_reason",
        "loop/test_targets.py: test_what_decides_or_lies_outside_is_not_opened_by_naming_it",
    ],
    "G13 instructions that are hidden in a file": [
        "unit/conversation/test_prompts.py: test_the_smallest_change_is_asked_for_and_what_a_file_says_is_data",
        "loop/test_trouble.py: test_words_of_the_compiler_or_of_a_file_widen_nothing",
    ],
    "H01 another library in the user's own Python": [
        "lsp/test_stop.py: test_a_missing_library_is_one_readable_line",
        "vscode/journeys/offline.test.ts: an old one",
    ],
    "H02 a Python that is too old": [
        "unit/extension/test_private_environment.py: test_a_python_that_is_too_old_says_so_in_a_sentence",
        "vscode/journeys/no-server.test.ts: is too old",
    ],
    "H04 other words on standard output": ["lsp/test_stop.py: test_nothing_but_the_protocol_reaches_the_client"],
    "H05 progress that never ends": [
        "lsp/test_stop.py: test_quick_starts_and_stops_leave_no_progress_behind",
        "vscode/journeys/crash.test.ts: a server killed in the middle",
    ],
    "H08 a copy of everything": ["loop/test_run.py: test_the_home_folder_and_the_root_are_never_copied"],
    "H09 the user's own repository": [
        "unit/shadow/test_repositories.py: test_a_nested_repository",
        "unit/shadow/test_repositories.py: test_a_submodule",
    ],
    "H10 server and client of different versions, damaged files": [
        "vscode/journeys/no-server.test.ts: has version 9",
        "unit/extension/test_private_environment.py: test_a_damaged_file_is_noticed_and_the_environment_made_again",
        "vscode/journeys/offline.test.ts: A file of it is damaged",
    ],
    "H11 work while the editor starts": ["lsp/test_reports.py: test_starting_looks_through_no_files"],
}


@pytest.mark.parametrize("report", REPORTS)
def test_every_report_has_its_tests(report: str) -> None:
    for named in REPORTS[report]:
        place, _, name = named.partition(": ")
        words = f"def {name}(" if place.endswith(".py") else name
        assert words in (TESTS / place).read_text("utf-8"), named


@pytest.mark.spec("V8")
def test_the_extension_runs_where_the_files_are() -> None:
    assert MANIFEST["extensionKind"] == ["workspace"]
    virtual = MANIFEST["capabilities"]["virtualWorkspaces"]
    assert virtual["supported"] is False and "files on a disk" in virtual["description"]


def test_a_file_is_known_by_its_whole_path(tmp_path: Path) -> None:
    """Two files of one name: neither stands for the other."""
    workspace = SafeWorkspace(None)
    for folder in ("lib", "src"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "index.c"
        path.write_text("")
        item = types.TextDocumentItem(path.as_uri(), "c", 1, f"int {folder};")
        workspace.put_text_document(item)
    found = workspace.open_document(tmp_path / "lib" / "index.c")
    assert found is not None and found.source == "int lib;"
    assert workspace.open_document(tmp_path / "index.c") is None


def test_starting_looks_through_no_files() -> None:
    """The client asks for no file while VS Code starts, and waits for nothing (SPEC V10)."""
    sources = {path.name: path.read_text("utf-8") for path in (TESTS.parent / "extension" / "src").glob("*.ts")}
    for name, text in sources.items():
        assert "findFiles" not in text and "Sync(" not in text, name
    assert "await" not in sources["extension.ts"].partition("export function activate")[2].partition("\n}\n")[0]
    assert MANIFEST["activationEvents"] == ["onStartupFinished"]


@pytest.mark.spec("V1")
def test_the_language_clients_library_is_loaded_after_activation() -> None:
    """It is most of the code, in a bundle of its own that only `import()` brings in; all else takes its types alone."""
    sources = {path.name: path.read_text("utf-8") for path in (TESTS.parent / "extension" / "src").glob("*.ts")}
    del sources["library.ts"]
    for name, text in sources.items():
        values = re.findall(
            r'^import (?!type )[^;]*"(?:vscode-languageclient/node|\./library\.js)"', text, re.MULTILINE
        )
        assert not values, f"{name}: {values}"
    build = json.loads((TESTS.parent / "package.json").read_text("utf-8"))["scripts"]["build"]
    assert "extension/src/library.ts" in build and "--external:./library.js" in build


@pytest.mark.spec("V10")
def test_the_client_is_thin() -> None:
    folder = TESTS.parent / "extension" / "src"
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in folder.glob("*.ts")}
    generated = lines.pop("protocol.ts")
    assert generated and sum(lines.values()) <= 900, lines
