"""The language's name by a file's ending, for prompts (SPEC C4)."""

from __future__ import annotations

_BY_ENDING = {
    "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "cxx": "C++", "hh": "C++", "hpp": "C++", "rs": "Rust", "go": "Go",
    "ts": "TypeScript", "tsx": "TypeScript", "js": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript", "jsx": "JavaScript",
    "py": "Python", "pyi": "Python", "java": "Java", "kt": "Kotlin", "hs": "Haskell", "php": "PHP", "rb": "Ruby", "pl": "Perl",
    "sh": "shell", "bash": "shell", "zig": "Zig", "swift": "Swift", "lua": "Lua", "cs": "C#",
}  # fmt: skip


def language_of(path: str) -> str:
    """The language's usual name, or an empty string."""
    return _BY_ENDING.get(path.rpartition(".")[2].lower(), "")
