"""SameGame: how many points in equal time? Rules, searches, playouts guided by what is known, and learning.

    python benchmarks/boards.py                                     20 random boards, 1 and 5 CPU seconds for each
    python benchmarks/boards.py 'nrpa(3, 20)' 'nmc(3)' --seconds 20 these expressions instead
    python benchmarks/boards.py --path boards/                      the boards of a file or folder, such as the standard
                                                                    twenty, which are not ours to ship

    rules          one game each; they take no time to speak of. Tabu: the commonest colour at the start is left alone
                   as long as there is another group (Schadd, Winands, Tak and Uiterwijk, "Single-player Monte-Carlo
                   tree search for SameGame", 2012)
    of the best    points as a share of those of the best line of the table on the same board, in any time

G in the tables is `guided` playouts; its weights were chosen on training boards; those here are test boards.

On the twenty standard boards Cazenave (*Nested Monte-Carlo Search*, 2009) reports 77 934 points in all, 3 897 a board,
for nested search of level 3 with the best sequence remembered, and 65 937 for level 2; for SP-MCTS 73 998, for the
program of Darse Billings 72 816, for IDA* 22 354 (as his lectures have it, too).
"""

from pathlib import Path
from typing import Any

import click
from equal_seconds import Contender, best_of_problems, mean_and_error, played, searching

from domains.problems import instances_of, problem
from domains.registry import find_domain
from domains.samegame import SameGame
from mcsgrammar.benching import machine_description

GUIDED = "sim(guided(commonest=-10, height=4))"
EXPRESSIONS = (
    "sim",
    "step(lookahead(sim))",
    "nmc(2)",
    "nrpa(2, 100)",
    "nrpa(3, 100)",
    GUIDED,
    f"step(lookahead({GUIDED}))",
    f"adapt(adapt({GUIDED}, 100), 100)",
    f"adapt(adapt(adapt({GUIDED}, 20), 20), 20)",
    f"adapt(adapt(step({GUIDED}), 10), 20)",
    f"select({GUIDED}, puct(c=0.1))",
    f"step(repeat(select({GUIDED}, puct(c=0.1)), 20))",
)


def largest(game: SameGame, state: Any, actions: list[int]) -> int:
    return max(actions, key=lambda action: len(game.group(state, action)))


def by_rule(game: SameGame, tabu: bool) -> Contender:
    """The largest group, the first on ties; with `tabu`, of the commonest colour only where there is no other."""

    def solve(_number: int, initial: Any, _seconds: float) -> Any:
        state, counts = game.copy(initial), initial.counts()
        kept = counts.index(max(counts)) + 1
        while not game.is_final(state):
            actions = game.actions(state)
            others = [a for a in actions if state.columns[a // game.height][a % game.height] != kept]
            game.play(state, largest(game, state, others if tabu and others else actions))
        return state

    return Contender("tabu colour last, else the largest group" if tabu else "the largest group", solve, False)


def made(path: Path | None, boards: int) -> tuple[SameGame, list[Any]]:
    game = find_domain("samegame" if path is None else f"samegame:path={path}")
    assert isinstance(game, SameGame)
    if game.instances is not None:
        return game, [game.load(file) for file in instances_of(game, "both")]
    if path is not None:
        return game, [game.copy(board) for board in game.boards]
    return game, [problem(game, k) for k in range(boards)]


@click.command()
@click.argument("expressions", nargs=-1)
@click.option("--boards", default=20, show_default=True, help="How many random ones.")
@click.option("--path", type=click.Path(exists=True, path_type=Path), help="Boards of a file or folder instead.")
@click.option("--seconds", multiple=True, default=(1.0, 5.0), show_default=True, help="CPU seconds of a run.")
@click.option("--seed", default=0, show_default=True, help="Other draws.")
def main(expressions: tuple[str, ...], boards: int, path: Path | None, seconds: tuple[float, ...], seed: int) -> None:
    game, initials = made(path, boards)
    contenders = [by_rule(game, tabu=False), by_rule(game, tabu=True)]
    contenders += [searching(game, text, seed) for text in expressions or EXPRESSIONS]
    ends = played(game, initials, contenders, seconds)
    scores = [[[game.score(state) for state in column] for column in own] for own in ends]
    best = best_of_problems(scores, max)
    click.echo(f"{machine_description()}\n")
    click.echo(f"{len(initials)} boards, seed {seed}; points, ± the standard error; G is `{GUIDED}`\n")
    click.echo(f"| | {' | '.join(f'{limit:g} s | of the best' for limit in seconds)} |")
    click.echo(f"|---{'|---|---' * len(seconds)}|")
    for contender, own in zip(contenders, scores, strict=True):
        cells = [f"{mean_and_error(points, 0)} | {100 * sum(points) / sum(best):.0f} %" for points in own]
        click.echo(f"| {contender.name.replace(GUIDED, 'G')} | {' | '.join(cells)} |")
    click.echo(f"| the best of all lines | {' | | '.join([mean_and_error(best, 0)] * len(seconds))} | |")


if __name__ == "__main__":
    main()
