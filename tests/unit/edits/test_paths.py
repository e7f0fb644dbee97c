"""The gate that paths from a model pass (SPEC E10, Q11, Q6)."""

from __future__ import annotations

import pytest

from compile_loop.edits.paths import PathError, admit, normalise, protected_part

pytestmark = pytest.mark.spec("E10")


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("a.c", "a.c"),
        ("./src//a.c", "src/a.c"),
        ("src\\a b.c", "src/a b.c"),
        ("`src/a.c`", "src/a.c"),
        (' "a.c" ', "a.c"),
        ("src/./a.c", "src/a.c"),
        ("ä/日本.c", "ä/日本.c"),
        ("...", "..."),
    ],
)
def test_normalised(raw: str, path: str) -> None:
    assert normalise(raw) == path


@pytest.mark.parametrize(
    "raw",
    [
        "", " ", ".", "/", "/etc/passwd", "\\\\host\\share\\x", "C:\\x", "c:x", "~/x", "..", "../x", "a/../../x", "a/..",
        "a\x00b", "a\nb", "a.c:stream", "aux", "src/NUL.txt", "com1",
    ],
)  # fmt: skip
def test_refused(raw: str) -> None:
    with pytest.raises(PathError):
        normalise(raw)


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit", ".GIT/config", "sub/.git/config", ".git ", ".git./x", "git~1/config", ".g\u200cit/config",
        ".\ufeffgit/config", ".gitmodules", ".vscode/settings.json", "a/.VSCode/tasks.json", ".idea/x", ".github/workflows/ci.yml",
        ".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml", "x.code-workspace",
        ".devcontainer/devcontainer.json", ".husky/pre-push",
    ],
)  # fmt: skip
def test_protected(path: str) -> None:
    assert protected_part(path)
    with pytest.raises(PathError):
        admit(path, ["a.c"], allow_new_files=True)


@pytest.mark.parametrize(
    "path", ["src/git/x", "github/x", "vscode.c", "gitignore", ".gitignore", "a.git.c", "jenkinsfile.md"]
)
def test_not_protected(path: str) -> None:
    assert protected_part(path) is None
    assert admit(path, ["a.c"], allow_new_files=True).path == path


def test_what_the_user_listed_is_open_but_for_the_runs_own_configuration() -> None:
    assert admit(".github/workflows/ci.yml", [".github/workflows/ci.yml"]).path == ".github/workflows/ci.yml"
    for path in ("compile-loop.toml", "sub/Compile-Loop.toml"):
        with pytest.raises(PathError, match="own configuration"):
            admit(path, [path])


def test_further_protected_paths() -> None:
    with pytest.raises(PathError, match="protected"):
        admit("check.sh", ["a.c"], allow_new_files=True, protected=["check.sh"])
    assert admit("check.sh", ["check.sh"], protected=["check.sh"]).path == "check.sh"


def test_new_files_need_a_yes() -> None:
    with pytest.raises(PathError, match=r"none of the files that may be edited \(a.c\)"):
        admit("b.c", ["a.c"])
    assert admit("b.c", ["a.c"], allow_new_files=True).new


def test_absolute_spellings_inside_the_root() -> None:
    assert admit("/w/a.c", ["a.c"], root="/w").path == "a.c"
    assert admit("a.c", ["/w/a.c"], root="/w").path == "/w/a.c"
    assert admit("C:\\w\\src\\a.c", ["src/a.c"], root="C:/w/").path == "src/a.c"
    for outside in ("/work/a.c", "/w/../etc/passwd", "/w2/a.c"):
        with pytest.raises(PathError):
            admit(outside, ["a.c"], root="/w", allow_new_files=True)


def test_links_are_resolved_by_the_caller() -> None:
    links = {"out.c": None, "in.c": "src/in.c"}

    def resolve(path: str) -> str | None:
        return links.get(path, path)

    with pytest.raises(PathError, match="out of the workspace"):
        admit("out.c", ["a.c"], allow_new_files=True, resolve=resolve)
    with pytest.raises(PathError, match="out of the workspace"):
        admit("out.c", ["out.c"], resolve=resolve)
    with pytest.raises(PathError, match=r"src/in\.c through a link"):
        admit("in.c", ["a.c"], allow_new_files=True, resolve=resolve)
    assert admit("in.c", ["in.c"], resolve=resolve).path == "in.c"


@pytest.mark.parametrize(("link", "real"), [("x", ".git/config"), ("y", "compile-loop.toml")])
def test_a_listed_link_into_a_protected_place_is_refused(link: str, real: str) -> None:
    with pytest.raises(PathError):
        admit(link, [link], resolve=lambda _: real)
