"""From the work folder, which is large, to the results, which are small: everything that `render` needs.

campaigns/NAME/settings.json    as the campaign had them
campaigns/NAME/candidates.csv   a line for each candidate: pulls, mean, standard deviation, best; gzipped at depth 6
campaigns/NAME/summary.json     how far it came, what it cost, where, its ten best, the hash of its journal
measurements.csv                a line for each piece: n, mean, standard deviation, and the paired difference from the
                                best generic algorithm in the column
finding.csv                     a line for each campaign: its first and its ten, on test problems, and paired beside
                                those of the problem's first finished campaign, `ucb1` in the end; at depth 6 beside
                                those of `halving` at depth 5
machine.json                    what all this was run on
"""

import csv
import gzip
import hashlib
import io
import math
import os
import platform
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discovery.campaign.ranking import Standing
from discovery.keeping.folder import JOURNAL_FILE, SETTINGS_FILE, read_timings
from discovery.keeping.settings import versions_now
from experiments.campaigns import CAMPAIGNS, Campaign, finished, standing_of
from experiments.columns import COLUMNS, MAIN, Column
from experiments.fields import TOP, Winners, campaigns_of, field_of, run_as, run_by
from experiments.files import read_csv, write, write_csv, write_json
from experiments.measuring import known_winners, pieces_of
from experiments.pieces import Piece
from mcsgrammar.engines.searching import SemanticsName

GZIPPED_FROM_DEPTH = 6

MEASUREMENTS = (
    "column",
    "semantics",
    "expression",
    "run_by",
    "n",
    "mean",
    "sd",
    "stderr",
    "cpu_seconds_per_run",
    "best_generic",
    "paired_n",
    "paired_difference",
    "paired_stderr",
)
FINDING = (
    "campaign",
    "column",
    "n",
    "beside",
    "first",
    "first_mean",
    "first_stderr",
    "first_difference",
    "first_difference_stderr",
    "ten_mean",
    "ten_stderr",
    "ten_difference",
    "ten_difference_stderr",
)


def summarise(work: Path, results: Path) -> None:
    """All of it. What is not there yet is left out; what a folder without campaigns has is added to what was kept."""
    for campaign in CAMPAIGNS.values():
        standing = standing_of(campaign.name, work)
        if standing is not None and standing.pulls_done:
            _summarise_campaign(campaign, standing, work / campaign.name, results / "campaigns" / campaign.name)
    found = known_winners(work)
    measured = results / "measurements.csv"
    write_csv(measured, MEASUREMENTS, with_those_kept(measured, _measurements(found, work)))
    if found:
        finding = results / "finding.csv"
        write_csv(finding, FINDING, with_other_campaigns(finding, _finding(found, work)))
        write_json(results / "machine.json", machine())


def machine() -> dict[str, Any]:
    """What a figure in seconds depends on."""
    return {"processor": _processor(), "cores": os.cpu_count(), "system": platform.system(), "versions": versions_now()}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _summarise_campaign(campaign: Campaign, standing: Standing, folder: Path, results: Path) -> None:
    results.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / SETTINGS_FILE, results / SETTINGS_FILE)
    written = results / "candidates.csv"
    if campaign.depth >= GZIPPED_FROM_DEPTH:
        written = written.with_suffix(".csv.gz")
        write(written, gzip.compress(_candidates_csv(standing).encode(), mtime=0))
    else:
        write(written, _candidates_csv(standing))
    settings = standing.settings
    wall, searching = _seconds(folder, standing.pulls_done)
    write_json(
        results / "summary.json",
        {
            "campaign": campaign.name,
            "finished": finished(standing),
            "pulls": standing.pulls_done,
            "pulls_wanted": settings.pulls,
            "failed_pulls": int(standing.contents.failed.sum()),
            "evaluations": None if settings.budget is None else settings.budget * standing.pulls_done,
            "cpu_seconds_of_searches": round(searching, 1),
            "wall_seconds": round(wall, 1),
            "journal_blake2b_128": _hash(folder / JOURNAL_FILE, standing.contents.valid_bytes),
            "journal_bytes": standing.contents.valid_bytes,
            "machine": machine(),
            "top": [
                {
                    "rank": one.rank,
                    "expression": one.expression_text,
                    "pulls": one.pulls,
                    "mean": float(_short(one.mean)),
                    "stderr": None if math.isnan(one.stderr) else float(_short(one.stderr)),
                }
                for one in standing.ranking(TOP)
            ],
        },
    )


def _candidates_csv(standing: Standing) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("expression", "rank", "pulls", "mean", "sd", "best"))
    ranked = {one.arm: one for one in standing.ranking()}
    for arm, expression in enumerate(standing.expressions):
        one = ranked.get(arm)
        if one is None:
            writer.writerow((expression, "", 0, "", "", ""))
        else:
            deviation = one.stderr * math.sqrt(one.pulls)
            writer.writerow((expression, one.rank, one.pulls, _short(one.mean), _short(deviation), _short(one.best)))
    return text.getvalue()


def _seconds(folder: Path, pulls: int) -> tuple[float, float]:
    """Wall clock and CPU inside the searches. A batch that was run again, after a kill, is counted once."""
    batches = {end: (wall, cpu) for end, wall, cpu in read_timings(folder) if end <= pulls}
    return sum(wall for wall, _ in batches.values()), sum(cpu for _, cpu in batches.values())


def _hash(path: Path, length: int) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while length and (block := file.read(min(length, 1 << 20))):
            digest.update(block)
            length -= len(block)
    return digest.hexdigest()


def _measurements(found: Winners, work: Path) -> Iterable[dict[str, Any]]:
    for column in COLUMNS.values():
        for semantics in column.rules:
            yield from _measured_column(column, semantics, found, work)


def with_those_kept(path: Path, new: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines, and of what is in the file already all that they do not have on as many problems: a work folder need
    not hold every column."""
    lines = {_key(line): line for line in new}
    for line in read_csv(path) if path.exists() else []:
        mine = lines.get(_key(line))
        if mine is None or int(mine["n"]) < int(line["n"]):
            lines[_key(line)] = line
    columns = list(COLUMNS)
    return sorted(lines.values(), key=lambda line: columns.index(line["column"]))


def with_other_campaigns(path: Path, new: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines, and those in the file of campaigns that they do not have, in the order of CAMPAIGNS."""
    lines = {line["campaign"]: line for line in (*(read_csv(path) if path.exists() else []), *new)}
    return [lines[name] for name in CAMPAIGNS if name in lines]


def _key(line: Mapping[str, Any]) -> tuple[str, str, str]:
    return line["column"], line["semantics"], line["expression"]


def _measured_column(column: Column, semantics: SemanticsName, found: Winners, work: Path) -> Iterable[dict[str, Any]]:
    scores = {
        piece.expression: arrays
        for piece in pieces_of(column, semantics, found, work, wide=semantics == "standard")
        if (arrays := piece.read(work)).shape[1] > 1
    }
    if not scores or (
        semantics != "standard" and not any(run_by(text, semantics, column) == semantics for text in scores)
    ):
        return
    best = best_generic(column, {text: float(array[0].mean()) for text, array in scores.items()})
    for text, array in scores.items():
        difference = paired(array[0], scores[best][0]) if best is not None else Paired(0, math.nan, math.nan)
        yield {
            "column": column.key,
            "semantics": semantics,
            "expression": text,
            "run_by": run_by(text, semantics, column),
            "n": array.shape[1],
            "mean": _short(array[0].mean()),
            "sd": _short(array[0].std(ddof=1)),
            "stderr": _short(array[0].std(ddof=1) / math.sqrt(array.shape[1])),
            "cpu_seconds_per_run": f"{array[1].mean():.3g}",
            "best_generic": best or "",
            "paired_n": difference.n,
            "paired_difference": _short(difference.mean),
            "paired_stderr": _short(difference.standard_error),
        }


def best_generic(column: Column, means: Mapping[str, float]) -> str | None:
    """The generic algorithm with the best mean in a column, as it is run: the paper's way to choose it."""
    measured = [entry.run_as for entry in field_of(column, {}) if entry.kind == "generic"]
    measured = [text for text in measured if text in means]
    sign = -1.0 if column.less_is_better else 1.0
    return max(measured, key=lambda text: sign * means[text], default=None)


class Paired:
    """The mean difference of two samples on the same problems."""

    def __init__(self, n: int, mean: float, standard_error: float) -> None:
        self.n, self.mean, self.standard_error = n, mean, standard_error


def paired(a: np.ndarray, b: np.ndarray) -> Paired:
    """a - b on the problems that both have."""
    n = min(len(a), len(b))
    differences = a[:n] - b[:n]
    return Paired(n, float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan)


def _finding(found: Winners, work: Path) -> Iterable[dict[str, Any]]:
    """On the problems that all of a problem's winners have been measured on."""
    for problem, key in MAIN.items():
        column = COLUMNS[key]
        ours = {
            name: [Piece(key, "standard", run_as(text, column)).read(work)[0] for text in texts]
            for name, texts in found.items()
            if name in CAMPAIGNS and CAMPAIGNS[name].problem == problem and name in campaigns_of(column, wide=True)
        }
        ours = {name: scores for name, scores in ours.items() if min(map(len, scores)) > 1}
        base = next((name for name in CAMPAIGNS if name in ours), "")  # ucb1, once it is finished
        n = min((len(scores) for ten in ours.values() for scores in ten), default=0)
        for name, ten in ours.items():
            shallower = f"{problem}-halving"  # by the same policy
            other_name = shallower if name == f"{problem}-depth6" and shallower in ours else base
            cut = np.stack([scores[:n] for scores in ten])
            beside = np.stack([scores[:n] for scores in ours[other_name]])
            line: dict[str, Any] = {
                "campaign": name,
                "column": key,
                "n": n,
                "beside": other_name,
                "first": found[name][0],
            }
            for what, own, other in (("first", cut[0], beside[0]), ("ten", cut.mean(axis=0), beside.mean(axis=0))):
                apart = paired(own, other)
                line[f"{what}_mean"] = _short(own.mean())
                line[f"{what}_stderr"] = _short(own.std(ddof=1) / math.sqrt(n))
                line[f"{what}_difference"] = "" if name == base else _short(apart.mean)
                line[f"{what}_difference_stderr"] = "" if name == base else _short(apart.standard_error)
            yield line


def _short(value: float) -> str:
    """Six digits are more than any standard error here leaves; nothing where there is no number."""
    return "" if math.isnan(value) else f"{value:.6g}"
