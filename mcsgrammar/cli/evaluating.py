"""`mcsgrammar evaluate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import (
    AS_BUDGET,
    COUNT,
    force_option,
    is_typed,
    play_option,
    read_count,
    read_play,
    search_options,
    split_list,
    split_option,
    tree_option,
    wrong_usage,
)
from mcsgrammar.cli.output import echo_document, folded, json_option, terminal_width
from mcsgrammar.defaults import DEFAULT_BUDGET

if TYPE_CHECKING:
    from discovery.evaluation.measuring import Selection, Wanted
    from domains.problems import Split
    from mcsgrammar.engines.searching import EngineName, SemanticsName
    from mcsgrammar.playing import Trees


@click.command("evaluate")
@click.argument("domain", required=False)
@click.argument("expressions", nargs=-1, metavar="[EXPR]...")
@click.option("--from", "campaign", type=click.Path(path_type=Path), metavar="DIR", help="The best of a campaign.")
@click.option("--top", type=COUNT, default=10, show_default=True, metavar="K", help="How many of them.")
@click.option("--generic", is_flag=True, help="Beside is, la(1..5), nmc(2..5) and uct(0 | 0.3 | 0.5 | 1).")
@click.option(
    "--budget", type=COUNT, metavar="N", help="Evaluations a run may spend.  [default: the campaign's, or 1000]"
)
@click.option("--budgets", metavar="N,…", help="Several budgets, a column for each.")
@click.option("--seconds", type=float, metavar="S", help="CPU seconds a run may spend; results differ each time.")
@play_option
@tree_option
@click.option("--on", multiple=True, metavar="DOMAIN@BUDGET", help="One more column; may be given several times.")
@click.option("--problems", type=COUNT, default=10000, show_default=True, metavar="N", help="Runs of each algorithm.")
@click.option(
    "--first-problem", type=COUNT, default=0, show_default=True, metavar="K", help="The problems K, K + 1, …, instead."
)
@split_option
@click.option(
    "--seed",
    type=COUNT,
    default=0,
    show_default=True,
    metavar="S",
    help="Another seed, other runs; on the same problems.",
)
@search_options
@click.option("--jobs", type=COUNT, metavar="J", help="Worker processes; the results are the same.  [default: as pays]")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Save the table: .md, .csv or .json.")
@click.option(
    "--format", "file_format", type=click.Choice(["md", "csv", "json"]), help="What FILE is, if not as it ends."
)
@force_option
@json_option
def command(
    domain: str | None,
    expressions: tuple[str, ...],
    campaign: Path | None,
    top: int,
    generic: bool,
    budget: int | None,
    budgets: str | None,
    seconds: float | None,
    play: int | None,
    trees: "Trees",
    on: tuple[str, ...],
    problems: int,
    first_problem: int,
    split: "Split",
    seed: int,
    engine: "EngineName",
    semantics: "SemanticsName",
    max_nodes: int,
    jobs: int | None,
    out: Path | None,
    file_format: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Run algorithms once on each of N test problems of DOMAIN and compare them: means, 95 % intervals, ranks, and
    tests against the best generic algorithm, which is chosen on training problems.

    Any single run can be looked at again: the one on problem K is 'mcsgrammar solve --problem K' with the same budget
    and seed. The problems are the same for every seed: a short evaluation keeps the luck of the first ones, and
    --first-problem takes others. Several budgets, or several domains by --on, become columns of one table.

    With --play each run is a whole game, that of 'mcsgrammar play --problem K', and budgets are those of the search
    before every action; the best of a campaign of games play, too.

    \b
    Examples:
      mcsgrammar evaluate sudoku:3 'la(1)' 'nmc(2)' 'step(select(step(sim), 1))'
      mcsgrammar evaluate sudoku:4 'step(repeat(sim, 5))' --generic --budgets 100,1000
      mcsgrammar evaluate regression --from DIR --top 10 --generic --out table.md
      mcsgrammar evaluate sudoku:4 --from DIR --generic --on sudoku:5@1000 --on sudoku:4@10000
      mcsgrammar evaluate cliff 'select(sim, 0.3)' 'select(sim, 1)' --play 100 --problems 500
    """
    from discovery.evaluation.comparison import contestants
    from discovery.evaluation.measuring import best_of_campaign, measure
    from discovery.evaluation.tables import WRITERS, as_json_text
    from mcsgrammar.cli.progress import ProgressLine, WorkProgress
    from mcsgrammar.writing import check_writable, write_text

    if out is not None:
        file_format = file_format or out.suffix.removeprefix(".").lower()
        if file_format not in WRITERS:
            raise wrong_usage(f"--out {out}: write a name that ends in .md, .csv or .json, or add --format md|csv|json")
        check_writable(out, force)
    elif file_format is not None:
        raise wrong_usage("--format says what the file of --out holds; add --out FILE")
    if domain is not None and on and not _names_domain(domain):
        expressions, domain = (domain, *expressions), None
    selection = None if campaign is None else best_of_campaign(campaign, top)
    if selection is not None and selection.play is not None and play is None:
        play, trees = AS_BUDGET, trees if is_typed("trees") else selection.play
    of_campaign = selection is not None and play == AS_BUDGET
    budget, kind = read_play(play, trees, budget, seconds, budgets is not None or of_campaign)
    wanted = _wanted(domain, budget, budgets, seconds, on, selection)
    timed = any(one.seconds is not None for one in wanted)
    field = contestants(expressions, generic, () if selection is None else selection.trained, without_uct=timed)
    if not field:
        raise wrong_usage("there is nothing to evaluate: name expressions, or add --from DIR or --generic")
    if timed and generic:
        click.echo("note: uct(C) is left out; it needs a budget in evaluations to know its N", err=True)
    with ProgressLine() as line:
        columns = measure(
            wanted,
            field,
            problems=problems,
            first_problem=first_problem,
            split=split,
            seed=seed,
            semantics=semantics,
            engine=engine,
            max_nodes=max_nodes,
            jobs=jobs,
            selection=selection,
            on_progress=WorkProgress(line).show,
            play=kind,
        )
    if timed:
        click.echo("note: budgets in CPU seconds make other results every time; with --budget they repeat", err=True)
    if out is not None and file_format is not None:
        write_text(out, WRITERS[file_format](columns))
    if as_json:
        echo_document(as_json_text(columns))
        return
    _print(columns)
    if out is not None:
        click.echo(f"\nsaved in {out}")


def _print(columns: Any) -> None:
    from discovery.evaluation.kept import test_scores
    from discovery.evaluation.tables import as_text, document
    from discovery.evaluation.verdict import comparison

    click.echo(as_text(columns, terminal_width()), nl=False)
    if len(columns) == 1 and (sentences := comparison(test_scores(document(columns), kept=False))):
        click.echo()
        for sentence in sentences:
            click.echo(folded(sentence))


def _names_domain(text: str) -> bool:
    """Whether the first argument is a domain, or already an expression because --on names all the domains."""
    from domains.errors import UnknownDomain
    from domains.registry import find_domain
    from mcsgrammar.language.errors import ExpressionError
    from mcsgrammar.language.parsing import parse

    try:
        find_domain(text)
        return True
    except UnknownDomain:
        if "(" in text:
            return False
    try:
        parse(text)
        return False
    except ExpressionError:
        return True  # the complaint about the domain is the better one


def _wanted(
    domain: str | None,
    budget: int | None,
    budgets: str | None,
    seconds: float | None,
    on: tuple[str, ...],
    selection: "Selection | None",
) -> "list[Wanted]":
    """The columns in the order they were asked for."""
    from discovery.evaluation.measuring import Wanted

    given = {"--budget": budget, "--budgets": budgets, "--seconds": seconds}
    options = [option for option, value in given.items() if value is not None]
    if len(options) > 1:
        raise wrong_usage(f"give {options[0]} or {options[1]}, one of the two")
    several: list[int | None] = [budget]
    if budgets is not None:
        several = [*(_budget(item, "--budgets") for item in split_list(budgets))]
        if not several:
            raise wrong_usage("--budgets is empty; write a list such as 1000,10000")
    elif not options and selection is not None:
        several, seconds = [selection.budget], selection.seconds
    elif not options:
        several = [DEFAULT_BUDGET]
    wanted = [] if domain is None else [Wanted(domain, number, seconds) for number in several]
    for text in on:
        where, at, number = text.rpartition("@")
        if set(number) & set("/\\:"):  # of a path
            where, at, number = text, "", ""
        if at and not where:
            raise wrong_usage(f"--on {text} names no domain; write DOMAIN@BUDGET, such as sudoku:5@1000")
        if at:
            wanted.append(Wanted(where, _budget(number, f"--on {text}")))
        else:
            wanted += [Wanted(text, number, seconds) for number in several]
    if not wanted:
        raise wrong_usage("say on which problems: name a DOMAIN, such as sudoku:4, or add --on DOMAIN@BUDGET")
    return wanted


def _budget(text: str, option: str) -> int:
    try:
        return read_count(text)
    except ValueError:
        raise wrong_usage(f"{option}: '{text[:40]}' is not a budget; it is a whole number of evaluations") from None
