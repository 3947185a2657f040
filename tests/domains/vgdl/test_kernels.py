"""The kernels do what the reference does, bit for bit: on our games, on random ones, and on public ones."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domains.errors import UnknownDomain
from domains.kernels import Kernels
from domains.protocol import advance
from domains.randomness import Random
from domains.registry import find_domain
from domains.vgdl import layout as at
from domains.vgdl.domain import Vgdl
from domains.vgdl.stages import Stage
from domains.vgdl.vocabulary import AVATAR
from tests.domains.vgdl.games import OURS, game_text, public_games
from tests.domains.vgdl.random_games import random_game

pytestmark = pytest.mark.slow  # the kernels are compiled
STARTS_AGAIN = 7
"""After so many ticks the arrays are made anew from the state."""


def assert_alike(domain: Vgdl, stage: Stage, state: np.ndarray, problem: np.ndarray) -> None:
    layout = domain._layout
    assert layout is not None
    assert (state[at.TICK], state[at.SCORE], state[at.STATUS]) == (stage.tick, stage.score, stage.status)
    movers = set(problem[problem[at.MOVERS_AT] :][: problem[at.MOVERS_N]])
    crowd = np.zeros_like(state)
    for number, group in enumerate(stage.groups):
        own = layout.first_kind + at.K_STATE * number
        assert state[own + at.COUNT] == len(group)
        assert state[own + at.DISABLED] == sum(sprite.is_disabled for sprite in group) or number in layout.fixed
        slot = state[own + at.HEAD_SLOT]
        for sprite in group if number not in layout.fixed else ():
            assert (state[slot + at.X], state[slot + at.Y]) == (sprite.x, sprite.y)
            assert (state[slot + at.LAST_X], state[slot + at.LAST_Y]) == (sprite.last_x, sprite.last_y)
            assert (state[slot + at.RIGHT_], state[slot + at.DOWN_]) == sprite.direction
            assert state[slot + at.HEALTH] == sprite.health
            if number in movers or sprite.kind.own.does == AVATAR:
                assert state[slot + at.RESTED] == sprite.rested
            for resource, place in layout.carried.items():
                assert state[slot + at.CARRIES + place] == sprite.carries.get(resource, 0)
            crowd[slot + at.X], crowd[slot + at.Y] = sprite.x, sprite.y
            layout._reach(crowd, slot)
            slot = state[slot + at.NEXT]
        assert slot == 0
    assert state[layout.crowd_at :].tolist() == crowd[layout.crowd_at :].tolist()


def assert_agree(domain: Vgdl, seed: int, ticks: int) -> int:
    """How many ticks a game of random actions had."""
    stage, kernels = domain.sample(Random(0)), domain.kernels()
    assert isinstance(kernels, Kernels)
    actions, world = Random(seed), Random(seed + 1)
    words, out = np.array([world.state], np.uint64), np.zeros(domain.max_actions, np.int32)
    problem, state = domain.encode(stage)
    for tick in range(ticks):
        assert out[: kernels.actions(state, problem, out)].tolist() == domain.actions(stage)
        assert kernels.is_final(state, problem) == domain.is_final(stage)
        assert kernels.reward(state, problem) == domain.reward(stage)
        if domain.is_final(stage):
            return tick
        action = domain.listed[actions.below(len(domain.listed))]
        advance(domain, stage, action, world)
        if domain.stochastic:
            kernels.play(state, problem, action, words)
            assert int(words[0]) == world.state
        else:
            kernels.play(state, problem, action)
        assert_alike(domain, stage, state, problem)
        if tick % STARTS_AGAIN == STARTS_AGAIN - 1:
            state = domain.encode(stage)[1]
    return ticks


@pytest.mark.parametrize("spec", OURS)
def test_our_games(spec: str) -> None:
    domain = find_domain(f"vgdl:{spec},wait=yes")
    assert isinstance(domain, Vgdl)
    assert sum(assert_agree(domain, seed, 300) for seed in range(10)) > 100


RARE = {
    "pushed by what has turned": (
        game_text(
            "box > Passive\nm > Missile orientation=RIGHT",
            "m box > reverseDirection\nbox m > bounceForward",
            mapping="b > box\nm > m",
        ),
        "A   \nm b ",
    ),
    "an avatar that is transformed and killed at once": (
        game_text(
            "a > Immovable\navatar > MovingAvatar\n    one >\n    two >",
            "one a > transformTo stype=two\na one > killBoth",
            "MultiSpriteCounter stype1=avatar limit=2",
            "A > one\na > a",
        ),
        "Aa  ",
    ),
    "through a portal to places that never change, with a way to look, and to others that move": (
        game_text(
            "in > Portal stype=out\nout > Immovable orientation=LEFT\nup > Portal stype=m\nm > Missile orientation=UP",
            "avatar in up > teleportToExit\navatar EOS > stepBack\nm EOS > wrapAround",
            mapping="i > in\no > out\nu > up\nm > m",
        ).replace("avatar >", "avatar > OrientedAvatar"),
        "Ai om\nuo ui\n m  o",
    ),
    "all become others again and again": (
        game_text(
            "a > Missile orientation=LEFT singleton=True\nb > Chaser stype=avatar singleton=True speed=0.5",
            "avatar EOS > stepBack\na b EOS > reverseDirection\navatar a > transformToAll stype=a stypeTo=b\n"
            "avatar b > transformToAll stype=b stypeTo=a",
            mapping="a > a\nb > b",
        ),
        "A a \n    \nb   ",
    ),
    "what stands was made of what had moved": (
        game_text("k > Immovable", "avatar EOS > transformTo stype=k", mapping="a > k"),
        "A a",
    ),
    "numbers beyond 32 bits": (
        game_text(
            "box > Passive healthPoints=1000000\nm > Missile orientation=RIGHT speed=1000000",
            "box box > subtractHealthPoints value=-1000000 scoreChange=1000000",
            mapping="b > box box box box box box box box box box box\nm > m",
            top="square_size=1000",
        ),
        "A b \n m b",
    ),
}


@pytest.mark.parametrize("name", RARE)
def test_what_chance_seldom_finds(name: str, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text(RARE[name][0])
    (tmp_path / "g_lvl0.txt").write_text(RARE[name][1])
    assert sum(assert_agree(Vgdl(tmp_path / "g.txt"), seed, 30) for seed in range(10)) == 300


def test_numbers_beyond_32_bits_are_reached(tmp_path: Path) -> None:
    name = "numbers beyond 32 bits"
    (tmp_path / "g.txt").write_text(RARE[name][0])
    (tmp_path / "g_lvl0.txt").write_text(RARE[name][1])
    domain = Vgdl(tmp_path / "g.txt")
    stage = domain.sample(Random(0))
    for _ in range(30):
        advance(domain, stage, domain.actions(stage)[0], Random(1))
    assert stage.score > 2**31
    assert max(sprite.x for group in stage.groups for sprite in group) > 2**31


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(game=random_game(), seed=st.integers(0, 2**63), room=st.sampled_from([0, 3, 40]))
def test_random_games(tmp_path_factory: pytest.TempPathFactory, game: tuple[str, str], seed: int, room: int) -> None:
    folder = tmp_path_factory.mktemp("game")
    (folder / "g.txt").write_text(game[0])
    (folder / "g_lvl0.txt").write_text(game[1])
    domain = Vgdl(folder / "g.txt", room=room, ticks=25)
    assert_agree(domain, seed, 25)


@pytest.mark.parametrize("spec", ["orchard", "crates"])
def test_a_playout_is_the_loop(spec: str) -> None:
    domain = find_domain(f"vgdl:{spec}")
    kernels = domain.kernels()
    assert kernels is not None and kernels.playout is not None
    for seed in range(20):
        problem, state = domain.encode(domain.sample(Random(0)))
        slow, draws = state.copy(), Random(seed)
        words, sequence = np.array([seed], np.uint64), np.zeros(300, np.int32)
        length = kernels.playout(state, problem, words, sequence, 0, 300)
        played = []
        listed = domain.actions(domain.sample(Random(0)))
        while len(played) < 300 and not kernels.is_final(slow, problem):
            played.append(listed[draws.below(len(listed))])
            chance = np.array([draws.state], np.uint64)
            kernels.play(slow, problem, played[-1], *[chance] * domain.stochastic)
            draws.state = int(chance[0])
        assert sequence[:length].tolist() == played and int(words[0]) == draws.state
        assert state[: at.FREE].tolist() == slow[: at.FREE].tolist()


@pytest.mark.parametrize("path", public_games(), ids=lambda path: path.stem)
def test_public_games(path: Path) -> None:
    try:
        domain = find_domain(f"vgdl:{path}")
    except UnknownDomain as refused:
        pytest.skip(str(refused).partition("\n")[0])
    assert isinstance(domain, Vgdl)
    assert sum(assert_agree(domain, seed, 150) for seed in range(2)) > 0
