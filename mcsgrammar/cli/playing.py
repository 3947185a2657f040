"""`mcsgrammar play`."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import COUNT, force_option, search_options, split_option, tree_option, wrong_usage
from mcsgrammar.cli.output import echo_json, json_option
from mcsgrammar.defaults import BUDGET_OF_A_TICK

if TYPE_CHECKING:
    from domains.problems import Split
    from mcsgrammar.engines.searching import EngineName, SemanticsName
    from mcsgrammar.game_records import GameRecord
    from mcsgrammar.playing import Play, Trees

MOST_USED = 3
"""Combinations that tuners came to which are shown."""


@click.command("play")
@click.argument("domain")
@click.argument("expression", metavar="EXPR")
@click.option("--budget", type=COUNT, metavar="N", help="Evaluations before every action.  [default: 200]")
@click.option("--plays", type=COUNT, metavar="N", help="Actions played in the model before every action, instead.")
@click.option("--ms", type=float, metavar="M", help="Milliseconds of wall clock before every action, instead.")
@click.option("--games", type=COUNT, default=100, show_default=True, metavar="G", help="How many.")
@click.option("--problem", type=COUNT, metavar="K", help="All on this problem; otherwise each on the next one.")
@click.option(
    "--commit",
    type=click.Choice(["visits", "mean", "best"]),
    help="Which action is played.  [default: as the outermost step says, or visits, and best without chance]",
)
@tree_option
@split_option
@click.option("--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Another seed, other games.")
@search_options
@click.option("--jobs", type=COUNT, metavar="J", help="Worker processes; the games are the same.  [default: as pays]")
@click.option("--journal", type=click.Path(path_type=Path), metavar="FILE", help="Keep games; go on where FILE ends.")
@click.option("--show", type=COUNT, default=0, metavar="N", help="Draw the first N games.")
@click.option("--live", is_flag=True, help="Draw games while they are played, one after the other.")
@click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Save the first game as a moving picture.")
@force_option
@json_option
def command(
    domain: str,
    expression: str,
    budget: int | None,
    plays: int | None,
    ms: float | None,
    games: int,
    problem: int | None,
    commit: str | None,
    trees: "Trees",
    split: "Split",
    seed: int,
    engine: "EngineName",
    semantics: "SemanticsName",
    max_nodes: int,
    jobs: int | None,
    journal: Path | None,
    show: int,
    live: bool,
    svg: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Play games of a domain: before every action the algorithm searches anew from where the game stands, then one
    action is played, and chance decides where it leads.

    The outermost step of EXPR, if it has one, is the world's: step(S, visits) searches with S and plays the action that
    was visited most. Trees are new for every action, or with --tree kept go on below the one that was played; what
    playouts, history and tuners have learnt is kept for one game. All games can be seen again from problem, seed and
    actions (--json). With --ms they cannot be repeated.

    \b
    Examples:
      mcsgrammar play cliff 'select(sim, 0.5)' --budget 100
      mcsgrammar play stock 'step(select(sim, ucb1(c=0.3, norm=1)), mean)' --games 50 --show 1
      mcsgrammar play cliff 'tune(select(sim(mast), {0.2, 0.5, 1}), ntbea)' --ms 5
      mcsgrammar play cliff 'select(sim, 0.3)' --plays 5000 --tree kept --games 1 --live --svg game.svg
      mcsgrammar play sudoku:3 'select(sim, 0.3)' --games 10
    """
    from discovery.many.games import play_games
    from domains.registry import find_domain
    from mcsgrammar.arguments import at_least
    from mcsgrammar.cli import EXIT_INTERRUPTED
    from mcsgrammar.cli.game_display import GameDisplay
    from mcsgrammar.playing import prepared_play
    from mcsgrammar.writing import check_writable, write_text

    found = find_domain(domain)
    at_least(0, "--show", show)
    if svg is not None:
        check_writable(svg, force)
    if live and jobs not in (None, 1):
        raise wrong_usage("--live draws games that are played in this process; leave --jobs out")
    limits = _limits(budget, plays, ms, max_nodes)
    play = prepared_play(found, expression, limits, commit, split, seed, engine, semantics, ms is not None, trees)
    progress, interrupted = _Progress(games, shows=not live), False
    try:
        if live:
            with GameDisplay(play) as display:
                play_games(play, games, problem, 1, domain, journal, progress.tell, display.show)
        else:
            with progress:
                play_games(play, games, problem, jobs, domain, journal, progress.tell)
    except KeyboardInterrupt:
        if not progress.done:
            raise
        interrupted = True
    records = progress.done
    if svg is not None:
        write_text(svg, play.shown(records[0]).animation())
    if as_json:
        echo_json(_document(play, problem, records))
        return EXIT_INTERRUPTED if interrupted else 0
    for record in records[:show]:
        click.echo(f"game on problem {record.problem}, seed {record.seed}: {found.unit} {record.score:g}")
        click.echo(play.shown(record).draw() + "\n")
    for line in _summary(play, records):
        click.echo(line)
    if svg is not None:
        click.echo(f"saved in {svg}")
    if interrupted:
        kept = f"the same command goes on from {journal}" if journal else "none is kept; --journal FILE keeps them"
        click.echo(f"interrupted after {len(records):,} of {games:,} games; {kept}", err=True)
    return EXIT_INTERRUPTED if interrupted else 0


def _limits(budget: int | None, plays: int | None, ms: float | None, max_nodes: int) -> Any:
    from mcsgrammar.engines.searching import Limits

    given = [name for name, value in (("--budget", budget), ("--plays", plays), ("--ms", ms)) if value is not None]
    if len(given) > 1:
        raise wrong_usage(f"give {given[0]} or {given[1]}, one of the two")
    if plays is not None:
        return Limits(max_nodes=max_nodes, plays=plays)
    if ms is None:
        return Limits(BUDGET_OF_A_TICK if budget is None else budget, None, max_nodes)
    if not 0 < ms < float("inf"):
        raise wrong_usage(f"--ms cannot be {ms:g}; it is a finite number above 0")
    return Limits(None, ms / 1000, max_nodes)


class _Progress:
    """Knows the games that are finished, and shows how far it is."""

    def __init__(self, games: int, shows: bool) -> None:
        from discovery.pace import WorkPace
        from mcsgrammar.cli.progress import ProgressLine

        self.line, self.pace, self.games, self.shows = ProgressLine(), WorkPace(), games, shows
        self.done: Sequence[GameRecord] = ()

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *error: Any) -> None:
        self.line.__exit__(*error)

    def tell(self, done: "Sequence[GameRecord]") -> None:
        from mcsgrammar.cli.progress import about

        self.done = done
        self.pace.tell(len(done))
        if not self.shows or not self.line.due():
            return
        mean = sum(record.score for record in done) / len(done)
        goals = [record.reached_goal for record in done if record.reached_goal is not None]
        goal = f", goal {sum(goals) / len(goals):.0%}" if goals else ""
        left = f", {about(self.pace.seconds_left(self.games))} left" if self.pace.is_known else ""
        self.line.show(f"{len(done):,} of {self.games:,} games, mean score {mean:.4g}{goal}{left}")


def _summary(play: "Play", records: "Sequence[GameRecord]") -> list[str]:
    from discovery.numbers import decimals_for, fixed, plural
    from discovery.statistics import summary
    from domains.registry import canonical_text

    limits, unit = play.how.limits, play.domain.unit
    scores = summary([record.score for record in records])
    ticks = sum(record.ticks for record in records)
    evaluations = sum(record.evaluations for record in records)
    if limits.plays is not None:
        budget = f"{limits.plays:,} actions in the model"
    else:
        budget = f"{limits.evaluations:,} evaluations" if limits.seconds is None else f"{1000 * limits.seconds:g} ms"
    decimals = decimals_for([scores.stderr])
    interval = f" ({fixed(scores.low, decimals)} to {fixed(scores.high, decimals)})" if scores.n > 1 else ""
    lines = [
        f"{canonical_text(play.domain)}: {plural(len(records), 'game')} by {play.how.agent}, {budget} a tick",
        f"{unit:<12} {fixed(scores.mean, decimals)}{interval}",
    ]
    goals = [record.reached_goal for record in records if record.reached_goal is not None]
    if goals:
        low, high = goal_interval(goals)
        lines.append(f"{'goal':<12} {sum(goals) / len(goals):.1%} ({low:.1%} to {high:.1%})".replace("%", " %"))
    lines.append(
        f"{'ticks':<12} {ticks / len(records):.1f} a game, {evaluations / max(1, ticks):,.0f} evaluations each"
    )
    lines += [f"{'tuner':<12} {line}" for line in _tuned(records)]
    if limits.seconds is not None:
        overruns = sum(record.overruns for record in records)
        lines.append(f"{'overruns':<12} {overruns:,} of {ticks:,} ticks; by the clock no game can be repeated")
    return lines


def goal_interval(goals: "Sequence[bool]") -> tuple[float, float]:
    from discovery.statistics import binomial_interval

    return binomial_interval(sum(goals), len(goals))


def _tuned(records: "Sequence[GameRecord]") -> list[str]:
    """What tuners would choose at the end of games, the most frequent first."""
    chosen = Counter(", ".join(f"{name} = {value}" for name, value in record.tuned) for record in records)
    return [f"{text} (in {n:,} of {len(records):,} games)" for text, n in chosen.most_common(MOST_USED) if text]


def _document(play: "Play", problem: int | None, records: "Sequence[GameRecord]") -> dict[str, Any]:
    from discovery.many.games import header
    from discovery.statistics import summary
    from mcsgrammar.game_records import record_fields

    scores = summary([record.score for record in records])
    goals = [record.reached_goal for record in records if record.reached_goal is not None]
    return {
        **header(play, problem),
        "unit": play.domain.unit,
        "mean_score": scores.mean,
        "stderr": scores.stderr,
        "ci95": [scores.low, scores.high],
        "goals": sum(goals) if goals else None,
        "share_of_goals": sum(goals) / len(goals) if goals else None,
        "goal_ci95": list(goal_interval(goals)) if goals else None,
        "games": [record_fields(record) for record in records],
    }
