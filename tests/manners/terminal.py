"""The command on a terminal: what it writes there, escape codes and all."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.language.command import ENVIRONMENT, MCSGRAMMAR

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@dataclass(frozen=True)
class Shown:
    status: int
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.replace("\r\n", "\n").split("\n")


def on_terminal(*arguments: str, columns: int = 80, folder: Path | None = None, **environment: str) -> Shown:
    """Run it on a terminal of so many columns, which takes standard output and standard error."""
    import fcntl
    import pty
    import struct
    import subprocess
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    settings = {key: value for key, value in ENVIRONMENT.items() if key not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [MCSGRAMMAR, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=settings | {"TERM": "xterm-256color"} | environment,
    )
    os.close(theirs)
    written = bytearray()
    try:
        while piece := os.read(ours, 65536):
            written += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return Shown(process.wait(timeout=60), written.decode())
