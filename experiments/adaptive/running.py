"""The runs behind results/adaptive/, kept piece by piece.

A piece holds the runs of one algorithm on one domain within its budgets, on the test problems 0, 1, 2, … n - 1: an
array [rewards, scores and CPU seconds; budget; problem] in WORK/adaptive/DOMAIN/HASH.npy, with what it is in HASH.json
beside it. A piece grows by chunks; killed at any time, all but the chunk under way is kept, and the same command goes
on. Each run is the one that `mcsgrammar evaluate` and `mcsgrammar solve --problem k` do with that expression.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from discovery.bandits.recording import npy_bytes
from discovery.evaluation.runs import Bench, Block, BlockResult, Plan
from domains.errors import DomainError
from domains.problems import Split
from experiments.adaptive.questions import SETTINGS, TRAINING, Algorithm, Contest, Family, Question
from experiments.files import write
from experiments.pieces import domain_of
from mcsgrammar.engines.searching import Limits, choose_engine
from mcsgrammar.language.parsing import parse

FOLDER = "adaptive"
ROUNDS = (0.1, 0.25, 0.5, 1.0)
CHUNK = 10
"""Problems; what a kill can lose."""

MUTATION = "a parameter drawn anew"
"""By which rule `ea` and `ntbea` mutate: part of what a piece with them is, so that none from before is added to."""

OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class Piece:
    """Which runs."""

    domain: str
    budgets: tuple[int, ...]
    algorithm: Algorithm

    @property
    def identity(self) -> dict[str, Any]:
        one = self.algorithm
        named: dict[str, Any] = {
            "domain": self.domain,
            "budgets": list(self.budgets),
            "expression": one.expression,
            "way": one.way,
        }
        if one.way in ("best in training", "worst in training"):
            named |= {"settings": SETTINGS, "training": TRAINING}
        if one.way == "most used" or re.search(r"\b(ea|ntbea)\b", one.expression):
            named |= {"mutation": MUTATION}
        return named

    def path(self, work: Path) -> Path:
        digest = hashlib.blake2b(json.dumps(self.identity).encode(), digest_size=8).hexdigest()
        return work / FOLDER / self.domain.replace(":", "-") / f"{digest}.npy"

    def read(self, work: Path) -> np.ndarray:
        """[rewards, scores and CPU seconds; budget; problem]"""
        path = self.path(work)
        return np.asarray(np.load(path)) if path.exists() else np.empty((3, len(self.budgets), 0))

    def append(self, work: Path, chunk: np.ndarray) -> None:
        """Add the runs on the problems that follow."""
        path = self.path(work)
        whole = np.concatenate([self.read(work), chunk], axis=2)
        write(path.with_suffix(".json"), json.dumps(self.identity, indent=1))
        write(path, npy_bytes(whole))


def pieces_of(questions: Iterable[Question], runs: int | None = None) -> dict[Piece, int]:
    """Every piece once, with the number of problems it wants; `runs` holds for all where it is given."""
    wanted: dict[Piece, int] = {}
    for question in questions:
        for contest in question.contests:
            for piece in pieces_in(contest):
                wanted[piece] = max(wanted.get(piece, 0), runs or question.runs)
    return wanted


def pieces_in(contest: Contest) -> list[Piece]:
    return [Piece(contest.domain, one.budgets or contest.budgets, one) for one in contest.algorithms]


def measure(work: Path, questions: Iterable[Question], runs: int | None, on_progress: OnProgress | None = None) -> None:
    """Run what is missing: everything on a tenth of the problems first, then on more and more."""
    wanted = pieces_of(questions, runs)
    for part in ROUNDS:
        for place, (piece, count) in enumerate(wanted.items(), 1):
            aim = max(2, round(count * part))
            while (there := piece.read(work).shape[2]) < aim:
                if on_progress is not None:
                    label = piece.algorithm.label
                    on_progress(f"{place} of {len(wanted)}, {piece.domain}, {label}: {there} of {aim} runs")
                piece.append(work, run_chunk(piece, range(there, min(aim, there + CHUNK)), work))


def run_chunk(piece: Piece, problems: range, work: Path) -> np.ndarray:
    """[rewards, scores and CPU seconds; budget; problem] of some problems."""
    _warm_up(piece.domain, expression_of(piece, problems[0], work))
    parts = []
    for k in problems:
        bench = bench_of(piece.domain, expression_of(piece, k, work), piece.budgets)
        parts.append(_array(bench.measure(Block(range(1), range(k, k + 1)))))
    return np.concatenate(parts, axis=2)


@lru_cache(maxsize=1024)
def _warm_up(domain: str, expression: str) -> None:
    """So that no measured time is one of compiling or of growing tables."""
    bench_of(domain, expression, (200,), "train").measure(Block(range(1), range(1)))


def _array(outcome: BlockResult) -> np.ndarray:
    if outcome.failure is not None:
        raise DomainError(outcome.failure)
    return np.stack([outcome.rewards[:, 0], outcome.scores[:, 0], outcome.seconds[:, 0]])


def expression_of(piece: Piece, k: int, work: Path) -> str:
    """What is run on test problem `k`."""
    algorithm = piece.algorithm
    if algorithm.family is None:
        return algorithm.expression
    match algorithm.way:
        case "drawn":
            return algorithm.family.drawn("test", k)
        case "most used":
            return most_used(piece.domain, algorithm.family, max(piece.budgets), k)
        case "best in training":
            return chosen(piece.domain, algorithm.family, max(piece.budgets), work)[0]
        case "worst in training":
            return chosen(piece.domain, algorithm.family, max(piece.budgets), work)[1]
    return algorithm.expression


def most_used(domain: str, family: Family, budget: int, k: int) -> str:
    """With the combination that `ntbea` uses most on training problem `k`."""
    bench = bench_of(domain, family.tuned("ntbea"), (budget,), "train")
    initial = bench.initial(k)
    result = bench.search(parse(family.tuned("ntbea")), bench.plan.limits[0], k, bench.ready(initial))
    tuning = result.tunings[0]
    return family.with_values([name.partition(" of ")[0] for name in tuning.parameters], tuning.used[0][0])


def chosen(domain: str, family: Family, budget: int, work: Path) -> tuple[str, str]:
    """The best and the worst of some drawn combinations on training problems; measured once and kept."""
    name = {"domain": domain, "opened": family.opened, "budget": budget, "settings": SETTINGS, "training": TRAINING}
    digest = hashlib.blake2b(json.dumps(name).encode(), digest_size=8).hexdigest()
    path = work / FOLDER / "chosen" / f"{digest}.json"
    if not path.exists():
        texts = list(dict.fromkeys(family.drawn("train", k) for k in range(SETTINGS)))
        means = [_training_mean(domain, text, budget) for text in texts]
        best, worst = texts[int(np.argmax(means))], texts[int(np.argmin(means))]
        write(path, json.dumps({**name, "best": best, "worst": worst, "means": dict(zip(texts, means, strict=True))}))
    read = json.loads(path.read_text("utf-8"))
    return str(read["best"]), str(read["worst"])


def _training_mean(domain: str, text: str, budget: int) -> float:
    outcome = bench_of(domain, text, (budget,), "train").measure(Block(range(1), range(TRAINING)))
    return float(_array(outcome)[0].mean())


@lru_cache(maxsize=64)
def bench_of(domain: str, expression: str, budgets: tuple[int, ...], split: Split = "test") -> Bench:
    """An expression on a domain, ready to run."""
    found = domain_of(domain)
    limits = tuple(Limits(budget) for budget in budgets)
    plan = Plan((expression,), limits, split, 0, 0, "standard", choose_engine(found, "auto"))
    return Bench(found, plan)
