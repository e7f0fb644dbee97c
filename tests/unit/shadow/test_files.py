"""What the host reads and writes in a shadow, and that the user's tree stays as it was (SPEC W1, Q13)."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from compile_loop.contracts.protocols import ShadowError

from .conftest import Workspace, everything, run


@pytest.mark.spec("W1")
async def test_what_is_written_stays_in_the_shadow(workspace: Workspace) -> None:
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await shadow.write("a.c", b"int changed;\n")
    await shadow.write("new/deep/file.c", b"int n;\n")
    await shadow.write("sub/b.h", None)
    done = await run(shadow, "cat a.c new/deep/file.c; ls sub; echo built > out.o; rm -r sub; mkdir sub; touch sub/c.h")
    assert done.stdout == "int changed;\nint n;\n"
    assert await shadow.read("out.o") == b"built\n"
    assert await shadow.read("sub/b.h") is None
    assert everything(workspace.root) == before


@pytest.mark.spec("L2", "Q13")
async def test_a_renewed_shadow_holds_only_the_changes(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    await shadow.write("a.c", b"first try\n")
    await run(shadow, "echo left > left.o; rm sub/b.h")
    await shadow.renew({"a.c": b"the edit\n", "gone.c": None})
    done = await run(shadow, "cat a.c sub/b.h; ls")
    assert done.stdout == "the edit\nint b;\na.c\nsub\n"


@pytest.mark.spec("W1")
async def test_unsaved_buffers_and_untracked_files_are_there(workspace: Workspace) -> None:
    workspace.file("untracked.txt", "here\n")
    shadow = await workspace.opened({"a.c": b"typed\n", "unsaved.c": b"new\n"})
    done = await run(shadow, "cat a.c unsaved.c untracked.txt")
    assert done.stdout == "typed\nnew\nhere\n"
    assert (workspace.root / "a.c").read_text() == "int a;\n"


@pytest.mark.spec("W1")
async def test_a_buffer_without_a_difference_makes_nothing_newer(workspace: Workspace) -> None:
    os.utime(workspace.root / "a.c", (1_000_000, 1_000_000))
    shadow = await workspace.opened({"a.c": b"int a;\n"})
    await shadow.write("a.c", b"int a;\n")
    assert (await run(shadow, "stat -c %Y a.c")).stdout == "1000000\n"


@pytest.mark.spec("Q13")
async def test_a_save_in_the_user_s_tree_does_not_reach_a_file_that_was_read(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    assert await shadow.read("a.c") == b"int a;\n"
    assert not shadow.changed_underneath()
    (workspace.root / "a.c").write_text("saved meanwhile\n")
    assert (await run(shadow, "cat a.c")).stdout == "int a;\n"
    assert await shadow.read("a.c") == b"int a;\n"
    assert list(shadow.changed_underneath()) == ["a.c"]
    await shadow.renew({})
    assert (await run(shadow, "cat a.c")).stdout == "saved meanwhile\n"


@pytest.mark.spec("Q13")
async def test_saving_a_buffer_is_no_change_but_saving_a_newer_text_is(workspace: Workspace) -> None:
    shadow = await workspace.opened({"a.c": b"typed\n"})
    (workspace.root / "a.c").write_text("typed\n")
    assert not shadow.changed_underneath()
    (workspace.root / "a.c").write_text("typed on and saved\n")
    assert list(shadow.changed_underneath()) == ["a.c"]
    await shadow.renew({})
    assert (await run(shadow, "cat a.c")).stdout == "typed on and saved\n"


@pytest.mark.spec("W1")
@pytest.mark.parametrize(
    "name", ["line\nend.c", "späce ünd 名前.c", 'a:b,c\\d"e.c', b"caf\xe9.c", "-rf", "$(touch x)", "a'b"]
)
async def test_any_name_will_do(workspace: Workspace, name: str | bytes) -> None:
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    workspace.file(name, "old\n")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    assert await shadow.read(name) == b"old\n"
    await shadow.write(name, b"new\n")
    assert shadow.peek(f"{shadow.root}/{name}") == b"new\n"
    assert (await run(shadow, "", argv=("cat", "./" + name))).stdout == "new\n"
    assert everything(workspace.root) == before


@pytest.mark.spec("W1")
@pytest.mark.parametrize("name", ["line\nend", "a:b,c\\d=e", "späce 名前", b"caf\xe9"])
async def test_a_workspace_with_any_name_will_do(workspace: Workspace, name: str | bytes) -> None:
    workspace.root = workspace.root / (os.fsdecode(name) if isinstance(name, bytes) else name)
    workspace.file("a.c", "old\n")
    shadow = await workspace.opened()
    await shadow.write("a.c", b"new\n")
    assert (await run(shadow, "cat a.c")).stdout == "new\n"
    assert (workspace.root / "a.c").read_text() == "old\n"


@pytest.mark.spec("W1")
async def test_a_read_only_file_can_be_edited_and_stays_read_only_for_the_user(workspace: Workspace) -> None:
    path = workspace.file("generated.c", "old\n", 0o444)
    shadow = await workspace.opened()
    await shadow.write("generated.c", b"new\n")
    assert (await run(shadow, "cat generated.c")).stdout == "new\n"
    assert path.read_text() == "old\n" and stat.S_IMODE(path.stat().st_mode) == 0o444


@pytest.mark.spec("W2", "W1")
async def test_links_are_as_they_were_and_lead_nobody_into_the_user_s_tree(
    workspace: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("outside\n")
    (workspace.root / "relative").symlink_to("a.c")
    (workspace.root / "absolute").symlink_to(workspace.root / "a.c")
    (workspace.root / "folder").symlink_to(workspace.root / "sub")
    (workspace.root / "out").symlink_to(outside)
    (workspace.root / "dangling").symlink_to("nowhere")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    done = await run(
        shadow, "echo 1 >> relative; echo 2 >> absolute; echo 3 > folder/b.h; cat a.c sub/b.h out; test -L dangling"
    )
    assert (done.exit_code, done.stdout) == (0, "int a;\n1\n2\n3\noutside\n")
    await shadow.write("absolute", b"through the link\n")
    assert await shadow.read("a.c") == b"through the link\n"
    with pytest.raises(ShadowError, match="link out of the workspace"):
        await shadow.write("out", b"no")
    with pytest.raises(ShadowError, match="outside the workspace"):
        await shadow.write("../escaped", b"no")
    assert outside.read_text() == "outside\n" and not (tmp_path / "escaped").exists()
    assert everything(workspace.root) == before


@pytest.mark.spec("W1")
async def test_sockets_and_pipes_hold_nothing_up(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.root)
    os.mkfifo("pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("socket")
    with listening:
        shadow = await workspace.opened()
        assert await shadow.read("pipe") is None and await shadow.read("socket") is None
        assert shadow.peek(f"{workspace.root}/pipe") is None
        assert (await run(shadow, "cat a.c")).stdout == "int a;\n"


@pytest.mark.spec("W1")
async def test_a_check_may_delete_the_whole_workspace(workspace: Workspace) -> None:
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await run(shadow, 'rm -rf "$PWD"/* "$PWD"/.[a-z]*; cd /; rm -rf "$1"')
    await run(shadow, "", argv=("rm", "-rf", str(workspace.root)))
    assert await shadow.read("a.c") is None
    await shadow.write("sub/b.h", b"again\n")
    assert await shadow.read("sub/b.h") == b"again\n"
    await shadow.renew({})
    assert (await run(shadow, "cat a.c sub/b.h")).stdout == "int a;\nint b;\n"
    assert everything(workspace.root) == before


@pytest.mark.spec("W1")
async def test_a_workspace_that_nobody_may_write_to(workspace: Workspace) -> None:
    (workspace.root / "sub").chmod(0o555)
    (workspace.root / "a.c").chmod(0o444)
    workspace.root.chmod(0o555)
    try:
        shadow = await workspace.opened()
        await shadow.write("a.c", b"new\n")
        await shadow.write("sub/new.h", b"new\n")
        assert (await run(shadow, "cat a.c sub/new.h")).stdout == "new\nnew\n"
    finally:
        workspace.root.chmod(0o755)
        (workspace.root / "sub").chmod(0o755)
    assert (workspace.root / "a.c").read_text() == "int a;\n"


async def test_files_are_found_by_the_end_of_their_path(workspace: Workspace) -> None:
    workspace.file("other/b.h", "")
    workspace.file("node_modules/x/b.h", "")
    shadow = await workspace.opened()
    root = workspace.root
    assert shadow.find("b.h") == [f"{root}/other/b.h", f"{root}/sub/b.h"]
    assert shadow.find("sub/b.h") == [f"{root}/sub/b.h"]
    assert shadow.find("ub/b.h") == [] and shadow.find("none.h") == []
    await run(shadow, "touch made.h")
    assert shadow.find("made.h") == [f"{root}/made.h"]


async def test_a_shadow_that_is_not_open_says_so_and_can_be_closed_twice(workspace: Workspace) -> None:
    shadow = workspace.shadow()
    with pytest.raises(ShadowError):
        await shadow.read("a.c")
    await shadow.close()
    await shadow.open()
    await shadow.close()
    await shadow.close()
    with pytest.raises(ShadowError):
        await shadow.write("a.c", b"")
