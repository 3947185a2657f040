"""The compiled Morpion Solitaire against the plain one, which `test_morpion.py` checks."""

from functools import cache
from itertools import product
from math import isnan, sqrt

import numpy as np
import pytest

from domains import morpion_kernels
from domains.kernels import Kernels
from domains.morpion import Morpion, unpack
from domains.morpion_kernels import COUNT, LINES, MOST_MOVES, MOVES
from domains.randomness import Random
from tests.domains.test_morpion import PERFT, random_game, start


@cache
def kernels(variant: str, portable: bool) -> Kernels:
    """The kernels as this processor gets them, or as those without AVX-512 do."""
    if not portable:
        return morpion_kernels.kernels_for(variant)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(morpion_kernels, "_has_compress_instruction", lambda: False)
        return morpion_kernels.kernels_for.__wrapped__(variant)  # not the cached one


every_kernel = pytest.mark.parametrize(
    ("variant", "portable"), [("5T", False), ("5D", False), ("4T", False), ("4D", False), ("4D", True)]
)


@every_kernel
def test_perft_of_the_kernels(variant: str, portable: bool) -> None:
    domain, position = start(variant)
    rules = kernels(variant, portable)
    problem, initial = domain.encode(position)

    def perft(state: np.ndarray, depth: int) -> int:
        legal = np.zeros(domain.max_actions, np.int32)
        n = int(rules.actions(state, problem, legal))
        if depth == 1:
            return n
        total = 0
        for action in legal[:n]:
            after = state.copy()
            rules.play(after, problem, action)
            total += perft(after, depth - 1)
        return total

    depths = (1, 2, 3, 4) if variant == "5T" else (1, 2, 3)
    assert [perft(initial, depth) for depth in depths] == PERFT[variant][: len(depths)]


@every_kernel
def test_the_kernels_agree_step_by_step(variant: str, portable: bool) -> None:
    domain, _ = start(variant)
    rules = kernels(variant, portable)
    legal = np.zeros(domain.max_actions, np.int32)
    for seed in range(20):
        position = domain.sample(Random(0))
        problem, state = domain.encode(position)
        for action in [*random_game(domain, seed), None]:
            n = rules.actions(state, problem, legal)
            assert legal[:n].tolist() == domain.actions(position)
            assert rules.is_final(state, problem) == domain.is_final(position)
            assert rules.reward(state, problem) == domain.reward(position)
            encoded = domain.encode(position)[1]
            assert state[:MOVES].tolist() == encoded[:MOVES].tolist()
            if action is not None:
                domain.play(position, action)
                rules.play(state, problem, action)
        assert n == 0


@every_kernel
def test_the_playout_is_the_plain_loop_draw_for_draw(variant: str, portable: bool) -> None:
    domain, _ = start(variant)
    playout = kernels(variant, portable).playout
    assert playout is not None
    for seed, limit in product(range(10), (0, 1, 17, 256)):
        random, position = Random(seed), domain.sample(Random(0))
        problem, state = domain.encode(position)
        fused_random = np.array([seed], np.uint64)
        actions: list[int] = []
        sequence, length = np.full(domain.max_length, -1, np.int32), 0
        for stop in (limit // 2, limit):  # the second playout continues the first
            while not domain.is_final(position) and len(actions) < stop:
                legal = domain.actions(position)
                actions.append(legal[random.below(len(legal))])
                domain.play(position, actions[-1])
            length = playout(state, problem, fused_random, sequence, length, stop)
            assert sequence[:length].tolist() == actions
            assert (sequence[length:] == -1).all()
            assert fused_random[0] == random.state
            assert state[:MOVES].tolist() == domain.encode(position)[1][:MOVES].tolist()


@pytest.mark.parametrize(("variant", "published"), [("5T", 53.65), ("5D", 42.9)])
def test_the_mean_of_random_play(variant: str, published: float) -> None:
    """Within 4 standard errors and the 0.05 to which the mean is known: one seed in 16 000 would fail by chance."""
    domain, position = start(variant)
    playout = kernels(variant, portable=False).playout
    assert playout is not None
    problem, initial = domain.encode(position)
    random, sequence = np.array([2013], np.uint64), np.zeros(domain.max_length, np.int32)
    lengths = [playout(initial.copy(), problem, random, sequence, 0, domain.max_length) for _ in range(30_000)]
    assert abs(np.mean(lengths) - published) < 4 * np.std(lengths) / sqrt(len(lengths)) + 0.05


@every_kernel
def test_no_line_leaves_the_board(variant: str, portable: bool) -> None:
    """All points but two near the edge are there; filling the inner one finds lines on the board only."""
    domain = Morpion(variant)
    rules = kernels(variant, portable)
    beside_the_edge = [((0, 0), (2, 2), 2), ((30, 30), (28, 28), 2), ((30, 0), (28, 2), 3)]
    beside_the_edge += [((0, 15), (2, 15), 0), ((15, 30), (15, 28), 1)]
    for hole, first, direction in beside_the_edge:
        position = domain.sample(Random(0))
        position.points = {(x, y) for x in range(31) for y in range(31)} - {hole, first}
        position.moves = [move for move in domain._moves_through(position, first) if move >> 20 != direction][:1]
        problem, state = domain.encode(position)
        (action,) = position.moves
        domain.play(position, action)
        rules.play(state, problem, action)
        legal = np.zeros(domain.max_actions, np.int32)
        assert legal[: rules.actions(state, problem, legal)].tolist() == domain.actions(position)
        lines = [unpack(move, domain.line_length).line for move in domain.actions(position)]
        assert lines
        assert all(0 <= x <= 30 and 0 <= y <= 30 for line in lines for x, y in line)


@pytest.mark.parametrize("portable", [False, True])
def test_too_many_moves_make_the_reward_of_the_kernels_nan(portable: bool) -> None:
    domain, position = start("4D")
    assert domain.max_actions == MOST_MOVES
    rules = kernels("4D", portable)
    action = domain.actions(position)[0]
    domain.play(position, action)
    appended = [move for move in domain.actions(position) if move not in start("4D")[1].moves]
    untouched = position.moves[0]
    for excess in (0, 1):
        problem, state = domain.encode(start("4D")[1])
        count = MOST_MOVES - len(appended) + excess
        state[COUNT], state[MOVES : MOVES + count] = count, untouched
        rules.play(state, problem, action)
        assert rules.is_final(state, problem) == (excess == 1)
        assert isnan(rules.reward(state, problem)) == (excess == 1)
        assert state[COUNT] == (MOST_MOVES if excess == 0 else 0)
        assert excess == 1 or state[LINES] == 1
