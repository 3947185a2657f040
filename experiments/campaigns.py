"""The campaigns: one list of them, and how they are started and gone on with.

A campaign's folder is WORK/NAME, made as by `mcsgrammar discover … --test-problems 0 --out WORK/NAME`. Started again,
it goes on where its journal ends; a finished one is left alone. The journals are the same byte for byte wherever they
are run, but for `sudoku4-seconds`, where a run lasts so many CPU seconds and not so many evaluations.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mcsgrammar
from discovery.campaign.ranking import Standing, read_standing
from discovery.campaign.running import OnBatch
from discovery.evaluation.evaluating import evaluate
from discovery.keeping.folder import is_begun
from experiments.files import write_json
from experiments.scales import Scale
from mcsgrammar.enumeration.candidates import Candidates

SECONDS_FILE = "seconds.json"
CALIBRATION_RUNS = 300


@dataclass(frozen=True)
class Campaign:
    """One discovery. What is not said here is as `mcsgrammar discover` has it by default."""

    name: str
    problem: str
    domain: str
    budget: int
    policy: str
    pulls_per_candidate: float = 100
    depth: int = 5
    seed: int = 1
    by_time: bool = False
    """a run lasts as long as `budget` random playouts do on this machine"""


def _of_problem(problem: str, domain: str, budget: int, depth6_pulls: int) -> list[Campaign]:
    def named(what: str, policy: str, pulls: float = 100, depth: int = 5) -> Campaign:
        return Campaign(f"{problem}-{what}", problem, domain, budget, policy, pulls, depth)

    return [
        named("ucb1", "ucb1"),
        named("halving", "halving"),
        named("halving-10", "halving", 10),
        named("halving-5", "halving", 5),
        named("depth6", "halving", depth6_pulls, depth=6),
    ]


MORE_SEEDS = (2, 3, 4, 5)

CAMPAIGNS: dict[str, Campaign] = {
    campaign.name: campaign
    for campaign in (
        *_of_problem("sudoku4", "sudoku:4", 1_000, 20),
        *(Campaign(f"sudoku4-ucb1-seed{s}", "sudoku4", "sudoku:4", 1_000, "ucb1", seed=s) for s in MORE_SEEDS),
        *(
            Campaign(f"sudoku4-halving-5-seed{s}", "sudoku4", "sudoku:4", 1_000, "halving", 5, seed=s)
            for s in MORE_SEEDS
        ),
        Campaign("sudoku4-seconds", "sudoku4", "sudoku:4", 1_000, "ucb1", by_time=True),
        *_of_problem("regression", "regression", 10_000, 10),
        *_of_problem("morpion5T", "morpion:5T", 10_000, 5),
        Campaign("morpion5T-longer", "morpion5T", "morpion:5T", 100_000, "halving", 5),
    )
}
"""The paper's bandit and ours at the paper's size; ours with a tenth and a twentieth of the pulls; one component
deeper; on Sudoku also other seeds (table III, and of what ours finds with least), and a budget in CPU time (tables IV
and V); on Morpion one that is told ten times the budget."""


EVERYWHERE = "everywhere"
"""Where winners are asked for: not a campaign, but the candidates that do well in all of these."""
JUDGES = ("sudoku4-halving", "regression-halving", "morpion5T-halving")


def run_campaign(campaign: Campaign, work: Path, scale: Scale, jobs: int, on_batch: OnBatch | None = None) -> Standing:
    """Start a campaign or go on with it; how it stands when it is done, or when Ctrl-C has stopped it."""
    budget = max(1, round(campaign.budget * scale.budget))
    candidates = Candidates(campaign.depth + scale.depth)
    return mcsgrammar.discover(
        campaign.domain,
        work / campaign.name,
        budget=None if campaign.by_time else budget,
        seconds=seconds_of(campaign.domain, budget, work) if campaign.by_time else None,
        candidates=candidates,
        policy=campaign.policy,
        pulls=max(len(candidates), round(campaign.pulls_per_candidate * scale.pulls * len(candidates))),
        seed=campaign.seed,
        jobs=jobs,
        on_batch=on_batch,
        progress=False,
    )


def seconds_of(domain: str, evaluations: int, work: Path) -> float:
    """The CPU seconds that so many random playouts from the start of a problem take on this machine: measured once for
    a work folder, and noted in it. It is how the paper came from B = 1 000 to 1 000 / 350 seconds."""
    path = work / SECONDS_FILE
    noted: dict[str, float] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    name = f"{domain}@{evaluations}"
    if name not in noted:
        measured = evaluate(domain, ["is"], budgets=evaluations, problems=CALIBRATION_RUNS)
        noted[name] = float(f"{measured.settings[0].seconds_per_run[0]:.3g}")
        write_json(path, noted)
    return noted[name]


def finished(standing: Standing) -> bool:
    return standing.pulls_done >= standing.settings.pulls


def with_more_seeds(name: str) -> list[str]:
    """A campaign, and those that differ from it in nothing but the seed."""
    return [name, *(other for other in CAMPAIGNS if other.startswith(f"{name}-seed"))]


def standing_of(name: str, work: Path) -> Standing | None:
    """How a campaign stands; None if it was never begun."""
    folder = work / name
    return read_standing(folder) if is_begun(folder) else None


def winners(names: Iterable[str], work: Path, top: int) -> dict[str, list[str]]:
    """The best candidates of those campaigns that are finished, the best first, and those of EVERYWHERE."""
    rankings = {}
    for name in dict.fromkeys((*names, *JUDGES)):
        standing = standing_of(name, work)
        if standing is not None and finished(standing):
            rankings[name] = [ranked.expression_text for ranked in standing.ranking()]
    return best_of(rankings, top)


def best_of(rankings: Mapping[str, Sequence[str]], top: int) -> dict[str, list[str]]:
    """The first of each ranking; under EVERYWHERE those candidates whose worst rank with any of the judges is best."""
    found = {name: list(ranking[:top]) for name, ranking in rankings.items()}
    if all(judge in rankings for judge in JUDGES):
        worst: dict[str, int] = {}
        for judge in JUDGES:
            for rank, text in enumerate(rankings[judge]):
                worst[text] = max(rank, worst.get(text, 0))
        in_all = set.intersection(*(set(rankings[judge]) for judge in JUDGES))
        found[EVERYWHERE] = sorted(in_all, key=lambda text: (worst[text], text))[:top]
    return found
