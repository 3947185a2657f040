"""What may play in a match, and what is said to the rest."""

import pytest

from domains.games.tictactoe import TicTacToe
from domains.registry import find_domain
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.language.errors import ExpressionSyntaxError, InvalidExpression, UserError
from mcsgrammar.language.parsing import parse
from tests.engines.arena.toys import Rounds


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("select(sim, 0.5)", "step(select(sim, 0.5), mean)"),
        ("step(select(sim, 0.5), visits)", "step(select(sim, 0.5), visits)"),
        ("repeat(select(repeat(sim, 2), 0.5), 3)", "step(repeat(select(repeat(sim, 2), 0.5), 3), mean)"),
        ("tune(select(sim(nst), {0.2, 1}), lsi)", "step(tune(select(sim(nst), {0.2, 1}), lsi), mean)"),
        ("select(sim(mast(tau=0.1)), puct(c=1))", "step(select(sim(mast(tau=0.1)), puct), mean)"),
    ],
)
def test_agents(text: str, agent: str) -> None:
    assert str(agent_of(text, TicTacToe())) == agent
    assert agent_of(parse(text), TicTacToe()) == agent_of(text, TicTacToe())


FORM = (
    "tictactoe has 2 roles; an agent is step(S, mean) with one select around sim inside S, and repeat and tune where "
    "you like; "
)
BEST = " commits by its best sequence; as an agent write select(sim, "
RULE = (
    " only where one role plays alone: the others need not follow its best sequence; write step(…, mean) or "
    "step(…, visits)"
)
OUTSIDE = " plays to the end alone; the step of an agent is the match itself, outside everything else"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("uct(0.5)", f"uct(0.5){BEST}0.5)"),
        (" uct( 0.3 )", f"uct( 0.3 ){BEST}0.3)"),
        ("uct(0.7, 10)", f"uct(0.7, 10){BEST}0.7)"),
        ("mcts(0.3, 10)", f"mcts(0.3, 10){BEST}0.3)"),
        ("metamcts(1, 10, 10)", f"metamcts(1, 10, 10){BEST}1)"),
        ("nmc(3)", f"nmc(3){BEST}0.5)"),
        ("la(1)", f"la(1){BEST}0.5)"),
        ("rmc(3, 3)", f"rmc(3, 3){BEST}0.5)"),
        ("step(select(sim, 0.5))", f"step commits by 'best'{RULE}"),
        ("step(select(sim, 0.5), max)", f"step commits by 'max'{RULE}"),
        ("is", f"{FORM}sim has no select"),
        ("repeat(sim, 3)", f"{FORM}repeat(sim, 3) has no select"),
        ("select(select(sim, 1), 0)", f"{FORM}select(select(sim, 1), 0) has 2 of them"),
        (
            "step(select(lookahead(sim), 1), mean)",
            f"{FORM}lookahead(sim) keeps the best of what it tries, which the other roles can refuse",
        ),
        ("select(step(sim), 1)", f"{FORM}step(sim){OUTSIDE}"),
        ("select(uct(0.5), 1)", f"{FORM}uct(0.5){OUTSIDE}"),
        ("repeat(step(select(sim, 1), mean), 2)", f"{FORM}step(select(sim, 1), mean){OUTSIDE}"),
        (
            "nrpa(1, 10)",
            f"{FORM}adapt(sim, 10) learns from the best of what it tries, which the other roles can refuse",
        ),
        (
            "select(sim(guided(win=1)), 1)",
            "sim(guided(win=1)) goes by features of actions, which games do not have; use random, mast or nst",
        ),
        (
            "select(sim(mast(eps=0.4, depth=9)), 1)",
            "sim(mast(eps=0.4, depth=9)) cuts playouts off, and those of an agent run to the end of the game; leave "
            "depth out",
        ),
        (
            "select(sim, ucb1(c=0.2, norm=1))",
            "ucb1(c=0.2, norm=1) scales means by the least and the greatest result at a node, which are not kept for "
            "each role; leave norm out",
        ),
        (
            "tune(select(repeat(sim, {1, 2}), 1), ntbea)",
            "every role has a tuner of its own, and the N of repeat(sim, {1, 2}) would be chosen by all of them; give "
            "it a fixed value",
        ),
    ],
)
def test_what_is_no_agent(text: str, message: str) -> None:
    with pytest.raises(InvalidExpression) as raised:
        agent_of(text, TicTacToe())
    assert str(raised.value) == message


def test_what_is_wrong_with_a_text_itself_comes_first() -> None:
    with pytest.raises(ExpressionSyntaxError):
        agent_of("select(sim", TicTacToe())
    with pytest.raises(InvalidExpression, match="nmc takes other arguments"):
        agent_of("nmc(3, 4, 5)", TicTacToe())
    with pytest.raises(InvalidExpression, match="no tune"):
        agent_of("select(sim, {0.1, 0.2})", TicTacToe())


def test_where_one_role_plays_alone_the_rules_are_the_same() -> None:
    sudoku = find_domain("sudoku:3")
    assert str(agent_of("select(sim, 1)", sudoku)) == "step(select(sim, 1), mean)"
    with pytest.raises(InvalidExpression, match=r"^in a match step commits by a mean or by visits, not by 'best'"):
        agent_of("step(select(sim, 1))", sudoku)
    with pytest.raises(InvalidExpression, match=r"^an agent is step\(S, mean\) with one select"):
        agent_of("sim", sudoku)


def test_a_game_without_kernels_runs_on_the_reference_engine(capsys: pytest.CaptureFixture[str]) -> None:
    class Toss(Rounds):
        pass

    toss = Toss([(2, 2)], lambda joints: (1.0, 0.0))
    assert isinstance(arena_of(toss, "reference"), ReferenceArena) and capsys.readouterr().err == ""
    for _ in range(2):
        assert isinstance(arena_of(toss, "auto"), ReferenceArena)
    assert capsys.readouterr().err == "note: Toss has no kernels, so it runs on the reference engine, which is slower\n"
    with pytest.raises(UserError, match="Toss has none"):
        arena_of(toss, "compiled")
