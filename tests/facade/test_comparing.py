"""`compare`: the numbers are those of `evaluate` and of the tests, against the algorithm that was asked for."""

import pytest

import mcsgrammar as mg
from discovery.statistics import effect_size, holm, paired_test
from tests.facade.words import Words

GREEDY = "step(repeat(sim, 3))"
TREE = "select(sim, 0)"
"""Clearly better than random playouts."""
THREE = ["sim", "la(1)", GREEDY]


@pytest.fixture(scope="module")
def compared() -> mg.Comparison:
    return mg.compare(Words(), THREE, budgets=[3, 6], problems=30)


def test_numbers_are_those_of_the_evaluation_and_of_the_tests(compared: mg.Comparison) -> None:
    measured = mg.evaluate(Words(), THREE, budgets=[3, 6], problems=30)
    assert [line.budget for line in compared] == [3, 3, 3, 6, 6, 6]
    for setting in measured.settings:
        rewards = dict(zip(measured.expressions, setting.rewards, strict=True))
        lines = {line.expression: line for line in compared if line.budget == setting.budget}
        others = [text for text in measured.expressions if text != "sim"]
        p = {text: float(paired_test(rewards[text], rewards["sim"])) for text in others}
        corrected = dict(zip(p, holm(list(p.values())).tolist(), strict=True))
        assert lines["sim"].reference and lines["sim"].difference is lines["sim"].p_holm is None
        for text in others:
            line = lines[text]
            assert not line.reference
            assert line.mean == line.mean_reward == pytest.approx(rewards[text].mean())
            assert line.difference == pytest.approx(rewards[text].mean() - rewards["sim"].mean())
            assert (line.p_paired, line.p_holm) == (p[text], corrected[text])
            assert line.effect_size == float(effect_size(rewards[text], rewards["sim"]))


def test_lines_are_the_best_first_within_each_budget(compared: mg.Comparison) -> None:
    for budget in (3, 6):
        means = [line.mean_reward for line in compared if line.budget == budget]
        assert means == sorted(means, reverse=True)
    assert compared.best is compared[0] and compared[:2] == compared.lines[:2]


def test_the_reference_is_the_one_that_is_named(compared: mg.Comparison) -> None:
    assert {line.name for line in compared if line.reference} == {"is"}
    assert "compared with is, the first that is named" in compared.notes
    assert compared.notes[0].endswith("; seed 0; more is better")
    other = mg.compare(Words(), "la(1)", reference=GREEDY, budgets=3.0, problems=30)  # type: ignore[arg-type]
    [reference] = [line for line in other if line.reference]
    assert reference.name == GREEDY and f"compared with {GREEDY}, as asked for" in str(other).replace("Dis#1", GREEDY)
    [line] = [line for line in other if not line.reference]
    assert line.difference == pytest.approx(line.mean - reference.mean)


def test_with_the_generic_ones_the_best_of_them_in_training_is_the_reference() -> None:
    compared = mg.compare(Words(), GREEDY, generic=True, budgets=3, problems=4)
    assert len(compared) == 15
    assert [line.expression for line in compared if line.p_holm is not None] == [GREEDY]
    assert any(note.endswith("the best generic algorithm on 4 training problems") for note in compared.notes)
    named = mg.compare(Words(), [], reference="nmc(2)", generic=True, budgets=3, problems=4)
    assert [line.name for line in named if line.reference] == ["nmc(2)"]
    assert sum(line.p_holm is not None for line in named) == len(named) - 1


def test_better_and_worse_are_beyond_chance() -> None:
    tree, sim = mg.compare(Words(), [TREE, "sim"], budgets=12, problems=100)
    assert (tree.expression, sim.expression) == (TREE, "sim")
    assert (sim.better, sim.worse) == (False, True)
    assert (tree.better, tree.worse) == (False, False)  # it is the reference
    better = mg.compare(Words(), ["sim", TREE], budgets=12, problems=100)[0]
    assert (better.expression, better.better, better.worse) == (TREE, True, False)
    few = mg.compare(Words(), [TREE, "sim"], budgets=12, problems=1)
    assert not any(line.better or line.worse for line in few)


def test_shown_as_text_and_as_html(compared: mg.Comparison) -> None:
    assert repr(compared).startswith("<Comparison of 3 algorithms: Words@3, Words@6; best ")
    head, first, *_ = str(compared).split("\n")
    assert head.split("  ")[0] == "algorithm" and first.startswith(compared.best.name)
    page = compared._repr_html_()
    assert "mean &lt;b&gt;" in page and "<b>" not in page and page.count("<tr>") == 7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: mg.compare(Words(), "sim"),
            "there is nothing to compare: name two expressions or more, or add generic=True",
        ),
        (
            lambda: mg.compare(Words(), THREE, budgets=5, seconds=1.0),
            "give budgets in evaluations or in seconds, one of the two",
        ),
        (
            lambda: mg.compare(Words(), THREE, budgets=[]),
            "budgets is an empty list; give one number of evaluations or more",
        ),
    ],
)
def test_what_is_refused(call: object, message: str) -> None:
    with pytest.raises(mg.UserError) as error:
        call()  # type: ignore[operator]
    assert str(error.value) == message
