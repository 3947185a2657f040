"""Any adaptive expression, on any domain, within any limits: the engines agree in results and in all they hold."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.engines.compiled import waiting_layout
from mcsgrammar.engines.compiled.waiting_layout import ROW_CELLS
from mcsgrammar.engines.searching import SemanticsName, compiled_engine
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse
from tests.engines.running import both
from tests.engines.strategies import BUDGETS, MEMORY, SEEDS, SEMANTICS, adaptive, learning, over_intervals
from tests.engines.toys import CODES, FEATURES, CodedTreeGame, grown
from tests.language.strategies import deterministic

DOMAINS = {"sudoku:2": 250, "sudoku:3": 150, "regression:length=3": 150, "regression": 100, "queens": 60}
"""How many expressions are tried on each."""

found = cache(find_domain)


SLOW = set(DOMAINS) - {"sudoku:2"}
"""Each compiles a machine of its own."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in DOMAINS])
def test_the_engines_agree(name: str) -> None:
    domain = found(name)

    @deterministic(DOMAINS[name])
    @given(
        adaptive(domain.values_unfinished, features=domain.features),
        st.integers(0, 50),
        SEEDS,
        BUDGETS,
        MEMORY,
        SEMANTICS,
    )
    def check(
        expression: Component, number: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
    ) -> None:
        initial = problem(domain, number)
        both(domain, initial, expression, budget, seed=seed, max_nodes=max_nodes, semantics=semantics)

    check()


@pytest.mark.parametrize("coded", CODES)
def test_the_engines_agree_on_codes_and_features(coded: str) -> None:
    """Codes that merge actions, that differ beyond 2^40 alone, and hashes; on games small enough to be exhausted."""

    @deterministic(150)
    @given(adaptive(False, features=FEATURES), st.integers(0, 30), SEEDS, BUDGETS, MEMORY, SEMANTICS)
    def check(
        expression: Component, tree: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
    ) -> None:
        game = CodedTreeGame(grown(tree, 4), coded=coded)
        both(game, game.sample(None), expression, budget, seed=seed, max_nodes=max_nodes, semantics=semantics)

    check()


@deterministic(300)
@given(learning(FEATURES), st.integers(0, 30), SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_the_engines_agree_where_playouts_learn(
    expression: Component, tree: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    game = CodedTreeGame(grown(tree, 4), coded=CODES[tree % len(CODES)])
    both(game, game.sample(None), expression, budget, seed=seed, max_nodes=max_nodes, semantics=semantics)


@pytest.mark.parametrize("name", ["sudoku:2", pytest.param("regression", marks=pytest.mark.slow)])
def test_the_engines_agree_on_intervals(name: str) -> None:
    domain = found(name)

    @deterministic(30)
    @given(over_intervals(), st.integers(0, 50), SEEDS, BUDGETS)
    def check(expression: Component, number: int, seed: int, budget: int) -> None:
        both(domain, problem(domain, number), expression, budget, seed=seed)

    check()


@deterministic(40)
@given(over_intervals(FEATURES), st.integers(0, 30), SEEDS, BUDGETS)
def test_the_engines_agree_on_weights_of_features_over_intervals(
    expression: Component, tree: int, seed: int, budget: int
) -> None:
    game = CodedTreeGame(grown(tree, 4), coded=CODES[tree % len(CODES)])
    both(game, game.sample(None), expression, budget, seed=seed)


def test_cmaes_finds_which_way_a_weight_is_to_go() -> None:
    """The second action of every three is best, and has the highest distance: a high weight nearly always plays it."""
    game = CodedTreeGame({a: {b: {c: (a + b + c) / 12 for c in BEST} for b in BEST} for a in BEST}, coded="action")
    for expression in TUNED_WEIGHTS:
        result, _ = both(game, game.sample(None), expression, 600, seed=1)
        (tuning,) = result.tunings
        assert tuning.best is not None and tuning.choices >= 200
        (weight,) = tuning.best
        assert isinstance(weight, float) and 2 < weight <= 20


BEST = (0, 4, 2)
TUNED_WEIGHTS = (
    "tune(sim(guided(distance=[-20..20])), cmaes)",
    "tune(select(adapt(sim(guided(distance=[-20..20], slack=0)), 2), puct), cmaes)",
)


@pytest.mark.parametrize(
    "expression",
    [
        "adapt(tune(sim(guided(distance={-8, -1, 2})), random), 20)",
        "adapt(adapt(tune(sim(guided(distance={-8, 3}, slack=-1)), random), 5), 5)",
        "adapt(tune(sim(guided(slack=[-5..5])), cmaes), 20)",
    ],
)
def test_an_adapt_learns_by_the_weights_of_features_that_hold_now(expression: str) -> None:
    """Chosen anew inside it, they change what it has listed of its best sequence, though the sequence stays."""
    for seed in range(12):
        game = CodedTreeGame(grown(seed, 4), coded="action")
        both(game, game.sample(None), expression, 60, seed=seed)


@pytest.mark.parametrize(
    "expression", ["select(sim, grave(ref=7))", "tune(step(repeat(select(sim, grave(ref={3,30})), 40)), random)"]
)
def test_the_engines_agree_while_results_wait_and_room_gets_short(expression: str) -> None:
    """The compiled one adds results to AMAF when they may be read, at the latest when room gets short."""
    domain = found("sudoku:2")
    full = [
        both(domain, problem(domain, 3), expression, 600, seed=max_nodes, max_nodes=max_nodes)[0].tree_full
        for max_nodes in (1_000, 2_500, 3_000, 3_500, 4_500, 10_000_000)
    ]
    assert full[0] and not full[-1]


@pytest.mark.parametrize("cells", [0, 64, 640])
def test_the_engines_agree_where_few_nodes_have_rows(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Means of all moves as first are found by a row of their node, or in a table where there is no memory for one."""
    monkeypatch.setattr(waiting_layout, "ROW_MEMORY", cells)
    domain = find_domain("sudoku:2")
    for expression in (
        "select(sim(mast(eps=0.4)), grave(ref=3))",
        "step(repeat(select(sim, grave(ref=0, fpu=0.5)), 30))",
    ):
        both(domain, problem(domain, 3), expression, 400)
    rows = compiled_engine(domain)._statistics().waiting
    assert rows.used[ROW_CELLS] == len(rows.rows) == cells


@pytest.mark.parametrize(
    "policy",
    [
        "ucb1(fpu=-1e308, vo=1.7e308)",
        "ucb1(fpu=-1.7e308, vo=1.7e308, t=2)",
        "history(w=0, fpu=-1.7e308, vo=1.7e308)",
        "grave(ref=2, fpu=-1.7e308, vo=1.7e308)",
    ],
)
def test_the_engines_agree_at_the_end_of_all_numbers(policy: str) -> None:
    """Where ties are so wide that they reach -inf, what is exhausted, and worth that, is no tie."""
    for tree in range(20):
        game = CodedTreeGame(grown(tree, 4), coded="action")
        both(game, game.sample(None), parse(f"select(sim, {policy})"), 40, seed=tree)


def test_rewards_without_end_have_sums_that_are_numbers() -> None:
    """Under maes2013 they are not clipped to [0, 1]; two of these would be inf, and their means no number."""
    tree = {i: {j: 1.7e308 * (-1) ** (i * j) for j in range(3)} for i in range(3)}
    for expression in ("select(sim, grave(ref=1.5, k=1e300))", "select(repeat(sim, 2), 0.5)"):
        game = CodedTreeGame(tree, coded="action")
        _, internals = both(game, game.sample(None), parse(expression), 60, semantics="maes2013")
        assert all(abs(total) < float("inf") for nodes in internals.trees for _, total, _ in nodes.values())


@pytest.mark.parametrize("policy", ["ucb1(c=0.5, norm=1)", "grave(c=0.2, norm=1)", "history(c=0.2, norm=1)"])
def test_the_engines_agree_on_results_beyond_the_scale(policy: str) -> None:
    """Norm goes by the least and the greatest result at a node as trees learn them, clipped; regression has many
    rewards below 0."""
    domain = found("regression:length=11")
    for k in range(4):
        both(domain, problem(domain, k), f"step(repeat(select(sim, {policy}), 20))", 300, seed=k)
