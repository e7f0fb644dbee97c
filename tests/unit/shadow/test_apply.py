"""An accepted edit on disk: whole or not at all, whatever happens meanwhile (SPEC W1, W3, W4)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compile_loop.contracts.edits import Edit
from compile_loop.edits.hunks import file_change
from compile_loop.shadow.apply import ApplyError, apply_edit
from compile_loop.shadow.in_place import InPlaceShadow
from compile_loop.shadow.journal import Journal, recover

pytestmark = pytest.mark.spec("W4")

WRITER = """
import sys
from pathlib import Path
from compile_loop.contracts.edits import Edit
from compile_loop.edits.hunks import file_change
from compile_loop.shadow.apply import apply_edit

root, journals = Path(sys.argv[1]), Path(sys.argv[2])
names = [f"f{n}.c" for n in range(30)]
changes = [file_change(name, (root / name).read_bytes(), b"new " + name.encode() * 5000) for name in names]
changes += [file_change("made/deep/new.c", None, b"new"), file_change("old.c", b"old", None)]
print("step", flush=True)
apply_edit(root, Edit(tuple(changes)), journals)
"""


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def laid_out(root: Path) -> Path:
    root.mkdir()
    for number in range(30):
        (root / f"f{number}.c").write_bytes(b"original %d" % number * 3000)
    (root / "old.c").write_bytes(b"old")
    return root


def test_killed_while_it_writes(tmp_path: Path) -> None:
    root, journals = laid_out(tmp_path / "ws"), tmp_path / "journals"
    before = files(root)
    chance, outcomes = random.Random(2), set()
    for _ in range(25):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(journals)], stdout=subprocess.PIPE)
        assert writer.stdout is not None and writer.stdout.readline() == b"step\n"
        time.sleep(chance.uniform(0, 0.15))
        writer.kill()
        writer.wait()
        writer.stdout.close()
        torn = files(root) != before
        recover(journals)
        now = files(root)
        assert list(journals.glob("*")) == []
        if now != before:  # it was done before the kill
            assert now["f29.c"].startswith(b"new f29.c") and "old.c" not in now and now["made/deep/new.c"] == b"new"
            assert len(now) == 31
            for name, data in before.items():
                (root / name).write_bytes(data)
            (root / "made/deep/new.c").unlink()
            (root / "made/deep").rmdir()
            (root / "made").rmdir()
            outcomes.add("whole")
        else:
            assert not (root / "made").exists()
            outcomes.add("put back" if torn else "not begun")
    assert "put back" in outcomes, outcomes


def test_what_the_user_wrote_after_the_crash_stays(tmp_path: Path) -> None:
    root, journals = laid_out(tmp_path / "ws"), tmp_path / "journals"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom compile_loop.shadow.journal import Journal\n"
        "journal = Journal(Path(sys.argv[2]))\n"
        "for n in (0, 1): journal.write(Path(sys.argv[1], f'f{n}.c'), b'ours')\nos._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(root), str(journals)], check=False)
    (root / "f1.c").write_bytes(b"the user's own")
    assert recover(journals) == [root / "f0.c"]
    assert (root / "f0.c").read_bytes() == b"original 0" * 3000
    assert (root / "f1.c").read_bytes() == b"the user's own"
    assert recover(journals) == []


def test_a_journal_of_a_running_process_is_left_alone(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    Journal(tmp_path / "journals").write(root / "f0.c", b"ours")
    assert recover(tmp_path / "journals") == []
    assert (root / "f0.c").read_bytes() == b"ours"


@pytest.mark.skipif(os.name != "posix", reason="needs modes")
def test_modes_and_links_are_kept(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    (root / "f0.c").chmod(0o751)
    (root / "link.c").symlink_to("f0.c")
    before = (root / "f0.c").read_bytes()
    apply_edit(root, Edit((file_change("link.c", before, b"new"),)), tmp_path / "journals")
    assert (root / "link.c").is_symlink() and (root / "f0.c").read_bytes() == b"new"
    assert (root / "f0.c").stat().st_mode & 0o777 == 0o751


def test_one_file_that_cannot_be_written_puts_all_back(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    before = files(root)
    (root / "taken").write_bytes(b"a file")
    good = file_change("f0.c", before["f0.c"], b"new")
    with pytest.raises(ApplyError, match="nothing was changed"):
        apply_edit(root, Edit((good, file_change("taken/under.c", None, b"x"))), tmp_path / "journals")
    assert (root / "f0.c").read_bytes() == before["f0.c"]
    assert list((tmp_path / "journals").glob("*")) == []


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    change = file_change("f0.c", b"as it was", b"new")
    with pytest.raises(ApplyError, match="was changed while the run went on"):
        apply_edit(root, Edit((change,)), tmp_path / "journals")


def test_where_the_original_cannot_be_kept_nothing_is_written(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    (tmp_path / "journals").write_bytes(b"a file where the folder should be")
    before = files(root)
    with pytest.raises(ApplyError, match="original could not be kept"):
        apply_edit(root, Edit((file_change("f0.c", before["f0.c"], b"new"),)), tmp_path / "journals")
    assert files(root) == before


@pytest.mark.spec("W1", "P1")
async def test_in_place_is_put_back(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    before = files(root)
    shadow = InPlaceShadow(root, tmp_path / "journals")
    await shadow.open()
    await shadow.write("f0.c", b"one")
    await shadow.write("f0.c", b"two")
    await shadow.write("new/g.c", b"new")
    await shadow.write("old.c", None)
    assert await shadow.read("f0.c") == b"two"
    shadow.restore()
    assert files(root) == before and not (root / "new").exists()
    assert list((tmp_path / "journals").glob("*")) == []


@pytest.mark.skipif(os.name != "posix", reason="needs hard links")
def test_further_names_of_a_file_stay_its_names(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    os.link(root / "f0.c", tmp_path / "other name")
    number, before = (root / "f0.c").stat().st_ino, (root / "f0.c").read_bytes()
    apply_edit(root, Edit((file_change("f0.c", before, b"new"),)), tmp_path / "journals")
    assert (tmp_path / "other name").read_bytes() == b"new" and (root / "f0.c").stat().st_ino == number


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs extended attributes")
def test_attributes_and_owner_stay(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    place = root / "f0.c"
    try:
        os.setxattr(place, "user.note", b"mine")
    except OSError as error:
        pytest.skip(str(error))
    owner = (4711, 4712) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    os.chown(place, *owner)
    apply_edit(root, Edit((file_change("f0.c", place.read_bytes(), b"new"),)), tmp_path / "journals")
    assert place.read_bytes() == b"new" and os.getxattr(place, "user.note") == b"mine"
    assert (place.stat().st_uid, place.stat().st_gid) == owner


@pytest.mark.skipif(os.name != "posix", reason="needs modes")
def test_a_write_protected_file_is_not_overwritten(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "ws")
    before = files(root)
    (root / "f1.c").chmod(0o444)
    edit = Edit(tuple(file_change(name, before[name], b"new") for name in ("f0.c", "f1.c")))
    with pytest.raises(ApplyError, match=r"f1\.c is write-protected\. Make it writable first; nothing was changed"):
        apply_edit(root, edit, tmp_path / "journals")
    assert files(root) == before


@pytest.mark.skipif(os.name != "posix", reason="needs hard links")
@pytest.mark.parametrize("written", [0, 3, 7000])
def test_a_file_that_is_half_written_where_it_is_is_put_back(tmp_path: Path, written: int) -> None:
    """Killed in the middle of writing a file that has another name, so that it could not be replaced in one step."""
    root, journals = laid_out(tmp_path / "ws"), tmp_path / "journals"
    os.link(root / "f0.c", tmp_path / "other name")
    before = (root / "f0.c").read_bytes()
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom compile_loop.shadow import journal\n"
        "real = journal._write\n"
        "def torn(path, data):\n"
        "    if path.name == 'f0.c':\n"
        f"        path.open('wb').write(data[:{written}])\n"
        "        os._exit(9)\n"
        "    real(path, data)\n"
        "journal._write = torn\n"
        "journal.Journal(Path(sys.argv[2])).write(Path(sys.argv[1], 'f0.c'), b'ours' * 2000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(root), str(journals)], check=False)
    assert done.returncode == 9 and (root / "f0.c").read_bytes() == (b"ours" * 2000)[:written]
    assert recover(journals) == [root / "f0.c"]
    assert (tmp_path / "other name").read_bytes() == before


OLD_NAME = ".f0.c.compile-loop"
"""What a name that everybody can tell looks like."""


@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.spec("W1", "W3")
def test_neither_a_link_nor_a_file_at_a_name_of_ours_is_written_to_or_removed(tmp_path: Path) -> None:
    root, outside = laid_out(tmp_path / "ws"), tmp_path / "outside"
    outside.write_bytes(b"not the workspace's")
    (root / OLD_NAME).symlink_to(outside)
    (root / ".f1.c.compile-loop").write_bytes(b"the user's own")
    before = files(root)
    edit = Edit(tuple(file_change(name, before[name], b"new") for name in ("f0.c", "f1.c")))
    apply_edit(root, edit, tmp_path / "journals")
    assert files(root) == {**before, "f0.c": b"new", "f1.c": b"new"}
    assert outside.read_bytes() == b"not the workspace's" and (root / OLD_NAME).is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.parametrize("taken", ["a link", "a file"])
@pytest.mark.spec("W1", "W3")
def test_a_temporary_name_that_is_taken_is_refused_and_stays(
    tmp_path: Path, taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where somebody knew it."""
    root, outside = laid_out(tmp_path / "ws"), tmp_path / "outside"
    outside.write_bytes(b"not the workspace's")
    known = root / ".known"
    if taken == "a link":
        known.symlink_to(outside)
    else:
        known.write_bytes(b"the user's own")
    before = files(root)
    monkeypatch.setattr("compile_loop.shadow.journal._fresh", lambda place: place.with_name(".known"))
    with pytest.raises(ApplyError, match="nothing was changed"):
        apply_edit(root, Edit((file_change("f0.c", before["f0.c"], b"new"),)), tmp_path / "journals")
    assert files(root) == before and known.is_symlink() == (taken == "a link")
    assert outside.read_bytes() == b"not the workspace's"


@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.parametrize("left", ["half of ours", "a link", "the user's own"])
def test_recovery_removes_what_a_killed_run_left_and_nothing_else(tmp_path: Path, left: str) -> None:
    root, journals, outside = laid_out(tmp_path / "ws"), tmp_path / "journals", tmp_path / "outside"
    outside.write_bytes(b"our")
    before = files(root)
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom compile_loop.shadow import journal\n"
        "def killed(self, place):\n    self.write_bytes(b'our')\n    print(self)\n    sys.stdout.flush()\n    os._exit(9)\n"
        "Path.replace, real = (lambda self, to: killed(self, to) if to.name == 'f0.c' else real(self, to)), Path.replace\n"
        "journal.Journal(Path(sys.argv[2])).write(Path(sys.argv[1], 'f0.c'), b'ours' * 2000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root), str(journals)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 9, done.stderr
    fresh = Path(done.stdout.strip())
    assert fresh.parent == root and fresh.read_bytes() == b"our"
    if left == "a link":
        fresh.unlink()
        fresh.symlink_to(outside)
    elif left == "the user's own":
        fresh.write_bytes(b"mine")
    recover(journals)
    assert list(journals.glob("*")) == [] and outside.read_bytes() == b"our"
    assert fresh.is_symlink() == (left == "a link") and fresh.exists() == (left != "half of ours")
    assert {name: data for name, data in files(root).items() if name != fresh.name} == before
