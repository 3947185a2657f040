"""Campaigns for reports: journals written by hand, so that what is in them is known."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from discovery.campaign.journal import Journal
from discovery.campaign.running import create, plan
from discovery.campaign.settings import Settings
from discovery.keeping.folder import JOURNAL_FILE
from mcsgrammar.engines.searching import Limits
from mcsgrammar.enumeration.candidates import Candidates
from mcsgrammar.language.parsing import parse

VERSIONS = {"mcsgrammar": "1.2.3", "numpy": "4.5.6"}

Pull = tuple[int, float] | tuple[int, float, str]
"""An arm, its reward, and perhaps that it failed."""


def written(
    folder: Path, domain: str, candidates: Sequence[str], pulls: Sequence[Pull], *, budget: int = 20, **settings: object
) -> Path:
    """A campaign with these pulls in one batch. It is complete unless `pulls_in_all` says otherwise."""
    in_all = settings.pop("pulls_in_all", max(1, len(pulls)))
    planned, texts = plan(
        domain,
        [parse(text) for text in candidates],
        limits=Limits(budget),
        pulls=in_all,  # type: ignore[arg-type]
        **{"policy": "ucb1", "batch": 7, "seed": 3, **settings},  # type: ignore[arg-type]
    )
    own = replace(planned, versions=VERSIONS)
    create(folder, own, texts)
    if pulls:
        _write_journal(folder, own, pulls)
    return folder


def _write_journal(folder: Path, settings: Settings, pulls: Sequence[Pull]) -> None:
    arms = [pull[0] for pull in pulls]
    seen: dict[int, int] = {}
    ts = []
    for arm in arms:
        ts.append(seen.get(arm, 0))
        seen[arm] = ts[-1] + 1
    with Journal.create(folder / JOURNAL_FILE, settings.digest()) as journal:
        journal.append(
            np.array(arms), np.array(ts), np.array([pull[1] for pull in pulls]), np.array([len(p) == 3 for p in pulls])
        )


def many(folder: Path, depth: int = 4) -> Path:
    """All candidates up to a depth on sudoku:2, with two to four pulls of rewards that have no meaning."""
    random = Random(5)
    texts = [str(one) for one in Candidates(depth)]
    pulls: list[Pull] = [(arm, random.randrange(17) / 16) for arm in range(len(texts)) for _ in range(2)]
    pulls += [(random.randrange(len(texts)), random.randrange(17) / 16) for _ in range(len(texts))]
    return written(folder, "sudoku:2", texts, pulls)
