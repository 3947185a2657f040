"""What Gymnasium environments cost a search: a copy, a step, and evaluations a second, in CPU time.

    python benchmarks/environments.py [NAME…]

The evaluations are those of a whole game, with BUDGET of them before each of its actions.
"""

import time
from collections.abc import Callable
from functools import partial

import click

import mcsgrammar as mg
from domains.gym import Gym
from domains.randomness import Random

NAMES = [
    "CartPole-v1",
    "MountainCar-v0",
    "Pendulum-v1",
    "Acrobot-v1",
    "Blackjack-v1",
    "FrozenLake-v1",
    "CliffWalking-v1",
]
REPEATS = 300
BUDGET = 300
STEPS = 10
AGENT = "select(sim, 0.5)"


def microseconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    for _ in range(REPEATS):
        call()
    return (time.process_time() - started) / REPEATS * 1e6


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("names", metavar="[NAME]…", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    print(f"| environment | a copy, µs | a step, µs | evaluations of `{AGENT}` over {STEPS} steps a second |")
    print("|---|---|---|---|")
    for name in names or NAMES:
        domain, random = Gym(name), Random(1)
        state = domain.sample(random)
        copying = microseconds(partial(domain.copy, state))
        steps, spent = 0, 0.0
        while steps < REPEATS:
            episode = domain.copy(state)
            started = time.process_time()
            while not domain.is_final(episode):
                domain.play(episode, random.below(len(domain.choices)), random)
                steps += 1
            spent += time.process_time() - started
        record = mg.play(Gym(name, length=STEPS), AGENT, BUDGET, games=1)[0].record
        rate = record.evaluations / record.seconds
        print(f"| {name} | {copying:.0f} | {spent / steps * 1e6:.1f} | {rate:.0f} |", flush=True)


if __name__ == "__main__":
    main()
