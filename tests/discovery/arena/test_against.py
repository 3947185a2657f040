"""Campaigns over agents: what a pull is, who is found, and what is kept whatever stops them."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discovery.arena.agents import AgentSettings, Opposition, oppose
from discovery.arena.blocks import PointsRule, points
from discovery.arena.pulling import AgainstSetup, AgainstWorld
from discovery.arena.records import MatchRecord
from discovery.bandits.names import NAMES
from discovery.campaign.planning import create, plan
from discovery.campaign.ranking import Ranked, read_standing
from discovery.campaign.running import run
from discovery.campaign.settings import Settings, read_settings
from discovery.evaluation.round_robin import RoundRobin, plan_round_robin
from discovery.keeping.settings import settings_digest
from discovery.statistics import paired_test
from domains.errors import UserError
from domains.games.tictactoe import TicTacToe
from domains.registry import find_domain
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.matching import Seat, play_match
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import Limits
from mcsgrammar.enumeration.agents import agents_among, agents_up_to, usual_agents
from mcsgrammar.enumeration.candidates import candidates
from mcsgrammar.language.parsing import parse
from tests.discovery.arena.against import CANDIDATES, POOL, made, to_the_end
from tests.discovery.arena.matches import JOURNAL
from tests.discovery.campaigns import made as made_campaign
from tests.engines.arena.toys import Rounds

ROOT = Path(__file__).parents[3]


def setup(game: Any, pool: Any = POOL, budget: int = 2, seed: int = 5, **ways: Any) -> AgainstSetup:
    limits = Limits(budget)
    return AgainstSetup("pulls", game, seed, limits, oppose(game, pool, limits, **ways), "reference")


# What a pull is.


def by_hand(game: Any, rule: PointsRule, t: int) -> tuple[float, int]:
    """W of select(sim, 0) against number t of the pool, and the simulations of all matches."""
    own = Seat(agent_of("select(sim, 0)", game), Limits(2))
    pool = [Seat(agent_of("select(sim, 0.4)", game), Limits(2)), Seat(agent_of("select(sim, 1)", game), Limits(3))]
    both = (own, pool[t % 2])
    places: list[tuple[int, ...]] = [(0, 1), (1, 0)]
    if len(game.roles) == 3:
        places = [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]
    shares, simulations = [], 0
    for seating in places:
        seats = [both[one] for one in seating]
        match = play_match(game, ReferenceArena(game), seats, t, 5, start=0, think="own", stream="train")
        shares.append(points(match.goals, seating, rule)[0])
        simulations += sum(match.simulations)
    return sum(shares) / len(shares), simulations


def together(joints: Any) -> tuple[float, float, float]:
    """All three win, or the last alone, as the first chooses."""
    return (1.0, 1.0, 1.0) if joints[0][0] == 1 else (0.0, 0.0, 1.0)


@pytest.mark.parametrize("rule", ["agents", "roles"])
@pytest.mark.parametrize("game", [TicTacToe(), Rounds([(3, 0, 0)], together)])
def test_a_pull_is_a_block_against_one_of_the_pool(game: Any, rule: PointsRule) -> None:
    """Every seating once, on the training stream, against the members in turn, as the ways say."""
    world = AgainstWorld(setup(game, start=0, think="own", points=rule))
    for t in range(5):
        pulled = world.pull("step(select(sim, 0), mean)", t)
        reward, simulations = by_hand(game, rule, t)
        assert (pulled.reward, pulled.failed, pulled.evaluations) == (pytest.approx(reward), None, simulations)


def test_the_rules_for_points_differ_in_such_a_game() -> None:
    game = Rounds([(3, 0, 0)], together)
    assert [by_hand(game, "agents", t)[0] for t in range(5)] != [by_hand(game, "roles", t)[0] for t in range(5)]


def test_against_itself_an_agent_plays_games_of_its_own() -> None:
    game = TicTacToe()
    world = AgainstWorld(setup(game, ["select(sim, 0.4)"]))
    rewards = [world.pull("step(select(sim, 0.4), mean)", t).reward for t in range(12)]
    assert set(rewards) > {0.5}  # with the same seeds, the seatings would make up for each other


def test_a_faulty_game_makes_failed_pulls() -> None:
    def pay(joints: Any) -> Any:
        raise ValueError("no such end")

    pulled = AgainstWorld(setup(Rounds([(2, 0)], pay))).pull(CANDIDATES[0], 0)
    assert (pulled.reward, pulled.evaluations) == (0.0, 0)
    assert pulled.failed is not None and "no such end" in pulled.failed


def choosing(joints: Any) -> tuple[float, float]:
    """The first role wins by the last of its three actions."""
    return (1.0, 0.0) if joints[0][0] == 2 else (0.0, 1.0)


def test_the_best_agent_is_known(tmp_path: Path) -> None:
    """One choice, in which one of three actions wins. Of four simulations one is from the root; with the others one
    agent tries each action once, and wins as the first role. The other spends all four at the root, and chooses by
    chance. So against the first, the first has half of the points in every block, the other nothing or half."""
    game = Rounds([(3, 0)], choosing)
    searching, guessing = "step(select(sim, 0.4), mean)", "step(select(repeat(sim, 4), 0.4), mean)"
    world = AgainstWorld(setup(game, [searching], budget=4, start=0))
    assert [world.pull(searching, t).reward for t in range(8)] == [0.5] * 8
    guessed = [world.pull(guessing, t).reward for t in range(40)]
    assert set(guessed) == {0.0, 0.5}
    limits = Limits(4)
    folder = tmp_path / "c"
    how: Any = {"limits": limits, "policy": "ucb1", "pulls": 40, "batch": 4, "engine": "reference"}
    against = oppose(game, [searching], limits, start=0)
    create(folder, *plan(game, [parse(guessing), parse(searching)], against=against, **how))
    run(folder, domain=game)
    best, other = read_standing(folder).ranking()
    assert (best.expression_text, best.mean, other.expression_text) == (searching, 0.5, guessing)
    assert other.mean < 0.4
    assert other.pulls < best.pulls


# Which candidates there are.


def test_the_agents_of_an_enumeration() -> None:
    """select around sim, or around sim repeated, each with both rules; everything else is counted with its reason."""
    found = agents_up_to(4, candidates(5, repeat=[2, 100], select=[0, 0.5]), TicTacToe(), 100)
    texts = [f"select({inside}, {c})" for inside in ("sim", "repeat(sim, 2)") for c in ("0", "0.5")]
    assert [str(agent) for agent in found.agents] == [
        f"step({s}, {rule})" for s in texts for rule in ("mean", "visits")
    ]
    listed = list(candidates(3, repeat=[2, 100], select=[0, 0.5]))
    assert found.expressions == len(listed)
    assert found.left_out == {"no-tree": len(listed) - 6, "spent-inside": 2}
    assert agents_up_to(4, candidates(5, repeat=[2, 100], select=[0, 0.5]), TicTacToe(), None).left_out == {
        "no-tree": len(listed) - 6
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("lookahead(sim)", "no-tree"),
        ("select(sim, ucb1(c=0.2, norm=1))", "norm"),
        ("select(sim(guided(win=1)), 1)", "guided"),
        ("select(sim(mast(eps=0.4, depth=9)), 1)", "depth"),
        ("tune(select(repeat(sim, {1, 2}), 1), ntbea)", "open-repeat"),
        ("select(repeat(sim, 9), 1)", "spent-inside"),
    ],
)
def test_why_some_are_left_out(text: str, why: str) -> None:
    found = agents_among([parse(text), parse("select(sim, 1)")], TicTacToe(), 9)
    assert (len(found.agents), found.left_out) == (2, {why: 1})
    (note,) = found.notes()
    assert note.startswith(f"1 of 2 expressions are left out by the rule {why}: ") and len(note) > 60


def test_the_usual_agents() -> None:
    found = usual_agents(TicTacToe(), 1000).agents
    assert len(found) == len(set(found)) == 6 * 9 * 3 * 2
    assert str(found[0]) == "step(select(sim, 0.2), mean)"


# What is kept.


def test_settings_without_opposition_are_what_they_were(tmp_path: Path) -> None:
    settings = read_settings(made_campaign(tmp_path / "c", "sudoku:2"))
    assert "against" not in json.loads((tmp_path / "c" / "settings.json").read_text())
    not_in_older_ones = ("against", "play", "family")
    older = settings_digest(
        settings, ("domain", "versions", "accepted_versions", "accepted_domains", "units", *not_in_older_ones)
    )
    assert settings.digest() == older


def test_the_opposition_is_part_of_the_settings(tmp_path: Path) -> None:
    folder = made(tmp_path / "c", start=3, think="own", points="roles")
    settings = read_settings(folder)
    assert settings.against == Opposition(
        (
            AgentSettings("step(select(sim, 0.4), mean)", 2, None),
            AgentSettings("step(select(sim, 1), mean)", 3, None),
        ),
        ("crosses", "noughts"),
        3,
        "own",
        "roles",
    )
    assert settings.digest() != read_settings(made(tmp_path / "d", start=3, think="own")).digest()
    with pytest.raises(UserError) as error:
        made(folder)
    ways = ("(start 3, think own, points roles)", "(start 1, think always, points agents)")
    pool = "step(select(sim, 0.4), mean)@2, step(select(sim, 1), mean)@3"
    assert str(error.value) == (
        f"{folder} holds a campaign with other settings; choose another --out, or resume it as it is\n"
        f"  against: {pool} {ways[0]}, now {pool} {ways[1]}"
    )


def journals(folder: Path) -> list[bytes]:
    return [(path / JOURNAL).read_bytes() for path in (folder, folder / "round-robin-2")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = made(tmp_path_factory.mktemp("whole") / "c")
    to_the_end(folder)
    return journals(folder)


def test_the_same_journals_with_two_workers(whole: list[bytes], tmp_path: Path) -> None:
    folder = made(tmp_path / "c")
    to_the_end(folder, jobs=2)
    assert journals(folder) == whole


@pytest.mark.parametrize("policy", NAMES)
def test_every_bandit_finds_agents(policy: str, tmp_path: Path) -> None:
    """Its rewards are those of the pulls on their own, whatever the batches."""
    folder = made(tmp_path / "c", policy=policy, pulls=12)
    assert run(folder).ended == "complete"
    standing = read_standing(folder)
    settings = standing.settings
    assert settings.against is not None
    world = AgainstWorld(AgainstSetup("", TicTacToe(), 5, Limits(2), settings.against, "reference"))
    contents = standing.contents
    for arm, t, reward in zip(contents.arms, contents.t, contents.rewards, strict=True):
        assert world.pull(standing.expressions[arm], int(t)).reward == reward


@pytest.mark.slow
def test_killed_and_resumed(whole: list[bytes], tmp_path: Path) -> None:
    """Before every batch, every match and every block of the round robin."""
    for place, most in (
        ("a batch is written", 4),
        ("a batch has ended", 4),
        ("a match of the round robin is kept", 18),
        ("a block of the round robin is written", 3),
    ):
        for count in {1, 2, most}:
            folder = made(tmp_path / f"{place} {count}")
            arguments = [sys.executable, "-m", "tests.discovery.arena.against", str(folder), place, str(count)]
            assert subprocess.run(arguments, cwd=ROOT).returncode == -signal.SIGKILL, (place, count)
            to_the_end(folder)
            assert journals(folder) == whole


def test_interrupted_and_resumed(whole: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pull, times = AgainstWorld.pull, []

    def interrupted(world: AgainstWorld, text: str, t: int) -> Any:
        times.append(text)
        if len(times) == 10:
            raise KeyboardInterrupt
        return pull(world, text, t)

    folder = made(tmp_path / "c")
    with monkeypatch.context() as patched:
        patched.setattr(AgainstWorld, "pull", interrupted)
        outcome = run(folder)
    assert (outcome.ended, outcome.pulls, outcome.finished) == ("interrupted", 7, 2)
    times.clear()
    monkeypatch.setattr(AgainstWorld, "pull", lambda *pulled: times.append("") or pull(*pulled))  # type: ignore[func-returns-value]
    to_the_end(folder)
    assert journals(folder) == whole
    assert len(times) == 24 - 9


# The round robin.


def robin(pool: list[str], goals: dict[tuple[int, int], float], blocks: int = 6) -> RoundRobin:
    """Two found agents and the pool, in the order of seats; the first role's goal in every match, but one less in each
    third block where it is above 0."""
    game, limits = find_domain("tictactoe"), Limits(4)
    settings: Settings = plan(
        game,
        [parse("select(sim, 0)"), parse("select(sim, 0.1)")],
        limits=limits,
        policy="ucb1",
        pulls=10,
        against=oppose(game, pool, limits),
    )[0]
    best = [
        Ranked(rank, rank - 1, f"step(select(sim, {c}), mean)", 9, mean, 0.1, 1.0, 0)
        for rank, c, mean in ((1, "0", 0.9), (2, "0.1", 0.8))
    ]
    planned = plan_round_robin(settings, game, best, blocks)
    records = []
    for block in range(blocks):
        for seating in planned.seatings:
            first = goals.get((seating[0], seating[1]), 0.5)
            share = max(0.0, first - (block % 3 == 2))
            records.append(MatchRecord(block, seating, (share, 1 - share), 9, (4, 4), ()))
    assert settings.against is not None
    return RoundRobin(tuple(best), settings.against, planned, records)


def test_points_against_a_pool_of_one() -> None:
    """Dis#1 wins both seatings, but not in each third block; Dis#2 draws all."""
    made_up = robin(["select(sim, 0.4)"], {(0, 2): 1.0, (2, 0): 0.0})
    assert made_up.short_names == ["Dis#1", "Dis#2", "pool"]
    scores = made_up.scores(kept=True)
    assert scores is not None
    first, *rest = scores.rows
    blocks = np.array([1, 1, 0.5, 1, 1, 0.5])  # as the first it loses in each third, as the second it wins
    assert (first.name, first.mean, first.rank) == ("Dis#1", pytest.approx(100 * blocks.mean()), 1)
    assert first.p_holm == pytest.approx(min(1.0, 2 * float(paired_test(blocks, np.full(6, 0.5)))))
    assert first.difference == pytest.approx(100 * (blocks.mean() - 0.5))
    assert scores.reference == "step(select(sim, 0.4), mean)"
    reference = next(row for row in rest if row.reference)
    assert (reference.mean, reference.ci95, reference.generic) == (50.0, None, True)
    assert scores.excess is not None
    assert scores.excess[:2] == (pytest.approx(0.85), pytest.approx((blocks.mean() + 0.5) / 2))


def test_points_against_a_pool_of_two() -> None:
    """The mean over its members; a member has half against itself, and the pool is a row of its own."""
    made_up = robin(["select(sim, 1)", "select(sim, 2)@9"], {(0, 2): 1.0, (2, 0): 0.0, (2, 3): 1.0, (3, 2): 0.0})
    assert made_up.short_names == ["Dis#1", "Dis#2", "pool 1", "pool 2", "plain"]
    assert made_up.settings.labels[4] == "step(select(sim, 0.4), mean)@4"
    drawn = np.full(6, 0.5)  # or lost as the first role, won as the second
    won = np.array([1, 1, 0.5, 1, 1, 0.5])
    values = made_up.against_pool
    assert values[0] == pytest.approx((won + drawn) / 2)
    assert values[2] == pytest.approx((0.5 + won) / 2)
    assert values[3] == pytest.approx((1 - won + 0.5) / 2)
    scores = made_up.scores(kept=False)
    assert scores is not None and scores.reference == "the pool"
    pool = next(row for row in scores.rows if row.reference)
    assert (pool.mean, pool.expression, pool.generic) == (50.0, "the pool", True)
    assert [row.name for row in scores.discovered] == ["Dis#1", "Dis#2"]
    assert [row.expression for row in scores.rows if "@" in row.expression] == ["step(select(sim, 2), mean)@9"]
