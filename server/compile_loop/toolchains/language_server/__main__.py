"""Ask a language server for the quick fixes of diagnostics, in the workspace's root: `python FOLDER REQUEST`.

REQUEST is JSON: {"server": argv, "seconds": at most, "languages": {ending: language}, "options": for the server,
"about": [{"file", "range", "message"}]}, with files relative to the root, lines and characters from zero (UTF-16).
Prints one line of JSON, {"offers": [...]} in the order of the request, each a list of {"title", "preferred", "edits":
[{"file", "range", "text"}]}. It needs nothing but Python's own library.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType


def _bare_packages(folder: Path) -> None:
    """Make this package importable from its folder alone, without running what lies around it."""
    for name in ("compile_loop.toolchains.language_server", "compile_loop.toolchains", "compile_loop"):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
        folder = folder.parent


def main() -> None:
    """Print what the server offers; end with one line that says why where it cannot be asked."""
    _bare_packages(Path(__file__).absolute().parent)
    from compile_loop.toolchains.language_server.asking import offers
    from compile_loop.toolchains.language_server.connection import ServerError

    try:
        print(json.dumps({"offers": offers(json.loads(sys.argv[1]), Path.cwd())}), flush=True)
    except ServerError as error:
        sys.exit(str(error))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        sys.exit(f"The language server's answer cannot be understood: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
