"""Every discrete tuner once more, to be compared draw for draw.

Each is a generator: it yields a combination and is sent the reward. It keeps nothing but the list of what happened and
counts that anew whenever it wants to know something; what is feasible it finds out by listing all legal combinations.
"""

import itertools
import math
from collections.abc import Generator, Iterable, Sequence

from domains.portable_math import log
from domains.randomness import Random
from mcsgrammar.tuning.space import Combination, Space

Tuning = Generator[Combination, float, None]
History = list[tuple[Combination, float]]


def LEGAL(space: Space, combination: Combination) -> bool:
    """Where k = 0, ref is its first value."""
    for ref, parameter in enumerate(space.parameters):
        if parameter.master is not None and combination[parameter.master] == parameter.off and combination[ref] != 0:
            return False
    return True


def all_legal(space: Space) -> list[Combination]:
    return [c for c in itertools.product(*(range(size) for size in space.sizes)) if LEGAL(space, c)]


def naive_feasible(space: Space, chosen: Sequence[int | None], number: int) -> list[int]:
    """The values with which what is chosen can be made a legal combination."""
    fits = [
        c for c in all_legal(space) if all(one in (None, c[n]) for n, one in enumerate(chosen) if n != number)
    ]  # fmt: skip
    return sorted({c[number] for c in fits})


def plus(numbers: Iterable[float]) -> float:
    """One after the other; Python's own sum is more exact than that."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def mean(rewards: list[float]) -> float:
    return plus(rewards) / len(rewards)


def ucb(rewards: list[float], all_visits: int, c: float, fpu: float) -> float:
    if not rewards:
        return fpu
    return mean(rewards) + c * math.sqrt(log(float(all_visits))) * (1 / math.sqrt(len(rewards)))


def one_of_the_best(items: Sequence[int], values: Sequence[float], random: Random) -> int:
    best = [item for item, value in zip(items, values, strict=True) if value == max(values)]
    return best[random.below(len(best))]


def naive_draw(space: Space, random: Random, number: int = -1, value: int = -1) -> Combination:
    combination = tuple(value if i == number else random.below(n) for i, n in enumerate(space.sizes))
    return combination if LEGAL(space, combination) else naive_draw(space, random, number, value)


def naive_mutation(space: Space, combination: Combination, random: Random) -> Combination:
    neighbours = naive_neighbours(space, combination, random.below(len(combination)))
    return neighbours[random.below(len(neighbours))]


def naive_neighbours(space: Space, combination: Combination, number: int) -> list[Combination]:
    """The legal combinations that may differ in one parameter, and in that which is its k or its ref."""
    masters = [parameter.master for parameter in space.parameters]
    free = [i for i in range(len(masters)) if i == number or masters[i] == number or masters[number] == i]
    return [c for c in all_legal(space) if all(c[i] == combination[i] for i in range(len(c)) if i not in free)]


def uniform(space: Space, random: Random) -> Tuning:
    while True:
        yield naive_draw(space, random)


def mab(space: Space, random: Random, c: float, fpu: float) -> Tuning:
    history: History = []
    arms = all_legal(space)
    while True:
        values = [ucb([r for done, r in history if done == arm], len(history), c, fpu) for arm in arms]
        arm = arms[one_of_the_best(range(len(arms)), values, random)]
        history.append((arm, (yield arm)))


def nmc(space: Space, random: Random, eps0: float, c_l: float, c_g: float) -> Tuning:
    history: History = []
    while True:
        wants_to_explore = random.uniform01() < eps0
        if wants_to_explore or not history:
            chosen: list[int | None] = [None] * len(space.sizes)
            for number in range(len(chosen)):
                values = naive_feasible(space, chosen, number)
                worths = [ucb([r for done, r in history if done[number] == v], len(history), c_l, 1.0) for v in values]
                chosen[number] = one_of_the_best(values, worths, random)
            combination = complete(chosen)
        else:
            seen = list(dict.fromkeys(done for done, _ in history))
            worths = [ucb([r for done, r in history if done == one], len(history), c_g, 1.0) for one in seen]
            combination = seen[one_of_the_best(range(len(seen)), worths, random)]
        history.append((combination, (yield combination)))


def complete(chosen: Sequence[int | None]) -> Combination:
    return tuple(int(value) for value in chosen)  # type: ignore[arg-type]


def lsi(space: Space, random: Random, share: float, draws: int, total: int) -> Tuning:
    values = [(number, value) for number, size in enumerate(space.sizes) for value in range(size)]
    side: dict[tuple[int, int], list[float]] = {one: [] for one in values}
    for _ in range(max(1, int(share * total / len(values)))):
        turn = [(one, naive_draw(space, random, *one)) for one in values]
        random.shuffle_from_end(turn)
        for one, combination in turn:
            side[one].append((yield combination))

    candidates: list[Combination] = []
    for _ in range(draws):
        chosen: list[int | None] = [None] * len(space.sizes)
        while None in chosen:
            left = [
                (number, value)
                for number, value in values
                if chosen[number] is None and value in naive_feasible(space, chosen, number)
            ]
            weights = [mean(side[one]) for one in left]
            number, value = left[weighted(weights, random)]
            chosen[number] = value
        if complete(chosen) not in candidates:
            candidates.append(complete(chosen))

    history: dict[Combination, list[float]] = {c: [] for c in candidates}
    rounds = math.ceil(math.log2(len(candidates)))
    for _ in range(rounds):
        samples = (total - int(share * total)) // rounds
        for _ in range(max(1, samples // len(candidates))):
            turn_of = list(range(len(candidates)))
            random.shuffle_from_end(turn_of)
            for number in turn_of:
                history[candidates[number]].append((yield candidates[number]))
        candidates = sorted(candidates, key=lambda c: mean(history[c]), reverse=True)  # stable, too
        candidates = candidates[: math.ceil(len(candidates) / 2)]
    (winner,) = candidates
    while True:
        yield winner


def weighted(weights: list[float], random: Random) -> int:
    if not any(weights):
        return random.below(len(weights))
    point = random.uniform01() * plus(weights)
    for place, weight in enumerate(weights):
        point -= weight
        if point < 0:
            return place
    return max(place for place in range(len(weights)) if weights[place])


def ea(space: Space, random: Random, lambda_: int, mu: int, p_cross: float) -> Tuning:
    population: list[tuple[Combination, list[float]]] = [(naive_draw(space, random), []) for _ in range(lambda_)]
    while True:
        turn = list(range(lambda_))
        random.shuffle_from_end(turn)
        for number in turn:
            combination, rewards = population[number]
            rewards.append((yield combination))
        means = [mean(rewards) for _, rewards in population]
        ranking = sorted(range(lambda_), key=lambda number: (-means[number], number))
        population = [population[number] for number in ranking[:mu]]
        elite = [combination for combination, _ in population]
        while len(population) < lambda_:
            population.append((offspring(space, random, elite, p_cross), []))


def offspring(space: Space, random: Random, elite: list[Combination], p_cross: float) -> Combination:
    if not random.uniform01() < p_cross:
        return naive_mutation(space, elite[random.below(len(elite))], random)
    parents = elite[random.below(len(elite))], elite[random.below(len(elite))]
    child: list[int | None] = [None] * len(space.sizes)
    for number in range(len(child)):
        feasible = naive_feasible(space, child, number)
        heads = random.below(2)
        wanted = [parents[heads][number], parents[not heads][number]]
        possible = [gene for gene in wanted if gene in feasible]
        child[number] = possible[0] if possible else feasible[random.below(len(feasible))]
    return complete(child)


def ntbea(space: Space, random: Random, x: int, c: float) -> Tuning:
    history: History = []
    current = naive_draw(space, random)

    def worth(combination: Combination) -> float:
        d = len(combination)
        tuples: list[Sequence[int]] = [*((n,) for n in range(d)), *([range(d)] if d > 1 else [])]
        met = []
        for part in tuples:
            rewards = [r for done, r in history if all(done[n] == combination[n] for n in part)]
            if rewards:
                met.append(ucb(rewards, len(history), c, math.nan))
        return mean(met) if met else 0.0

    while True:
        history.append((current, (yield current)))
        neighbours = [naive_mutation(space, current, random) for _ in range(x)]
        current = max(neighbours, key=worth)  # the first of several
