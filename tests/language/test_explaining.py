"""What `show` says of each component."""

import pytest

from mcsgrammar import parse


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sim", "one random playout to the end"),
        ("sim(nst)", "one playout to the end, its actions chosen by nst"),
        ("repeat(sim, 3)", "3 times from the same state"),
        ("lookahead(sim)", "once after each legal action, in random order"),
        ("step(sim)", "then commit the next action of the best sequence so far, and again, until the end"),
        (
            "step(select(sim), mean)",
            "then commit the action with the highest mean reward in the tree, and again, until the end",
        ),
        (
            "step(select(sim), visits)",
            "then commit the action with the most visits in the tree, and again, until the end",
        ),
        (
            "step(select(sim), max)",
            "then commit the action with the highest reward in the tree, and again, until the end",
        ),
        ("select(sim, 0.3)", "from a leaf of a growing tree, found by UCB1 with C = 0.3"),
        ("select(sim, grave)", "from a leaf of a growing tree, found by grave"),
        (
            "tune(repeat(select(sim, {0, 1}), {2, 4}), ntbea)",
            "with N in {2, 4}, C in {0, 1}, chosen each time by ntbea",
        ),
        (
            "tune(select(sim, grave(c={0, 1})), mab)",
            "with c in {0, 1}, chosen each time by mab",
        ),
        ("sim(guided(x=-4))", "one playout to the end, its actions chosen by guided(x=-4)"),
        ("select(sim, puct)", "from a leaf of a growing tree, found by puct"),
        ("adapt(sim, 100)", "100 times from the same state, its playouts learning from the best"),
        (
            "adapt(sim, 7, 0.5)",
            "7 times from the same state, its playouts learning from the best by steps of 0.5",
        ),
        (
            "tune(adapt(sim, {2, 5}, {1, 0.5}), mab)",
            "with N in {2, 5}, alpha in {1, 0.5}, chosen each time by mab",
        ),
        ("tune(sim(guided(x={0, 1})), mab)", "with x in {0, 1}, chosen each time by mab"),
        ("uct(0.5)", "single-player UCT with C = 0.5"),
    ],
)
def test_components_in_words(text: str, words: str) -> None:
    assert parse(text).in_words() == words


def test_an_open_commit_rule_in_words() -> None:
    tuned = parse("tune(step(select(sim), {best, max}), mab)")
    assert [part.in_words() for part in tuned.walk()][:2] == [
        "with the commit rule in {best, max}, chosen each time by mab",
        "then commit an action by one of the rules {best, max}, and again, until the end",
    ]
