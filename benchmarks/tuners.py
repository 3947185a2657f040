"""What does tuning cost? Evaluations per second with a tuner, beside the same expression with fixed parameters.

    python benchmarks/tuners.py                     Sudoku(4) and Morpion 5T: 2, 4 and 6 parameters, every tuner
    python benchmarks/tuners.py --domain queens     another domain
    python benchmarks/tuners.py --tuner ntbea --rounds 50

Every number is a ratio of evaluations per second, tuned / fixed, in CPU time of one thread: measured in turn (fixed,
tuned, fixed, tuned, …), each round on another problem with another seed, and summed up. 1 would say that tuning costs
nothing. The fixed parameters are the defaults of the papers. (One problem alone would not do: other draws lead the
search into other parts of the tree, where an evaluation may cost twice as much or half.)

    choosing   the lists hold as many values as the papers', but all within 1e-9 of the fixed one. So the search does
               the same work whatever is chosen, and the ratio is what choosing costs. No combination says what another
               says, as some of the papers' do, so that of four and six parameters there are a tenth more
    as used    the papers' lists. Now values change the work, too: a playout with eps = 0 looks at all actions, one with
               eps = 1 at none, and a tuner that prefers eps = 0 finds more in fewer evaluations a second
"""

import time
from dataclasses import dataclass

import click

from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.engines.searching import Limits, prepare, search
from mcsgrammar.language.expressions import Tune
from mcsgrammar.language.parsing import parse
from mcsgrammar.tuning.space import space_of

C = "{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}"
EPS = "{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}"
K = "{0, 10, 50, 100, 250, 500, 750, 1000, 2000, inf}"
REF = "{0, 50, 100, 250, 500, 1000, 10000, inf}"
VO = "{0.001, 0.005, 0.01, 0.015, 0.02, 0.025}"
T = "{0, 5, 10, 20, 30, 40, 50, 100, 200, inf}"
"""The lists of Sironi, Liu and Winands (2020)."""

FIXED = {"c": "0.2", "eps": "0.4", "k": "250", "ref": "50", "vo": "0.01", "t": "0"}
LISTS = {"c": C, "eps": EPS, "k": K, "ref": REF, "vo": VO, "t": T}
INTERVALS = {"c": "[0..1]", "eps": "[0..1]", "k": "[0..2000]", "ref": "[0..10000]", "vo": "[0..0.025]", "t": "[0..200]"}


def nearly(value: float, count: int) -> str:
    """As many values that change nothing."""
    return "{" + ", ".join(repr(value * (1 - i * 1e-12) if value else i * 1e-12) for i in range(count)) + "}"


SAME = {name: nearly(float(FIXED[name]), LISTS[name].count(",") + 1) for name in FIXED}
SAME_INTERVALS = {name: f"[{float(FIXED[name]) * (1 - 1e-9)!r}..{float(FIXED[name]) or 1e-12!r}]" for name in FIXED}

OPEN = {2: ("c", "eps"), 4: ("c", "eps", "k", "ref"), 6: ("c", "eps", "k", "ref", "vo", "t")}
TUNERS = ("random", "mab", "nmc", "local", "lsi", "ea", "ntbea")
PUBLISHED = {
    ("nmc", 2): "-2.4 %",
    ("nmc", 6): "-25.3 %",
    ("ntbea", 2): "-8.9 %",
    ("ntbea", 6): "-12.4 %",
    **{(tuner, n): "-0.5 % to -4.9 %" for tuner in ("lsi", "ea", "cmaes") for n in (2, 4, 6)},
}
"""Change of speed as the text of Sironi, Liu and Winands (2020) gives it on average over 14 games of two and three
players; of how long a simulation takes there it says nothing."""

BUDGET = 5_000
ROUNDS = 16


@dataclass(frozen=True)
class Row:
    tuner: str
    parameters: int
    choosing: float
    as_used: float
    per_second: float
    combinations: int
    """of the papers' lists"""


def inner(parameters: dict[str, str]) -> str:
    grave = ", ".join(f"{name}={parameters[name]}" for name in ("c", "vo", "t", "ref", "k"))
    return f"select(sim(mast(eps={parameters['eps']})), grave({grave}))"


def fixed_parameters(n: int) -> dict[str, str]:
    """The papers tune vo and t only with six parameters; with fewer they are off, so that a search does less."""
    return FIXED if n == 6 else FIXED | {"vo": "0"}


def expressions(tuner: str, n: int) -> tuple[str, str, str]:
    """An expression with fixed parameters, the same with n of them tuned to no effect, and as the papers tune them."""
    fixed = fixed_parameters(n)
    lists = (SAME_INTERVALS, INTERVALS) if tuner == "cmaes" else (SAME, LISTS)
    same, used = (inner(fixed | {name: values[name] for name in OPEN[n]}) for values in lists)
    if tuner == "cmaes":  # an invocation spends 50 evaluations
        return (
            f"step(repeat({inner(fixed)}, 50))",
            f"step(tune(repeat({same}, 50), cmaes))",
            f"step(tune(repeat({used}, 50), cmaes))",
        )
    return (
        f"step(repeat({inner(fixed)}, 100))",
        f"step(repeat(tune({same}, {tuner}), 100))",
        f"step(repeat(tune({used}, {tuner}), 100))",
    )


def measured(name: str, tuner: str, n: int, budget: int, rounds: int) -> Row:
    domain = find_domain(name)
    limits = Limits(budget)
    compared = [prepare(parse(text), domain, limits) for text in expressions(tuner, n)]
    for expression in compared:  # compiled and warm
        search(domain, problem(domain, 0), expression, 0, Limits(min(budget, 500)), engine="compiled")
    seconds: list[list[float]] = []
    for round_ in range(rounds):
        initial = problem(domain, round_)
        seconds.append([])
        for expression in compared:
            before = time.thread_time()
            search(domain, initial, expression, round_, limits, engine="compiled")
            seconds[-1].append(time.thread_time() - before)
    fixed, same, used = (sum(column) for column in zip(*seconds, strict=True))
    tune = next(part for part in compared[2].walk() if isinstance(part, Tune))
    combinations = 0 if tuner == "cmaes" else space_of(compared[2], tune).legal_count
    return Row(tuner, n, fixed / same, fixed / used, rounds * budget / fixed, combinations)


@click.command()
@click.option("--domain", "domains", multiple=True, default=("sudoku:4", "morpion:5T"), show_default=True)
@click.option("--tuner", "tuners", multiple=True, default=(*TUNERS, "cmaes"), help="Only these.")
@click.option("--budget", default=BUDGET, show_default=True, help="Evaluations of a run.")
@click.option("--rounds", default=ROUNDS, show_default=True)
def main(domains: tuple[str, ...], tuners: tuple[str, ...], budget: int, rounds: int) -> None:
    for name in domains:
        click.echo(f"\n{name}, B = {budget:,}, {rounds} rounds\n")
        click.echo("| tuner | parameters | combinations | fixed, evaluations / s | choosing | as used | papers |")
        click.echo("|---|---|---|---|---|---|---|")
        for tuner in tuners:
            for n in OPEN:
                row = measured(name, tuner, n, budget, rounds)
                combinations = f"{row.combinations:,}" if row.combinations else "-"
                cells = (combinations, f"{row.per_second:,.0f}", f"{row.choosing:.2f}", f"{row.as_used:.2f}")
                click.echo(f"| {tuner} | {n} | {' | '.join(cells)} | {PUBLISHED.get((tuner, n), '')} |")


if __name__ == "__main__":
    main()
