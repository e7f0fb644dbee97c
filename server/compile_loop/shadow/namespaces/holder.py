"""The process that keeps a shadow's namespaces alive, mounts in them, and reads and writes files there.

It lives as long as the pipe to its owner, and ends with it, however that ends (SPEC W4).
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from compile_loop.shadow.namespaces import files, layer, mounts
from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.arrivals import Arrivals, arrivals_in
from compile_loop.shadow.namespaces.looking import look
from compile_loop.shadow.namespaces.watching import Watch, watch_below
from compile_loop.shadow.namespaces.wire import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from compile_loop.shadow.namespaces.aside import Aside


class Holder:
    """Answers one request after another."""

    def __init__(self) -> None:
        self._root = b""
        self._device: int | None = None
        """The overlay's, once it is mounted."""
        self._uppers: list[bytes] = []
        """Layers over the workspace, the lowest first."""
        self._base = self._top = b""
        """The folder of ours, and a path to what is mounted on it below the cover."""
        self._layered: list[tuple[bytes, bytes]] = []
        """Every overlay's place, and the name of its folder below the layers."""
        self._make_aside: type[Aside] | None = None
        """None: no layer is going to be wanted."""
        self._aside: Aside | None = None
        self._asides = 0
        self._layers = self._label = b""
        self._own_attributes = False
        self._names: dict[bytes, list[bytes]] | None = None
        self._watch: Watch | None = None
        self._arrivals: Arrivals | None = None
        self._watched: list[bytes] = []
        self._written: set[bytes] = set()

    def answer(self, request: Any) -> Any:
        """Do what a request says: its first part names a method, the rest are the arguments."""
        name, *arguments = request
        if self._device is not None:
            self._must_be_there()
        methods: dict[str, Callable[..., Any]] = {
            "mount": self._mount,
            "try": self._try,
            "there": lambda: None,
            "read": files.read,
            "look": look,
            "take": lambda path: files.take(self._root, path),
            "write": self._write,
            "find": self._find,
            "changed": lambda: [one for upper in self._uppers for one in layer.changed(upper, self._root)],
            "mark": layer.mark,
            "seal": self._seal,
            "watch": self._begin_watch,
            "watch arrivals": self._watch_arrivals,
            "arrivals": lambda: self._arrivals.seen() if self._arrivals is not None else [],
            "written": self._written_so_far,
            "aside": self._set_aside,
            "back": self._back,
        }
        return methods[name](*arguments)

    def _mount(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Make the namespaces and every mount. Raises `MountError`."""
        self._root = plan["root"]
        if plan["asides"]:  # costs some time, and the path may mean another file later on
            from compile_loop.shadow.namespaces.aside import Aside

            self._make_aside = Aside
        base, label = plan["base"], plan["label"]
        user = mounts.enter_namespaces()
        own_attributes = user or not mounts.in_first_user_namespace()
        root = mounts.Overlay(self._root)
        inner = mounts.nested(self._root)
        others = [mounts.Overlay(place) for place in plan["others"]]
        kept = [mounts.Overlay(place) for place in plan["layered"]]
        home = None
        unconfined = "checks are not confined" if not plan["confine"] else ""
        layers = _own_mount(base, label, plan["in_memory"])
        if plan["confine"]:
            home = mounts.Overlay(plan["home"]) if plan["home"] else None
            open_places = [base, *plan["open"]]
            unconfined = mounts.confine(
                home, _layers(layers, "home"), open_places, plan["closed"], label, own_attributes
            )
        for number, overlay in enumerate(kept):
            mounts.keep(overlay, _layers(layers, f"kept{number}"), label, own_attributes)
        for number, overlay in enumerate([root, *inner, *others]):
            overlay.mount(_layers(layers, str(number)), label, own_attributes)
        self._layers, self._label, self._own_attributes = layers, label, own_attributes
        self._base = base
        self._top = b"/proc/self/fd/%d" % os.open(base, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._remember([root, *inner, *others, *kept, *([home] if home is not None else [])])
        self._uppers = [os.path.join(root.layers, b"u")]
        self._device = os.stat(self._root).st_dev
        # A check that clears the temporary folder must not take the layers away, nor one read what we keep of runs.
        for place in (base, *plan["covered"]):
            flags = system.MS_RDONLY | system.MS_NOSUID | system.MS_NODEV
            system.mount(label, place, b"tmpfs", flags, b"size=4k,mode=000")
        return {"user": user, "pid": _processes_can_be_apart(), "unconfined": unconfined}

    def _must_be_there(self) -> None:
        """Raises `RefusedError` where somebody took the folder away, and the overlay with it: its path is the user's own."""
        try:
            there = os.stat(self._root).st_dev == self._device
        except OSError:
            there = False
        if not there:
            raise files.RefusedError(
                f"{os.fsdecode(self._root)} was removed, renamed or replaced while the run went on. The run wrote nothing there."
            )

    def _try(self, base: bytes, in_memory: bool) -> dict[str, Any]:
        """Find out what an overlay in the folder `base` can do here, on a small tree of its own. Raises `MountError`."""
        own_attributes = mounts.enter_namespaces() or not mounts.in_first_user_namespace()
        if in_memory:
            system.mount(b"compile-loop", base, b"tmpfs", system.MS_NOSUID | system.MS_NODEV, b"mode=700")
        tree = os.path.join(base, b"tree")
        os.makedirs(os.path.join(tree, b"folder", b"inner"))
        files._overwrite(os.path.join(tree, b"folder", b"file"), b"1")
        overlay = mounts.Overlay(tree)
        overlay.mount(_layers(base, "try"), b"compile-loop", own_attributes)
        overlay.close()
        os.chdir(tree)
        files._overwrite(b"folder/file", b"22")
        if files.read(b"folder/file") != b"22":
            raise mounts.MountError("a file written in the overlay does not read back")
        try:
            os.rename(b"folder/inner", b"folder/moved")
            renames = ""
        except OSError as error:
            renames = error.strerror or str(error)
        os.unlink(b"folder/file")
        for name in os.listdir(b"folder"):
            os.rmdir(b"folder/" + name)
        os.rmdir(b"folder")
        os.mkdir(b"folder")
        if os.listdir(b"folder"):
            raise mounts.MountError("a folder that is removed and made again shows its old files")
        return {"renames": renames, "pid": _processes_can_be_apart()}

    def _write(self, path: bytes, data: bytes | None) -> None:
        self._names = None
        files.write(self._root, path, data)

    def _seal(self, caches: list[bytes], allowed: list[bytes]) -> None:
        """Lay a layer over each of the folders `caches`; places in them that are `allowed` stay as they are."""
        layers = _layers(self._layers, "caches")
        self._remember(mounts.seal(caches, allowed, layers, self._label, self._own_attributes))

    def _remember(self, overlays: list[mounts.Overlay]) -> None:
        for overlay in overlays:
            if overlay.layers and self._make_aside is not None:
                name = os.path.relpath(overlay.layers, self._layers)
                overlay.show_lower(os.path.join(self._top, name))
                self._layered.append((overlay.place, name))
            overlay.close()

    def _set_aside(self, open_places: list[bytes]) -> bytes:
        """From now on all that is written is thrown away at `_back`; returns the name of the layers' folder."""
        if self._make_aside is None:
            raise mounts.MountError("no layer was to be laid over this isolated copy")
        self._note_written()
        name = b"aside%d" % self._asides
        self._asides += 1
        aside = self._make_aside(name, self._base, self._layered, open_places, self._label, self._own_attributes)
        self._aside = aside
        self._uppers.append(aside.uppers[self._root])
        self._elsewhere()
        return name

    def _back(self, remove: bool) -> None:
        """Leave the layer; `remove`: what was written to it, too, where nobody else can."""
        if self._aside is None:
            return
        self._note_written()
        folder = os.path.basename(self._aside.folder)
        self._uppers.pop()
        self._aside.leave()
        self._aside = None
        self._elsewhere()
        if remove:
            import shutil  # costs some time, and is seldom needed

            shutil.rmtree(os.path.join(self._layers, folder), ignore_errors=True)

    def _elsewhere(self) -> None:
        """The workspace's path means other files from now on."""
        self._device = os.stat(self._root).st_dev
        self._names = None
        if self._watch is not None:
            self._watch.close()
            self._watch = watch_below(self._root, self._watched)
            if self._watch is None:  # nobody can tell any longer
                self._written.update(self._watched)

    def _begin_watch(self, paths: list[bytes]) -> bool:
        if self._watch is not None:
            self._watch.close()
        self._watched, self._written = paths, set()
        self._watch = watch_below(self._root, paths)
        return self._watch is not None

    def _written_so_far(self) -> list[bytes]:
        """Also in a layer that was thrown away."""
        self._note_written()
        return sorted(self._written)

    def _note_written(self) -> None:
        if self._watch is not None:
            self._written.update(self._watch.written())

    def _watch_arrivals(self) -> None:
        if self._arrivals is not None:
            self._arrivals.close()
        self._arrivals = arrivals_in(self._root)

    def _find(self, name: bytes, anew: bool) -> list[bytes]:
        if self._names is None or anew:
            self._names = files.names_below(self._root)
        last = name.rpartition(b"/")[2]
        return [path for path in self._names.get(last, ()) if path.endswith(b"/" + name)]


def _own_mount(base: bytes, label: bytes, in_memory: bool) -> bytes:
    """Make the folder `base` a mount of its own; returns a path to it that no later mount covers or makes read-only."""
    if in_memory:
        system.mount(label, base, b"tmpfs", system.MS_NOSUID | system.MS_NODEV, b"mode=700")
    else:
        system.mount(base, base, b"", system.MS_BIND)
    return b"/proc/self/fd/%d" % os.open(base, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _layers(base: bytes, name: str) -> bytes:
    folder = os.path.join(base, name.encode())
    os.mkdir(folder)
    return folder


def _processes_can_be_apart() -> bool:
    """Whether a PID namespace with its own `/proc` can be made: containers that mask parts of `/proc` forbid it."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        system.unshare(system.CLONE_NEWPID | system.CLONE_NEWNS)
        grandchild = os.fork()
        if grandchild == 0:
            system.mount(b"proc", b"/proc", b"proc", system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC)
            os._exit(0)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
    finally:
        os._exit(1)


def main(arguments: list[str]) -> None:
    """Serve until the owner closes the pipe or ends; its process id is the argument."""
    system.die_with_parent(signal.SIGKILL)
    if os.getppid() != int(arguments[0]):
        return
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the owner says when it ends, not a terminal
    holder = Holder()
    while True:
        try:
            request = receive(sys.stdin.buffer)
        except EOFError:
            os._exit(0)
        reply: tuple[Any, ...]
        try:
            reply = ("ok", holder.answer(request))
        except (mounts.MountError, files.RefusedError) as error:
            reply = (type(error).__name__, str(error))
        except OSError as error:
            reply = ("OSError", error.errno, error.strerror or str(error))
        send(sys.stdout.buffer, reply)
