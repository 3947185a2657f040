"""Where chance has a say: what the components mean, by hand, and that the engines agree."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domains.errors import UserError
from mcsgrammar.engines.searching import Limits, SemanticsName, prepare, prepare_any
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Adapt, Component
from mcsgrammar.language.parsing import parse
from tests.engines.chancy_toys import ChancyGame, grown_by_chance
from tests.engines.running import Internals, both
from tests.engines.strategies import BUDGETS, MEMORY, SEEDS, SEMANTICS, adaptive, runnable
from tests.engines.toys import draws_between, seed_for
from tests.language.strategies import deterministic


@deterministic(400)
@given(runnable(6), st.integers(0, 60), SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_the_engines_agree(
    expression: Component, tree: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    assume(not any(isinstance(part, Adapt) for part in expression.walk()))
    game = ChancyGame(grown_by_chance(tree))
    both(game, game.sample(None), expression, budget, seed=seed, max_nodes=max_nodes, semantics=semantics)


@deterministic(300)
@given(adaptive(False), st.integers(0, 60), SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_the_engines_agree_on_adaptive_expressions(
    expression: Component, tree: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    assume(not any(isinstance(part, Adapt) for part in expression.walk()))
    game = ChancyGame(grown_by_chance(tree))
    both(game, game.sample(None), expression, budget, seed=seed, max_nodes=max_nodes, semantics=semantics)


def play(tree: Any, expression: str, *draws: tuple[int, int], budget: int) -> tuple[list[tuple[int, ...]], Internals]:
    """The sequences valued in a run whose draws are `(value, n)`, all of them; the engines agree at smaller budgets."""
    seed, game = seed_for(*draws), ChancyGame(tree)
    for smaller in range(1, budget + 1):
        game.seen.clear()
        _, internals = both(game, game.sample(None), expression, smaller, seed=seed)
    assert draws_between(seed, internals.random_state) == len(draws)
    return list(game.seen), internals


COIN = {1: [0.0, 1.0], 2: [0.5]}


def test_a_playout_draws_an_action_then_its_chance() -> None:
    seen, _ = play({1: [0.2, COIN], 2: [0.5]}, "sim", (0, 2), (1, 2), (1, 2), (0, 1), budget=1)
    assert seen == [(1, 2)]


def test_a_lookahead_plays_every_action_with_fresh_chance() -> None:
    # One draw shuffles two actions, which leaves them as they are for 1; then one for each action's chance.
    seen, _ = play(COIN, "lookahead(sim)", (1, 2), (1, 2), (0, 1), budget=2)
    assert seen == [(1,), (2,)]


def test_nothing_is_exhausted_and_means_are_over_chance() -> None:
    """Action 1 comes to 0 and then to 1: its node is visited twice, though both ended the game."""
    draws = [
        (0, 2), (1, 2),  # at the root: a playout, its action and its chance
        (0, 2), (0, 2),  # the first of two untried children, and its chance
        (0, 1), (0, 1),  # the other
        (1, 2), (1, 2),  # the means are alike: a tie; the second
        (0, 1), (0, 2),  # the second is better now; it is at the end of the budget, which nobody hears of
    ]  # fmt: skip
    seen, internals = play({1: [0.0, 1.0], 2: [0.0, 0.3]}, "select(sim, 0)", *draws, budget=5)
    assert seen == [(1,), (1,), (2,), (2,), (2,)]
    assert internals.trees == [{(): (4, 1.3, False), (1,): (1, 0.0, False), (2,): (2, 0.3, False)}]


def test_a_descent_ends_where_chance_ends_the_game() -> None:
    """Below (1,) the tree has grown, as a game went on there; in the next that passes, action 1 ends the game at once,
    which counts for the node of (1,) alone."""
    tree = {1: [0.4, {1: [0.8]}]}
    draws = [
        (0, 1), (0, 2),  # a playout from the root
        (0, 1), (1, 2), (0, 1), (0, 1),  # (1,) goes on: it gets a child; a playout from there
        (0, 1), (0, 2),  # (1,) ends the game
        (0, 1), (1, 2), (0, 1), (0, 1),  # (1, 1)
        (0, 1), (0, 2),  # the end of the budget
    ]  # fmt: skip
    seen, internals = play(tree, "select(sim, 1)", *draws, budget=5)
    assert seen == [(1,), (1, 1), (1,), (1, 1), (1,)]
    (nodes,) = internals.trees
    assert {path: node[0] for path, node in nodes.items()} == {(): 4, (1,): 3, (1, 1): 1}


def test_a_step_follows_the_last_of_its_searches() -> None:
    """It sees 0.9 after (2, 1), commits 2, and is led elsewhere; the luck of the first search counts no more, so that
    it commits what the second has found, 2, where 1 would follow the best of all."""
    tree = {1: [0.1], 2: [{1: [0.9], 2: [0.9]}, {1: [0.2], 2: [{1: [0.3], 2: [0.6]}]}]}
    draws = [
        (1, 2), (0, 2), (0, 2), (0, 1),  # the playout (2, 1) in the first of two worlds
        (1, 2),  # the step plays 2, and is in the other
        (1, 2), (0, 1), (0, 2), (0, 1),  # a playout from there: 2, then 1
        (0, 1),  # the step plays 2
        (1, 2), (0, 1),  # a playout from there: 2
    ]  # fmt: skip
    seen, _ = play(tree, "step(sim)", *draws, budget=3)
    assert seen == [(2, 1), (2, 2, 1), (2, 2, 2)]


def test_a_node_missing_on_the_way_gets_the_actions_of_the_state_at_hand() -> None:
    """The inner select is invoked after one action, with nothing in its tree: nobody plays the prefix again."""
    tree = {1: [{1: [0.1], 2: [0.2]}], 2: [{1: [0.3], 2: [0.4]}]}
    draws = [(1, 2), (0, 1), (0, 2), (0, 1), (0, 1), (1, 2), (0, 1)]
    seen, internals = play(tree, "lookahead(select(sim, 1))", *draws, budget=2)
    assert seen == [(1, 1), (2, 2)]
    (nodes,) = internals.trees
    assert {path: node[0] for path, node in nodes.items()} == {
        (): 1,
        (1,): 1,
        (1, 1): 0,
        (1, 2): 0,
        (2,): 0,
        (2, 1): 0,
        (2, 2): 0,
    }


GAME = ChancyGame(COIN)


def test_what_needs_a_world_that_stands_still_is_refused() -> None:
    with pytest.raises(UserError) as error:
        prepare(parse("sim"), GAME, Limits(10))
    name = str(error.value).split(" is stochastic")[0]
    assert str(error.value) == (
        f"{name} is stochastic: chance decides where an action leads, so no sequence of actions is a solution. "
        f"Search anew before every action: mcsgrammar play '{name}' EXPRESSION, or evaluate, discover and record with "
        "--play"
    )
    with pytest.raises(InvalidExpression) as invalid:
        prepare_any(parse("select(adapt(sim, 5), 1)"), GAME, Limits(10))
    assert invalid.value.problem == (
        "adapt learns from its best sequence by playing it again, and in ChancyGame chance would lead it elsewhere; "
        "leave adapt out, or learn by means: sim(mast), sim(nst), select(sim, history)"
    )
    assert prepare_any(parse("select(sim, 1)"), GAME, Limits(10)) == parse("select(sim, 1)")
