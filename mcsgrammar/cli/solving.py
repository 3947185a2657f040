"""`mcsgrammar solve`."""

import math
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import COUNT, force_option, search_options, split_option, wrong_usage
from mcsgrammar.cli.output import echo_json, json_option
from mcsgrammar.defaults import DEFAULT_BUDGET

if TYPE_CHECKING:
    from domains.problems import Split
    from mcsgrammar.engines.results import Tuning
    from mcsgrammar.engines.searching import EngineName, SemanticsName
    from mcsgrammar.solving import Solution

MOST_USED = 5
"""Combinations of a tuner that are shown."""


@click.command("solve")
@click.argument("domain")
@click.argument("expression")
@click.option("--budget", type=COUNT, metavar="N", help="Evaluations a run may spend.  [default: 1000]")
@click.option("--seconds", type=float, metavar="S", help="CPU seconds a run may spend; results differ each time.")
@click.option("--problem", "number", type=COUNT, default=0, show_default=True, metavar="K", help="Which problem.")
@split_option
@click.option("--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Another seed, other runs.")
@click.option("--runs", type=COUNT, metavar="R", help="Runs with seeds of their own.  [default: 1; with --hours any]")
@click.option("--hours", type=float, metavar="H", help="Begin new runs for so long, by the wall's clock.")
@click.option("--jobs", type=COUNT, metavar="J", help="Worker processes; the runs are the same.  [default: 1]")
@click.option("--journal", type=click.Path(path_type=Path), metavar="FILE", help="Keep runs; go on where FILE ends.")
@search_options
@click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Save the best solution as a picture.")
@force_option
@json_option
def command(
    domain: str,
    expression: str,
    budget: int | None,
    seconds: float | None,
    number: int,
    split: "Split",
    seed: int,
    runs: int | None,
    hours: float | None,
    jobs: int | None,
    journal: Path | None,
    engine: "EngineName",
    semantics: "SemanticsName",
    max_nodes: int,
    svg: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Run an algorithm on one problem of a domain and draw the best solution it finds. Ctrl-C ends the run with the
    best so far.

    Of many runs the best counts: --jobs shares them out, --journal keeps each of them, and the same command goes on
    where it was stopped, with more runs or for more --hours.

    \b
    Examples:
      mcsgrammar solve sudoku:4 'uct(0.5)'
      mcsgrammar solve morpion:5T 'step(select(step(sim), 0.5))' --budget 10000 --svg board.svg
      mcsgrammar solve regression 'la(2)' --seconds 1 --problem 3
      mcsgrammar solve sudoku:5 'nmc(2)' --runs 20 --json
      mcsgrammar solve morpion:5D 'nrpa(3, 50)' --budget 125000 --hours 1 --jobs 2 --journal long.jsonl --svg long.svg
      mcsgrammar solve queens 'step(repeat(tune(select(sim(mast(eps={0, 0.2, 0.4})), {0.1, 0.3}), ntbea), 50))'
    """
    from discovery.many.runs import ManyRuns
    from domains.protocol import Domain
    from domains.registry import canonical_text, find_domain
    from mcsgrammar.engines.searching import Limits
    from mcsgrammar.language.parsing import parse
    from mcsgrammar.solving import solutions
    from mcsgrammar.writing import check_writable, write_text

    if budget is None and seconds is None:
        budget = DEFAULT_BUDGET
    limits = Limits(budget, seconds, max_nodes)
    parsed = parse(expression)
    found = find_domain(domain)
    if svg is not None:
        if type(found).svg is Domain.svg:
            raise wrong_usage(f"{domain} draws no pictures; leave --svg out")
        check_writable(svg, force)
    last_is_cut = False
    with _Progress(limits.evaluations, limits.seconds, runs) as progress:
        if hours is None and jobs is None and journal is None:
            runs = 1 if runs is None else runs
            one_by_one = solutions(
                found, parsed, limits, number, split, seed, runs, engine, semantics, on_progress=progress.show
            )
            done = list(one_by_one)
            interrupted = last_is_cut = done[-1].result.stop_reason == "interrupted"
        else:
            _check_many(runs, hours, jobs)
            many = ManyRuns(found, parsed, limits, number, split, seed, engine, semantics)
            runs = runs or (1 if hours is None else None)
            done, interrupted = _collected(many.solutions(runs, hours, jobs or 1, domain, journal), progress)
    best = max(done, key=lambda s: -math.inf if s.reward is None else s.reward)
    if interrupted and best.reward is None:
        raise KeyboardInterrupt  # before the first evaluation was finished
    if svg is not None:
        picture = best.svg()
        if picture is None:
            raise wrong_usage(f"{domain} draws no pictures")
        write_text(svg, picture)
    if as_json:
        document = {
            "domain": canonical_text(found),
            "expression": str(parsed),
            "runs_as": str(best.expression),
            "budget": budget,
            "seconds": seconds,
            "split": split,
            "semantics": semantics,
            "unit": found.unit,
            "runs": [_row(solution) for solution in done],
        }
        echo_json(document)
    else:
        _print(done, best, svg, journal)
    if interrupted:
        of = "" if runs is None else f" of {runs}"
        where = f"in run {len(done)}{of}" if last_is_cut else f"after {len(done)}{of} runs"
        click.echo(f"interrupted {where}; this is the best so far", err=True)
    return 130 if interrupted else 0


def _check_many(runs: int | None, hours: float | None, jobs: int | None) -> None:
    from mcsgrammar.arguments import at_least

    for what, count in (("runs", runs), ("jobs", jobs)):
        if count is not None:
            at_least(1, f"the number of {what}", count)
    if hours is not None and not 0 < hours < math.inf:
        raise wrong_usage(f"--hours cannot be {hours:g}; it is a finite number above 0")


def _collected(solutions: "Iterator[Solution]", progress: "_Progress") -> "tuple[list[Solution], bool]":
    """All of them, or those before Ctrl-C; and whether it was pressed."""
    done: list[Solution] = []
    try:
        for solution in solutions:
            done.append(solution)
            progress.show_many(done)
    except KeyboardInterrupt:
        if not done:
            raise
        return done, True
    return done, False


class _Progress:
    def __init__(self, evaluations: int | None, seconds: float | None, runs: int | None) -> None:
        from mcsgrammar.cli.progress import ProgressLine

        self.line = ProgressLine()
        self.evaluations, self.seconds, self.runs = evaluations, seconds, runs or 1

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *error: Any) -> None:
        self.line.__exit__(*error)

    def show(self, run: int, evaluations: int, best: float, elapsed: float) -> None:
        from mcsgrammar.cli.progress import per_second

        if not self.line.due():
            return
        share = evaluations / self.evaluations if self.evaluations else elapsed / (self.seconds or math.inf)
        which = f"run {run + 1} of {self.runs}, " if self.runs > 1 else ""
        rate = per_second(evaluations / elapsed) if elapsed > 0 else ""
        self.line.show(f"{which}{share:4.0%}  {evaluations:,} evaluations, {rate}, best reward {best:.4g}")

    def show_many(self, done: "list[Solution]") -> None:
        if not self.line.due():
            return
        from discovery.numbers import plural

        best = max(done, key=lambda one: -math.inf if one.reward is None else one.reward)
        found = "nothing evaluated" if best.score is None else f"best {best.score:.6g} {best.domain.unit}"
        self.line.show(f"{plural(len(done), 'run')}, {found}")


def _row(solution: "Solution") -> dict[str, Any]:
    result = solution.result
    return {
        "problem": solution.problem,
        **({} if solution.instance is None else {"instance": solution.instance.name}),
        "seed": solution.seed,
        "reward": result.reward,
        "score": solution.score,
        "evaluations": result.evaluations,
        "seconds": result.seconds,
        "stop_reason": result.stop_reason,
        "actions": list(result.actions),
        "curve": [list(point) for point in result.curve],
        "tree_nodes": result.tree_nodes,
        "tree_full": result.tree_full,
    } | ({"tunings": [_tuning_row(tuning) for tuning in result.tunings]} if result.tunings else {})


def _tuning_row(tuning: "Tuning") -> dict[str, Any]:
    return {
        "parameters": list(tuning.parameters),
        "choices": tuning.choices,
        "best": None if tuning.best is None else [_value(value) for value in tuning.best],
        "used": [
            {"values": [_value(value) for value in values], "times": times, "mean_reward": mean}
            for values, times, mean in tuning.used
        ],
    }


def _value(value: float | int | str) -> float | int | str:
    """JSON knows no infinity."""
    return "inf" if value == math.inf else value


def _print_tuning(tuning: "Tuning") -> None:
    """What the tuner of the best run did: its choice in the end, and the combinations it used most."""
    from discovery.numbers import plural
    from mcsgrammar.language.parameters import value_text

    def text(values: Any) -> str:
        named = zip(tuning.parameters, values, strict=True)
        return ", ".join(f"{name.split(' of ')[0]}={rounded(value)}" for name, value in named)

    def rounded(value: Any) -> str:
        return f"{value:.4g}" if tuning.used == () and isinstance(value, float) else value_text(value)

    if tuning.best is None:
        click.echo("tuner: the budget was spent before it was told a reward")
        return
    click.echo(f"tuner: {tuning.choices:,} choices; in the end it would choose {text(tuning.best)}")
    for values, times, mean in tuning.used[:MOST_USED]:
        click.echo(f"  {times:>7,} × {text(values)}  (mean reward {mean:.4g})")
    if len(tuning.used) > MOST_USED:
        click.echo(f"  … and {plural(len(tuning.used) - MOST_USED, 'other combination')}")


def _print(done: "list[Solution]", best: "Solution", svg: Path | None, journal: Path | None) -> None:
    from discovery.many.runs import improvements
    from domains.registry import canonical_text
    from mcsgrammar.cli.progress import per_second

    unit, result = best.domain.unit, best.result
    file = "" if best.instance is None else f" ({best.instance.name})"
    click.echo(f"{canonical_text(best.domain)}, problem {best.problem}{file}: {best.expression}")
    if result.reward is None:
        click.echo("nothing was evaluated: the budget is 0")
        return
    click.echo()
    click.echo(best.draw())
    click.echo()
    if len(done) > 1:
        scores = [s.score for s in done if s.score is not None]
        error = statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else math.nan
        click.echo(f"{len(done)} runs: mean {statistics.mean(scores):.6g} ± {error:.3g} (standard error) {unit}")
        better = ", ".join(f"{one.score:.6g} (run {run + 1})" for run, one in improvements(done))
        click.echo(f"better and better: {better}")
    rate = f", {per_second(result.evaluations / result.seconds)}" if result.seconds > 0 else ""
    reward = "" if best.score == result.reward else f" (reward {result.reward:.6g})"
    click.echo(
        f"best: {best.score:.6g} {unit}{reward}; {result.evaluations:,} evaluations in {result.seconds:.3g} s CPU{rate}"
    )
    for tuning in result.tunings:
        _print_tuning(tuning)
    if result.tree_full:
        click.echo(f"note: memory was full, with {result.tree_nodes:,} nodes in the tree; see --max-nodes")
    if svg is not None:
        click.echo(f"picture: {svg}")
    if journal is not None:
        click.echo(f"all runs: {journal}; the same command goes on with more of them")
