"""What every game of ours promises, in plain Python and compiled, on random matches."""

from itertools import pairwise

import numpy as np
import pytest

from domains.errors import DomainError, UserError
from domains.protocol import NOOP, advance_all, joint_name, replay_all
from domains.randomness import Random
from domains.registry import GAMES, canonical_text, find_domain
from mcsgrammar.engines.searching import Limits, prepare
from mcsgrammar.language.parsing import parse
from tests.domains.games.walking import (
    Joint,
    game_and_kernels,
    look,
    look_compiled,
    play_compiled,
    random_joint,
    random_match,
    start,
)

MATCHES = 4

every_game = pytest.mark.parametrize("name", GAMES)


def matches(name: str) -> list[list[Joint]]:
    game, _ = game_and_kernels(name)
    return [random_match(game, seed) for seed in range(MATCHES)]


@every_game
def test_what_it_declares(name: str) -> None:
    game, kernels = game_and_kernels(name)
    assert canonical_text(game) == name == canonical_text(type(game)())
    assert len(set(game.roles)) == len(game.roles) >= 2
    assert 1 <= game.horizon <= game.max_length
    assert game.kernels() is None and game.reward_range == (0.0, 1.0)
    assert 1 <= game.max_actions <= kernels.codes + 1


@every_game
def test_there_is_one_start(name: str) -> None:
    game, _ = game_and_kernels(name)
    assert look(game, game.sample(Random(1))) == look(game, game.sample(Random(2)))
    assert game.sample(Random(1)) is not game.sample(Random(1))


@every_game
def test_a_state_promises_what_the_protocol_says(name: str) -> None:
    game, kernels = game_and_kernels(name)
    for joints in matches(name):
        state = start(game)
        assert len(joints) <= game.max_length
        for joint in [*joints, None]:
            seen = look(game, state)
            assert seen.final == (joint is None)
            assert game.mover(state) in (None, *range(len(game.roles)))
            for role, actions in enumerate(seen.actions):
                assert bool(actions) != seen.final
                assert len(set(actions)) == len(actions) <= game.max_actions
                assert all(type(action) is int and NOOP <= action < kernels.codes for action in actions)
                if seen.mover is not None and role != seen.mover:
                    assert actions == (NOOP,)
            if joint is None:
                rewards = game.rewards(state)
                assert len(rewards) == len(game.roles)
                assert all(type(reward) is float and 0 <= reward <= 1 for reward in rewards)
            else:
                state = advance_all(game, state, joint)


@every_game
def test_looking_changes_nothing(name: str) -> None:
    game, _ = game_and_kernels(name)
    for joints in matches(name):
        looked_at, left_alone = start(game), start(game)
        for joint in joints:
            assert look(game, looked_at) == look(game, looked_at)
            looked_at = advance_all(game, looked_at, joint)
            left_alone = advance_all(game, left_alone, joint)
        assert look(game, looked_at) == look(game, left_alone)


@every_game
def test_a_copy_and_its_original_are_played_apart(name: str) -> None:
    game, _ = game_and_kernels(name)
    for joints in matches(name):
        state, random = start(game), Random(len(joints))
        for joint in joints:
            before = look(game, state)
            copied = game.copy(state)
            assert look(game, copied) == before
            advance_all(game, copied, random_joint(game, copied, random))
            assert look(game, state) == before
            kept = game.copy(state)
            state = advance_all(game, state, joint)
            assert look(game, kept) == before


@every_game
def test_the_kernels_agree_step_by_step(name: str) -> None:
    game, _ = game_and_kernels(name)
    for joints in matches(name):
        state = start(game)
        _, compiled = game.encode(state)
        for joint in [*joints, None]:
            assert look_compiled(name, compiled) == look(game, state)
            if joint is not None:
                state = advance_all(game, state, joint)
                play_compiled(name, compiled, joint)


@every_game
def test_the_encoded_state_is_two_flat_arrays_of_its_own(name: str) -> None:
    game, _ = game_and_kernels(name)
    state = start(game)
    (problem, one), (_, other) = game.encode(state), game.encode(state)
    for array in (problem, one):
        assert array.ndim == 1 and array.flags.c_contiguous
    assert not np.shares_memory(one, other)


@every_game
def test_joint_moves_have_names_that_differ(name: str) -> None:
    game, _ = game_and_kernels(name)
    for joints in matches(name):
        state = replay_all(game, start(game), joints[: len(joints) // 2])
        for role, actions in enumerate(look(game, state).actions):
            names = {
                joint_name(game, state, tuple(action if i == role else joints[0][i] for i in range(len(game.roles))))
                for action in actions
            }
            assert len(names) == len(actions) and all(names)


@every_game
def test_an_illegal_action_is_refused_on_replay(name: str) -> None:
    game, _ = game_and_kernels(name)
    *others, last = random_match(game, 0)
    wrong = (10**6, *last[1:])
    with pytest.raises(DomainError) as error:
        replay_all(game, start(game), [*others, wrong])
    step = len(others) + 1
    assert str(error.value) == f"step {step} of the match: 1000000 is not legal there for {game.roles[0]}"


def test_commands_for_one_refuse_games() -> None:
    with pytest.raises(UserError) as error:
        prepare(parse("sim"), find_domain("connect5"), Limits(evaluations=1))
    assert str(error.value) == (
        "connect5 has 2 roles, x and o; this runs problems with one. Let agents play it: mcsgrammar match connect5 "
        "AGENT AGENT"
    )


def test_matches_differ() -> None:
    assert all(one != other for one, other in pairwise(matches("chinesecheckers")))


def test_a_game_is_found_by_its_name_alone() -> None:
    assert [canonical_text(find_domain(name)) for name in GAMES] == list(GAMES)
