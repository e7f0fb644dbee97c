"""What goes into applying a reply, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A file that may be written. `content` None: it does not exist; `encoding` None: a mark decides, else UTF-8."""

    path: str
    content: bytes | None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class BlockReport:
    """How one block fared. `index` counts the reply's blocks from 1; `line` is the one-based first line it matched.

    `tier` is a `match.Tier` value; `reason` says why not, as the model should read it.
    """

    index: int
    path: str | None
    ok: bool
    tier: str | None = None
    line: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class HeldBlock:
    """A block that located and waits; `before` is the text of its place then, `index` the number it had."""

    path: str
    search: tuple[str, ...]
    replace: tuple[str, ...]
    before: str
    index: int


@dataclass(frozen=True, slots=True)
class HeldBlocks:
    """Located blocks that wait for the failed ones of their reply, to land with them (SPEC Q10)."""

    blocks: tuple[HeldBlock, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """A reply was applied whole. `files` holds only what changed: path → new content."""

    files: dict[str, bytes | None]
    reports: tuple[BlockReport, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was applied. `message` is the whole text to send back to the model.

    `no_blocks`: nothing in the reply was an edit.
    """

    message: str
    reports: tuple[BlockReport, ...] = ()
    held: HeldBlocks | None = None
    no_blocks: bool = False
