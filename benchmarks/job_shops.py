"""Job shops: how far above a lower bound do schedules lie that take equal time? Rules, searches, and a solver.

    python benchmarks/job_shops.py                                   5 shops of 10 jobs and 10 machines, 2 s for each
    python benchmarks/job_shops.py 'nmc(2)' 'nmc(3)' --seconds 20    these expressions instead
    python benchmarks/job_shops.py --jobs 20 --machines 15

Shops are made as Taillard made his (*Benchmarks for basic scheduling problems*, 1993): durations from 1 to 99, and for
each job the machines in random order. The domain is the tutorial's, docs/tutorial/jobshop_fast.py.

    bound      no schedule is shorter; a figure of 10 % is a makespan 1.1 times as long. What CP-SAT proved in its
               time, which may be the optimum; without it, the longest job or the busiest machine, which lie below
    rules      one schedule each, by the action whose feature is largest or smallest; they take no time to speak of
    CP-SAT     the constraint solver of OR-tools, one worker, the same CPU seconds, the making of the model left out. It
               comes with `pip install ortools`, and without that its row is left out. It ends early where it has proved
               its schedule to be the shortest, which no search here ever does
"""

import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from domains.problems import problem
from domains.protocol import Domain, advance
from domains.randomness import Random, seed_of
from domains.registry import find_domain
from mcsgrammar.benching import machine_description
from mcsgrammar.engines.searching import Limits, prepare, search
from mcsgrammar.language.parsing import parse

DOMAIN = Path(__file__).parent.parent / "docs" / "tutorial" / "jobshop_fast.py"
LONGEST_DURATION = 99
EXPRESSIONS = ("sim", "step(lookahead(sim))", "nmc(2)", "nmc(3)", "select(repeat(select(sim, 0), 5), 0)")
RULES = {
    "shortest operation first": ("duration", -1),
    "longest operation first": ("duration", 1),
    "least work remaining first": ("remaining", -1),
    "most work remaining first": ("remaining", 1),
    "shortest wait first": ("wait", -1),
}
LOOKED_AFTER_EVERY = 0.01


@dataclass(frozen=True)
class Solved:
    """What CP-SAT came to."""

    makespan: float
    bound: float
    seconds: float

    @property
    def proved(self) -> bool:
        return self.makespan == self.bound


def written_shop(jobs: int, machines: int, random: Random) -> str:
    """A shop as the OR-Library writes it."""
    lines = [f"{jobs} {machines}"]
    for _ in range(jobs):
        order = [*range(machines)]
        random.shuffle_from_end(order)
        lines.append(" ".join(f"{machine} {1 + random.below(LONGEST_DURATION)}" for machine in order))
    return "\n".join(lines) + "\n"


def makespan_by_rule(shop: Domain, feature: str, sign: int) -> float:
    state, place = problem(shop, 0), shop.features.index(feature)
    while actions := shop.actions(state):
        state = advance(shop, state, max(actions, key=lambda job: sign * shop.feature(state, job)[place]))
    return shop.cost(state)


def makespan_by_search(shop: Domain, text: str, seconds: float, seed: int) -> float:
    limits = Limits(seconds=seconds)
    found = search(shop, problem(shop, 0), prepare(parse(text), shop, limits), seed, limits, engine="compiled")
    assert found.reward is not None
    makespan = shop.score_of_reward(found.reward)
    assert makespan is not None
    return round(makespan)


def solved_by_cp_sat(cp_model: Any, shop: Domain, seconds: float, seed: int) -> Solved:
    model = cp_model.CpModel()
    machines: dict[int, list[Any]] = {}
    jobs, latest = problem(shop, 0).jobs, sum(duration for job in problem(shop, 0).jobs for _, duration in job)
    makespan = model.new_int_var(0, latest, "")
    for job in jobs:
        before: Any = 0
        for machine, duration in job:
            start = model.new_int_var(0, latest, "")
            model.add(start >= before)
            before = start + duration
            machines.setdefault(machine, []).append(model.new_fixed_size_interval_var(start, duration, ""))
        model.add(makespan >= before)
    for intervals in machines.values():
        model.add_no_overlap(intervals)
    model.minimize(makespan)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, seed
    ended, began = threading.Event(), time.process_time()

    def stop_in_time() -> None:
        while not ended.wait(LOOKED_AFTER_EVERY):
            if time.process_time() > began + seconds:
                solver.stop_search()

    watch = threading.Thread(target=stop_in_time)
    watch.start()
    try:
        status = solver.solve(model)
    finally:
        ended.set()
        watch.join()
    taken, found = time.process_time() - began, status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return Solved(solver.objective_value if found else float("inf"), solver.best_objective_bound, taken)


def row(name: str, makespans: list[list[float]], bounds: list[float], note: str = "") -> str:
    """`makespans` by shop, then by run."""
    above = [100 * (makespan / bound - 1) for runs, bound in zip(makespans, bounds, strict=True) for makespan in runs]
    each = " ".join(f"{sum(runs) / len(runs):.0f}" for runs in makespans)
    return f"| {name} | {sum(above) / len(above):.1f} % | {each} | {note} |"


@click.command()
@click.argument("expressions", nargs=-1)
@click.option("--shops", default=5, show_default=True)
@click.option("--jobs", default=10, show_default=True)
@click.option("--machines", default=10, show_default=True)
@click.option("--seconds", default=2.0, show_default=True, help="CPU seconds of a run.")
@click.option("--runs", default=1, show_default=True, help="Of a search and of CP-SAT, on each shop.")
@click.option("--seed", default=0, show_default=True, help="Other shops, other draws.")
def main(
    expressions: tuple[str, ...], shops: int, jobs: int, machines: int, seconds: float, runs: int, seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{k}.txt" for k in range(shops)]
        for k, file in enumerate(files):
            file.write_text(written_shop(jobs, machines, Random(seed_of("shop", jobs, machines, k, seed))))
        click.echo(f"{shops} shops of {jobs} jobs and {machines} machines, {seconds:g} s, {runs} runs, seed {seed}")
        click.echo(f"{machine_description()}\n")
        compare([find_domain(f"{DOMAIN}:JobShop:{file}") for file in files], expressions, seconds, runs, seed)


def compare(made: list[Domain], expressions: tuple[str, ...], seconds: float, runs: int, seed: int) -> None:
    bounds = [shop.minimise[0] for shop in made if shop.minimise is not None]
    solved: list[list[Solved]] = []
    try:
        from ortools.sat.python import cp_model  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        click.echo("CP-SAT is not there to compare with: pip install ortools\n")
    else:
        solved = [[solved_by_cp_sat(cp_model, shop, seconds, seed + run) for run in range(runs)] for shop in made]
        bounds = [max(bound, *(one.bound for one in of_shop)) for bound, of_shop in zip(bounds, solved, strict=True)]
    click.echo("| | above the bound | makespans | |")
    click.echo("|---|---|---|---|")
    by_rule = {name: [[makespan_by_rule(shop, *rule)] for shop in made] for name, rule in RULES.items()}
    for name, makespans in by_rule.items():
        click.echo(row(name, makespans, bounds))
    click.echo(row("the best of these", [[min(spans)[0]] for spans in zip(*by_rule.values(), strict=True)], bounds))
    for text in expressions or EXPRESSIONS:
        makespan_by_search(made[0], text, 0.05, seed)  # compiled and warm
        found = [[makespan_by_search(shop, text, seconds, seed + run) for run in range(runs)] for shop in made]
        click.echo(row(f"`{text}`", found, bounds))
    if solved:
        every = [one for of_shop in solved for one in of_shop]
        proofs = [one.seconds for one in every if one.proved]
        proved = f"proved the shortest in {len(proofs)} of {len(every)}"
        proved += f", after {min(proofs):.2f} to {max(proofs):.2f} s" if proofs else ""
        click.echo(row("CP-SAT", [[one.makespan for one in of_shop] for of_shop in solved], bounds, proved))


if __name__ == "__main__":
    main()
