"""The installed command, run as a user runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def find() -> str:
    """The command that belongs to this interpreter."""
    beside = shutil.which("mcsgrammar", path=str(Path(sys.executable).parent)) or shutil.which("mcsgrammar")
    assert beside, "the command mcsgrammar is not installed; pip install -e ."
    return beside


MCSGRAMMAR = find()
ENVIRONMENT = os.environ | {"COLUMNS": "100", "PYTHONUTF8": "1"}


def run(*arguments: str | bytes, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MCSGRAMMAR, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT | environment,
        timeout=60,
    )


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """A line of bash with `$mcsgrammar` for the command; the status is that of the first command of a pipe."""
    return subprocess.run(
        ["bash", "-c", line + "\nexit ${PIPESTATUS[0]}"],
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT | {"mcsgrammar": MCSGRAMMAR},
        timeout=60,
    )
