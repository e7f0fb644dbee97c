"""The walkthrough's broken sample: fixed by the compiler's own suggestion, so it works with no model and no key (SPEC V7)."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from compile_loop.assemble import state_folder
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.palette.call import Call
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.ui import uri_argument

FOLDER = "sample"
SAMPLES = (
    (
        ("gcc", "cc", "clang"),
        "sample.c",
        "#include <stdio.h>\n\nint main(void) {\n    int answer = 42;\n"
        '    printf("%d\\n", anwser);\n    return 0;\n}\n',
    ),
    (("rustc",), "sample.rs", 'fn main() {\n    let answer = 42;\n    answer = 43;\n    println!("{answer}");\n}\n'),
)
"""Programs of which one is needed, the file's name, and a fault for which that compiler offers the fix itself."""


async def open_sample(ls: LoopServer, _call: Call) -> None:
    """Open Broken Sample: a file of its own, outside every project, with one fault."""
    path = await asyncio.to_thread(_written)
    await ls.ui.execute("vscode.open", uri_argument(path.as_uri()), {"preview": False})


def _written() -> Path:
    for programs, name, text in SAMPLES:
        if any(shutil.which(program) for program in programs):
            folder = state_folder() / FOLDER
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / name
            path.write_text(text, "utf-8")
            return path
    raise Refused(
        "The sample needs a C compiler or rustc. Install one (Debian and Ubuntu: apt-get install gcc), then try again."
    )
