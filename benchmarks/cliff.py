"""How good can a search before every action be on the cliff, and how good is it?

    .venv/bin/python benchmarks/cliff.py --budgets 200,1000,10000 --searches 16

closed loop   the best policy, which looks where it is before every step, by dynamic programming
blind         the best plan that does not look, made anew before every step: what an open-loop search comes to that
              finds the best of all plans. Plans by a beam so wide that a wider one changes nothing
an agent      its choices in every cell after every number of steps, so many searches each, and the mean reward of who
              chooses so, by dynamic programming: far more exact than games
UCT           the same for thirty lines of open-loop UCT in plain Python, which share nothing with the engines
"""

import argparse
import math
import random
import time
from collections.abc import Callable

import numpy as np

from domains.cliff import DIRECTIONS, LATEST_GOAL, OUT_OF_TIME, Cliff, Robot
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.searching import Limits, SearchTask, engine_of
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import agent_of

Choose = Callable[[int, int, int, int], int]
"""The action in the cell (x, y) after so many steps, by a seed."""

CLIFF = Cliff()
CELLS = [(x, y) for x in range(CLIFF.width) for y in range(CLIFF.height) if y or not x]
"""Where a game goes on."""
NUMBER = {cell: number for number, cell in enumerate(CELLS)}
STEPS = CLIFF.steps
BEAM = 50


def worth_of_goal(steps: int) -> float:
    return 1 - (1 - LATEST_GOAL) * steps / STEPS


def moves() -> tuple[np.ndarray, np.ndarray]:
    """By action: the probabilities from cell to cell, and those of the goal."""
    onward, goal = np.zeros((4, len(CELLS), len(CELLS))), np.zeros((4, len(CELLS)))
    for (x, y), number in NUMBER.items():
        for action in range(4):
            for turn, chance in ((0, 1 - CLIFF.slip), (3, CLIFF.slip / 2), (1, CLIFF.slip / 2)):
                east, north = DIRECTIONS[(action + turn) % 4]
                to = min(max(x + east, 0), CLIFF.width - 1), min(max(y + north, 0), CLIFF.height - 1)
                if to in NUMBER:
                    onward[action, number, NUMBER[to]] += chance
                elif to[0] == CLIFF.width - 1:
                    goal[action, number] += chance
    return onward, goal


ONWARD, GOAL = moves()


def worth_of(policy: Callable[[int, int], np.ndarray]) -> float:
    """The mean reward of who plays actions with these probabilities, by steps and cell."""
    worth = np.full(len(CELLS), OUT_OF_TIME)
    for steps in reversed(range(STEPS)):
        by_action = ONWARD @ worth + GOAL * worth_of_goal(steps + 1)
        worth = np.array([policy(steps, cell) @ by_action[:, cell] for cell in range(len(CELLS))])
    return float(worth[NUMBER[0, 0]])


def closed_loop() -> np.ndarray:
    """What the best policy comes to, by steps and cell."""
    worth = np.full((STEPS + 1, len(CELLS)), OUT_OF_TIME)
    for steps in reversed(range(STEPS)):
        worth[steps] = (ONWARD @ worth[steps + 1] + GOAL * worth_of_goal(steps + 1)).max(axis=0)
    return worth


def blind_action(steps: int, cell: int, hope: np.ndarray) -> int:
    """The first action of the best plan; `hope` is what no plan comes to more than."""
    where, gained, first = np.eye(len(CELLS))[[cell]], np.zeros(1), np.zeros(1, np.int64)
    for now in range(steps, STEPS):
        gained = np.concatenate([gained + where @ GOAL[a] * worth_of_goal(now + 1) for a in range(4)])
        first = np.arange(4) if now == steps else np.tile(first, 4)
        where = np.concatenate([where @ ONWARD[a] for a in range(4)])
        _, different = np.unique(np.round(np.column_stack([where, gained]), 9), axis=0, return_index=True)
        best = different[np.argsort(-(gained + where @ hope[now + 1])[different], kind="stable")[:BEAM]]
        where, gained, first = where[best], gained[best], first[best]
    return int(first[np.argmax(gained + where.sum(axis=1) * OUT_OF_TIME)])


def one(action: int) -> np.ndarray:
    return np.eye(4)[action]


def frequencies(choose: Choose, searches: int) -> Callable[[int, int], np.ndarray]:
    """How often an agent plays what; nobody is in a cell before he can be there."""

    def policy(steps: int, cell: int) -> np.ndarray:
        x, y = CELLS[cell]
        if x + y > steps:
            return np.full(4, 0.25)
        seeds = range(searches)
        return np.mean([one(choose(x, y, steps, (seed * STEPS + steps) * 100 + cell)) for seed in seeds], axis=0)

    return policy


def agent(expression: str, budget: int) -> Choose:
    who, engine = agent_of(parse(expression), CLIFF, Limits(budget)), engine_of(CLIFF, "auto")

    def choose(x: int, y: int, steps: int, seed: int) -> int:
        game = engine.game(SearchTask(who.component, seed, evaluations=budget))
        game.tick(engine.ready(Robot(x, y, steps)), Pace(budget, None))
        return int(game.commit(who.rule))

    return choose


def uct(c: float, budget: int) -> Choose:
    """Open-loop UCT with visits, totals and children in lists."""

    def choose(x: int, y: int, steps: int, seed: int) -> int:
        draw = random.Random(seed)
        root: list[list[float]] = [[0, 0.0]]
        children: dict[int, list[int]] = {}
        nodes = root
        for _ in range(budget):
            here, cell, now, grown, path = 0, (x, y), steps, False, [0]
            while cell in NUMBER and now < STEPS:
                action = draw.randrange(4)
                if not grown and here not in children:
                    children[here], grown = list(range(len(nodes), len(nodes) + 4)), True
                    nodes += [[0, 0.0] for _ in range(4)]
                elif not grown:
                    kin = [nodes[child] for child in children[here]]
                    scale = c * math.sqrt(math.log(sum(n for n, _ in kin) or 1))
                    values = [total / n + scale / math.sqrt(n) if n else math.inf for n, total in kin]
                    action = draw.choice([a for a in range(4) if values[a] == max(values)])
                    here = children[here][action]
                    path.append(here)
                luck = draw.random()
                turn = 0 if luck >= CLIFF.slip else 3 if luck < CLIFF.slip / 2 else 1
                east, north = DIRECTIONS[(action + turn) % 4]
                cell = min(max(cell[0] + east, 0), CLIFF.width - 1), min(max(cell[1] + north, 0), CLIFF.height - 1)
                now += 1
            reward = OUT_OF_TIME
            if cell not in NUMBER:
                reward = worth_of_goal(now) if cell[0] == CLIFF.width - 1 else 0.0
            for node in path:
                nodes[node][0] += 1
                nodes[node][1] += reward
        visits = [nodes[child][0] for child in children[0]]
        return draw.choice([a for a in range(4) if visits[a] == max(visits)])

    return choose


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=["select(sim, 0.3)", "step(select(sim, 0.3), mean)"])
    parser.add_argument("--budgets", default="200,1000")
    parser.add_argument("--searches", type=int, default=16, help="in every state")
    parser.add_argument("--uct", default="", help="budgets of the plain one, as 1000,10000")
    parser.add_argument("--uct-searches", type=int, default=2)
    asked = parser.parse_args()
    hope = closed_loop()
    print(f"{'closed loop':<40}{hope[0, NUMBER[0, 0]]:14.4f}")
    blind = worth_of(lambda steps, cell: one(blind_action(steps, cell, hope)))
    print(f"{'blind, planned anew at every tick':<40}{blind:14.4f}", flush=True)
    runs = [(text, int(budget), agent, asked.searches) for text in asked.agents for budget in asked.budgets.split(",")]
    runs += [
        ("UCT(0.3)", int(budget), lambda _, b: uct(0.3, b), asked.uct_searches)
        for budget in asked.uct.split(",")
        if budget
    ]
    for text, budget, made, searches in runs:
        started = time.process_time()
        worth = worth_of(frequencies(made(text, budget), searches))
        spent = time.process_time() - started
        print(f"{text:<32}{budget:8,}{worth:14.4f}   ({searches} searches a state, {spent:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
