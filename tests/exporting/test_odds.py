"""Exported files with adapt, guided and puct: what they find, and how they read."""

import math
from dataclasses import replace
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.portable_math import exp
from domains.randomness import Random
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.searching import Limits, SemanticsName, search
from mcsgrammar.exporting.standalone import export, outline
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import COMMIT_RULES, Adapt, Component, Lookahead, Repeat, Select, Simulate, Step
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Guided, Mast, Puct, RandomPlayout
from tests.engines.strategies import EXPORTABLE, INFINITE, MEMORY, SEEDS, SELECTION, SEMANTICS, with_parameters
from tests.engines.toys import Errand, InPlaceTreeGame, TreeGame, grown
from tests.exporting.solvers import BOTH, CUT_ODDS, ODDS, Telling, assert_same, class_body, imported, solver
from tests.language.strategies import deterministic, stands_over_select

WITH_ODDS = (
    RandomPlayout(),
    Guided((("x", -1.0),)),
    Guided((("x", 2.0), ("y", -0.5))),
    Guided((("x", 0.7), ("y", 1.1), ("z", 0.01))),
    Guided((("y", 1e6), ("z", -1e6))),
    Mast(tau=0.1, batch_decay=0.5, batch=3),
)
PUCT = ((Puct, SELECTION | {"fpu": (INFINITE, 0.0, 0.3, -5.0)}),)
ALPHAS = st.sampled_from((0.3, 2.5, 1.0, 1.0, 1000.0, 1e-6))


@st.composite
def with_odds(draw: st.DrawFn, deepest: int = 6) -> Component:
    """Any expression whose playouts have odds, with adapt, puct and the rest around them."""
    policy = draw(st.sampled_from(WITH_ODDS))
    layers = ["repeat", "lookahead", "step", "select", "puct", "puct"] + ["adapt"] * 3 * policy.can_be_adapted
    expression: Component = Simulate(replace(policy, depth=draw(st.sampled_from((1, 2, 5, math.inf, math.inf)))))
    for layer in draw(st.lists(st.sampled_from(layers), min_size=1, max_size=deepest - 1)):
        match layer:
            case "repeat":
                expression = Repeat(expression, draw(st.sampled_from((1, 2, 3))))
            case "lookahead":
                expression = Lookahead(expression)
            case "step":
                rules = tuple(COMMIT_RULES) if stands_over_select(expression) else ("best",)
                expression = Step(expression, draw(st.sampled_from(rules)))
            case "adapt":
                expression = Adapt(expression, draw(st.sampled_from((10, 5, 3, 2, 1))), draw(ALPHAS))
            case _:
                expression = Select(expression, draw(with_parameters(PUCT if layer == "puct" else EXPORTABLE)))
    return expression


@deterministic(400)
@given(with_odds(), st.integers(0, 50), SEEDS, st.integers(1, 60).map(lambda spent: 61 - spent), MEMORY, SEMANTICS)
def test_any_expression_with_odds_on_any_game(
    expression: Component, game: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    domain = Telling(grown(game, 5), 5 + game % 2)
    assert_same(expression, domain, domain.sample(None), budget, seed, semantics, max_nodes)


@pytest.mark.parametrize("expression", [*ODDS, *CUT_ODDS])
def test_every_budget(expression: str) -> None:
    """So the budget ends inside each component, and a memory that is too small before it or after."""
    for budget in range(1, 61):
        game = Telling(grown(budget % 7, 5), 7 + budget % 2)
        max_nodes = 4 + budget % 17 if budget % 3 else DEFAULT_MAX_NODES
        assert_same(expression, game, game.sample(None), budget, budget // 3, BOTH[budget // 2 % 2], max_nodes)


@pytest.mark.parametrize("expression", ["adapt(adapt(sim, 5), 5)", "step(repeat(adapt(select(sim, puct), 4), 3))"])
def test_a_domain_without_codes_learns_of_actions(expression: str) -> None:
    for domain in (InPlaceTreeGame(grown(2, 4)), Errand()):
        assert_same(expression, domain, domain.sample(Random(0)), 60, 3)


class Bare:
    """Six methods less one, and no base class: words over a, b and c of which "c" is worth most."""

    def actions(self, state: str) -> str:
        return "abc"

    def play(self, state: str, action: str) -> str:
        return state + action

    def copy(self, state: str) -> str:
        return state

    def is_final(self, state: str) -> bool:
        return len(state) == 8

    def reward(self, state: str) -> float:
        return state.count("c") / 8


class Coded(Bare):
    def code(self, state: str, action: str) -> str:
        return "any"


def test_codes_are_optional_and_of_consequence() -> None:
    solve = solver("adapt(sim, 50)")
    assert solve(Bare(), "", 50, seed=1).actions == list("cccccccc")
    assert solve(Coded(), "", 50, seed=1).actions != list("cccccccc")
    assert solve(Bare(), "", 50, seed=1, max_nodes=3).tree_full is False
    assert solve(Bare(), "", 50, seed=1, max_nodes=2).tree_full is True


def test_a_feature_that_the_problem_does_not_have() -> None:
    game = Telling(grown(1, 4), 5)
    with pytest.raises(ValueError):
        solver("sim(guided(w=1))")(game, game.sample(None), 5)


def test_features_are_added_up_in_the_order_of_the_problem() -> None:
    class Rounding(Bare):
        features = ("z", "y", "x")

        def feature(self, state: str, action: str) -> list[float]:
            return [1.0, 1e17, -1e17]

    names = imported(export("sim(guided(x=1, y=1, z=1))"))
    assert names["Search"](Rounding(), "", 1, 0, math.inf).weighted_sum("", "a") == (1.0 + 1e17) - 1e17 == 0.0


# One rule at a time. The games are such that anything else is seen.


def told(expression: str, domain: TreeGame, budget: int) -> list[tuple[int, ...]]:
    """The sequences that the file evaluates; the engine's, too."""
    domain.seen.clear()
    found = solver(expression)(domain, domain.sample(None), budget, seed=5)
    sequences = list(domain.seen)
    domain.seen.clear()
    expected = search(domain, domain.sample(None), parse(expression), 5, Limits(budget), engine="reference")
    assert (found.actions, sequences) == (list(expected.actions), list(domain.seen))
    return sequences


FLAT = {action: dict.fromkeys(range(8), 0.5) for action in range(8)}


def test_of_equals_the_last_counts() -> None:
    """All sequences are worth the same, and each is told of as soon as it is found."""
    for budget in range(1, 12):
        sequences = told("adapt(sim, 12)", TreeGame(FLAT), budget)
        found = solver("adapt(sim, 12)")(TreeGame(FLAT), TreeGame(FLAT).sample(None), budget, seed=5)
        assert tuple(found.actions) == sequences[-1]
    assert len(set(sequences)) > 1


def test_inside_a_turn_and_outside_of_adapt_the_first_counts() -> None:
    game = TreeGame(FLAT)
    sequences = told("repeat(adapt(repeat(sim, 2), 3), 2)", game, 12)
    assert len({sequences[4], sequences[5], sequences[10]}) == 3
    for budget, place in ((1, 0), (2, 0), (3, 2), (4, 2), (5, 4), (6, 4), (7, 4), (12, 4)):
        found = solver("repeat(adapt(repeat(sim, 2), 3), 2)")(game, game.sample(None), budget, seed=5)
        assert tuple(found.actions) == sequences[place]


def test_weights_have_bounds_and_are_put_back() -> None:
    names = imported(export("adapt(sim, 40, 1000)"))
    searching = names["Search"](Bare(), "", math.inf, 1, math.inf, 100)
    seen = []
    shift = searching.shift_weights

    def noting(*arguments: Any, **how: Any) -> None:
        shift(*arguments, **how)
        seen.append((how["alpha"], dict(searching.weights)))

    searching.shift_weights = noting
    searching.adapt([], "")
    assert {alpha for alpha, _ in seen} == {1000.0}
    assert {abs(weight) for _, weights in seen for weight in weights.values()} == {300.0}
    assert searching.weights == {}
    assert searching.codes == {"a", "b", "c"}


def test_an_adapt_begins_with_the_weights_of_the_one_around() -> None:
    names = imported(export("adapt(adapt(sim, 3), 4)"))
    searching = names["Search"](Bare(), "", math.inf, 1, math.inf, 100)
    begun = []
    simulate = searching.adapt_1

    def noting(*arguments: Any) -> Any:
        before = dict(searching.weights)
        found = simulate(*arguments)
        assert searching.weights == before
        begun.append(before)
        return found

    searching.adapt_1 = noting
    searching.adapt_2([], "")
    assert begun[0] == {}
    assert all(len(weights) == 3 for weights in begun[1:])
    assert len({tuple(weights.values()) for weights in begun}) == 4


def test_the_exponential_of_weights_is_the_portable_one() -> None:
    file_exp = imported(export("adapt(sim, 2)"))["exp"]
    random = Random(6)
    for x in [0.0, -0.0, 300.0, -300.0, *(600 * random.uniform01() - 300 for _ in range(20_000))]:
        assert file_exp(x) == exp(x), x


def test_a_tuner_in_an_adapt_is_refused() -> None:
    with pytest.raises(InvalidExpression) as error:
        export("adapt(tune(repeat(sim, {1, 2}), ntbea), 5)")
    assert str(error.value).startswith("export cannot write the tuner ntbea in tune(repeat(sim, {1, 2}), ntbea); write")


# How they read.


def test_an_adapt_is_a_loop_that_learns() -> None:
    text = export("adapt(adapt(step(sim), 20), 12000, 0.5)")
    loop = '''
        def {name}(self, prefix, state):
            """{count} turns of `{below}`; after each, weights shift towards the best.

            In the end they are what they were before.
            """
            best = NOTHING
            weights, self.weights = self.weights, dict(self.weights)
            self.order += [-self.evaluations, 0]  # which adapt, and which turn of it
            for turn in range({count}):
                if turn > 0:
                    self.shift_weights(prefix, state, best.actions, alpha={alpha})
                self.order[-1] += 1
                best = better(best, self.{below}(prefix, state))
            del self.order[-2:]
            self.weights = weights
            return best

        '''
    for name, last, below, count, alpha in (
        ("adapt_2", "adapt_1", "adapt_1", "12_000", 0.5),
        ("adapt_1", "step", "step", "20", 1.0),
    ):
        expected = dedent(loop.format(name=name, below=below, count=count, alpha=alpha)).lstrip("\n")
        assert class_body(text, name, last) == expected
    assert class_body(text, "simulate", "odds") == dedent(
        '''
        def simulate(self, prefix, state):
            """A playout: actions drawn by their weights, until the state is final."""
            actions, state = list(prefix), self.problem.copy(state)
            while not self.problem.is_final(state):
                legal = self.problem.actions(state)
                action = legal[self.draw(legal, state)]
                state = self.play(state, action)
                actions.append(action)
            return self.evaluate(actions, state)

        def draw(self, legal, state):
            """The place of an action, drawn in proportion to the odds."""
            odds = self.odds(legal, state)
            left = self.random.uniform() * added(odds)
            total = 0.0
            for place, one in enumerate(odds):
                total += one
                if total > left:
                    return place

        '''
    ).lstrip("\n")
    assert class_body(text, "odds", "play") == dedent(
        '''
        def odds(self, legal, state):
            """How probable each action is beside the others."""
            return [exp(self.weight(state, action)) for action in legal]

        def weight(self, state, action):
            """What was learnt of an action: it is exp(weight) times as probable."""
            return self.weights.get(self.code(state, action), 0.0)

        def shift_weights(self, prefix, state, actions, alpha):
            """Make the actions after the prefix more probable.

            Wherever there was a choice, the weight of the action played gains alpha, and
            that of every legal action loses alpha times its probability.
            """
            shifts = {}
            state = self.problem.copy(state)
            for played in actions[len(prefix) :]:
                legal = self.problem.actions(state)
                if len(legal) > 1:
                    codes = [self.code(state, action) for action in legal]
                    odds = self.odds(legal, state)
                    share = alpha / added(odds)
                    for code, one in zip(codes, odds):
                        shifts[code] = shifts.get(code, 0.0) - one * share
                    shifts[codes[legal.index(played)]] += alpha
                state = self.play(state, played)
            for code, shift in shifts.items():
                if code in self.codes or self.room.take(1):
                    self.codes.add(code)
                    weight = self.weights.get(code, 0.0) + shift
                    self.weights[code] = min(max(weight, -300.0), 300.0)

        '''
    ).lstrip("\n")


def test_what_features_say_is_added_up() -> None:
    text = export("sim(guided(x=-1, distance=2.5))")
    assert class_body(text, "odds", "play") == dedent(
        '''
        def odds(self, legal, state):
            """How probable each action is beside the others."""
            sums = [self.weighted_sum(state, action) for action in legal]
            highest = max(sums)
            return [exp(one - highest) for one in sums]

        def weighted_sum(self, state, action):
            """What the features say for an action."""
            numbers = self.problem.feature(state, action)
            total = 0.0
            for place, weight in self.guides:
                total += weight * float(numbers[place])
            return total

        '''
    ).lstrip("\n")
    assert '                ("distance", 2.5),\n                ("x", -1.0),\n' in text
    assert "max_nodes" not in text


def test_puct_asks_for_priors_where_actions_differ() -> None:
    lines = """
        odds = self.odds([child.action for child in node.children]{besides})
        total = added(odds)
        priors = {{child: one / total for child, one in zip(node.children, odds)}}
        values = []
        for child in children:
            mean = child.total / child.visits if child.visits else 0.0
            values.append(mean + scale * priors[child] / (1.0 + child.visits))
"""
    assert lines.format(besides=", state") in export("adapt(select(sim, puct), 3)")
    assert lines.format(besides="") in export("select(sim(mast(tau=1)), puct)")
    alike = export("select(adapt(sim, 3), puct(c=0.2, fpu=inf))")
    assert "        prior = 1 / len(node.children)\n" in alike
    assert "            mean = child.total / child.visits\n" in alike
    assert "prior" not in export("select(sim(guided(x=1)), puct(c=0))").partition("class Search")[2]


@pytest.mark.parametrize(
    ("expression", "lines"),
    [
        (
            "adapt(adapt(sim, 20), 23)",
            [
                "23 times:",
                "    20 times:",
                "        play actions by their weights to the end",
                "        shift the weights of actions towards the best sequence of these times",
                "    undo these shifts",
                "    shift the weights of actions towards the best sequence of these times",
                "undo these shifts",
            ],
        ),
        ("sim(guided(x=1, depth=5))", ["play actions by their features to the end, 5 at most"]),
    ],
)
def test_odds_in_words(expression: str, lines: list[str]) -> None:
    assert outline(parse(expression)).splitlines() == lines


@pytest.mark.parametrize(
    ("expression", "needed"),
    [
        ("select(sim, puct)", ""),
        ("adapt(sim, 3)", "c"),
        ("sim(guided(x=1))", "f"),
        ("adapt(sim(guided(x=1)), 3)", "cf"),
    ],
)
def test_the_file_says_what_it_asks_of_a_problem(expression: str, needed: str) -> None:
    text = export(expression)
    assert ("\n    code(state, action)  what has the weight" in text) == ("c" in needed)
    assert ("\n    features                their names in a list, x among them\n" in text) == ("f" in needed)
    assert ("problem.feature(" in text, '"code"' in text) == ("f" in needed, "c" in needed)


def test_what_2013_changes_of_puct() -> None:
    opening = export("adapt(select(sim, puct), 3)", semantics="maes2013").partition("Again and again")[0]
    said = "C holds where a walk down the tree begins and 0.5 below it, and the tree learns rewards as they are."
    assert " ".join(opening.split()).partition("(maes2013): ")[2] == said
