"""In what encoding programs print that know nothing of UTF-8."""

from __future__ import annotations

import locale
import sys
from functools import lru_cache


@lru_cache(maxsize=1)
def console_encoding() -> str | None:
    """The console's code page on Windows, else the user's own locale where that is not UTF-8; a name Python knows."""
    if sys.platform == "win32":
        import ctypes

        return f"cp{ctypes.windll.kernel32.GetOEMCP()}"
    name = locale.getpreferredencoding(False)
    return None if name.replace("-", "").lower() in ("utf8", "ascii", "us", "ansi_x3.41968") else name
