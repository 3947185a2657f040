"""How far what `discover --on` says of domains left out can be believed: choices are made by pulls on the others, but
which candidates had many pulls was decided on all.

    python benchmarks/left_out.py                 40 families of 12 sheets
    python benchmarks/left_out.py --domains 6

No search is run. The truth is results/sheets/rewards.csv: mean rewards of algorithms on one-player sheets. A pull of a
candidate is 1 with that probability, else 0, the widest spread that rewards can have. Each family is drawn from the
sheets, and each of its domains left out once; the table has the mean reward there of what is chosen:

    as discover says    one campaign over the family; the choice by its pulls on the others
    never seen          a campaign over the others alone, with as many pulls on each; the choice by all its pulls
    blindly             as discover says, by the policy uniform

The rows differ in how many standard errors are taken off a mean before it is compared (1 is what discover does).
"""

import csv
from pathlib import Path

import click
import numpy as np

from discovery.bandits.policies import make_policy
from discovery.evaluation import family_scores
from discovery.statistics import summary
from mcsgrammar.language.named import GENERIC

REWARDS = Path(__file__).parent.parent / "results" / "sheets" / "rewards.csv"
PULLS_EACH = 4
"""of every candidate on every domain, on average"""
BATCH = 256
CAUTIONS = (0.0, 1.0, 2.0, 3.0)
Journal = tuple[np.ndarray, np.ndarray, np.ndarray]


def true_means() -> np.ndarray:
    """[candidate, sheet], without sheets on which all are equal."""
    with REWARDS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["algorithm"] not in GENERIC]
    means = np.array([[float(value) for name, value in row.items() if name != "algorithm"] for row in rows])
    return np.clip(means[:, np.ptp(means, axis=0) > 0], 0, 1)


def campaign(draws: np.ndarray, policy: str, domains: list[int]) -> Journal:
    """Arms, t and rewards; t is that of a campaign over all domains of `draws` [candidate, domain, k]."""
    candidates, every, _ = draws.shape
    pulls = candidates * len(domains) * PULLS_EACH
    bandit = make_policy(policy, candidates, pulls, 0)
    counts = np.zeros(candidates, np.int64)
    lines: list[tuple[int, int, float]] = []
    while len(arms := bandit.ask(BATCH)):
        rewards = []
        for arm in arms.tolist():
            k, place = divmod(int(counts[arm]), len(domains))
            counts[arm] += 1
            rewards.append(float(draws[arm, domains[place], k]))
            lines.append((arm, k * every + domains[place], rewards[-1]))
        bandit.tell(arms, np.array(rewards))
    arms, ts, rewards_of_all = (np.array(column) for column in zip(*lines, strict=True))
    return arms, ts, rewards_of_all


def chosen(journal: Journal, candidates: int, domains: int, out: int) -> int:
    found = family_scores.choices(*journal, candidates, domains)[out]
    assert found is not None
    return found.arm


@click.command(help=__doc__.partition("\n\n")[0])
@click.option("--domains", default=12, show_default=True)
@click.option("--families", default=40, show_default=True)
def main(domains: int, families: int) -> None:
    means = true_means()
    random = np.random.default_rng(0)
    reached: dict[float, list[list[float]]] = {caution: [] for caution in CAUTIONS}
    everywhere = list(range(domains))
    for _ in range(families):
        own = means[:, random.choice(means.shape[1], domains, replace=False)]
        candidates = len(own)
        most = candidates * domains * PULLS_EACH
        draws = random.random((candidates, domains, most // domains)) < own[:, :, None]
        spread = campaign(draws, "halving", everywhere)
        blind = campaign(draws, "uniform", everywhere)
        without = [campaign(draws, "halving", [one for one in everywhere if one != out]) for out in everywhere]
        for caution in CAUTIONS:
            family_scores.CAUTION = caution
            lines = [
                [own[chosen(journal, candidates, domains, out), out] for journal in (spread, without[out], blind)]
                for out in everywhere
            ]
            reached[caution].append(np.mean(lines, axis=0).tolist())
    click.echo(f"{families} families of {domains} of {means.shape[1]} sheets, {len(means)} candidates")
    click.echo("standard errors off  as discover says  never seen  blindly  discover less never seen")
    for caution, found in reached.items():
        columns = np.array(found)
        flattery = summary(columns[:, 0] - columns[:, 1])
        said, never, blindly = columns.mean(axis=0)
        click.echo(
            f"{caution:>19g}  {said:>16.3f}  {never:>10.3f}  {blindly:>7.3f}  "
            f"{flattery.mean:+.4f} [{flattery.low:+.4f}, {flattery.high:+.4f}]"
        )


if __name__ == "__main__":
    main()
