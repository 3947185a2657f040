"""Games of an agent: what is committed, what a record holds, who draws what, and how well they go."""

from dataclasses import replace
from itertools import count
from typing import Any
from unittest import mock

import pytest

from domains.cliff import Cliff
from domains.errors import DomainError, UserError
from domains.protocol import Domain
from domains.randomness import Random
from domains.registry import find_domain
from domains.stock import Stock
from mcsgrammar import playing
from mcsgrammar.engines.searching import Limits
from mcsgrammar.game_records import GameRecord, read_record, record_of
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import Play, agent_of, numbered, play, prepared_play
from tests.domains.test_checking_chance import Walk
from tests.domains.test_worlds_of_chance import best_cost, best_on_cliff

CLIFF = find_domain("cliff")


def timeless(record: GameRecord) -> GameRecord:
    return replace(record, seconds=0.0)


def agent(expression: str, domain: Domain = CLIFF, commit: str | None = None, budget: int = 10) -> str:
    return str(agent_of(parse(expression), domain, Limits(budget), commit))


def test_the_outermost_step_is_the_worlds_and_visits_are_the_rule_unless_it_says_otherwise() -> None:
    assert agent("select(sim, 0.5)") == "step(select(sim, 0.5), visits)"
    assert agent("step(select(sim, 0.5))") == "step(select(sim, 0.5), visits)"
    assert agent("step(select(sim, 0.5), mean)") == "step(select(sim, 0.5), mean)"
    assert agent("step(select(sim, 0.5), mean)", commit="best") == "step(select(sim, 0.5))"
    without_chance = find_domain("queens")
    assert agent("select(sim, 0.5)", without_chance) == "step(select(sim, 0.5))"
    assert agent("step(select(sim, 0.5), mean)", without_chance) == "step(select(sim, 0.5), mean)"
    assert agent("step(select(step(sim), 0.5))") == "step(select(step(sim), 0.5), visits)"
    assert agent("step(step(select(sim, 0.5), mean))") == "step(step(select(sim, 0.5), mean))"
    assert agent("sim") == "step(sim)"
    assert agent("lookahead(select(sim, 1))") == "step(lookahead(select(sim, 1)))"
    assert agent("tune(select(sim, {0, 1}), ntbea)") == "step(tune(select(sim, {0, 1}), ntbea), visits)"
    assert agent("uct(0.5)", budget=300) == "step(repeat(select(sim, 0.5), 10), visits)"


@pytest.mark.parametrize(
    ("expression", "commit", "message"),
    [
        ("step(select(sim, 1), max)", None, "the commit rule cannot be 'max'; it is one of visits, mean, best"),
        (
            "sim",
            "visits",
            "step commits by 'visits' only with a select below and nothing but repeat and tune between, as in "
            "step(repeat(select(sim, 0.5), 10), visits)",
        ),
        (
            "adapt(sim, 5)",
            None,
            "adapt learns from its best sequence by playing it again, and in Cliff chance would lead it elsewhere; "
            "leave adapt out, or learn by means: sim(mast), sim(nst), select(sim, history)",
        ),
    ],
)
def test_what_is_no_agent(expression: str, commit: str | None, message: str) -> None:
    with pytest.raises(InvalidExpression) as error:
        agent(expression, commit=commit)
    assert error.value.problem == message


def test_a_tick_needs_a_budget() -> None:
    with pytest.raises(UserError) as error:
        agent("sim", budget=0)
    assert str(error.value) == (
        "the budget of a tick cannot be 0; a search needs at least 1 evaluation to choose an action"
    )
    for games, on, message in (
        (0, None, "the number of games cannot be 0; it is at least 1"),
        (1, -1, "the problem cannot be -1; problems are numbered from 0"),
    ):
        with pytest.raises(UserError) as error:
            list(numbered(games, on))
        assert str(error.value) == message


def test_luck_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    play(CLIFF, "sim", 2)
    assert capsys.readouterr().err == (
        "note: step(sim) commits the action with the luckiest result, which chance may not repeat; most games are "
        "played better by visits or mean, with a select: step(select(sim, 0.5), visits)\n"
    )
    play(CLIFF, "select(sim, 1)", 2)
    play("sudoku:2", "sim", 2)
    assert capsys.readouterr().err == ""


def test_short_playouts_without_a_scale_are_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    play("stock", "select(sim(random(depth=3)), 0.5)", 2, games=1)
    assert capsys.readouterr().err == (
        "note: playouts of a few actions come to results that differ by little, beside which a constant of 0.5 "
        "explores too much; to put them on one scale, write select(…, ucb1(norm=1))\n"
    )
    play("stock", "tune(select(sim(random(depth={1, 3})), grave(c=0.2)), random)", 2, games=1)
    assert capsys.readouterr().err.endswith(
        "0.2 explores too much; to put them on one scale, write select(…, grave(c=0.2, norm=1))\n"
    )
    for silent in ("select(sim, 0.5)", "select(sim(random(depth=3)), ucb1(norm=1))", "select(sim(random(depth=3)), 0)"):
        play("stock", silent, 2, games=1)
    play("sudoku:2", "select(sim(random(depth=3)), 0.5)", 2, games=1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "expression"),
    [("cliff", "select(sim, 0.5)"), ("stock", "step(select(sim, ucb1(norm=1)), mean)"), ("cliff", "lookahead(sim)")],
)
def test_a_game_is_the_same_again_and_on_both_engines(name: str, expression: str) -> None:
    first, again, other = (play(name, expression, 20, games=3, engine=e) for e in ("auto", "auto", "reference"))  # type: ignore[arg-type]
    assert [timeless(game.record) for game in first] == [timeless(game.record) for game in again]
    assert [timeless(game.record) for game in first] == [timeless(game.record) for game in other]


def test_a_record_is_all_that_it_takes_to_see_a_game_again() -> None:
    (game,) = play("cliff", "select(sim, 0.5)", 30, seed=3, problem=2)
    record = game.record
    assert read_record(record_of(CLIFF, record)) == record
    final = game.final()
    assert (CLIFF.reward(final), CLIFF.reaches_goal(final), final.steps) == (
        record.reward,
        record.reached_goal,
        record.ticks,
    )
    assert game.draw().endswith(CLIFF.summary(final)) and CLIFF.summary(final) in str(game.svg())  # type: ignore[attr-defined]
    assert record.evaluations == 30 * record.ticks


def test_the_world_is_the_same_for_all_agents_and_the_search_never_draws_from_it() -> None:
    """A playout more or less, and another expression: the world still draws what it drew."""
    drawn: list[list[int]] = []

    class Watched(Walk):
        def play(self, state: list[int], action: int, random: Any) -> Any:
            before = state[1]
            super().play(state, action, random)
            if random is worlds[-1]:
                drawn[-1].append((state[1] - before) // action)

    worlds: list[Random] = []

    def made(seed: int) -> Random:
        worlds.append(Random(seed))
        return worlds[-1]

    for expression, budget in (("sim", 1), ("select(sim, 1)", 3), ("select(sim, 1)", 40)):
        drawn.append([])
        with mock.patch.object(playing, "Random", made):
            play(Watched(), expression, budget, seed=5)
    assert len(drawn[0]) == 4 and drawn[0] == drawn[1] == drawn[2]
    assert len({world.state for world in worlds}) == 1


def test_seeds_are_their_own() -> None:
    one = prepared_play(CLIFF, "sim", Limits(5), None, "test", 0, "auto", "standard", False)
    other = prepared_play(CLIFF, "lookahead(sim)", Limits(9), None, "test", 0, "auto", "standard", False)
    assert one.world_seed(3, 0) == other.world_seed(3, 0)
    assert one.search_seed(3, 0) != other.search_seed(3, 0)
    seeds = [f(k, r) for f in (one.world_seed, one.search_seed) for k in range(3) for r in range(3)]
    assert len(set(seeds)) == len(seeds)
    assert one.world_seed(0, 0) != replace(one, how=replace(one.how, seed=1)).world_seed(0, 0)


def test_a_domain_that_lists_actions_by_luck_is_found_out() -> None:
    class ByLuck(Walk):
        def actions(self, state: list[int]) -> Any:
            return [1] if state[0] == 2 and state[1] > 2 else super().actions(state)

    with pytest.raises(DomainError) as error:
        for seed in count():
            play(ByLuck(), "sim", 2, seed=seed)
    assert str(error.value) == (
        "ByLuck.actions lists [1] after 2 actions, and [1, 2] at the start; where chance has a say all unfinished "
        "states list the same actions (mcsgrammar check says more)"
    )


def test_overruns_are_counted_where_a_clock_decides() -> None:
    ticking = count()

    def clock() -> float:
        return next(ticking) * 0.004

    with mock.patch.object(playing.time, "perf_counter", clock):
        how = prepared_play(CLIFF, "sim", Limits(None, 0.001), None, "test", 0, "auto", "standard", True)
        record = how.play(0)
    assert record.overruns == record.ticks > 0


def test_without_chance_a_game_is_planning_with_a_receding_horizon() -> None:
    games = play("queens", "step(select(sim, 0.3))", 100, games=2)
    assert [game.record.ticks for game in games] == [10, 10]
    assert games.share_of_goals is None and games.mean_score == sum(game.record.score for game in games) / 2


def test_a_search_before_every_step_comes_near_the_best_on_a_small_cliff() -> None:
    """As good as 150 games can tell: their standard error is 0.025."""
    cliff = find_domain("cliff:width=3,height=3,steps=12")
    assert isinstance(cliff, Cliff)
    best = best_on_cliff(cliff)
    assert best == pytest.approx(0.6144, abs=5e-5)
    games = play(cliff, "select(sim, 0.3)", 1000, games=150)
    assert sum(game.record.reward for game in games) / len(games) == pytest.approx(best, abs=0.06)


def test_norm_sees_differences_that_are_small_beside_the_rewards() -> None:
    """A week of the stock is a twentieth of a reward, so that c = 0.3 explores for ever unless results are scaled."""
    stock = find_domain("stock")
    assert isinstance(stock, Stock)
    best = sum(best_cost(stock, start) for start in range(9)) / 9
    plain, scaled = (play(stock, f"select(sim, ucb1(c=0.3, norm={n}))", 500, games=60).mean_score for n in (0, 1))
    assert best < scaled < 0.95 * plain
    assert scaled < 1.3 * best


def test_the_share_of_goals() -> None:
    games = play(CLIFF, "select(sim, 0.5)", 30, games=4)
    assert games.share_of_goals == sum(bool(game.record.reached_goal) for game in games) / 4


def test_play_needs_what_it_is_handed() -> None:
    assert isinstance(prepared_play(CLIFF, "sim", Limits(5), None, "test", 0, "reference", "standard", False), Play)
