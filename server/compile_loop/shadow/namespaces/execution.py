"""Becoming a command, as the process that started us would have started it."""

from __future__ import annotations

import errno
import os
import signal
import sys
from typing import NoReturn

NOT_STARTED = 126
NOT_FOUND = 127


def execute(command: list[str]) -> NoReturn:
    """Become the command. Python ignores these signals for itself; a command must not inherit that."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, os.environ)
    except OSError as error:
        say(f"{command[0]}: {'not found' if error.errno == errno.ENOENT else error.strerror}")
        os._exit(NOT_FOUND if error.errno == errno.ENOENT else NOT_STARTED)


def refuse(sentence: str) -> NoReturn:
    """Say why the command is not started, and end as a shell would."""
    say(sentence)
    os._exit(NOT_STARTED)


def say(sentence: str) -> None:
    """Write to the error stream, at once."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()
