"""What does learning playouts cost? Nested adaptation beside plain playouts, by evaluation and by move, in one run.

    python benchmarks/adapt.py                       eight problems
    python benchmarks/adapt.py --domain samegame     another one, or some
    python benchmarks/adapt.py --beside 'nrpa --variant 5T --levels 2 --iterations 100 --standard true --seed {seed}'

    plain      `sim`, random playouts
    NRPA       `nrpa(2, 100)`, on regression `nrpa(5, 6)`: learnt playouts, drawn move by move; its games may be longer
    descents   `adapt(adapt(step(sim), 20), 23)`: most playouts begin late in a game, and are short
    moves      of an evaluation, in the mean; counted by the random numbers drawn, one for each move of a playout
    a move     NRPA / plain, in time for each move; what is learnt and copied between the playouts is in it

In each round all three play the same problem, in turn, and a ratio is taken within the round; shown are medians, with
the range of the rounds. Times are CPU seconds of one thread.

`--beside` runs a program in turn with ours, `nrpa(2, 100)` on Morpion 5T or what --domain and --expression say, and
compares playouts per CPU second. {seed} in its command is the round. The number of its playouts is what --pattern
matches in what it prints. The default reads the C++ program of https://github.com/anagorko/morpion-lpp (src/nrpa; it
needs Boost). The playouts per second that it prints itself are by the clock on the wall, and less on a busy machine.
"""

import re
import resource
import shlex
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from typing import Any

import click

from domains.problems import problem
from domains.protocol import Domain
from domains.randomness import GOLDEN_GAMMA
from domains.registry import find_domain
from mcsgrammar.benching import machine_description
from mcsgrammar.cli.progress import ProgressLine
from mcsgrammar.engines.searching import Limits, compiled_engine, prepare
from mcsgrammar.language.parsing import parse

DOMAINS = ("morpion:5T", "morpion:5D", "sudoku:4", "regression", "tsptw", "knights", "frogs", "samegame")
DESCENTS = "adapt(adapt(step(sim), 20), 23)"
EVALUATIONS = 10_000
"""As many as `nrpa(2, 100)` has."""
TWO_TO_64 = 1 << 64


@dataclass(frozen=True)
class Measured:
    evaluations: int
    moves: int
    seconds: float

    @property
    def microseconds(self) -> float:
        return 1e6 * self.seconds / self.evaluations

    @property
    def moves_each(self) -> float:
        return self.moves / self.evaluations

    @property
    def nanoseconds_a_move(self) -> float:
        return 1e9 * self.seconds / self.moves


def measured(domain: Domain, initial: Any, text: str, seed: int) -> Measured:
    limits, compiled = Limits(EVALUATIONS), compiled_engine(domain)
    expression = prepare(parse(text), domain, limits)
    ready = compiled.ready(initial)
    before = time.thread_time()
    result = compiled.run(ready, expression, seed, limits)
    seconds = time.thread_time() - before
    return Measured(result.evaluations, draws(compiled, ready, expression, seed), seconds)


def draws(compiled: Any, ready: Any, expression: Any, seed: int) -> int:
    """How many random numbers the last run took: its generator adds a constant for each."""
    program = compiled._lowered(expression)
    state = compiled._workspace(program.op.shape[0], ready[1].dtype, ready[1].shape[0]).run.random[0]
    return (int(state) - seed) * pow(GOLDEN_GAMMA, -1, TWO_TO_64) % TWO_TO_64


@dataclass
class Row:
    domain: str
    plain: list[Measured] = field(default_factory=list)
    nrpa: list[Measured] = field(default_factory=list)
    descents: list[Measured] = field(default_factory=list)

    def add(self, made: Domain, round_: int) -> None:
        initial = problem(made, round_)
        learning = "nrpa(5, 6)" if self.domain == "regression" else "nrpa(2, 100)"
        for text, column in (("sim", self.plain), (learning, self.nrpa), (DESCENTS, self.descents)):
            column.append(measured(made, initial, text, round_))

    def cells(self) -> list[str]:
        columns = self.plain, self.nrpa, self.descents
        microseconds = [middle([one.microseconds for one in column]) for column in columns]
        moves = [middle([one.moves_each for one in column]) for column in columns]
        nanoseconds = [middle([one.nanoseconds_a_move for one in column]) for column in columns[:2]]
        pairs = list(zip(self.nrpa, self.plain, strict=True))
        each = [nrpa.microseconds / plain.microseconds for nrpa, plain in pairs]
        a_move = [nrpa.nanoseconds_a_move / plain.nanoseconds_a_move for nrpa, plain in pairs]
        return [
            *(f"{value:.3g}" for value in microseconds),
            *(f"{value:.1f}" for value in moves),
            *(f"{value:.0f}" for value in nanoseconds),
            with_range(each),
            with_range(a_move),
        ]


def middle(values: list[float]) -> float:
    return statistics.median(values)


def with_range(ratios: list[float]) -> str:
    return f"{middle(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f})"


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def rate_of_program(command: str, pattern: str, seed: int) -> float:
    """Playouts per CPU second."""
    before = cpu_of_children()
    done = subprocess.run(shlex.split(command.replace("{seed}", str(seed))), capture_output=True, text=True)
    seconds = cpu_of_children() - before
    found = re.search(pattern, done.stdout)
    if done.returncode or found is None:
        raise click.ClickException(
            f"the program ended with {done.returncode}, and {'nothing' if found is None else 'something'} in what it "
            f"printed matches {pattern!r}; --pattern says where its number of playouts stands. Its last lines:\n"
            + "\n".join((done.stdout + done.stderr).splitlines()[-5:])
        )
    return float(found[1]) / seconds


def compare(domain: str, text: str, command: str, pattern: str, rounds: int) -> None:
    made = find_domain(domain)
    measured(made, problem(made, 0), text, 0)
    theirs, ours = [], []
    for round_ in range(1, rounds + 1):
        theirs.append(rate_of_program(command, pattern, round_))
        ours.append(1e6 / measured(made, problem(made, 0), text, round_).microseconds)
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    click.echo("| | ours, playouts per CPU s | the program's | ours / its (range) |")
    click.echo("|---|---|---|---|")
    click.echo(f"| {domain}, `{text}` | {middle(ours):,.0f} | {middle(theirs):,.0f} | {with_range(ratios)} |")


@click.command()
@click.option("--domain", "domains", multiple=True, default=DOMAINS, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True)
@click.option("--beside", metavar="COMMAND", help="Run this program in turn with ours, and compare rates.")
@click.option("--expression", default="nrpa(2, 100)", show_default=True, help="What of ours stands beside it.")
@click.option("--pattern", default=r"Simulations: (\d+)", show_default=True, help="Finds its number of playouts.")
def main(domains: tuple[str, ...], rounds: int, beside: str | None, expression: str, pattern: str) -> None:
    click.echo(f"Measured on {machine_description()}; one thread, CPU time, {rounds} rounds in turn.\n")
    if beside is not None:
        compare(domains[0], expression, beside, pattern, rounds)
        return
    rows = [Row(name) for name in domains]
    made = [find_domain(name) for name in domains]
    with ProgressLine() as line:
        for row, domain in zip(rows, made, strict=True):
            line.show(f"compiling for {row.domain}")
            Row(row.domain).add(domain, 0)  # compiled and warm
        for round_ in range(rounds):
            for row, domain in zip(rows, made, strict=True):
                line.show(f"round {round_ + 1} of {rounds}: {row.domain}")
                row.add(domain, round_)
    click.echo(
        "| | µs an evaluation: plain | NRPA | descents | moves: plain | NRPA | descents | ns a move: plain | NRPA "
        "| an evaluation, NRPA / plain (range) | a move |"
    )
    click.echo("|---" * 11 + "|")
    for row in rows:
        click.echo(f"| {row.domain} | {' | '.join(row.cells())} |")


if __name__ == "__main__":
    main()
