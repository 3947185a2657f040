"""The compiled players are the reference players, bit for bit: what they commit, and all that they know."""

import sys
from collections import Counter
from functools import cache
from typing import Any

import pytest

from domains.errors import DomainError
from domains.games.tictactoe import TicTacToe
from domains.protocol import Domain, advance_all
from domains.randomness import Random
from mcsgrammar.engines.arena import compiled
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.arena.compiled import CompiledArena
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.errors import InvalidExpression
from tests.engines.arena import hashed
from tests.engines.arena.agreeing import MUCH, agreed_on
from tests.engines.arena.hashed import GAMES, Hashed


@cache
def compiled_arena(name: str) -> CompiledArena:
    return CompiledArena(GAMES[name])


def agreed(name: str, text: str, seed: int, budget: int, steps: int = 3, max_nodes: int = MUCH) -> Counter[str]:
    return agreed_on(GAMES[name], compiled_arena(name), text, seed, budget, steps, max_nodes)


PLAYOUTS = (
    "random",
    "mast(eps=0.4, move_decay=0.2)",
    "mast(tau=0.1)",
    "mast(eps=0.1, sim_decay=0.7, batch_decay=0.5, batch=7)",
    "mast(tau=0.3, move_decay=0)",
    "nst",
    "nst(n=2, kmin=1)",
    "nst(n=4, kmin=2, eps=0.1, move_decay=0.5, sim_decay=0.9, batch_decay=0.5, batch=5)",
    "nst(kmin=0, sim_decay=0)",
)
SELECTIONS = (
    "0.5",
    "0",
    "ucb1(c=0.2, vo=0.01, fpu=1)",
    "ucb1(c=0.3, vo=0.2, t=3, fpu=0.5)",
    "ucb1(t=5)",
    "grave(c=0.2, vo=0.01, fpu=1)",
    "grave(c=0, ref=0)",
    "grave(c=0.3, ref=inf, bias=0.01, fpu=0.3)",
    "grave(ref=5, k=inf, t=4)",
    "grave(k=0)",
    "history(c=0.4, w=2)",
    "history(c=0.1, w=5, fpu=0.7, vo=0.1)",
    "puct(c=1)",
    "puct(c=0.5, fpu=1, t=2)",
)
OPEN_PLAYOUTS = (
    "random",
    "mast(eps={0.1, 0.4, 1})",
    "mast(tau={0.05, 0.5})",
    "nst(n={1, 2, 3}, kmin={0, 3})",
    "mast(eps={0, 0.5}, sim_decay={0.5, 1})",
    "nst(eps={0.1, 0.3}, batch_decay={0.5, 1}, batch={2, 9}, move_decay={0.2, 1})",
)
OPEN_SELECTIONS = (
    "{0.1, 0.5, 1}",
    "ucb1(c={0.2, 0.4}, vo={0, 0.1}, t={0, 5})",
    "grave(c={0.2, 0.5}, k={0, 50, 250}, ref={0, 20})",
    "history(c=0.4, w={0.5, 2, 5})",
)
TUNERS = ("random", "mab", "nmc", "lsi", "ea", "ntbea", "nmc(b=3)", "ea(lambda=6, mu=3)")
EXTREME_TUNERS = (
    "lsi(share=0)",
    "lsi(share=0, k=7, b=2)",
    "lsi(share=1, k=1)",
    "lsi(share=1e-300)",
    "mab(c=0, fpu=inf)",
    "nmc(eps0=0)",
    "ea(lambda=1, mu=1)",
    "ntbea(x=1, c=0)",
)


def drawn(random: Random, several: tuple[Any, ...]) -> Any:
    return several[random.below(len(several))]


def drawn_agent(random: Random, tunes: bool) -> str:
    """A random one; some that are drawn are none."""
    while True:
        inner = f"sim({drawn(random, OPEN_PLAYOUTS if tunes else PLAYOUTS)})"
        if tunes and random.below(5) == 0:
            inner = f"tune({inner}, {drawn(random, TUNERS)})"
        if random.below(3) == 0:
            inner = f"repeat({inner}, {1 + random.below(3)})"
        text = f"select({inner}, {drawn(random, OPEN_SELECTIONS if tunes else SELECTIONS)})"
        if random.below(5) == 0:
            text = f"repeat({text}, {2 + random.below(4)})"
        if tunes:
            text = f"tune({text}, {drawn(random, TUNERS)})"
        if random.below(5) == 0:
            text = f"repeat({text}, {2 + random.below(4)})"
        try:
            agent_of(text, TicTacToe())
        except InvalidExpression:
            continue
        return f"step({text}, {drawn(random, ('mean', 'visits'))})"


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("tunes", [False, True])
@pytest.mark.parametrize("block", range(5))
def test_random_agents(name: str, tunes: bool, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FIRST_ENTRIES", 2)  # so that all tables grow, again and again
    monkeypatch.setattr(compiled, "FIRST_NODES", 2)
    random = Random(100 * block + 10 * len(name) + tunes)
    met = Counter[str]()
    for _ in range(10):
        text, budget = drawn_agent(random, tunes), drawn(random, (1, 7, 30, 80))
        met += agreed(name, text, random.below(1000), budget, 3, drawn(random, (MUCH, MUCH, 3, 20, 100)))
    assert met["full"] and met["step"] > 15


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("playout", PLAYOUTS)
def test_each_playout_policy(name: str, playout: str) -> None:
    agreed(name, f"select(sim({playout}), 0.4)", 5, 60)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_each_selection_policy(name: str, selection: str) -> None:
    agreed(name, f"select(sim(mast(tau=0.2)), {selection})", 6, 60)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("tuner", TUNERS + EXTREME_TUNERS)
def test_each_tuner(name: str, tuner: str) -> None:
    agreed(name, f"tune(select(sim(nst(n={{1, 3}})), grave(c={{0.1, 1}}, k={{0, 50}}, ref={{0, 9}})), {tuner})", 7, 120)


def test_the_tuner_that_python_runs() -> None:
    pytest.importorskip("cmaes")
    for name in GAMES:
        agreed(name, "tune(select(sim(mast(eps=[0..1])), [0..1]), cmaes)", 8, 60)
        agreed(name, "tune(select(tune(sim(mast(eps=[0..1])), cmaes(b=2)), {0.1, 1}), ntbea)", 8, 60)


def test_a_long_search_stops_and_goes_on() -> None:
    agreed("at once", "select(sim(mast(eps=0.4)), ucb1(c=0.2, vo=0.01, fpu=1))", 9, 2500, 2)
    agreed("three", "repeat(select(repeat(sim, 3), 0.2), 7)", 9, 1500, 1)


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_match_and_its_end(name: str) -> None:
    game = GAMES[name]
    met = agreed(name, "select(sim(nst), grave(c=0.2))", 10, 40, 99)
    assert 2 <= met["step"] <= game.horizon
    arena = compiled_arena(name)
    player = arena.player(arena.ready([game.horizon, 1]), agent_of("select(sim, 1)", game), 0, 1, Limits(50))
    assert player.search(Limits(50)).simulations == 0


@pytest.mark.parametrize("name", GAMES)
def test_who_has_not_searched_commits_anything(name: str) -> None:
    game = GAMES[name]
    agent, arena, state = agent_of("select(sim, 1)", game), compiled_arena(name), game.sample(Random(4))
    for seed in range(5):
        for role in range(len(game.roles)):
            player = arena.player(arena.ready(state), agent, role, seed, Limits(50))
            other = ReferenceArena(game).player(state, agent, role, seed, Limits(50))
            assert player.search(Limits(0)).simulations == other.search(Limits(0)).simulations == 0
            assert player.commit() == other.commit()
            assert int(player.scratch.random[0]) == other.random.state


def test_a_search_by_the_clock_ends() -> None:
    arena, game = compiled_arena("turns"), GAMES["turns"]
    agent = agent_of("tune(select(sim, {0.1, 1}), lsi)", game)
    player = arena.player(arena.ready(game.sample(Random(4))), agent, 0, 0, Limits(seconds=0.05))
    assert player.search(Limits(seconds=0.05)).simulations > 1
    assert player.tunings()[1][0].choices > 1


def arenas_of(game: Domain) -> list[Any]:
    return [CompiledArena(game), ReferenceArena(game)]


FAULTS = {
    hashed.NO_ACTIONS: "Hashed has a state without legal actions of a that is not final",
    hashed.TOO_LONG: "Hashed goes on after 6 steps, the most it declares",
    hashed.BAD_REWARD: "Hashed.rewards returned",
    hashed.BAD_MOVER: "Hashed.mover returned 7; it must return a role, from 0 to 1",
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("agent", ["select(sim, 0.5)", "select(sim(mast(eps=0.4)), history)"])
def test_both_engines_say_what_is_wrong_with_a_game(fault: int, agent: str) -> None:
    game = Hashed(GAMES["at once"].table, fault)
    state = [0, 12345]
    for arena in arenas_of(game):
        with pytest.raises(DomainError) as raised:
            arena.player(arena.ready(state), agent_of(agent, game), 0, 3, Limits(200)).search(Limits(200))
        assert str(raised.value).startswith(FAULTS[fault])


def test_kernels_that_list_too_many_actions_are_named() -> None:
    game = Hashed(GAMES["at once"].table, hashed.TOO_MANY)
    arena = CompiledArena(game)
    with pytest.raises(DomainError, match="listed 5 actions, more than its max_actions, 4"):
        arena.player(arena.ready([0, 12345]), agent_of("select(sim, 1)", game), 0, 3, Limits(200)).search(Limits(200))


def test_games_that_cannot_be_compiled() -> None:
    class Unbounded(Hashed):
        max_actions = 0

    with pytest.raises(DomainError, match="no max_actions"):
        CompiledArena(Unbounded(GAMES["turns"].table))


def test_the_compiled_engine_is_taken_where_there_are_kernels() -> None:
    game = GAMES["turns"]
    assert isinstance(arena_of(game, "auto"), CompiledArena)
    assert arena_of(game, "compiled") is arena_of(game, "auto")
    assert isinstance(arena_of(game, "reference"), ReferenceArena)


def test_tictactoe() -> None:
    game: Domain = TicTacToe()
    agent = agent_of("select(sim(mast(eps=0.4, move_decay=0.2)), grave(c=0.2, vo=0.01, fpu=1))", game)
    played = []
    for arena in arenas_of(game):
        state = game.sample(Random(1))
        players = [arena.player(arena.ready(state), agent, role, role, Limits(200)) for role in range(2)]
        joints = []
        while not game.is_final(state):
            for player in players:
                player.search(Limits(200))
            joints.append(tuple(player.commit() for player in players))
            for player in players:
                player.advance(joints[-1])
            state = advance_all(game, state, joints[-1])
        played.append(joints)
    assert played[0] == played[1]
    assert "numba" in sys.modules
