"""Games: a search before every action, on both engines, with what lives from one to the next."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domains.protocol import Domain, advance
from domains.randomness import Random
from mcsgrammar.engines.compiled.driver import CompiledEngine
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.reference.engine import ReferenceEngine, ReferenceGameSearch
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.rules import committing_select
from mcsgrammar.engines.searching import Engine, SearchTask, SemanticsName, compiled_engine
from mcsgrammar.language.expressions import Adapt, Component, Step
from mcsgrammar.language.parsing import parse
from tests.engines.chancy_toys import ChancyGame, grown_by_chance
from tests.engines.running import internals_of_compiled, internals_of_reference
from tests.engines.strategies import MEMORY, SEEDS, SEMANTICS, adaptive, over_intervals, runnable
from tests.engines.toys import TreeGame, grown
from tests.language.strategies import deterministic

RULES = st.sampled_from(("best", "mean", "visits"))
BUDGETS = st.sampled_from((1, 2, 7, 30, 30, 60))

Ticks = list[tuple[RunResult, Any]]


def played(
    engine: Engine,
    domain: Domain,
    expression: Component,
    rule: str,
    seed: int,
    budget: int,
    max_nodes: int = 10_000,
    semantics: SemanticsName = "standard",
    keep_trees: bool = False,
    in_plays: bool = False,
) -> tuple[Ticks, Any]:
    """The searches of a game and the actions they chose, and the game's search."""
    state, world = domain.sample(Random(0)), Random(11)
    game = engine.game(SearchTask(expression, seed, max_nodes, semantics, budget * domain.horizon), keep_trees)
    ticks: Ticks = []
    while not domain.is_final(state):
        pace = Pace(None, None, plays=budget) if in_plays else Pace(budget, None)
        result = game.tick(engine.ready(state), pace)
        ticks.append((replace(result, seconds=0.0), game.commit(rule)))
        state = advance(domain, state, ticks[-1][1], world)
    return ticks, game


def agreed(domain: Any, expression: Component, rule: str, seed: int, budget: int, *how: Any) -> tuple[Ticks, Any]:
    """The same on both engines, as they hold the same in the end."""
    ticks, game = played(ReferenceEngine(domain), domain, expression, rule, seed, budget, *how)
    others, other = played(compiled_engine(domain), domain, expression, rule, seed, budget, *how)
    assert others == ticks
    held = internals_of_reference(game.search)
    found = internals_of_compiled(domain, domain.sample(None), expression)
    assert replace(found, random_state=other.random) == held
    return ticks, game


def usable(domain: Domain, expression: Component, rule: str) -> None:
    if domain.stochastic:
        assume(not any(isinstance(part, Adapt) for part in expression.walk()))
    assume(rule == "best" or committing_select(Step(expression)) is not None)


@pytest.mark.parametrize("stochastic", [True, False])
def test_the_engines_play_alike(stochastic: bool) -> None:
    @deterministic(150)
    @given(runnable(5), RULES, st.integers(0, 40), SEEDS, BUDGETS, MEMORY, SEMANTICS, st.booleans(), st.booleans())
    def check(
        expression: Component,
        rule: str,
        tree: int,
        seed: int,
        budget: int,
        nodes: int,
        semantics: SemanticsName,
        keep_trees: bool,
        in_plays: bool,
    ) -> None:
        domain: Domain = ChancyGame(grown_by_chance(tree)) if stochastic else TreeGame(grown(tree, 4))
        usable(domain, expression, rule)
        agreed(domain, expression, rule, seed, budget, nodes, semantics, keep_trees, in_plays)

    check()


@pytest.mark.parametrize("stochastic", [True, False])
def test_the_engines_play_alike_and_learn_alike(stochastic: bool) -> None:
    @deterministic(150)
    @given(adaptive(False), RULES, st.integers(0, 40), SEEDS, BUDGETS, MEMORY, SEMANTICS, st.booleans(), st.booleans())
    def check(
        expression: Component,
        rule: str,
        tree: int,
        seed: int,
        budget: int,
        nodes: int,
        semantics: SemanticsName,
        keep_trees: bool,
        in_plays: bool,
    ) -> None:
        domain: Domain = ChancyGame(grown_by_chance(tree)) if stochastic else TreeGame(grown(tree, 4))
        usable(domain, expression, rule)
        agreed(domain, expression, rule, seed, budget, nodes, semantics, keep_trees, in_plays)

    check()


@deterministic(20)
@given(over_intervals(), st.integers(0, 40), SEEDS, BUDGETS)
def test_the_engines_play_alike_with_tuners_in_python(expression: Component, tree: int, seed: int, budget: int) -> None:
    domain = ChancyGame(grown_by_chance(tree))
    usable(domain, expression, "best")
    agreed(domain, expression, "best", seed, budget)


CORRIDOR: Any = 0.5
for _ in range(3):
    CORRIDOR = {1: [CORRIDOR]}
"""Three ticks of one action each: every playout from the start has three."""


def grams(expression: str) -> dict[Any, list[float]]:
    game = agreed(ChancyGame(CORRIDOR), parse(expression), "best", 1, 4)[1]
    assert isinstance(game, ReferenceGameSearch)
    return dict(game.search.playouts.grams.entries)


def test_playout_statistics_live_one_game_and_move_decay_acts_between_ticks() -> None:
    # Four playouts a tick, of 3, 2 and 1 actions: 24 times 1. Halved twice: (12 / 2 + 8) / 2 + 4.
    assert grams("sim(mast)") == {(1,): [24.0, 0.5]}
    assert grams("sim(mast(move_decay=0.5))") == {(1,): [11.0, 0.5]}
    assert grams("sim(mast(move_decay=0))") == {(1,): [4.0, 0.5]}


def test_a_step_inside_brings_no_decay() -> None:
    # It commits action after action; the sequences of its playouts begin where the tick does.
    assert grams("step(sim(mast(move_decay=0)))") == {(1,): [4.0, 0.5]}
    assert grams("step(sim(mast))") == {(1,): [24.0, 0.5]}


def test_history_lives_one_game_and_trees_are_new() -> None:
    ticks, game = agreed(ChancyGame(CORRIDOR), parse("select(sim, history)"), "visits", 1, 4)
    assert [result.tree_nodes for result, _ in ticks] == [4, 3, 2]
    assert game.search.history.entries == {1: [24.0, 0.5]}
    assert next(iter(game.search.trees.values())).visits == 3  # the last of four evaluations ends the tick


def test_tuners_live_one_game() -> None:
    ticks, _ = agreed(ChancyGame(CORRIDOR), parse("tune(sim(mast(eps={0, 1})), ntbea)"), "best", 1, 4)
    assert [result.tunings[0].choices for result, _ in ticks] == [3, 6, 9]


def test_the_rules_choose_what_they_say() -> None:
    """Action 1 comes to 1 once in three, 2 always to 0.5: its best is the luckiest, its mean the worse."""
    game = ChancyGame({1: [0.0, 0.0, 1.0], 2: [0.5]})
    expression = parse("select(sim, 0.3)")
    chosen = {rule: agreed(game, expression, rule, 5, 300)[0][0][1] for rule in ("best", "mean", "visits")}
    assert chosen == {"best": 1, "mean": 2, "visits": 2}


def test_where_no_child_was_visited_the_best_sequence_counts() -> None:
    assert agreed(ChancyGame(CORRIDOR), parse("select(sim, 0.3)"), "visits", 5, 1)[0][0][1] == 1


def test_a_game_is_one_of_many_on_an_engine() -> None:
    game = ChancyGame(grown_by_chance(5))
    engine = CompiledEngine(game)
    first = played(engine, game, parse("select(sim(mast), 0.5)"), "visits", 3, 20)[0]
    played(engine, game, parse("select(sim(nst), history)"), "visits", 4, 20)
    assert played(engine, game, parse("select(sim(mast), 0.5)"), "visits", 3, 20)[0] == first


def evaluations(expression: str, plays: int) -> list[int]:
    ticks, _ = agreed(ChancyGame(CORRIDOR), parse(expression), "best", 1, plays, 100, "standard", False, True)
    assert {result.stop_reason for result, _ in ticks} == {"plays"}
    return [result.evaluations for result, _ in ticks]


def test_a_budget_of_actions_ends_with_the_evaluation_that_reaches_it() -> None:
    assert evaluations("sim", 7) == [3, 4, 7]  # of 3, 2 and 1 actions
    assert evaluations("sim", 6) == [2, 3, 6]
    assert evaluations("select(sim, 0.3)", 7) == [3, 4, 7]  # on the way down and in playouts
    assert evaluations("lookahead(sim)", 7) == [3, 4, 7]
    assert evaluations("step(sim)", 8) == [
        3,
        4,
        5,
    ]  # 3 + 1 + 2 + 1 + 1; 2 + 1 + 1 + 1 + 2 + 1 + 1; what is committed, too
    assert evaluations("repeat(sim, 2)", 7) == [3, 4, 7]


def test_trees_that_are_kept_stand_below_the_action_that_was_played() -> None:
    def tick(keep_trees: bool) -> list[dict[Any, tuple[int, float, bool]]]:
        trees = []
        engine = ReferenceEngine(ChancyGame(CORRIDOR))
        game = engine.game(SearchTask(parse("select(sim, 0.3)"), 1, 100), keep_trees)
        for length in range(3):
            state = ChancyGame(CORRIDOR).sample(None)
            for _ in range(length):
                state = advance(engine.domain, state, 1, Random(0))
            game.tick(state, Pace(4, None))
            game.commit("visits")
            trees += internals_of_reference(game.search).trees
        return trees

    # The last of four evaluations ends the tick before it is told.
    first = {(): (3, 1.5, False), (1,): (2, 1.0, False), (1, 1): (1, 0.5, False), (1, 1, 1): (0, 0.0, False)}
    new = [first, {(): (3, 1.5, False), (1,): (2, 1.0, False), (1, 1): (1, 0.5, False)}]
    kept = [first, {(): (5, 2.5, False), (1,): (4, 2.0, False), (1, 1): (3, 1.5, False)}]
    assert tick(False)[:2] == new and tick(True)[:2] == kept
    assert tick(True)[2] == {(): (7, 3.5, False), (1,): (6, 3.0, False)}


def test_a_tree_that_knows_nothing_of_the_action_is_new() -> None:
    """After one evaluation the root has children that nobody has visited, after none it has none."""
    ticks, _ = agreed(ChancyGame(CORRIDOR), parse("select(sim, 0.3)"), "visits", 1, 1, 100, "standard", True)
    assert [result.tree_nodes for result, _ in ticks] == [2, 2, 2]
    ticks, _ = agreed(ChancyGame(CORRIDOR), parse("repeat(select(sim, 0.3), 2)"), "visits", 1, 1, 1, "standard", True)
    assert [(result.tree_nodes, result.tree_full) for result, _ in ticks] == [(1, True)] * 3


def test_amaf_of_kept_nodes_is_kept() -> None:
    game = ChancyGame(grown_by_chance(3))
    _, search = agreed(game, parse("select(sim, grave(c=0.3, ref=2))"), "visits", 2, 50, 10_000, "standard", True)
    (root,) = search.search.trees.values()
    assert root.visits > 50 and root.amaf.entries


@pytest.mark.parametrize("expression", ["select(sim, history)", "step(repeat(select(sim(mast), history), 3), visits)"])
@pytest.mark.parametrize("keep_trees", [True, False])
def test_the_engines_run_out_of_room_alike(expression: str, keep_trees: bool) -> None:
    """What history and playouts have learnt in searches before takes room in the next."""
    domain = TreeGame(grown(3, 4))
    full = []
    for nodes in range(4, 60, 2):
        ticks, _ = agreed(domain, parse(expression), "visits", 1, 30, nodes, "standard", keep_trees)
        full.append([result.tree_full for result, _ in ticks])
    assert all(full[0]) and not any(full[-1])
