"""What `summarise` has kept, as `render` reads it. Nothing here searches."""

import csv
import gzip
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discovery.keeping.folder import SETTINGS_FILE
from experiments.campaigns import CAMPAIGNS, JUDGES, best_of
from experiments.fields import TOP, Winners
from experiments.files import read_csv
from experiments.published import Sample


@dataclass(frozen=True)
class Measured:
    """A line of measurements.csv."""

    sample: Sample
    run_by: str
    """the rules it was run by"""
    cpu_seconds_per_run: float
    best_generic: str
    """as it is run"""
    paired_n: int
    paired_difference: float
    """from the best generic algorithm, on the same problems"""
    paired_stderr: float


@dataclass(frozen=True)
class Stored:
    """The results of one folder."""

    folder: Path
    measured: dict[tuple[str, str, str], Measured]
    """by column, rules and the expression as it is run"""
    finding: list[dict[str, str]]
    summaries: dict[str, dict[str, Any]]
    """by campaign, in the order of the list of campaigns"""
    settings: dict[str, dict[str, Any]]
    machine: dict[str, Any]

    def winners(self) -> Winners:
        """The best of the finished campaigns, and of EVERYWHERE."""
        rankings = {
            name: [row["expression"] for row in self.candidates(name)]
            if name in JUDGES
            else [one["expression"] for one in summary["top"]]
            for name, summary in self.summaries.items()
            if summary["finished"]
        }
        return best_of(rankings, TOP)

    def candidates(self, campaign: str) -> list[dict[str, str]]:
        """The lines of its candidates.csv, in the order of their ranks."""
        folder = self.folder / "campaigns" / campaign
        path = folder / "candidates.csv"
        text = (
            path.read_text("utf-8")
            if path.exists()
            else gzip.decompress((folder / "candidates.csv.gz").read_bytes()).decode()
        )
        rows = [row for row in csv.DictReader(io.StringIO(text)) if row["rank"]]
        return sorted(rows, key=lambda row: int(row["rank"]))


def read_stored(folder: Path) -> Stored:
    """What is in a folder of results."""
    summaries, settings = {}, {}
    for name in CAMPAIGNS:
        path = folder / "campaigns" / name
        if (path / "summary.json").exists():
            summaries[name] = json.loads((path / "summary.json").read_text("utf-8"))
            settings[name] = json.loads((path / SETTINGS_FILE).read_text("utf-8"))
    measured = {
        (row["column"], row["semantics"], row["expression"]): Measured(
            Sample(int(row["n"]), float(row["mean"]), float(row["sd"])),
            row["run_by"],
            float(row["cpu_seconds_per_run"]),
            row["best_generic"],
            int(row["paired_n"]),
            float(row["paired_difference"] or "nan"),
            float(row["paired_stderr"] or "nan"),
        )
        for row in read_csv(folder / "measurements.csv")
    }
    machine = json.loads((folder / "machine.json").read_text("utf-8"))
    return Stored(folder, measured, read_csv(folder / "finding.csv"), summaries, settings, machine)
