"""What is learnt outgrows the arrays it is kept in, in the middle of a run: more large codes and longer walks than
there is room for at first. And the arrays are used again, by runs of expressions with more and with fewer adapts."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from domains.errors import DomainError
from domains.kernels import Kernels, njit
from domains.problems import problem
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.engines.compiled.driver import CompiledEngine
from mcsgrammar.engines.compiled.learning_layout import DIRECT, FIRST_CODES, FIRST_WALK, Learning
from mcsgrammar.engines.searching import Limits, compiled_engine
from mcsgrammar.language.parsing import parse
from tests.engines.running import both, run
from tests.engines.toys import (
    CODES,
    MOST_ACTIONS,
    CodedTreeGame,
    Place,
    tree_actions,
    tree_code,
    tree_is_final,
    tree_play,
    tree_reward,
)

STEPS, LANES, WAYS = 300, 11, range(MOST_ACTIONS)
MOST_CODES = STEPS * MOST_ACTIONS
NODE = 3 + 2 * MOST_ACTIONS
"""Numbers of a place that is not final, in the arrays of a `TreeGame`."""


class Avenue(CodedTreeGame):
    """300 crossings with eight ways each, all with codes of their own, which lead from one lane to another; the game is
    won in the last. A tree whose branches meet again."""

    def __init__(self, coded: str = "hashed") -> None:
        places: Any = [lane / (LANES - 1) for lane in range(LANES)]
        for step in reversed(range(STEPS)):
            places = [{step * MOST_ACTIONS + i: places[(lane + i) % LANES] for i in WAYS} for lane in range(LANES)]
        super().__init__(places[0], horizon=STEPS, coded=coded)

    def encode(self, state: Place) -> tuple[np.ndarray, np.ndarray]:
        numbers: list[float] = []
        for step in range(STEPS):
            for lane in range(LANES):
                numbers += [0.0, 0.0, MOST_ACTIONS]
                for i in WAYS:
                    numbers += [step * MOST_ACTIONS + i, NODE * ((step + 1) * LANES + (lane + i) % LANES)]
        for lane in range(LANES):
            numbers += [1.0, lane / (LANES - 1)] + (NODE - 2) * [0.0]
        return np.array([*numbers, float(CODES.index(self.coded))]), np.array([0])


def learning_of(domain: Domain) -> Learning:
    learning = compiled_engine(domain)._workspaces.__dict__["learning"]
    assert isinstance(learning, Learning)
    return learning


def room_of(domain: Domain) -> tuple[int, int]:
    """For large codes, and for the entries of a walk."""
    learning = learning_of(domain)
    return learning.codes.shape[0], learning.walk_place.shape[1]


def agree(domain: CodedTreeGame, expression: str, budget: int, **how: Any) -> int:
    """How many codes both engines know in the end."""
    return len(both(domain, domain.sample(None), expression, budget, **how)[1].known)


def test_the_walk_and_the_codes_are_more_than_there_is_room_for_at_first() -> None:
    assert max(FIRST_CODES, FIRST_WALK) < MOST_CODES < DIRECT


@pytest.mark.parametrize(
    "expression",
    [
        "adapt(sim, 12)",
        "adapt(adapt(sim, 4), 3)",
        "step(adapt(adapt(sim, 3), 3))",
        "select(adapt(sim, 4), 0.5)",
        "adapt(select(sim, 0.5), 9)",
        "adapt(lookahead(sim), 2)",
        "adapt(sim(guided(distance=0.5)), 12)",
        "adapt(select(sim(guided(distance=1)), puct), 12)",
        "tune(adapt(adapt(sim, 4), {2, 3}), nmc)",
    ],
)
def test_both_grow_in_mid_run(expression: str) -> None:
    domain = Avenue()
    assert agree(domain, expression, 25, seed=7) == MOST_CODES
    codes, walk = room_of(domain)
    assert codes >= MOST_CODES > FIRST_CODES and walk >= MOST_CODES > FIRST_WALK


def test_small_codes_take_no_room_of_their_own() -> None:
    domain = Avenue("action")
    assert agree(domain, "adapt(adapt(sim, 4), 3)", 25) == MOST_CODES < DIRECT
    codes, walk = room_of(domain)
    assert codes == FIRST_CODES and walk >= MOST_CODES


@pytest.mark.parametrize("max_nodes", [1, FIRST_CODES - 1, FIRST_CODES, FIRST_CODES + 1, MOST_CODES - 1, MOST_CODES])
def test_whoever_finds_no_room_is_not_learnt_about(max_nodes: int) -> None:
    assert agree(Avenue(), "adapt(adapt(sim, 3), 3)", 15, seed=3, max_nodes=max_nodes) == min(max_nodes, MOST_CODES)


def test_grown_arrays_are_used_again_as_new() -> None:
    domain = Avenue()
    for seed in (1, 2, 1):
        agree(domain, "adapt(adapt(sim, 4), 3)", 25, seed=seed)
        grown = learning_of(domain)
        # A budget that ends before anything is learnt leaves nothing known, and nothing of the run before.
        assert agree(domain, "adapt(adapt(sim, 4), 3)", 1, seed=seed) == 0
        assert learning_of(domain) is grown
        assert not grown.weight.any() and (grown.odds == 1).all() and not grown.mark.any() and not grown.slots.any()
        assert not grown.change.any()


def test_expressions_with_more_and_with_fewer_adapts_take_turns() -> None:
    domain = Avenue()
    for expression, rows in (
        ("adapt(sim, 6)", 2),
        ("adapt(adapt(adapt(sim, 3), 2), 2)", 4),
        ("adapt(sim, 6)", 4),
        ("step(sim)", 4),
        ("adapt(adapt(sim, 3), 3)", 4),
    ):
        agree(domain, expression, 20, seed=5)
        assert learning_of(domain).odds.shape[0] == rows


@njit
def fallible_code(state: np.ndarray, problem: np.ndarray, action: int) -> np.int64:
    code = tree_code(state, problem, action)
    if problem[1] != 0 and code == 22:
        raise ZeroDivisionError
    return code


FALLIBLE_KERNELS = Kernels(tree_actions, tree_play, tree_is_final, tree_reward, code=fallible_code)


class Fallible(CodedTreeGame):
    """Its kernels may not know one of the codes that there are at first."""

    features = ()
    fails = False

    def kernels(self) -> Kernels:
        return FALLIBLE_KERNELS

    def encode(self, state: Place) -> tuple[np.ndarray, np.ndarray]:
        problem, start = super().encode(state)
        problem[1] = self.fails
        return problem, start


@pytest.mark.slow
def test_a_walk_that_a_kernel_ends_leaves_nothing_behind() -> None:
    """Codes that it met would else be taken for known on all walks to come, and nothing be learnt about them."""
    domain = Fallible({action: {3: action / 30, 4: action / 40} for action in (1, 8, 15, 22, 29)}, coded="action")
    run(domain, domain.sample(None), "adapt(sim, 2)", 1, engine="compiled")  # compiled, without a mistake
    domain.fails = True
    with pytest.raises(DomainError, match="a kernel of Fallible raised ZeroDivisionError"):
        run(domain, domain.sample(None), "adapt(lookahead(sim), 2)", 20, engine="compiled")
    domain.fails = False
    for seed in range(5):
        assert agree(domain, "adapt(sim, 20)", 20, seed=seed) == 7


def test_a_thread_has_one_tree_that_has_grown() -> None:
    """Whatever expressions and sizes of states come after each other."""
    domain = find_domain("sudoku:2")
    engine = CompiledEngine(domain)
    ready = engine.ready(problem(domain, 0))
    results = {}
    for text in ("select(sim, 0.5)", "step(select(sim, 0.5))", "select(step(select(sim, 1)), 0.5)") * 2:
        result = replace(engine.run(ready, parse(text), 1, Limits(20_000, max_nodes=50_000)), seconds=0.0)
        assert results.setdefault(text, result) == result
    sizes = sorted(one.tree.action.shape[0] for one in engine._workspaces.kept.values())
    assert len(sizes) >= 3 and sizes[-1] > 4 * sizes[-2]
