"""Languages by the endings of file names."""

from __future__ import annotations

from compile_loop.checks.honesty.languages import c_family, ecmascript, go, java, python, rust
from compile_loop.checks.honesty.survey import Language

LANGUAGES: tuple[Language, ...] = (
    c_family.C,
    c_family.CPP,
    rust.LANGUAGE,
    ecmascript.LANGUAGE,
    python.LANGUAGE,
    java.LANGUAGE,
    go.LANGUAGE,
)

_BY_ENDING = {ending: language for language in LANGUAGES for ending in language.grammars}


def language_of(path: str) -> Language | None:
    """The language of a file by its ending; None where no grammar is known."""
    return _BY_ENDING.get(_ending(path)) or _BY_ENDING.get(_ending(path).lower())


def grammar_of(path: str, language: Language) -> str:
    """The grammar for a file of that language."""
    ending = _ending(path)
    return language.grammars.get(ending) or language.grammars[ending.lower()]


def _ending(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return f".{name.rsplit('.', 1)[1]}" if "." in name else ""
