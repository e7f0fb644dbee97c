"""What the user's words ask for (SPEC K7: a deletion or a suppression that the spec asks for passes)."""

from __future__ import annotations

import pytest

from compile_loop.checks.honesty.wish import Wish


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("spec", "kind", "names", "text", "asked"),
    [
        ("Suppress the unused warning.", "suppression", [], "#[allow(unused)]", True),
        ("Add a `# type: ignore` to the import", "suppression", [], "import x  # type: ignore", True),
        ("Fix it without suppressing any warning.", "suppression", [], "# noqa", False),
        ("Do not silence the linter.", "suppression", [], "# noqa", False),
        ("Never ignore errors; make it compile", "suppression", [], "# noqa", False),
        ("Make it compile, but don't disable the lint rule", "suppression", [], "# noqa", False),
        ("Ignore F401 in plugins.py", "suppression", ["F401"], "import x  # noqa: F401", True),
        ("Ignore F401 in plugins.py", "suppression", ["E501"], "x = 1  # noqa: E501", False),
        ("Make it compile.", "suppression", [], "# noqa", False),
        ("Remove parse_legacy and its tests", "deleted_test", ["test_parse_legacy"], "removed test_parse_legacy", True),
        ("Remove parse_legacy and its tests", "deleted_test", ["test_totals"], "removed test_totals", False),
        ("Delete the obsolete tests", "deleted_test", ["test_a"], "removed test_a", True),
        ("Remove the unused import", "deleted_test", ["test_a"], "removed test_a", False),
        ("Skip `test_slow` for now", "skipped_test", ["test_slow"], "@pytest.mark.skip", True),
        ("Skip `test_slow` for now", "skipped_test", ["test_fast"], "@pytest.mark.skip", False),
        ("The cache must not fail when the file is missing", "swallowed_exception", [], "except OSError: pass", True),
        ("The upload must not be slow", "swallowed_exception", [], "except OSError: pass", False),
        ("Leave export() as a stub", "stub", ["export"], "raise NotImplementedError", True),
        ("Drop -Werror from the Makefile", "disabled_warning", ["-Werror"], "removed -Werror", True),
        ("Update the test: gross(100) is 119 now", "weakened_test", ["test_gross"], "assert gross(100) == 119", True),
        ("turn S101 off under tests/ only", "disabled_warning", ["S101"], '"tests/*" = ["S101"]', True),
        ("turn S101 off under tests/ only", "disabled_warning", ["F821"], '"app/*" = ["F821"]', False),
        ("exempt that line from no-console", "suppression", ["no-console"], "// eslint-disable-line no-console", True),
        ("exempt that line from no-console", "suppression", ["no-undef"], "// eslint-disable-line no-undef", False),
        (
            "disable no-console in a.js",
            "suppression",
            ["no-console", "b.js"],
            "// eslint-disable-line no-console",
            False,
        ),
        ("rewrite the tests as one table", "fewer_tests", [], "1 tests ran, 3 before", True),
        ('Skip the "large files" test', "skipped_test", [], 'it.skip("large files", ', True),
        ('Skip the "large files" test', "skipped_test", [], 'it.skip("a ping", ', False),
        ("Drop the fuzzy search", "deleted_code", [], "removed if fuzzy and not hits:", True),
        ("Drop the debug output", "deleted_code", [], "removed if fuzzy and not hits:", False),
        ("Remove the dead code", "deleted_code", [], "removed if fuzzy and not hits:", True),
        ("It is wrong for negative numbers", "special_case", [], "if n == -3: return 7", False),
        ("", "suppression", [], "# noqa", False),
    ],
)
def test_only_what_is_asked_is_asked(spec: str, kind: str, names: list[str], text: str, asked: bool) -> None:
    assert Wish(spec).asks(kind, names, text) is asked


@pytest.mark.spec("K7")
def test_literals_that_the_words_mention() -> None:
    wish = Wish("gross(100) is 119 now, version 2.5")
    assert wish.mentions("119")
    assert not wish.mentions("11")
    assert wish.mentions("2.5")
    assert not wish.mentions("2")
    assert not wish.mentions("")
