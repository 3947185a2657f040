"""The kernels, the reference, the ground rules one by one, and clingo on the sheet itself: all say the same."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from domains.gdl.layout import (
    GOAL_DIRTY_WORD,
    GOAL_WORD,
    KEPT_WORD,
    LEGAL_WORD,
    NEXT_WORD,
    TERMINAL_WORD,
    goal_code,
    problem_array,
    state_array,
)
from domains.gdl.network import Network, build_network
from domains.gdl.reference import Referee, State
from domains.gdl.terms import Term, spoken
from domains.randomness import Random
from tests.domains.gdl.games import NAMES, SMALL, grounded, grounding_of, network, text_of
from tests.domains.gdl.naive import NaiveGame, about

WIDE = (
    SMALL
    + " ".join(f"(cell {i})" for i in range(150))
    + " ".join(f"(succ {i} {i + 1})" for i in range(3, 149))
    + """
(<= (init (cell ?i on)) (cell ?i) (succ ?i ?j) (succ ?h ?i) (succ ?g ?h) (succ ?f ?g))
(<= (next (cell ?j ?v)) (true (cell ?i ?v)) (succ ?i ?j))
(<= (legal p (flip ?i)) (true (cell ?i on)))
(<= (next (cell ?i off)) (does p (flip ?i)))
(<= (next (at ?n)) (true (at ?n)) (does p (flip ?i)))
(<= (goal p 50) (true (cell 149 on)) (not (true (at 3))))
"""
)
"""Facts that wander through more than two words of 64 bits, each into the place of the next."""


def walk(built: Network, seed: int, most: int = 60) -> list[tuple[State, list[int]]]:
    """The states of a random game and the moves made there; in the last state none."""
    referee, random, steps = Referee(built), Random(seed), []
    state = referee.initial()
    while True:
        over, legal = referee.look(state)
        if over or len(steps) == most:
            return [*steps, (state, [])]
        joint = [moves[random.below(len(moves))] for moves in legal]
        steps.append((state, joint))
        state = referee.following(state, joint)


def holding(built: Network, state: State) -> set[str]:
    return {name for name, holds in zip(built.bases, state, strict=True) if holds}


def built_of(name: str) -> Network:
    return network(name) if name != "wide" else build_network(grounding_of(WIDE))


@pytest.mark.parametrize("name", [*NAMES, "wide"])
def test_kernels_and_reference(name: str) -> None:
    from domains.gdl.kernels import is_over, legal_moves, play_together

    built = built_of(name)
    referee, problem = Referee(built), problem_array(built)
    first = state_array(referee, problem, referee.initial())
    out = np.zeros(max(map(len, built.moves)), np.int32)
    for seed in range(20 if name not in ("breakthrough", "wide") else 4):
        array = first.copy()
        for state, joint in walk(built, seed):
            over, legal = referee.look(state)
            assert bool(is_over(array, problem)) == over
            assert [out[: legal_moves(array, problem, role, out)].tolist() for role in range(len(legal))] == legal
            assert [bool(int(array[i >> 6]) >> (i & 63) & 1) for i in range(len(state))] == list(state)
            if over:
                goals = array[problem[GOAL_WORD] : problem[GOAL_WORD] + len(legal)].tolist()
                assert goals == [goal_code(found) for found in referee.goals(state)]
            assert without_moves(built, problem, array) == without_moves(
                built, problem, state_array(referee, problem, state)
            )
            if joint:
                play_together(array, problem, np.array(joint))


def without_moves(built: Network, problem: np.ndarray, array: np.ndarray) -> list[list[int]]:
    """What a state array has in it but for what depends on the last moves or the last goals, and room for work."""
    cut = problem[[0, KEPT_WORD, GOAL_WORD, LEGAL_WORD, NEXT_WORD, TERMINAL_WORD, GOAL_DIRTY_WORD]].tolist()
    return [array[cut[i] : cut[i + 1]].tolist() for i in (0, 1, 3, 5)]


@pytest.mark.parametrize("name", [*NAMES, "wide"])
def test_network_and_ground_rules(name: str) -> None:
    game = grounded(name) if name != "wide" else grounding_of(WIDE)
    built, naive = built_of(name), NaiveGame(game)
    referee = Referee(built)
    facts = {spoken(atom[1]): atom for atom in game.atoms if atom[0] == "true"}
    moves = {(atom[1], spoken(atom[2])): atom for atom in game.atoms if atom[0] == "does"}
    assert {spoken(atom[1]) for atom in naive.initial()} == holding(built, referee.initial())
    for seed in range(3):
        for state, joint in walk(built, seed, 15):
            true = [facts[name] for name in holding(built, state)]
            made: list[Term] = [
                moves[role, own[move]] for role, own, move in zip(built.roles, built.moves, joint, strict=False)
            ]
            held = naive.holding(true, made)
            assert_same(referee, state, ("terminal",) in held, about(held, "legal"), about(held, "goal"))
            if joint:
                following = holding(built, referee.following(state, joint))
                assert {spoken(fact) for (fact,) in about(held, "next")} == following


def assert_same(referee: Referee, state: State, terminal: bool, legal: Any, goals: Any) -> None:
    built = referee.network
    over, own = referee.look(state)
    assert over == terminal
    assert {(built.roles[role], built.moves[role][move]) for role, moves in enumerate(own) for move in moves} == {
        (role, spoken(move)) for role, move in legal if role in built.roles
    }
    assert {
        (built.roles[role], str(value)) for role, values in enumerate(referee.goals(state)) for value in values
    } == {(role, value) for role, value in goals if role in built.roles}


@pytest.mark.parametrize("name", [*NAMES, "wide"])
def test_network_and_judge(name: str) -> None:
    pytest.importorskip("clingo", reason="the judge is clingo, of the test extra")
    from tests.domains.gdl.judge import Judge

    built, judge = built_of(name), Judge(text_of(name) if name != "wide" else WIDE)
    referee = Referee(built)
    for seed in range(2):
        for state, joint in walk(built, 100 + seed, 15):
            made = [(role, own[move]) for role, own, move in zip(built.roles, built.moves, joint, strict=False)]
            seen = judge.look(holding(built, state), made)
            assert sorted(seen.roles) == sorted(built.roles)
            assert seen.initial == holding(built, referee.initial())
            legal = {(role, move) for role, moves in seen.legal.items() for move in moves}
            goals = {(role, value) for role, values in seen.goals.items() for value in values}
            over, own = referee.look(state)
            assert seen.terminal == over
            assert legal == {(built.roles[i], built.moves[i][m]) for i, moves in enumerate(own) for m in moves}
            assert goals == {(built.roles[i], str(v)) for i, values in enumerate(referee.goals(state)) for v in values}
            if joint:
                assert seen.following == holding(built, referee.following(state, joint))


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("tictactoe", (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)),
        ("connect_four", (7, 49, 343, 2401, 16807, 117649)),
    ],
)
def test_sequences_of_moves_by_the_kernels(name: str, counts: tuple[int, ...]) -> None:
    from domains.gdl.kernels import is_over, legal_moves, play_together

    built = network(name)
    referee, problem = Referee(built), problem_array(built)
    out = np.zeros(max(map(len, built.moves)), np.int32)
    found = [0] * len(counts)
    waiting = [(state_array(referee, problem, referee.initial()), 0)]
    most = len(counts) if name != "tictactoe" else 6
    while waiting:
        array, steps = waiting.pop()
        if steps:
            found[steps - 1] += 1
        if steps == most or is_over(array, problem):
            continue
        legal = [out[: legal_moves(array, problem, role, out)].tolist() for role in range(len(built.roles))]
        for joint in product(*legal):
            following = array.copy()
            play_together(following, problem, np.array(joint))
            waiting.append((following, steps + 1))
    assert tuple(found[:most]) == counts[:most]


def test_random_games_take_one_draw_of_each_role() -> None:
    from domains.gdl.kernels import is_over, random_game

    built = network("duel")
    referee, problem = Referee(built), problem_array(built)
    first = state_array(referee, problem, referee.initial())
    for seed in range(30):
        array, random = first.copy(), np.array([seed], np.uint64)
        steps = random_game(array, problem, random, 100)
        drawn = Random(seed)
        expected = walk_with(referee, drawn)
        assert (steps, bool(is_over(array, problem)), int(random[0])) == (expected[0], True, drawn.state)
        assert [bool(int(array[i >> 6]) >> (i & 63) & 1) for i in range(len(built.bases))] == list(expected[1])
    assert random_game(first.copy(), problem, np.array([0], np.uint64), 1) == 1


def walk_with(referee: Referee, random: Random) -> tuple[int, State]:
    state, steps = referee.initial(), 0
    while True:
        over, legal = referee.look(state)
        if over:
            return steps, state
        state = referee.following(state, [moves[random.below(len(moves))] for moves in legal])
        steps += 1
