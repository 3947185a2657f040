"""What do learning playout policies cost? MAST, NST and GRAVE over MAST beside random playouts, in one run.

    python benchmarks/policies.py                        five problems
    python benchmarks/policies.py --domain samegame      another one, or some
    python benchmarks/policies.py --beside-c             beside hand-written C (needs gcc)

    plain     `sim`, random playouts; the fastest there is, fused with the rules of most problems
    greedy    `sim(mast(eps=0.4))`
    Gibbs     `sim(mast(tau=0.1))`
    NST       `sim(nst)`
    decay     `sim(mast(eps=0.4, sim_decay=0.9))`
    GRAVE     `select(sim(mast(eps=0.4)), grave)`
    moves     of an evaluation, in the mean: policies that learn play longer games on some problems, shorter on others.
              Counted by the random numbers drawn: one a move of plain and Gibbs, two of the others (a few per cent too
              few for GRAVE, which draws once for a move inside its tree)
    ns a move what an evaluation takes for each of its moves, what is learnt after it included

The columns of ratios say what an evaluation costs beside a plain one of the same length: time for each move, over that
of plain; the last one beside greedy MAST. In each round all play the same problem, in turn, and a ratio is taken within
the round; shown are medians, with the range of the rounds. Times are CPU seconds of one thread. Goals: greedy and Gibbs
at most 4, NST 8, GRAVE 1.5 times greedy. Between rounds Sudoku differs most: some grids are nearly full.

`--beside-c` plays greedy MAST in turn with the C kernels in benchmarks/c, at eps=0.4 and with an empty table after
every BUDGET playouts, as our runs have it; a rate is the best of five, by CPU time, and both play games of the same
length, or there is an error. Goal: 0.7 of the rate of C.

More tables say what the goals of 4, 8 and 1.5 are worth on knights and frogs, where a plain move costs less than a look
at the actions, and on regression, where a playout is short: ways of drawing, nested adaptation, trees and GRAVE beside
`benchmarks/c/learning.c` and `sr.c`, programs for one problem alone that hash nothing and list nothing; on Sudoku and
Morpion Solitaire NST beside the same C kernels as above with `benchmarks/c/grams.h`, hash tables as good as ours. Both
sides play the same games from the same seeds, but for last digits. "of plain" is beside our plain playouts, for C as
well: what of a goal the method takes by itself, in a plain program; "GRAVE / greedy" is each side beside itself.
"""

import re
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from beside_c import FOLDER, POOL, write_pool

from domains.problems import problem
from domains.protocol import Domain
from domains.randomness import GOLDEN_GAMMA
from domains.registry import find_domain
from mcsgrammar.benching import machine_description
from mcsgrammar.cli.progress import ProgressLine
from mcsgrammar.engines.searching import Limits, compiled_engine, prepare
from mcsgrammar.language.parsing import parse

DOMAINS = ("sudoku:4", "morpion:5T", "regression", "knights", "frogs")
GREEDY = "sim(mast(eps=0.4))"
POLICIES = {
    "plain": ("sim", 1),
    "greedy": (GREEDY, 2),
    "Gibbs": ("sim(mast(tau=0.1))", 1),
    "NST": ("sim(nst)", 2),
    "decay": ("sim(mast(eps=0.4, sim_decay=0.9))", 2),
    "GRAVE": ("select(sim(mast(eps=0.4)), grave)", 2),
}
"""An expression, and how many random numbers it draws for a move."""
BUDGET = 10_000
LARGEST_RUN_IN_C = 100_000
"""Of its trees, and a multiple of what its NRPA plays."""
GOALS = {"greedy": 4.0, "Gibbs": 4.0, "NST": 8.0}
GRAVE_GOAL = 1.5
STRETCHES = 5
C_GRIDS = 8
C_GOAL = 0.7
LARGEST_DIFFERENCE = 0.04
"""Between the mean lengths of games of both sides."""
WAYS_IN_C = {name: POLICIES[name] for name in ("plain", "greedy", "Gibbs", "NST", "GRAVE")} | {
    "select": ("select(sim, 0.5)", 1),
    "adapt": ("nrpa(2, 100)", 1),
}
TREES_IN_C = ("plain", "greedy", "select", "GRAVE")
GRAMS_IN_C = ("plain", "NST")
TWO_TO_64 = 1 << 64


@dataclass(frozen=True)
class Measured:
    moves: float
    """of an evaluation"""
    seconds: float
    """of an evaluation"""

    @property
    def nanoseconds_a_move(self) -> float:
        return 1e9 * self.seconds / self.moves


def measured(domain: Domain, initial: Any, text: str, draws_a_move: int, seed: int, budget: int) -> Measured:
    limits, compiled = Limits(budget), compiled_engine(domain)
    expression = prepare(parse(text), domain, limits)
    ready = compiled.ready(initial)
    before = time.thread_time()
    result = compiled.run(ready, expression, seed, limits)
    seconds = time.thread_time() - before
    state = compiled._workspace(expression.size + 1, ready[1].dtype, ready[1].shape[0]).run.random[0]
    draws = (int(state) - seed) * pow(GOLDEN_GAMMA, -1, TWO_TO_64) % TWO_TO_64  # each adds a constant to the state
    return Measured(draws / draws_a_move / result.evaluations, seconds / result.evaluations)


@dataclass
class Row:
    domain: str
    columns: dict[str, list[Measured]] = field(default_factory=lambda: {name: [] for name in POLICIES})

    def add(self, made: Domain, round_: int, budget: int) -> None:
        initial = problem(made, round_)
        for name, (text, draws_a_move) in POLICIES.items():
            self.columns[name].append(measured(made, initial, text, draws_a_move, round_, budget))

    def ratios(self, name: str, beside: str) -> list[float]:
        pairs = zip(self.columns[name], self.columns[beside], strict=True)
        return [one.nanoseconds_a_move / other.nanoseconds_a_move for one, other in pairs]

    def cells(self) -> list[str]:
        cells = [
            f"{middle([one.moves for one in column]):.0f}, {middle([one.nanoseconds_a_move for one in column]):.1f}"
            for column in self.columns.values()
        ]
        for name in POLICIES:
            if name != "plain":
                ratios = self.ratios(name, "plain")
                goal = f" {mark(middle(ratios) <= GOALS[name])}" if name in GOALS else ""
                cells.append(with_range(ratios) + goal)
        grave = self.ratios("GRAVE", "greedy")
        return [*cells, f"{with_range(grave)} {mark(middle(grave) <= GRAVE_GOAL)}"]


def middle(values: list[float]) -> float:
    return statistics.median(values)


def with_range(ratios: list[float]) -> str:
    return f"{middle(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f})"


def mark(met: bool) -> str:
    return "✓" if met else "✗"


def print_costs(domains: tuple[str, ...], rounds: int, budget: int) -> None:
    rows = [Row(name) for name in domains]
    made = [find_domain(name) for name in domains]
    with ProgressLine() as line:
        for row, domain in zip(rows, made, strict=True):
            line.show(f"compiling for {row.domain}")
            Row(row.domain).add(domain, 0, budget)  # compiled and warm
        for round_ in range(rounds):
            for row, domain in zip(rows, made, strict=True):
                line.show(f"round {round_ + 1} of {rounds}: {row.domain}")
                row.add(domain, round_, budget)
    learning = [name for name in POLICIES if name != "plain"]
    click.echo(
        f"| moves, ns a move | {' | '.join(POLICIES)} | {' | '.join(f'{name} / plain' for name in learning)} "
        "| GRAVE / greedy |"
    )
    click.echo("|---" * (1 + len(POLICIES) + len(learning) + 1) + "|")
    for row in rows:
        click.echo(f"| {row.domain} | {' | '.join(row.cells())} |")


@dataclass(frozen=True)
class InC:
    domain: str
    program: str
    label: str
    """what its line of output begins with"""
    runs: int
    """each with an empty table"""


IN_C = (InC("sudoku:4", "sudoku", "sudoku4 mast", C_GRIDS), InC("morpion:5T", "morpion", "morpion 5T mast", 2))


@dataclass(frozen=True)
class Alone:
    """A program for one problem that plays our games."""

    domain: str
    program: str
    ways: tuple[str, ...] = tuple(WAYS_IN_C)
    problems: tuple[int, ...] = (0, 0)
    """of each seed, from 0 on"""

    def said(self, pool: Path, budget: int) -> str:
        """What it prints, with empty tables after every `budget` playouts."""
        grids = [str(pool)] if self.program == "sudoku" else []
        grams = ["grams"] if self.ways is GRAMS_IN_C else []
        command = [str(FOLDER / "bin" / self.program), str(len(self.problems) * budget), *grids, str(budget), *grams]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


ALONE_IN_C = (
    Alone("sudoku:4", "sudoku", GRAMS_IN_C, tuple(range(C_GRIDS))),
    Alone("morpion:5T", "morpion", GRAMS_IN_C),
    Alone("knights", "knights"),
    Alone("frogs", "frogs"),
    Alone("regression", "sr_poly", TREES_IN_C, (1, 1)),
)


def rate_of_c(kernel: InC, pool: Path, budget: int) -> tuple[float, float]:
    """Playouts per second, and moves of a game."""
    grids = [str(pool)] if kernel.program == "sudoku" else []
    command = [str(FOLDER / "bin" / kernel.program), str(kernel.runs * budget), *grids, str(budget)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(rf"^{kernel.label}: (\d+) playouts/s .*mean (?:filled|score) ([\d.]+)", said, re.MULTILINE)
    assert found is not None, said
    return float(found[1]), float(found[2])


def rate_of_ours(made: Domain, initials: list[Any], budget: int) -> tuple[float, float]:
    stretches = [
        [measured(made, initial, GREEDY, 2, seed, budget) for seed, initial in enumerate(initials)]
        for _ in range(STRETCHES)
    ]
    seconds = min(statistics.fmean(one.seconds for one in stretch) for stretch in stretches)
    return 1.0 / seconds, statistics.fmean(one.moves for one in stretches[0])


def print_beside_c(rounds: int, budget: int) -> None:
    built = subprocess.run(["make", "-C", str(FOLDER)], capture_output=True, text=True)
    if built.returncode:
        raise click.ClickException(f"the C kernels in {FOLDER} do not build; make said:\n{built.stderr.strip()}")
    click.echo("| greedy MAST | ours, playouts per CPU s | C | ours / C (range) |")
    click.echo("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kernel in IN_C:
            made, pool = find_domain(kernel.domain), Path(folder) / "grids"
            initials = [problem(made, k) for k in range(POOL if kernel.program == "sudoku" else kernel.runs)]
            given = 0.0
            if kernel.program == "sudoku":
                write_pool(pool, initials)
                initials = initials[: kernel.runs]
                given = statistics.fmean(grid.filled for grid in initials)
            measured(made, initials[0], GREEDY, 2, 0, budget)  # compiled and warm
            ours, theirs = [], []
            for _ in range(rounds):
                rate, length = rate_of_c(kernel, pool, budget)
                theirs.append(rate)
                rate, moves = rate_of_ours(made, initials, budget)
                ours.append(rate)
                if abs((given + moves) / length - 1.0) > LARGEST_DIFFERENCE:
                    raise click.ClickException(
                        f"C plays another game than ours: {kernel.domain} comes to {length:.1f} in C and to "
                        f"{given + moves:.1f} here"
                    )
            ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
            cell = f"{with_range(ratios)} {mark(middle(ratios) >= C_GOAL)}"
            click.echo(f"| {kernel.domain} | {middle(ours):,.0f} | {middle(theirs):,.0f} | {cell} |")


def print_alone(alone: Alone, rounds: int, budget: int, pool: Path) -> None:
    made = find_domain(alone.domain)
    if alone.program == "sudoku":
        write_pool(pool, [problem(made, k) for k in range(POOL)])
    initials = [problem(made, number) for number in alone.problems]
    ours: dict[str, list[float]] = {name: [] for name in alone.ways}
    theirs: dict[str, list[float]] = {name: [] for name in alone.ways}
    for name in alone.ways:
        measured(made, initials[0], *WAYS_IN_C[name], 0, budget)  # compiled and warm
    for _ in range(rounds):
        said = alone.said(pool, budget)
        for name in alone.ways:
            found = re.search(rf"^{alone.domain} {name}: ([\d.]+) ns a move, mean length ([\d.]+)", said, re.MULTILINE)
            assert found is not None, said
            runs = [
                [measured(made, initial, *WAYS_IN_C[name], seed, budget) for seed, initial in enumerate(initials)]
                for _ in range(STRETCHES)
            ]
            moves = statistics.fmean(one.moves for one in runs[0])
            if abs(moves / float(found[2]) - 1.0) > LARGEST_DIFFERENCE:
                raise click.ClickException(
                    f"C plays other games than ours: {name} on {alone.domain} comes to {found[2]} moves in C and to "
                    f"{moves:.2f} here"
                )
            ours[name].append(min(1e9 * sum(one.seconds for one in run) / len(initials) / moves for run in runs))
            theirs[name].append(float(found[1]))
    click.echo(f"\n| {alone.domain} | ours, ns a move | C | ours of plain | C of plain | ours / C (range) |")
    click.echo("|---" * 6 + "|")
    for name in alone.ways:
        rows = list(zip(ours[name], theirs[name], ours["plain"], strict=True))
        of_plain = [middle([one / plain for one, _, plain in rows]), middle([one / plain for _, one, plain in rows])]
        click.echo(
            f"| {name} | {middle(ours[name]):.1f} | {middle(theirs[name]):.1f} | {of_plain[0]:.1f} | {of_plain[1]:.1f} "
            f"| {with_range([one / other for one, other, _ in rows])} |"
        )
    if "GRAVE" in alone.ways:
        beside = [
            middle([one / greedy for one, greedy in zip(side["GRAVE"], side["greedy"], strict=True)])
            for side in (ours, theirs)
        ]
        click.echo(f"| GRAVE / greedy | {beside[0]:.2f} | {beside[1]:.2f} | | | |")


@click.command()
@click.option("--domain", "domains", multiple=True, default=DOMAINS, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True)
@click.option("--budget", type=click.IntRange(1), default=BUDGET, show_default=True, help="Evaluations of a run.")
@click.option("--beside-c", is_flag=True, help="Beside hand-written C instead.")
def main(domains: tuple[str, ...], rounds: int, budget: int, beside_c: bool) -> None:
    click.echo(
        f"Measured on {machine_description()}; one thread, CPU time, {rounds} rounds in turn, {budget} evaluations a "
        "run.\n"
    )
    if beside_c:
        if budget % BUDGET or budget > LARGEST_RUN_IN_C:
            raise click.UsageError(f"--beside-c takes budgets of {BUDGET}, 20000, … up to {LARGEST_RUN_IN_C}")
        print_beside_c(rounds, budget)
        with tempfile.TemporaryDirectory() as folder:
            for alone in ALONE_IN_C:
                print_alone(alone, rounds, budget, Path(folder) / "grids")
    else:
        print_costs(domains, rounds, budget)


if __name__ == "__main__":
    main()
