"""Whether a file was written while a check ran, also where it has its old bytes again (SPEC K6)."""

from __future__ import annotations

import os
import sys

import pytest

from compile_loop.contracts.protected import AS_THE_USERS

from .conftest import Workspace, run

MAPPED = (
    "python3 -c \"import mmap, os; d = os.open('a.c', os.O_RDWR); m = mmap.mmap(d, 0); w = m[:]; "
    "m[:] = b'x' * len(w); m.flush(); m[:] = w; m.close()\""
)
WRITTEN = {
    "in place": "cat a.c > was; echo 1 > a.c; cat was > a.c",
    "with its time": "cp -p a.c was; echo 1 > a.c; cp -p was a.c",
    "replaced": "mv a.c was; echo 1 > a.c; mv was a.c",
    "removed": "cat a.c > was; rm a.c; cat was > a.c",
    "by another name": "ln a.c other; cat a.c > was; echo 1 > other; cat was > other; rm other",
    "appended": "cat a.c > was; echo >> a.c; cat was > a.c",
    "through a mapping": f"{MAPPED}",
    "through a mapping, with its time": f"cp -p a.c time; {MAPPED}; touch -r time a.c; rm time",
    "from below": "mkdir -p x/y; cat a.c > was; (cd x/y && echo 1 > ../../a.c); cat was > a.c",
}
TOUCHED = {
    "touched": "touch a.c",
    "another mode": "chmod 600 a.c",
    "another name": "ln a.c other && rm other",
    "opened": ": 3<> a.c",
    "read": "cat a.c",
    "its folder": "touch .; : > new; rm new",
}


async def marks(workspace: Workspace, script: str, path: str = "a.c") -> tuple[bool, list[str]]:
    """Whether a script leaves a trace at a file with the user's bytes, and which watched files it writes."""
    shadow = await workspace.opened()
    before = (await shadow.marks(lambda each: each == path)).get(path, AS_THE_USERS)
    assert await shadow.watch([path, "sub/b.h"])
    done = await run(shadow, script)
    assert done.exit_code == 0, done.stderr
    after = (await shadow.marks(lambda each: each == path)).get(path, AS_THE_USERS)
    assert after.digest == before.digest
    written = await shadow.written()
    assert await shadow.written() == written
    return before.trace != after.trace, sorted(written)


@pytest.mark.spec("K6")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of writes")
@pytest.mark.parametrize("way", WRITTEN)
async def test_what_is_written_and_put_back_is_seen(workspace: Workspace, way: str) -> None:
    if way == "by another name" and workspace.strategy == "overlay" and os.geteuid() != 0:
        pytest.skip("in an ordinary user's overlay another name is another file")
    assert await marks(workspace, WRITTEN[way]) == (True, ["a.c"])


@pytest.mark.spec("K6")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of writes")
@pytest.mark.parametrize("way", TOUCHED)
async def test_what_is_only_touched_is_told_apart(workspace: Workspace, way: str) -> None:
    trace, written = await marks(workspace, TOUCHED[way])
    assert written == [] and (not trace or way not in ("read", "its folder"))


@pytest.mark.spec("K6")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of files that come")
async def test_files_that_come_are_seen_also_where_they_are_gone_again(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    await run(shadow, "echo > early")
    await shadow.watch_arrivals()
    assert await shadow.arrivals() == frozenset()
    script = "echo > conftest.py; rm conftest.py; echo > t; mv t sub/new.h; mkdir made; echo > made/inner; cat a.c; echo >> a.c"
    assert (await run(shadow, script)).exit_code == 0
    seen = {"conftest.py", "t", "sub/new.h"}
    assert await shadow.arrivals() == await shadow.arrivals() == seen, (
        "a folder that is made meanwhile is not looked into"
    )
    await shadow.renew({})
    await run(shadow, "echo > later")
    assert await shadow.arrivals() == frozenset()


@pytest.mark.spec("K6")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of writes")
async def test_a_folder_that_makes_way_for_another_is_seen(workspace: Workspace) -> None:
    """Where a folder cannot be renamed, `mv` copies it; where it can, its files stay what they were."""
    shadow = await workspace.opened()
    assert await shadow.watch(["sub/b.h"])
    done = await run(shadow, "mv sub away && mkdir sub && echo 1 > sub/b.h && rm -r sub && mv away sub && cat sub/b.h")
    assert done.exit_code == 0, done.stderr
    assert await shadow.written() == {"sub/b.h"}


@pytest.mark.spec("K6")
async def test_what_is_not_there_cannot_be_watched_and_a_clean_start_watches_nothing(workspace: Workspace) -> None:
    shadow = await workspace.opened()
    assert not await shadow.watch(["missing.c"])
    assert await shadow.written() == frozenset()
    await shadow.watch(["a.c"])
    await run(shadow, "echo 1 > a.c")
    await shadow.renew({})
    await run(shadow, "echo 2 > a.c")
    assert await shadow.written() == frozenset()
