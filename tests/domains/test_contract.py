"""What every domain of ours promises, on random walks from a few problems."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from domains.errors import DomainError
from domains.problems import problem
from domains.protocol import Domain, advance, drawn, pictured, replay
from domains.randomness import Random
from domains.registry import find_domain

SHEETS = Path(__file__).parent / "gdl" / "sheets"
SPECS = [
    *(f"sudoku:{order}" for order in (2, 3, 4, 5)),
    *(f"morpion:{variant}" for variant in ("5T", "5D", "4T", "4D")),
    *(f"regression:length={length},set={kind}" for length in (1, 5, 11, 21) for kind in ("train", "robustness")),
    *("sudoku_simple", "statespace", "queens", "pancakes", "knights", "frogs"),
    *("tsptw", "tsptw:cities=6,width=15,prune=no"),
    *("samegame", "samegame:width=5,height=20,colours=2"),
    *(f"gdl:{SHEETS / name}.kif" for name in ("hanoi", "eight", "bridge")),
    *("cliff", "cliff:width=3,height=2,slip=1,steps=4", "stock", "stock:weeks=3,capacity=5,most=8"),
    *(
        "lift",
        "lift:floors=3,ticks=20,arrivals=1,room=1",
    ),
    *("vgdl:orchard", "vgdl:crates", "vgdl:meteors,level=1"),
]
PROBLEMS = 3

Step = tuple[list[Any], Any]
"""The actions so far, and the state they lead to."""


@pytest.fixture(params=SPECS, scope="module")
def domain(request: pytest.FixtureRequest) -> Domain:
    return find_domain(request.param)


@pytest.fixture(scope="module")
def walks(domain: Domain) -> list[list[Step]]:
    """Random walks, each with a copy of every state on the way."""
    return [list(walk(domain, k)) for k in range(PROBLEMS)]


def world(k: int) -> Random:
    """The chance of walk k, from its start."""
    return Random(1000 + k)


def walk(domain: Domain, k: int) -> Iterator[Step]:
    random, chance, state = Random(k), world(k), problem(domain, k)
    sequence: list[Any] = []
    while True:
        yield list(sequence), domain.copy(state)
        actions = domain.actions(state)
        if not actions:
            return
        sequence.append(actions[random.below(len(actions))])
        state = advance(domain, state, sequence[-1], chance)


def look(domain: Domain, state: Any) -> tuple[bool, list[Any], float | None]:
    final = domain.is_final(state)
    reward = domain.reward(state) if final or domain.values_unfinished else None
    return final, list(domain.actions(state)), reward


def test_what_it_declares(domain: Domain) -> None:
    assert isinstance(domain.horizon, int) and 1 <= domain.horizon <= domain.length_bound
    assert domain.max_actions >= 1
    assert domain.kernels() is not None
    lo, hi = domain.reward_range
    assert lo < hi
    assert domain.unit


def test_a_state_has_actions_unless_it_is_final(domain: Domain, walks: list[list[Step]]) -> None:
    for steps in walks:
        assert [domain.is_final(state) for _, state in steps] == [False] * (len(steps) - 1) + [True]
        for _, state in steps[:-1]:
            actions = domain.actions(state)
            assert 1 <= len(actions) <= domain.max_actions
            assert len(set(actions)) == len(actions)
            assert all(type(action) is int and 0 <= action < 2**31 for action in actions)
        assert list(domain.actions(steps[-1][1])) == []


def test_every_legal_action_can_be_played(domain: Domain, walks: list[list[Step]]) -> None:
    for sequence, state in (steps[len(steps) // 2] for steps in walks):
        for action in domain.actions(state):
            following = advance(domain, domain.copy(state), action, Random(7))
            assert look(domain, following) == look(domain, replay(domain, state, [action], Random(7)))
            assert len(sequence) < domain.length_bound


def test_solutions_are_no_longer_than_declared(domain: Domain, walks: list[list[Step]]) -> None:
    assert all(len(steps[-1][0]) <= domain.length_bound for steps in walks)


def test_the_actions_come_in_the_same_order_each_time(domain: Domain, walks: list[list[Step]]) -> None:
    for _, state in (step for steps in walks for step in steps):
        assert list(domain.actions(state)) == list(domain.actions(state))


def test_a_copy_is_like_its_original(domain: Domain, walks: list[list[Step]]) -> None:
    for steps in walks:
        for _, state in steps:
            assert look(domain, domain.copy(state)) == look(domain, state)


def test_a_copy_and_its_original_are_played_apart(domain: Domain, walks: list[list[Step]]) -> None:
    for steps in walks:
        for (_, state), (longer, _) in pairwise(steps):
            before = look(domain, state)
            copied = domain.copy(state)
            advance(domain, copied, longer[-1], Random(7))
            assert look(domain, state) == before
            original = domain.copy(state)
            kept = domain.copy(original)
            advance(domain, original, longer[-1], Random(7))
            assert look(domain, kept) == before


def test_the_reward_stays_the_same_and_in_its_range(domain: Domain, walks: list[list[Step]]) -> None:
    lo, hi = domain.reward_range
    for steps in walks:
        for _, state in steps if domain.values_unfinished else steps[-1:]:
            reward = domain.reward(state)
            assert type(reward) is float
            assert lo <= reward <= hi
            assert domain.reward(state) == reward
            assert type(domain.score(state)) is float


def test_the_same_actions_lead_to_the_same_state(domain: Domain, walks: list[list[Step]]) -> None:
    for k, steps in enumerate(walks):
        initial = problem(domain, k)
        for sequence, state in (steps[0], steps[len(steps) // 2], steps[-1]):
            assert look(domain, replay(domain, initial, sequence, world(k))) == look(domain, state)
        assert look(domain, initial) == look(domain, steps[0][1])


def test_where_chance_has_a_say_all_unfinished_states_list_the_same_actions(
    domain: Domain, walks: list[list[Step]]
) -> None:
    for steps in walks if domain.stochastic else []:
        assert all(domain.actions(state) == domain.actions(steps[0][1]) for _, state in steps[:-1])


def test_an_illegal_action_is_refused_on_replay(domain: Domain) -> None:
    with pytest.raises(DomainError) as error:
        replay(domain, problem(domain, 0), [-1])
    assert str(error.value) == "action 1 of the sequence, -1, is not legal there"


def test_legal_actions_have_names_that_differ(domain: Domain, walks: list[list[Step]]) -> None:
    for _, state in (steps[len(steps) // 2 - 1] for steps in walks):
        actions = domain.actions(state)
        names = [domain.action_name(state, action) for action in actions]
        assert all(type(name) is str and name for name in names)
        assert len(set(names)) == len(actions)


def test_solutions_and_parts_of_them_can_be_drawn(domain: Domain, walks: list[list[Step]]) -> None:
    for k, steps in enumerate(walks):
        initial = problem(domain, k)
        before = look(domain, initial)
        for sequence, _ in (steps[0], steps[len(steps) // 2], steps[-1]):
            text = drawn(domain, initial, sequence, world(k))
            assert text.strip() and text == drawn(domain, initial, tuple(sequence), world(k))
            picture = pictured(domain, initial, sequence, world(k))
            assert picture is not None
            assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
        assert look(domain, initial) == before


def test_the_encoded_state_is_two_flat_arrays(domain: Domain, walks: list[list[Step]]) -> None:
    import numpy as np

    for steps in walks:
        for array in domain.encode(steps[0][1]):
            assert isinstance(array, np.ndarray) and array.ndim == 1 and array.flags.c_contiguous
