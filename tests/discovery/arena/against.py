"""Campaigns over agents that take a second, and a program that runs one and is killed: `python -m … FOLDER PLACE N`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discovery.arena.agents import oppose
from discovery.campaign.journal import Journal
from discovery.campaign.planning import create, plan
from discovery.campaign.ranking import top_of_campaign
from discovery.campaign.running import run
from discovery.campaign.settings import read_settings
from discovery.campaign.unfinished import Unfinished
from discovery.evaluation.round_robin import play_round_robin
from domains.registry import find_domain
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from tests.discovery.arena import matches

CANDIDATES = ("select(sim, 0.4)", "select(sim, 1)", "step(select(sim(mast(eps=0.4)), 0.4), visits)", "select(sim, 0)")
POOL = ("select(sim, 0.4)", "select(sim, 1)@3")
TOP, BLOCKS = 2, 3


def made(
    folder: Path,
    candidates: Sequence[str] = CANDIDATES,
    pool: Sequence[str] = POOL,
    *,
    game: Any = "tictactoe",
    budget: int = 2,
    policy: str = "ucb1",
    pulls: int = 24,
    batch: int = 7,
    engine: Any = "reference",
    **ways: Any,
) -> Path:
    """A campaign not yet run."""
    limits = Limits(budget)
    found = find_domain(game) if isinstance(game, str) else game
    against = oppose(found, pool, limits, **ways)
    expressions = [parse(text) for text in candidates]
    how: dict[str, Any] = {"policy": policy, "pulls": pulls, "batch": batch, "engine": engine, "seed": 5}
    create(folder, *plan(found, expressions, limits=limits, against=against, **how))
    return folder


def to_the_end(folder: Path, jobs: int = 1) -> None:
    """The campaign, then the round robin of its best."""
    run(folder, jobs=jobs)
    settings, best = read_settings(folder), top_of_campaign(folder, TOP)
    play_round_robin(folder, settings, best, TOP, BLOCKS, find_domain(settings.domain), jobs=jobs)


PLACES: dict[str, tuple[Any, str]] = {
    "a batch is written": (Journal, "append"),
    "a batch has ended": (Unfinished, "end"),
    "a match of the round robin is kept": matches.PLACES["a match is kept"],
    "a block of the round robin is written": matches.PLACES["a block is written"],
}

if __name__ == "__main__":
    matches.PLACES.update(PLACES)
    matches.kill_at(sys.argv[2], int(sys.argv[3]), before=True)
    to_the_end(Path(sys.argv[1]))
