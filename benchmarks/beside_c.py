"""The compiled engine beside hand-written C, in one run: ratios, since absolute figures mean nothing elsewhere.

    python benchmarks/beside_c.py > beside_c.md

Builds the C kernels in benchmarks/c and plays in turn with them on one core, round after round: a C program, then our
engine on the same problems, so that whatever slows the machine down slows both. A rate is the best of five stretches in
a round, by CPU time; a ratio is taken within a round, and the median of the rounds is shown with their range.

Three tables: random playouts; other expressions; from nothing to the end of the first run. ✓ and ✗ say whether a goal
is met.
"""

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from domains.problems import problem
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.benching import BUDGET, EXPRESSIONS, machine_description
from mcsgrammar.cli.progress import ProgressLine
from mcsgrammar.engines.searching import Limits, compiled_engine, prepare, search
from mcsgrammar.language.parsing import parse

FOLDER = Path(__file__).with_name("c")
STRETCHES = 5
"""In a round, of which the best counts; the C programs have their own five."""
POOL = 64
"""Problems that playouts go round, as in the C programs."""
PLAYOUTS_PER_PROBLEM = 2_000
RUNS_PER_EXPRESSION = 12
PLAYOUTS_FOR_THE_MEAN = 30
"""Of each problem in the pool."""
LARGEST_DIFFERENCE = 0.04
"""Between the mean playouts of both sides; four standard errors and more."""

COLD_GOAL, WARM_GOAL = 6.0, 0.7
COLD_STARTS, WARM_STARTS = 2, 5


@dataclass(frozen=True)
class CKernel:
    """One variant of one C program."""

    program: str
    arguments: tuple[str, ...]
    """{pool} is the file with our grids"""
    label: str
    """what its line of output begins with"""
    name: str
    instructions: str = ""
    """the macro of gcc without which this variant is not what its name says"""
    goal: float | None = None
    """our playouts per playout of it"""


@dataclass(frozen=True)
class Problem:
    """A problem that both sides play."""

    name: str
    domain: str
    kernels: tuple[CKernel, ...]
    """the first one is the yardstick"""
    prototype: tuple[float, ...]
    """evaluations per second of EXPRESSIONS on the prototype, B = 10 000"""
    prototype_c: float
    """playouts per second of the yardstick on the prototype's machine"""

    @cached_property
    def made(self) -> Domain:
        return find_domain(self.domain)

    @cached_property
    def initials(self) -> list[Any]:
        """Sudoku: 64 grids. The others have one problem in C, and so here: the Greek cross, and the first target."""
        if self.domain != "regression":
            return [problem(self.made, k) for k in range(POOL)]
        candidates = (problem(self.made, k) for k in range(1_000))
        first = next(state for state in candidates if state.target.name == "x^3 + x^2 + x")
        return [first] * POOL


SUDOKU = ("20000", "{pool}")
# The prototype's figures are those of the feasibility study that this engine was built on: one machine (2 cores, Python
# 3.11, numba 0.68.1), evaluations per second in the order of EXPRESSIONS, and C measured in the same study.
PROBLEMS = (
    Problem(
        "Sudoku(4)",
        "sudoku:4",
        (
            CKernel("sudoku", SUDOKU, "sudoku4 bitset", "bitset", goal=0.85),
            CKernel("sudoku", SUDOKU, "sudoku4 avx512", "AVX-512", "__AVX512BITALG__"),
        ),
        (0.80e6, 1.2e6, 0.65e6, 1.1e6, 0.51e6),
        0.80e6,
    ),
    Problem(
        "Morpion 5T",
        "morpion:5T",
        (
            CKernel("morpion_scalar", ("20000",), "morpion 5T", "scalar", goal=0.85),
            CKernel("morpion", ("20000",), "morpion 5T", "AVX-512", "__AVX512F__"),
        ),
        (483e3, 735e3, 426e3, 636e3, 210e3),
        0.52e6,
    ),
    Problem(
        "Morpion 5D",
        "morpion:5D",
        (
            CKernel("morpion_scalar", ("20000",), "morpion 5D", "scalar"),
            CKernel("morpion", ("20000",), "morpion 5D", "AVX-512", "__AVX512F__"),
        ),
        (),
        0.0,
    ),
    Problem(
        "regression, T = 11",
        "regression",
        (
            CKernel("sr_poly", ("300000",), "sr11 polynomial", "poly", goal=0.5),
            CKernel("sr_libm", ("100000",), "sr11 libm", "libm"),
        ),
        (4.1e6, 4.0e6, 3.4e6, 4.1e6, 3.2e6),
        8.3e6,
    ),
)


@dataclass(frozen=True)
class CResult:
    rate: float
    mean: float
    given: float | None
    """Sudoku: the mean number of given cells of the grids it read"""


class CKernels:
    """The C programs, built, and what they said in this round."""

    def __init__(self, pool: Path) -> None:
        for tool in ("gcc", "make"):
            if shutil.which(tool) is None:
                raise click.ClickException(
                    f"there is no {tool} here, which builds the C kernels in {FOLDER}; install it (Debian and Ubuntu: "
                    "apt install gcc make) and run this again"
                )
        built = subprocess.run(["make", "-C", str(FOLDER)], capture_output=True, text=True)
        if built.returncode:
            raise click.ClickException(
                f"the C kernels in {FOLDER} do not build; they need gcc and an x86-64 processor with BMI2. make said:\n"
                f"{built.stderr.strip()}"
            )
        command = ["gcc", "-march=native", "-dM", "-E", "-x", "c", os.devnull]
        self.macros = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        self.pool = pool
        self.said: dict[tuple[str, str], CResult] = {}

    def runs(self, kernel: CKernel) -> bool:
        return not kernel.instructions or kernel.instructions in self.macros

    def play(self, kernel: CKernel) -> None:
        """Run the program of this kernel; one run gives the rates of all its variants."""
        arguments = [argument.format(pool=self.pool) for argument in kernel.arguments]
        command = [str(FOLDER / "bin" / kernel.program), *arguments]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        pattern = r"^(\S+ \S+): (\d+) playouts/s .*mean (?:filled|score|reward) ([\d.]+)(?:.*prefilled ([\d.]+))?"
        for label, rate, mean, given in re.findall(pattern, output, re.MULTILINE):
            result = CResult(float(rate), float(mean), float(given) if given else None)
            self.said[kernel.program, label] = result

    def result(self, kernel: CKernel) -> CResult:
        return self.said[kernel.program, kernel.label]


def write_pool(path: Path, grids: Iterable[Any]) -> None:
    """Sudoku grids as sudoku.c reads them: for each, the candidates of 256 cells in 16 bits, then a byte for filled."""
    import numpy as np

    with path.open("wb") as file:
        for grid in grids:
            file.write(np.array(grid.candidates, np.uint16).tobytes())
            file.write(np.array([number > 0 for number in grid.numbers], np.uint8).tobytes())


def rate_of(played: Problem, text: str, limits: Limits, initials: list[Any]) -> float:
    """Evaluations per CPU second over one run from each of these states."""
    expression = prepare(parse(text), played.made, limits)
    evaluations, seconds = 0, 0.0
    for seed, initial in enumerate(initials):
        result = search(played.made, initial, expression, seed, limits, engine="compiled")
        evaluations, seconds = evaluations + result.evaluations, seconds + result.seconds
    return evaluations / seconds


def best_rate(played: Problem, text: str, limits: Limits, initials: list[Any]) -> float:
    return max(rate_of(played, text, limits, initials) for _ in range(STRETCHES))


def mean_playout(played: Problem) -> float | None:
    """Of our random playouts, in the unit that the C program prints: filled cells or lines. None for regression, where
    C is worth comparing for its speed only: it gives 0 to a formula that is not finite at every point."""
    factor = {"sudoku:4": 256.0, "morpion:5T": 100.0, "morpion:5D": 100.0}.get(played.domain)
    if factor is None:
        return None
    expression, limits = parse("sim"), Limits(1)
    rewards = [
        search(played.made, initial, expression, PLAYOUTS_FOR_THE_MEAN * k + n, limits, engine="compiled").reward or 0.0
        for k, initial in enumerate(played.initials)
        for n in range(PLAYOUTS_FOR_THE_MEAN)
    ]
    return factor * statistics.fmean(rewards)


@dataclass
class Ratio:
    """Two rates, measured in turn."""

    what: str
    beside: str
    goal: float | None
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def add(self, ours: float, theirs: float) -> None:
        self.ours.append(ours)
        self.theirs.append(theirs)

    @property
    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios)

    def cells(self) -> str:
        goal = "" if self.goal is None else f"{self.goal:.2f} {mark(self.ratio >= self.goal)}"
        return f"{self.ratio:.2f} ({min(self.ratios):.2f} … {max(self.ratios):.2f}) | {goal}"

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "met": None if self.goal is None else self.ratio >= self.goal}


def mark(met: bool) -> str:
    return "✓" if met else "✗"


@dataclass
class Playouts:
    """All that is measured for one problem."""

    played: Problem
    beside_c: dict[str, Ratio]
    beside_sim: dict[str, Ratio]
    beside_yardstick: dict[str, Ratio]
    mean: float | None
    """of random playouts"""


def measure(kernels: CKernels, rounds: int, show: Callable[[str], None]) -> list[Playouts]:
    measured = []
    for played in PROBLEMS:
        show(f"compiling for {played.name}")
        compiled = compiled_engine(played.made)
        compiled.warm_up(compiled.ready(played.initials[0]))
        sim, yardstick = played.prototype[:1], played.kernels[0].name
        texts = list(zip(EXPRESSIONS, played.prototype, strict=False))[1:]
        measured.append(
            Playouts(
                played,
                {
                    kernel.name: Ratio(played.name, f"C {kernel.name}", kernel.goal)
                    for kernel in played.kernels
                    if kernels.runs(kernel)
                },
                {text: Ratio(text, "sim", rate / sim[0]) for text, rate in texts},
                {text: Ratio(text, f"C {yardstick}", rate / played.prototype_c) for text, rate in texts},
                mean_playout(played),
            )
        )
    for number in range(1, rounds + 1):
        for one in measured:
            show(f"round {number} of {rounds}: {one.played.name}")
            one_round(kernels, one)
    return measured


def one_round(kernels: CKernels, measured: Playouts) -> None:
    played = measured.played
    previous = ""
    for kernel in played.kernels:
        if kernel.name not in measured.beside_c:
            continue
        if kernel.program != previous:
            kernels.play(kernel)
            previous = kernel.program
        result = kernels.result(kernel)
        ours = best_rate(played, "sim", Limits(PLAYOUTS_PER_PROBLEM), played.initials)
        measured.beside_c[kernel.name].add(ours, result.rate)
        check_same_game(measured, result)
    if measured.beside_sim:
        limits, initials = Limits(BUDGET), played.initials[:RUNS_PER_EXPRESSION]
        sim = best_rate(played, "sim", limits, initials)
        for text, ratio in measured.beside_sim.items():
            rate = best_rate(played, text, limits, initials)
            ratio.add(rate, sim)
            measured.beside_yardstick[text].add(rate, measured.beside_c[played.kernels[0].name].theirs[-1])


def check_same_game(measured: Playouts, in_c: CResult) -> None:
    """A comparison of speeds means nothing if one side plays something else."""
    if in_c.given is not None:
        given = statistics.fmean(grid.filled for grid in measured.played.initials)
        if abs(given - in_c.given) > 0.006:
            raise click.ClickException(f"C read other grids than ours: {in_c.given} cells given, not {given:.2f}")
    if measured.mean is not None and abs(measured.mean / in_c.mean - 1.0) > LARGEST_DIFFERENCE:
        raise click.ClickException(
            f"C plays another game than ours: a random playout of {measured.played.name} comes to {in_c.mean:.2f} in C "
            f"and to {measured.mean:.2f} here"
        )


@dataclass(frozen=True)
class Start:
    """How long a process takes from its start to its end, with one run of one evaluation in between."""

    domain: str
    cache: str
    cpu: float
    wall: float
    goal: float


def starts(domain: str, show: Callable[[str], None]) -> list[Start]:
    """With an empty cache, and with one that an earlier process filled; the best of a few, since all else only adds."""
    with tempfile.TemporaryDirectory() as folder:
        cold = []
        for number in range(COLD_STARTS):
            show(f"cold start {number + 1} of {COLD_STARTS}: {domain}")
            cache = Path(folder) / str(number)
            cold.append(start(domain, cache))
        show(f"warm starts: {domain}")
        warm = [start(domain, cache) for _ in range(WARM_STARTS)]
    return [Start(domain, "cold", *min(cold), COLD_GOAL), Start(domain, "warm", *min(warm), WARM_GOAL)]


def start(domain: str, cache: Path) -> tuple[float, float]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    command = [sys.executable, "-m", "mcsgrammar", "solve", domain, "sim", "--budget", "1"]
    cpu_before, wall_before = cpu_of_children(), time.perf_counter()
    subprocess.run(command, env=environment | {"MCSGRAMMAR_CACHE": str(cache)}, capture_output=True, check=True)
    return cpu_of_children() - cpu_before, time.perf_counter() - wall_before


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def millions(rate: float) -> str:
    return f"{rate / 1e6:.2f} M"


def print_tables(measured: list[Playouts], started: list[Start], rounds: int) -> None:
    click.echo(f"Measured on {machine_description()}; one core, CPU time, {rounds} rounds in turn.\n")
    click.echo("| random playouts | ours, per s | C | C, per s | ours / C (range) | goal |")
    click.echo("|---|---|---|---|---|---|")
    for one in measured:
        for name, ratio in one.beside_c.items():
            click.echo(
                f"| {one.played.name} | {millions(max(ratio.ours))} | {name} | {millions(max(ratio.theirs))} | "
                f"{ratio.cells()} |"
            )
    click.echo(
        f"\n| B = {BUDGET:,} | | per s | beside our `sim` (range) | prototype | beside C playouts (range) | prototype |"
    )
    click.echo("|---|---|---|---|---|---|---|")
    for one in measured:
        for text, ratio in one.beside_sim.items():
            click.echo(
                f"| {one.played.name} | `{text}` | {millions(max(ratio.ours))} | {ratio.cells()} | "
                f"{one.beside_yardstick[text].cells()} |"
            )
    click.echo("\n| `mcsgrammar solve DOMAIN sim --budget 1` | cache | CPU s | wall s | goal, CPU s |")
    click.echo("|---|---|---|---|---|")
    for s in started:
        click.echo(f"| {s.domain} | {s.cache} | {s.cpu:.2f} | {s.wall:.2f} | {s.goal:g} {mark(s.cpu < s.goal)} |")


def document(measured: list[Playouts], started: list[Start], rounds: int) -> dict[str, Any]:
    return {
        "machine": machine_description(),
        "rounds": rounds,
        "playouts": [ratio.document() for one in measured for ratio in one.beside_c.values()],
        "expressions": [
            {"problem": one.played.name, **ratio.document()}
            for one in measured
            for ratio in (*one.beside_sim.values(), *one.beside_yardstick.values())
        ],
        "starts": [{**asdict(s), "met": s.cpu < s.goal} for s in started],
    }


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True, metavar="R")
@click.option("--starts/--no-starts", "with_starts", default=True, help="Measure cold and warm starts too (minutes).")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of Markdown tables.")
def main(rounds: int, with_starts: bool, as_json: bool) -> None:
    """Compare the speed of the compiled engine with hand-written C on this machine."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder, ProgressLine() as line:
        pool = Path(folder) / "pool.bin"
        write_pool(pool, PROBLEMS[0].initials)
        measured = measure(CKernels(pool), rounds, line.show)
        started = [
            s for played in PROBLEMS if played.prototype and with_starts for s in starts(played.domain, line.show)
        ]
    if as_json:
        click.echo(json.dumps(document(measured, started, rounds), ensure_ascii=False))
    else:
        print_tables(measured, started, rounds)


if __name__ == "__main__":
    main()
