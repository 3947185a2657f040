"""How many candidates to halve among, and whether brackets do better than one sample: replays over a record.

    python benchmarks/brackets.py RECORD [--repetitions 400]

RECORD is what `mcsgrammar record` wrote. In each repetition half of the recorded pulls, drawn at random, are replayed,
and the other half judge, as with `mcsgrammar replay --hold-out`. Printed is the simple regret in 0.0001 of reward, ±
its standard error over the repetitions, after so many pulls in all.

    all               halving among all candidates
    stretches k       halving among pulls // k of them, one from each of as many equal stretches of the enumeration;
                      with k = 4 it is the policy `sampled-halving`
    anywhere k        the same with candidates drawn from anywhere
    brackets k, l, …  so many samples as there are numbers, each with an equal share of the pulls, one share kept for a
                      final: the winners meet the same problems there, and the highest mean over these wins
"""

import argparse
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np

from discovery.bandits.recording import load
from domains.randomness import Random, seed_of

PULLS = (300, 500, 1000, 2000, 3155, 6310, 15775, 63100)


class Outcomes:
    """The replayed pulls of all arms, which start over where they run out."""

    def __init__(self, rewards: np.ndarray) -> None:
        self.arms, self.columns = rewards.shape
        self.sums = np.concatenate([np.zeros((self.arms, 1)), np.cumsum(rewards, axis=1)], axis=1)

    def means(self, arms: np.ndarray, pulls: int) -> np.ndarray:
        """Of the first pulls of each."""
        rounds, rest = divmod(pulls, self.columns)
        found: np.ndarray = (self.sums[arms, -1] * rounds + self.sums[arms, rest]) / pulls
        return found


def halve(outcomes: Outcomes, arms: np.ndarray, pulls: int) -> tuple[int, int]:
    """The arm that is left, and how many pulls it had."""
    left, used, each = max(1, (len(arms) - 1).bit_length()), 0, 0
    while left > 1:
        more = max(1, (pulls - used) // (left * len(arms)))
        used, each = used + more * len(arms), each + more
        while True:
            better = np.argsort(-outcomes.means(arms, each), kind="stable")[: (len(arms) + 1) // 2]
            arms, left = np.sort(arms[better]), left - 1
            if left == 1 or (pulls - used) // left >= len(arms):
                break
    each += (pulls - used) // len(arms)
    return int(arms[outcomes.means(arms, each).argmax()]), each


def from_stretches(number: int, arms: int, random: Random) -> np.ndarray:
    bounds = [stretch * arms // number for stretch in range(number + 1)]
    return np.array([start + random.below(end - start) for start, end in pairwise(bounds)])


def from_anywhere(number: int, arms: int, random: Random) -> np.ndarray:
    order = list(range(arms))
    random.shuffle_from_end(order)
    return np.sort(np.array(order[:number]))


Choice = Callable[[Outcomes, int, Random], int | None]
"""(outcomes, pulls, randomness) -> the arm recommended, None where there are too few pulls"""


def among_all(outcomes: Outcomes, pulls: int, random: Random) -> int | None:
    return halve(outcomes, np.arange(outcomes.arms), pulls)[0] if pulls >= outcomes.arms else None


def sampled(each: int, draw: Callable[[int, int, Random], np.ndarray]) -> Choice:
    def choose(outcomes: Outcomes, pulls: int, random: Random) -> int:
        number = min(outcomes.arms, max(5, pulls // each))
        return halve(outcomes, draw(number, outcomes.arms, random), pulls)[0]

    return choose


def brackets(*sizes: int) -> Choice:
    def choose(outcomes: Outcomes, pulls: int, random: Random) -> int:
        share = pulls // (len(sizes) + 1)
        numbers = [min(outcomes.arms, max(5, share // each)) for each in sizes]
        found = [halve(outcomes, from_stretches(n, outcomes.arms, random), share) for n in numbers]
        winners = np.unique([arm for arm, _ in found])
        fewest, most = min(each for _, each in found), max(each for _, each in found)
        final = max(most, fewest + share // len(winners))
        return int(winners[outcomes.means(winners, final).argmax()])

    return choose


CHOICES: dict[str, Choice] = {
    "all": among_all,
    **{f"stretches {each}": sampled(each, from_stretches) for each in (2, 3, 4, 5, 6, 8, 10, 20)},
    **{f"anywhere {each}": sampled(each, from_anywhere) for each in (4, 10)},
    "brackets 3, 10": brackets(3, 10),
    "brackets 4, 4": brackets(4, 4),
    "brackets 3, 10, 30": brackets(3, 10, 30),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("record", type=Path)
    options.add_argument("--repetitions", type=int, default=400)
    given = options.parse_args()
    record = load(given.record)
    regrets = np.full((len(CHOICES), given.repetitions, len(PULLS)), np.nan)
    for repetition in range(given.repetitions):
        order = list(range(record.columns))
        Random(seed_of("replay", 0, repetition)).shuffle_from_end(order)
        replayed, held_out = np.array_split(record.rewards[:, order], 2, axis=1)
        outcomes, truth, best = Outcomes(replayed), held_out.mean(axis=1), replayed.mean(axis=1).argmax()
        for row, (name, choose) in enumerate(CHOICES.items()):
            for column, pulls in enumerate(PULLS):
                chosen = choose(outcomes, pulls, Random(seed_of("brackets", name, pulls, repetition)))
                if chosen is not None:
                    regrets[row, repetition, column] = truth[best] - truth[chosen]
    print(
        f"{record.domain}, budget {record.budget}: {record.arms:,} × {record.columns} pulls, "
        f"{given.repetitions} repetitions"
    )
    print(" " * 20 + "".join(f"{pulls:>15,}" for pulls in PULLS))
    for name, of_choice in zip(CHOICES, regrets, strict=True):
        errors = of_choice.std(axis=0, ddof=1) / math.sqrt(given.repetitions)
        cells = (
            f"{1e4 * mean:.1f} ± {1e4 * error:.1f}" for mean, error in zip(of_choice.mean(axis=0), errors, strict=True)
        )
        print(f"{name:<20}" + "".join(f"{'—' if 'nan' in cell else cell:>15}" for cell in cells))


if __name__ == "__main__":
    main()
