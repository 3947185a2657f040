"""`mcsgrammar null-check`."""

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import COUNT
from mcsgrammar.cli.output import echo_json, json_option

if TYPE_CHECKING:
    from discovery.evaluation.null_check import Alarms, NullCheck, Rate

QUESTIONS = {
    "difference": ("Dis#1 differs, unpaired p < 0.05", "5 %"),
    "star": ("Dis#1 has the star: differs and is better", "2.5 %"),
    "any_star": ("one star or more in the table", "-"),
    "any_difference_by_holm": ("p Holm < 0.05 somewhere in the table", "≤ 5 %"),
    "any_claim_by_holm": ("p Holm < 0.05 and better somewhere", "≤ 5 %"),
}
"""Each kind of false claim: what it is, and how often it may be made."""


@click.command("null-check")
@click.argument("domain", default="sudoku:3")
@click.argument("expression", default="step(lookahead(sim))")
@click.option("--budget", type=COUNT, default=20, show_default=True, metavar="N", help="Evaluations a run spends.")
@click.option(
    "--arms", type=COUNT, default=100, show_default=True, metavar="M", help="Candidates, all of them EXPRESSION."
)
@click.option(
    "--pulls-per-candidate", type=COUNT, default=20, show_default=True, metavar="N", help="Training pulls, on average."
)
@click.option("--policy", default="uniform", show_default=True, metavar="P", help="The bandit that spends the pulls.")
@click.option("--top", type=COUNT, default=10, show_default=True, metavar="K", help="Candidates selected and tested.")
@click.option(
    "--generics", type=COUNT, default=14, show_default=True, metavar="G", help="Stand-ins for the generic algorithms."
)
@click.option("--problems", type=COUNT, default=200, show_default=True, metavar="N", help="Test problems.")
@click.option("--trials", type=COUNT, default=1000, show_default=True, metavar="R", help="How often all this is done.")
@click.option("--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Another seed, other trials.")
@json_option
def command(
    domain: str,
    expression: str,
    budget: int,
    arms: int,
    pulls_per_candidate: int,
    policy: str,
    top: int,
    generics: int,
    problems: int,
    trials: int,
    seed: int,
    as_json: bool,
) -> None:
    """Run the whole pipeline many times on candidates that are all the same algorithm, and count how often something
    is called better that cannot be: select the best by training pulls, measure them on test problems, compare them
    with the best of the generic algorithms, which are that algorithm too.

    \b
    Examples:
      mcsgrammar null-check
      mcsgrammar null-check sudoku:2 sim --budget 5 --trials 200
      mcsgrammar null-check regression 'la(2)' --budget 100 --policy ucb1 --json
    """
    from discovery.evaluation.null_check import Design, null_check
    from mcsgrammar.cli.progress import ProgressLine

    design = Design(
        arms=arms,
        pulls_per_arm=pulls_per_candidate,
        top=top,
        generics=generics,
        problems=problems,
        policy=policy,
        trials=trials,
    )
    with ProgressLine() as line:

        def progress(what: str, done: int, total: int) -> None:
            if line.due():
                line.show(f"{what}: {done:,} of {total:,}")

        check = null_check(domain, expression, budget, design, seed=seed, on_progress=progress)
    if as_json:
        echo_json(_document(check))
    else:
        click.echo(_text(check))


def _text(check: "NullCheck") -> str:
    design = check.design
    wide = max(len(question) for question, _ in QUESTIONS.values())
    lines = [
        f"{check.domain}, budget {check.budget}: {design.arms} candidates and {design.generics} generic algorithms, "
        f"all of them {check.expression}",
        f"{design.trials:,} trials; {design.policy}, {design.arms * design.pulls_per_arm:,} training pulls; the best "
        f"{design.top} on {design.problems} test problems",
        "",
        f"{'how often, with 95 % interval':<{wide}}  allowed  best generic by training   best generic on the test",
    ]
    for name, (question, allowed) in QUESTIONS.items():
        rates = [_percent(getattr(alarms, name)) for alarms in (check.chosen_on_training, check.best_on_test)]
        lines.append(f"{question:<{wide}}  {allowed:<7}  {rates[0]:<26} {rates[1]}")
    error = "" if check.excess_stderr != check.excess_stderr else f" ± {check.excess_stderr:.2g} (standard error)"
    lines += [
        "",
        f"{check.between_problems:.0%} of the variance lies between the problems: the paired test (Holm) takes it out, "
        "the star's unpaired one does not",
        f"winner's curse: the selected lose {check.excess:.3g}{error} of their mean training reward on the test",
    ]
    return "\n".join(lines)


def _percent(rate: "Rate") -> str:
    low, high = rate.interval
    return f"{rate.value:6.2%} [{low:.2%}, {high:.2%}]"


def _document(check: "NullCheck") -> dict[str, Any]:
    return {
        "domain": check.domain,
        "expression": check.expression,
        "budget": check.budget,
        "seed": check.seed,
        **asdict(check.design),
        "chosen_on_training": _rates(check.chosen_on_training),
        "best_on_test": _rates(check.best_on_test),
        "between_problems": check.between_problems,
        "excess": check.excess,
        "excess_stderr": check.excess_stderr,
    }


def _rates(alarms: "Alarms") -> dict[str, Any]:
    rates = {field.name: getattr(alarms, field.name) for field in fields(alarms)}
    return {name: {"rate": r.value, "ci95": list(r.interval), "hits": r.hits} for name, r in rates.items()}
