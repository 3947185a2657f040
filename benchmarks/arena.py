"""How fast do agents of games search? Beside plain programs for one game each, beside OpenSpiel, with two workers; and
what memory a long match takes.

    python benchmarks/arena.py                             all but OpenSpiel
    python benchmarks/arena.py --only yardstick            a part: yardstick, open-spiel, memory, workers
    python benchmarks/arena.py --open-spiel PYTHON         an interpreter with OpenSpiel (`pip install open_spiel`)

    yardstick   UCT with MAST beside `arena_yardstick.py`: Numba programs that know one game and nothing else. The same
                search from the start of a match, at 1 000 simulations as agents have, and at 10 000. Goal: 1
    open-spiel  UCT with random playouts beside OpenSpiel's MCTS, from Python: the bot that is written in Python (goal:
                20 times its rate), and the one in C++ that Python can call
    memory      two agents play a match that is as long as random moves make it, then some more matches. The largest
                resident size of the process at the end of the first match, beside that after 10 steps: what agents know
                is part of it, so that it is flat where that is bounded: a tree, or tables within --max-nodes. Tables
                of grams grow with the grams that a match comes across; there stands what an entry takes, in bytes. And
                the resident size between matches, the largest beside that after the first: nothing is left behind.
                Goal: 1.05 times at most. Needs psutil
    workers     the same matches with one worker and with two, starting these included. Goal: 1.9 times as fast

In each round the sides run in turn, and a ratio is taken within the round; shown are medians, with the range of the
rounds. Times are CPU seconds of one thread, but for workers, which are measured by the clock on the wall: that needs a
machine with two free cores: the load is printed beside it.
"""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import click
from arena_yardstick import PROGRAMS, Program
from loky import get_reusable_executor

from discovery.arena.running import play
from discovery.arena.settings import plan
from domains.problems import problem
from domains.randomness import Random
from domains.registry import find_domain
from mcsgrammar.benching import machine_description
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.compiled import CompiledArena
from mcsgrammar.engines.compiled.means_kernels import ENTRIES
from mcsgrammar.engines.searching import Limits

BUDGETS = (1_000, 10_000)
SIMULATIONS = 20_000
"""Of each side in a round."""
POLICIES = {
    "greedy": ("select(sim(mast(eps=0.4)), 0.4)", 0.4, 0.0),
    "Gibbs": ("select(sim(mast(tau=0.1)), 0.4)", 0.0, 0.1),
}
"""An agent, and its eps and tau."""
OPEN_SPIEL = {"tictactoe": "tic_tac_toe", "connect4": "connect_four", "breakthrough": "breakthrough"}
OPEN_SPIEL_SIMULATIONS = 1_000
OPEN_SPIEL_PROGRAM = """
import sys, time
import numpy, pyspiel
from open_spiel.python.algorithms import mcts
name, simulations, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
game, random = pyspiel.load_game(name), numpy.random.RandomState(seed)
written_in_python = mcts.MCTSBot(
    game, 0.4, simulations, mcts.RandomRolloutEvaluator(1, random), solve=False, random_state=random
)
in_cpp = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, seed), 0.4, simulations, 1000, False, seed, False)
for bot, searches in ((written_in_python, 1), (in_cpp, 20)):
    before = time.process_time()
    for _ in range(searches):
        bot.step(game.new_initial_state())
    print(searches * simulations / (time.process_time() - before))
"""
GOALS = {"yardstick": 1.0, "open-spiel": 20.0, "memory": 1.05, "workers": 1.9}


class Ours:
    """A game with its machine, compiled."""

    def __init__(self, name: str) -> None:
        self.game = find_domain(name)
        self.arena = CompiledArena(self.game)
        self.ready = self.arena.ready(problem(self.game, 0))
        self.arena.warm_up(self.ready)

    def rate(self, text: str, budget: int, simulations: int, seed: int) -> float:
        """Simulations per CPU second of searches from the start."""
        agent, limits = agent_of(text, self.game), Limits(budget)

        def search(number: int) -> None:
            self.arena.player(self.ready, agent, 0, number, limits).search(limits)

        return rate_of(search, budget, simulations, seed)


def rate_of(search: Callable[[int], object], budget: int, simulations: int, seed: int) -> float:
    searches = max(1, simulations // budget)
    before = time.thread_time()
    for number in range(searches):
        search(seed * searches + number)
    return searches * budget / (time.thread_time() - before)


def searching(program: Program, budget: int, eps: float, tau: float) -> Callable[[int], object]:
    return lambda seed: program(budget, seed, 0.4, eps, tau)


def beside_yardstick(rounds: int) -> None:
    click.echo("| MAST, simulations per CPU s | budget | ours | the plain program's | ours / its (range) |")
    click.echo("|---" * 5 + "|")
    for name, make in PROGRAMS.items():
        ours, program = Ours(name), make()
        for policy, (text, eps, tau) in POLICIES.items():
            for budget in BUDGETS:
                program(10, 0, 0.4, eps, tau)
                ours.rate(text, budget, budget, 0)
                rates = [
                    (
                        ours.rate(text, budget, SIMULATIONS, k),
                        rate_of(searching(program, budget, eps, tau), budget, SIMULATIONS, k),
                    )
                    for k in range(rounds)
                ]
                click.echo(row([f"{name}, {policy}", f"{budget:,}"], rates, "yardstick"))
    click.echo()


def beside_open_spiel(python: str, rounds: int) -> None:
    click.echo("| random playouts, simulations per CPU s | | ours | OpenSpiel's | ours / its (range) |")
    click.echo("|---" * 5 + "|")
    for name, theirs in OPEN_SPIEL.items():
        ours = Ours(name)
        columns: tuple[list[tuple[float, float]], ...] = ([], [])
        for k in range(rounds):
            command = [python, "-c", OPEN_SPIEL_PROGRAM, theirs, str(OPEN_SPIEL_SIMULATIONS), str(k)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise click.ClickException(f"{python} could not run OpenSpiel:\n{done.stderr.strip()[-500:]}")
            rate = ours.rate("select(sim, 0.4)", OPEN_SPIEL_SIMULATIONS, 20 * OPEN_SPIEL_SIMULATIONS, k)
            for column, said in zip(columns, done.stdout.split(), strict=True):
                column.append((rate, float(said)))
        click.echo(row([name, "written in Python"], columns[0], "open-spiel"))
        click.echo(row([name, "in C++"], columns[1], None))
    click.echo()


def row(head: list[str], rates: list[tuple[float, float]], goal: str | None) -> str:
    ratios = [ours / theirs for ours, theirs in rates]
    middle = statistics.median(ratios)
    met = "" if goal is None else f" {mark(middle >= GOALS[goal])}"
    ours, theirs = (statistics.median(column) for column in zip(*rates, strict=True))
    cells = [*head, f"{ours:,.0f}", f"{theirs:,.0f}", f"{middle:.2f} ({min(ratios):.2f} … {max(ratios):.2f}){met}"]
    return f"| {' | '.join(cells)} |"


def mark(met: bool) -> str:
    return "✓" if met else "✗"


FEW_NODES = 250_000
AGENTS_FOR_MEMORY = {
    "MAST": ("select(sim(mast(eps=0.4)), 0.4)", DEFAULT_MAX_NODES),
    f"NST, GRAVE, --max-nodes {FEW_NODES}": ("select(sim(nst), grave(c=0.4))", FEW_NODES),
    "NST, GRAVE": ("select(sim(nst), grave(c=0.4))", DEFAULT_MAX_NODES),
}


def print_memory(matches: int) -> None:
    """Each in a process of its own, as what was needed before cannot be told apart."""
    click.echo(
        "| memory, breakthrough at 2 000 simulations | steps | MB after 10 steps | at its end | entries | bytes an "
        "entry | MB between matches, first | largest |"
    )
    click.echo("|---" * 8 + "|")
    for name, (text, max_nodes) in AGENTS_FOR_MEMORY.items():
        command = [sys.executable, __file__, "--long-match", text, "--nodes", str(max_nodes), "--matches", str(matches)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        early, late, entries, first, largest = (float(number) for number in said[1:])
        at_end, each = f"{late:.1f}", "-"
        if entries < BOUNDED:
            at_end += f" {mark(late <= GOALS['memory'] * early)}"
        else:
            each = f"{(late - first) * 2**20 / entries:.0f}"
        after = f"{first:.1f} | {largest:.1f} ({matches} matches more) {mark(largest <= GOALS['memory'] * first)}"
        click.echo(f"| {name} | {said[0]} | {early:.1f} | {at_end} | {entries:,.0f} | {each} | {after} |")
    click.echo()


BOUNDED = 600_000
"""Entries of both players; above these tables have grown all the match."""


def play_long(text: str, max_nodes: int, matches: int) -> None:
    """What `print_memory` reads: steps; MB after 10, and at the end; entries of both players; MB after the match, and
    the most after a later one."""
    import psutil  # a package that nothing else here needs

    ours, limits = Ours("breakthrough"), Limits(2_000, None, max_nodes)
    agent = agent_of(text, ours.game)
    said: list[object] = []
    between: list[float] = []
    for k in range(1 + matches):
        random, state = Random(k), problem(ours.game, 0)
        players = [ours.arena.player(ours.ready, agent, role, k, limits) for role in range(2)]
        steps = 0
        while not ours.game.is_final(state):
            for player in players:
                player.search(limits)
            legal = [ours.game.actions_of(state, role) for role in range(2)]
            joint = tuple(actions[random.below(len(actions))] for actions in legal)
            ours.game.play_all(state, joint)
            steps += 1
            for player in players:
                player.advance(joint)
            if k == 0 and steps == 10:
                early = largest_megabytes()
        if k == 0:
            entries = sum(int(player.known.numbers[ENTRIES]) for player in players)
            said = [steps, early, largest_megabytes(), entries]
        del players, player
        between.append(psutil.Process().memory_info().rss / 2**20)
    click.echo(" ".join(str(one) for one in [*said, between[0], max(between[1:])]))


def largest_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def with_workers(games: int, rounds: int) -> None:
    agents = [("select(sim(mast(eps=0.4)), 0.4)", 1_000, None), ("select(sim, 0.4)", 1_000, None)]
    settings = plan("connect5", agents, games=games)
    play(plan("connect5", agents, games=2))
    ratios = []
    for _ in range(rounds):
        times = []
        for jobs in (1, 2):
            get_reusable_executor().shutdown(wait=True)  # so that each round starts its own
            started = time.perf_counter()
            play(settings, jobs=jobs)
            times.append(time.perf_counter() - started)
        ratios.append(times[0] / times[1])
    middle = statistics.median(ratios)
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    click.echo(
        f"Two workers, {games} matches of connect5, by the clock on the wall: {middle:.2f} times as fast as one "
        f"({min(ratios):.2f} … {max(ratios):.2f}) {mark(middle >= GOALS['workers'])}. Load, with these: {load}; where "
        "it was above 2 with two workers, other work had the cores, and the ratio says nothing."
    )


@click.command()
@click.option("--only", multiple=True, type=click.Choice(list(GOALS)), help="These parts.  [default: all there are]")
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@click.option("--open-spiel", metavar="PYTHON", help="An interpreter that has OpenSpiel.")
@click.option("--games", type=click.IntRange(2), default=200, show_default=True, help="Matches for the workers.")
@click.option("--matches", type=click.IntRange(1), default=10, show_default=True, help="Matches for the memory.")
@click.option("--long-match", metavar="AGENT", hidden=True)
@click.option("--nodes", type=int, default=DEFAULT_MAX_NODES, hidden=True)
def main(
    only: tuple[str, ...],
    rounds: int,
    open_spiel: str | None,
    games: int,
    matches: int,
    long_match: str | None,
    nodes: int,
) -> None:
    if long_match is not None:
        play_long(long_match, nodes, matches)
        return
    if "open-spiel" in only and open_spiel is None:
        raise click.UsageError("--open-spiel PYTHON says which interpreter has OpenSpiel")
    parts = only or tuple(part for part in GOALS if part != "open-spiel" or open_spiel is not None)
    click.echo(f"Measured on {machine_description()}; {rounds} rounds in turn.\n")
    if "yardstick" in parts:
        beside_yardstick(rounds)
    if "open-spiel" in parts and open_spiel is not None:
        beside_open_spiel(open_spiel, rounds)
    if "memory" in parts:
        print_memory(matches)
    if "workers" in parts:
        with_workers(games, min(rounds, 3))


if __name__ == "__main__":
    main()
