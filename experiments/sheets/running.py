"""The runs behind results/sheets/, kept game by game.

What the algorithms reach on a game lies in WORK/sheets/SIZE/HASH.json, by the hash of the game's rules; killed at any
time, all but the game under way is kept, and the same command goes on. Runs are those of `mcsgrammar evaluate`: on the
one problem of a game with fresh seeds, and on a domain's test problems.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from discovery.evaluation.runs import Bench, Block, Plan
from domains.errors import DomainError
from domains.gdl.checking import check_sheet
from domains.gdl.describing import look_at, sheets_in
from domains.gdl.reading import SheetError, read_sheet
from domains.protocol import Domain
from domains.registry import canonical_text
from experiments.files import write_csv, write_json
from experiments.pieces import domain_of
from experiments.sheets.question import SIZES, TWINS, Size, algorithms
from mcsgrammar.engines.searching import Limits, choose_engine

FOLDER = "sheets"
LOOK = 0.1
"""CPU seconds of random games by which it is seen how fast a sheet is."""

OnProgress = Callable[[str], None]


def sheets_for_one(folder: Path) -> Iterator[Path]:
    """Sheets with one role, without old versions and what is disabled."""
    for path in sheets_in(folder):
        parts = path.relative_to(folder).parts[:-1]
        if any(part == "disabled_games" or (part[0] == "v" and part[1:].isdigit()) for part in parts):
            continue
        try:
            rules = check_sheet(read_sheet(path))
        except SheetError:
            continue
        if sum(rule.head[0] == "role" for rule in rules.rules) == 1:
            yield path


def measure(folder: Path, work: Path, size: Size, on_progress: OnProgress | None = None) -> None:
    """Run what is missing."""
    columns = [(path.relative_to(folder).as_posix(), f"gdl:{path}") for path in sheets_for_one(folder)]
    columns += [(name, name) for name in TWINS]
    seen: set[str] = set()
    for place, (column, domain) in enumerate(columns, 1):
        if on_progress is not None:
            on_progress(f"{place} of {len(columns)}, {column}")
        kept = _kept(work, size, column, domain)
        if not kept.exists():
            write_json(kept, _measured(column, domain, size))
        found = json.loads(kept.read_text("utf-8"))
        if found.get("domain", column) in seen and "left_out" not in found:
            write_json(kept, {"column": column, "left_out": "the rules of another sheet"})
        seen.add(found.get("domain", column))


def _kept(work: Path, size: Size, column: str, domain: str) -> Path:
    text = Path(domain.removeprefix("gdl:")).read_bytes() if domain != column else domain.encode()
    name = [column, size.name, size.budget, size.depth, size.runs, hashlib.blake2b(text, digest_size=8).hexdigest()]
    return work / FOLDER / size.name / f"{hashlib.blake2b(json.dumps(name).encode(), digest_size=8).hexdigest()}.json"


def _measured(column: str, name: str, size: Size) -> dict[str, Any]:
    """What the algorithms reach on a game, or why it is left out."""
    facts: dict[str, Any] = {"column": column}
    try:
        if name != column:
            sheet = look_at(Path(name.removeprefix("gdl:")), LOOK)
            rate = sheet.games / sheet.playing
            facts |= {"moves": len(sheet.network.moves[0]), "facts": len(sheet.network.bases), "playouts": round(rate)}
            if sheet.faults or sheet.unfinished:
                return facts | {"left_out": (*sheet.faults, "random games do not end")[0]}
            if size.budget / rate > size.slowest:
                return facts | {"left_out": "it is slow"}
        domain = domain_of(name)
        rewards, seconds = _rewards(domain, size)
    except SheetError as refused:
        return facts | {"left_out": str(refused).splitlines()[0].partition(": ")[2]}
    except DomainError as wrong:
        return facts | {"left_out": str(wrong)}
    return facts | {
        "domain": canonical_text(domain),
        "length": domain.max_length or domain.horizon,
        "seconds": seconds,
        "rewards": rewards,
    }


def _rewards(domain: Domain, size: Size) -> tuple[dict[str, float], float]:
    """The mean reward of each algorithm, and the CPU seconds of all runs."""
    names = algorithms(size)
    limits = (Limits(size.budget),)
    plan = Plan(tuple(names), limits, "test", 0, 0, "standard", choose_engine(domain, "auto"))
    outcome = Bench(domain, plan).measure(Block(range(len(names)), range(size.runs)))
    if outcome.failure is not None:
        raise DomainError(outcome.failure)
    means = {name: float(mean) for name, mean in zip(names, outcome.rewards[0].mean(axis=1), strict=True)}
    return means, float(outcome.seconds[0].sum())


def write_tables(work: Path, results: Path, size: Size) -> None:
    """What of it is kept: results/sheets/games.csv, and the mean rewards, rewards.csv, an algorithm a line."""
    found = [json.loads(path.read_text("utf-8")) for path in (work / FOLDER / size.name).glob("*.json")]
    found.sort(key=lambda one: (one["column"] in TWINS, one["column"]))
    games = [
        {
            "game": one["column"],
            "moves": one.get("moves", ""),
            "facts": one.get("facts", ""),
            "length": one.get("length", ""),
            "playouts": one.get("playouts", ""),
            "seconds": f"{one['seconds']:.3g}" if "seconds" in one else "",
            "left_out": one.get("left_out", ""),
        }
        for one in found
    ]
    write_csv(results / FOLDER / "games.csv", list(games[0]), games)
    tried = [one for one in found if "rewards" in one]
    columns = [one["column"] for one in tried]
    lines = [
        {"algorithm": name} | {one["column"]: f"{one['rewards'][name]:.4g}" for one in tried}
        for name in algorithms(size)
    ]
    write_csv(results / FOLDER / "rewards.csv", ["algorithm", *columns], lines)
    write_json(results / FOLDER / "size.json", vars(SIZES[size.name]))
