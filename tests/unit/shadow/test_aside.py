"""A while in which all that is written is thrown away in the end."""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

import pytest
from tests.unit.shadow.conftest import Workspace, everything, run

from compile_loop.contracts.protocols import ShadowError


@pytest.mark.spec("K5")
async def test_what_is_written_aside_is_gone_and_what_was_there_can_be_read(workspace: Workspace) -> None:
    workspace.file("old/gone.txt", "gone\n")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await run(shadow, "echo round > a.c; rm -r old; mkdir old; echo new > old/new.txt; ln -s a.c link")
    await shadow.write("made/by/the_run.txt", b"run\n")
    seen = "cat a.c sub/b.h made/by/the_run.txt; ls old; test -x s.sh && echo runs; readlink link; pwd"
    await run(shadow, "printf '#!/bin/sh\\n' > s.sh; chmod +x s.sh")
    outside = (await run(shadow, seen)).stdout
    async with shadow.aside():
        await shadow.write("hidden.txt", b"hidden\n")
        inside = await run(shadow, f"{seen}; cat hidden.txt")
        assert inside.stdout == outside + "hidden\n", inside.stderr
        assert shadow.peek(f"{workspace.root}/hidden.txt") == b"hidden\n"
        await run(
            shadow, "echo changed > a.c; rm -r sub old; cp hidden.txt kept.txt; mkdir deep; cp hidden.txt deep/kept.txt"
        )
        assert await shadow.read("a.c") == b"changed\n"
        assert set(await shadow.marks(lambda path: path == "a.c" or path.endswith("kept.txt"))) >= {"a.c", "kept.txt"}
    assert (await run(shadow, seen)).stdout == outside
    assert (await run(shadow, "find . -name '*kept*' -o -name hidden.txt")).stdout == ""
    assert shadow.peek(f"{workspace.root}/hidden.txt") is None and not shadow.find("kept.txt")
    assert "kept.txt" not in await shadow.marks(lambda path: True)
    async with shadow.aside():
        assert (await run(shadow, f"{seen}; ls")).stdout.startswith(outside), "and once more"
    await shadow.renew({})
    assert (await run(shadow, "cat a.c")).stdout == "int a;\n"
    await shadow.close()
    assert everything(workspace.root) == before


@pytest.mark.spec("K5")
async def test_a_temporary_folder_holds_what_it_held_and_keeps_nothing(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.setenv("TMPDIR", str(scratch))
    shadow = await workspace.opened()
    if "overlay" not in shadow.isolation:
        async with shadow.aside():
            await run(shadow, 'echo 1 > "${TMPDIR:?}/mine"')
        assert not list(scratch.rglob("mine"))
        return
    await run(shadow, f'echo visible > "{scratch}/visible"')
    async with shadow.aside():
        done = await run(shadow, f'cat "{scratch}/visible"; echo 1 > "{scratch}/mine" && cat "{scratch}/mine"')
        assert done.stdout == "visible\n1\n", done.stderr
        await run(shadow, f'rm "{scratch}/visible"')
    assert (await run(shadow, f'ls "{scratch}" | grep -v compile-loop')).stdout == "visible\n"


@pytest.mark.spec("K5")
async def test_a_server_of_the_user_s_still_answers_by_its_socket(workspace: Workspace) -> None:
    with tempfile.TemporaryDirectory(prefix="sock-", dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as server:
        place = Path(folder, "s")
        server.bind(str(place))
        server.listen(1)
        shadow = await workspace.opened()
        program = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({str(place)!r}); print('answers')"
        async with shadow.aside():
            assert (await run(shadow, f'python3 -c "{program}"')).stdout == "answers\n"


@pytest.mark.spec("K5", "K6")
async def test_a_write_aside_to_a_watched_file_is_noticed(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    if not await shadow.watch(["a.c", "sub/b.h"]):
        pytest.skip("not told here")
    async with shadow.aside():
        await run(shadow, "echo x > a.c; touch sub/b.h")
    assert await shadow.written() == {"a.c"}
    await run(shadow, "echo y > sub/b.h")
    assert await shadow.written() == {"a.c", "sub/b.h"}


@pytest.mark.spec("K5", "W4")
async def test_aside_in_a_shadow_that_is_gone_is_refused(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    await shadow.close()
    with pytest.raises(ShadowError):
        async with shadow.aside():
            pass
