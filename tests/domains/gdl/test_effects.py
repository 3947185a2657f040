"""What moves change, taken out of the network: naively put together again it is what comes next, by any split."""

import numpy as np
import pytest

import domains.gdl.effects as effects
from domains.gdl.effects import Effects, effects_of, one_mover
from domains.gdl.layout import SPOKEN, problem_array, state_array
from domains.gdl.network import Network, build_network
from domains.gdl.reference import Referee, State, is_true
from tests.domains.gdl.games import NAMES, SMALL, grounded, grounding_of
from tests.domains.gdl.test_agreement import WIDE, walk

PASSING = """
(role a) (role b) (place 1) (place 2) (place 3) (other a b) (other b a)
(init (free 1)) (init (free 2)) (init (free 3)) (init (turn a)) (init (left 5))
(less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(<= (legal ?r (take ?x)) (true (turn ?r)) (true (free ?x)) (not (true (left 4))))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (legal ?r wait) (true (turn ?r)) (not takes))
(<= takes (true (free ?x)) (not (true (left 4))))
(<= (next (taken ?r ?x)) (does ?r (take ?x)))
(<= (next (taken ?r ?x)) (true (taken ?r ?x)))
(<= (next (free ?x)) (true (free ?x)) (does ?r (take ?y)) (distinct ?x ?y))
(<= (next (free ?x)) (true (free ?x)) (does a wait) (does b wait))
(<= (next passed) (does a wait) (does b wait))
(<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
(<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
(<= terminal (true (left 0)))
(<= (goal ?r 100) (role ?r) (true (taken ?r 1)))
(<= (goal ?r 0) (role ?r) (not (true (taken ?r 1))))
"""
"""Roles take turns, and in the second one both wait."""
FORGETTING = PASSING.replace("(<= (next (free ?x)) (true (free ?x)) (does a wait) (does b wait))", "")
"""When both wait, no place is free any more."""
TEXTS = {"wide": WIDE, "passing": PASSING, "forgetting": FORGETTING, "small": SMALL}


def fresh(name: str) -> Network:
    return build_network(grounding_of(TEXTS[name]) if name in TEXTS else grounded(name))


def following(network: Network, taken: Effects, state: State, joint: list[int]) -> State:
    """By the effects of the moves that are made, and the defaults of the rest."""
    referee = Referee(network)
    made = {first + move for first, move in zip(referee.first_moves, joint, strict=True)}
    values = [True, *state, *(move in made for move in range(network.first_node - network.first_move))]
    blocks = {block.first: block for block in network.blocks}
    inside = {block.first + i for block in network.blocks for i in range(block.count)}
    values += [False] * len(taken.nodes)
    for i, inputs in enumerate(taken.nodes):
        node = network.first_node + i
        if node in blocks:
            referee.settle(blocks[node].rules, values)
        elif node not in inside:
            values[node] = all(is_true(values, signal) for signal in inputs)
    found = [is_true(values, signal) for signal in taken.following]
    lists = [taken.of_move[first + move] for first, move in zip(referee.first_moves, joint, strict=True)]
    if taken.waits and made == set(taken.waits):
        lists.insert(0, taken.of_move[-1])
    for own in reversed(lists):
        for base, signal in own:
            found[base] = is_true(values, signal)
    return tuple(found)


@pytest.mark.parametrize("name", [*NAMES, *TEXTS])
@pytest.mark.parametrize("most", [0, 60, 10**9])
def test_put_together_it_is_what_comes_next(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few or no effects, bases keep the signals that depend on moves."""
    monkeypatch.setattr(effects, "MOST_SIGNALS", most)
    monkeypatch.setattr(effects, "MOST_SIGNALS_A_NODE", 0)
    monkeypatch.setattr(effects, "LOOKED_AT", 0)
    monkeypatch.setattr(effects, "MOST_LOOKED_AT", most)
    network = fresh(name)
    taken, referee = effects_of(network), Referee(network)
    for seed in range(3):
        for state, joint in walk(network, seed, 15):
            if joint:
                assert following(network, taken, state, joint) == referee.following(state, joint)


@pytest.mark.parametrize("name", [*NAMES, *TEXTS])
@pytest.mark.parametrize("most", [0, 60])
def test_kernels_where_effects_do_not_pay(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from domains.gdl.kernels import play_together

    monkeypatch.setattr(effects, "MOST_SIGNALS", most)
    monkeypatch.setattr(effects, "MOST_SIGNALS_A_NODE", 0)
    monkeypatch.setattr(effects, "LOOKED_AT", 0)
    monkeypatch.setattr(effects, "MOST_LOOKED_AT", most)
    network = fresh(name)
    referee, problem = Referee(network), problem_array(network)
    assert most or problem[SPOKEN] > 0
    array = state_array(referee, problem, referee.initial())
    for state, joint in walk(network, 7):
        assert [bool(int(array[i >> 6]) >> (i & 63) & 1) for i in range(len(state))] == list(state)
        if joint:
            play_together(array, problem, np.array(joint))


def said(network: Network, own: list[tuple[int, int]]) -> dict[str, str]:
    return {network.bases[base]: network.name_of(signal) for base, signal in own}


def test_a_mark_changes_two_cells() -> None:
    network = fresh("tictactoe")
    taken = effects_of(network)
    assert [len(own) for own in taken.of_move] == [0, *[2] * 9, 0, *[2] * 9, 0]
    assert said(network, taken.of_move[1]) == {"cell 1 1 x": "true", "cell 1 1 blank": "~true"}
    assert not problem_array(network)[SPOKEN]


def test_that_all_wait_has_effects_of_its_own() -> None:
    for name, lost in (("passing", {}), ("forgetting", {f"free {x}": "~true" for x in (1, 2, 3)})):
        network = fresh(name)
        taken = effects_of(network)
        assert taken.waits == [0, 4]
        assert said(network, taken.of_move[-1]) == {"passed": "true"} | lost
        assert said(network, taken.of_move[5]) == {"taken b 1": "true", "free 1": "~true"}
        assert [taken.of_move[wait] for wait in taken.waits] == [[], []]
        assert said(network, [(base, taken.following[base]) for base in range(4)]) == {
            "passed": "~true",
            **{f"free {x}": f"free {x}" for x in (1, 2, 3)},
        }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(init (turn a))", "(init (turn a)) (init (turn b))"),
        ("(true (turn ?r)) (other ?r ?s))", "(true (turn ?r)) (other ?r ?s) (does a wait))"),
        ("(init (turn a))", "(init (turn a)) (<= (legal ?r rest) (role ?r) (not (true (turn ?r))))"),
    ],
    ids=["two at first", "turns depend on moves", "two ways to wait"],
)
def test_where_it_is_not_certain_that_one_moves(old: str, new: str) -> None:
    assert one_mover(build_network(grounding_of(PASSING))) and old in PASSING
    assert one_mover(build_network(grounding_of(PASSING.replace(old, new)))) == []
