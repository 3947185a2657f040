"""The folder that a campaign or matches are kept in: the files in it, and how they are added to.

Whoever reads or writes one of them takes its name from here. `docs/files.md` tells users the same.
"""

import os
from pathlib import Path

from domains.errors import UserError
from mcsgrammar.writing import open_in_place, write_all

SETTINGS_FILE = "settings.json"
"""All that decides what the journal will say; a folder that has it is begun (`discovery.keeping.settings`)."""
CANDIDATES_FILE = "candidates.txt"
"""The expressions, one a line."""
JOURNAL_FILE = "journal.jsonl"
"""The state: all pulls, or all matches, batch by batch (`discovery.keeping.journal_format`)."""
UNFINISHED_FILE = "unfinished.jsonl"
"""What is finished of the batch under way (`discovery.keeping.unfinished`)."""
TIMINGS_FILE = "timings.csv"
"""For each batch: the pulls until then, its seconds on the clock, CPU seconds of its searches."""
CONTROLS_FILE = "controls.jsonl"
"""With budgets in seconds: how fast the machine was meanwhile (`discovery.campaign.controls`)."""
FAILURES_FILE = "failures.jsonl"
"""Why pulls failed, one a line."""
LOCK_FILE = "lock"
"""The process that works on it, if one does (`discovery.keeping.locking`)."""
EVALUATION_FILES = {ending: f"evaluation.{ending}" for ending in ("md", "csv", "json")}
"""The best on test problems, measured at the end."""
ROUND_ROBIN_FOLDER = "round-robin-{top}"
"""Of a campaign over agents: the matches of so many of its best with those they were against, a folder of its own."""


def is_begun(folder: Path) -> bool:
    return (folder / SETTINGS_FILE).exists()


def has_journal(folder: Path) -> bool:
    """Whether the campaign has begun. Raises `UserError` if it had, but its journal is gone."""
    if (folder / JOURNAL_FILE).exists():
        return True
    timings = folder / TIMINGS_FILE
    if timings.is_file() and timings.stat().st_size > 0:
        raise UserError(
            f"{folder}: {JOURNAL_FILE} is gone, although {TIMINGS_FILE} says that pulls were made; "
            f"restore it from a copy, or delete {TIMINGS_FILE} to begin anew"
        )
    return False


def add_to(path: Path, text: str) -> None:
    """Append all or nothing. Raises `OSError`."""
    descriptor = open_in_place(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(descriptor).st_size
        try:
            write_all(descriptor, text.encode())
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def read_timings(folder: Path) -> list[tuple[int, float, float]]:
    """The lines of TIMINGS_FILE."""
    path = folder / TIMINGS_FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [(int(end), float(wall), float(cpu)) for end, wall, cpu in (line.split(",") for line in lines)]
