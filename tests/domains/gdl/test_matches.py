"""Sheets with several roles in the arena: both engines, one machine, lengths, faults, names and drawings."""

from pathlib import Path

import numpy as np
import pytest

import mcsgrammar as mg
from domains.check.checking import check_domain, joint_counts
from domains.errors import DomainError, UserError
from domains.gdl.domain import Gdl
from domains.gdl.layout import NEXT_WORD
from domains.gdl.reading import SheetError
from domains.protocol import NOOP, advance_all, joint_name
from domains.randomness import Random
from domains.registry import canonical_text, find_domain
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.compiled import CompiledArena
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import EngineName, Limits
from tests.domains.gdl.games import FOR_SEVERAL, SHEETS
from tests.engines.arena.agreeing import agreed_on
from tests.language.command import run

FAULTY = """
(role a) (role b)
(init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (go ?m)) (role ?r) (true (at ?n)) (succ ?n ?m))
(<= (legal ?r stay) (role ?r) (true (at 0)))
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= terminal (true (at 2)))
(goal a 40)
(<= (goal b 60) (true (at 2)))
"""


def game(name: str) -> Gdl:
    return Gdl(SHEETS / f"{name}.kif")


def written(folder: Path, *replacements: tuple[str, str]) -> Gdl:
    text = FAULTY
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    (folder / "faulty.kif").write_text(text)
    return Gdl(folder / "faulty.kif")


@pytest.mark.parametrize("name", FOR_SEVERAL)
@pytest.mark.parametrize(
    "agent",
    [
        "select(sim(mast(eps=0.4, move_decay=0.2)), grave(c=0.2, vo=0.01, fpu=1))",
        "select(sim(nst(n=3, kmin=2)), history(c=0.4, w=2))",
        pytest.param("tune(select(sim(mast(eps={0, 0.4})), {0.2, 0.6}), ntbea)", marks=pytest.mark.slow),
    ],
)
def test_the_engines_agree(name: str, agent: str) -> None:
    sheet = game(name)
    agreed_on(sheet, CompiledArena(sheet), agent, seed=5, budget=40, steps=3)


@pytest.mark.parametrize("name", ["bids", "hopping", "ring"])
def test_the_engines_agree_until_the_end(name: str) -> None:
    sheet = game(name)
    agreed_on(sheet, CompiledArena(sheet), "select(sim, 0.4)", seed=6, budget=12, steps=20)


def test_all_sheets_have_one_machine() -> None:
    arenas = [CompiledArena(game(name)) for name in FOR_SEVERAL]
    machines = [arena.machine(arena.ready(arena.game.sample(Random(0))), "arena") for arena in arenas]
    assert all(machine is machines[0] for machine in machines)
    assert len({arena.kernels.codes for arena in arenas}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", FOR_SEVERAL)
def test_nothing_is_wrong_with_ours(name: str) -> None:
    assert check_domain(find_domain(f"gdl:{SHEETS / name}.kif"), problems=1, playouts=10) == []


def test_what_a_role_waits_with() -> None:
    ring = game("ring")
    state = ring.sample(Random(0))
    assert [ring.actions_of(state, role) for role in (1, 2)] == [[NOOP], [NOOP]] and ring.mover(state) == 0
    red = {ring.action_name(state, action): action for action in ring.actions_of(state, 0)}
    assert list(red) == ["pass", "claim 2", "claim 7"]  # to pass is an action like others where there are others
    for name in ("claim 2", "claim 4", "claim 6", "claim 7"):
        mover = ring.mover(state)
        assert mover is not None
        named = {ring.action_name(state, action): action for action in ring.actions_of(state, mover)}
        state = advance_all(ring, state, [named[name] if role == mover else NOOP for role in range(3)])
    assert ring.mover(state) is None  # the ring is full, and nobody can do anything
    assert [ring.actions_of(state, role) for role in range(3)] == [[NOOP]] * 3
    assert ring.facts(advance_all(ring, state, [NOOP] * 3))[-1] == "step 5"


def test_a_forced_move_that_is_no_waiting_keeps_its_name() -> None:
    bids = game("bids")
    state = bids.sample(Random(0))
    for card in range(3):
        state = advance_all(bids, state, [bids.actions_of(state, 0)[-1], bids.actions_of(state, 1)[0]])
        assert bids.mover(state) is None, card
    assert [len(bids.actions_of(state, role)) for role in (0, 1)] == [1, 1]
    joint = [bids.actions_of(state, role)[0] for role in (0, 1)]
    assert joint_name(bids, state, joint) == "left bid 1 right bid 4"


def test_counts_of_joint_moves() -> None:
    assert joint_counts(game("tictactoe")) == [9, 72, 504, 3_024, 15_120]
    assert joint_counts(game("bids")) == [16, 144, 576, 576]
    assert joint_counts(game("breakthrough"), 1_000)[0] == 13


def test_all_games_of_noughts_and_crosses() -> None:
    """By the kernels, with how many sequences lead to each state: what everybody counts."""
    sheet = game("tictactoe")
    kernels = sheet.game_kernels()
    assert kernels is not None
    problem, first = sheet.encode(sheet.sample(Random(0)))
    out, goals, bases = np.zeros(sheet.max_actions, np.int32), np.zeros(2), int(problem[NEXT_WORD])
    level = {first[:bases].tobytes(): (first, 1)}
    counts, states, ended, won = [], 0, 0, dict[tuple[float, ...], int]()
    while level:
        states += len(level)
        following: dict[bytes, tuple[np.ndarray, int]] = {}
        for state, ways in level.values():
            if kernels.is_final(state, problem):
                kernels.rewards(state, problem, goals)
                ended += ways
                won[tuple(goals.tolist())] = won.get(tuple(goals.tolist()), 0) + ways
                continue
            mover = kernels.mover(state, problem)
            for action in out[: kernels.actions(state, problem, mover, out)].tolist():
                after = state.copy()
                kernels.play(after, problem, np.array([NOOP, action] if mover else [action, NOOP], np.int32))
                known = following.setdefault(after[:bases].tobytes(), (after, 0))
                following[after[:bases].tobytes()] = known[0], known[1] + ways
        counts += [sum(ways for _, ways in following.values())] if following else []
        level = following
    assert counts == [9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872]
    assert (states, ended) == (5_478, 255_168)
    assert won == {(1.0, 0.0): 131_184, (0.0, 1.0): 77_904, (0.5, 0.5): 46_080}


@pytest.mark.parametrize("name", FOR_SEVERAL)
def test_every_role_has_a_move_until_the_end_and_one_goal_then(name: str) -> None:
    sheet = game(name)
    for seed in range(6 if name != "connect_four" else 2):
        random, state, steps = Random(seed), sheet.sample(Random(seed)), 0
        while not sheet.is_final(state):
            lists = [sheet.actions_of(state, role) for role in range(len(sheet.roles))]
            mover = sheet.mover(state)
            assert all(lists) and steps < sheet.length
            assert all(mover in (None, role) or own == [NOOP] for role, own in enumerate(lists))
            assert mover is None or lists[mover] != [NOOP]
            state = advance_all(sheet, state, [own[random.below(len(own))] for own in lists])
            steps += 1
        assert not any(sheet.actions_of(state, role) for role in range(len(sheet.roles)))
        assert all(0 <= reward <= 1 for reward in sheet.rewards(state))


def test_lengths() -> None:
    assert [game(name).length for name in ("bids", "ring", "hopping", "tictactoe")] == [4, 9, 1000, 1000]
    assert Gdl(SHEETS / "hopping.kif", 7).max_length == 7


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_match_that_goes_on_is_stopped(engine: EngineName) -> None:
    with pytest.raises(UserError) as error:
        mg.match(f"gdl:{SHEETS}/hopping.kif,length=3", ["select(sim, 0.4)"] * 2, games=2, budget=5, engine=engine)
    assert (
        "Gdl goes on after 3 steps, the most it declares; say how long a game can be: "
        f"gdl:{SHEETS}/hopping.kif,length=30"
    ) in str(error.value)


def test_who_cannot_play() -> None:
    name = f"gdl:{SHEETS}/hanoi.kif"
    with pytest.raises(UserError) as error:
        mg.match(name, ["select(sim, 0.4)"] * 2, games=2, budget=5)
    typed = f"gdl:path={SHEETS}/hanoi.kif"
    assert str(error.value) == f"{typed} has one role; solve it: mcsgrammar solve {typed} EXPR"
    with pytest.raises(UserError) as error:
        mg.solve(f"gdl:{SHEETS}/duel.kif", "sim", 5)
    typed = f"gdl:path={SHEETS}/duel.kif"
    assert str(error.value) == (
        f"{typed} has 2 roles, ann and bob; this runs problems with one. Let agents play it: mcsgrammar match {typed} "
        "AGENT AGENT"
    )


def test_a_role_without_moves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SheetError) as error:
        written(
            tmp_path,
            ("(role ?r) (true (at ?n))", "(distinct ?r b) (role ?r) (true (at ?n))"),
            ("stay) (role ?r)", "stay) (role ?r) (distinct ?r b)"),
        )
    assert str(error.value) == "faulty.kif: b never has a legal move"


@pytest.mark.parametrize(
    ("old", "new", "said", "of_kernels"),
    [
        (
            "(legal ?r (go ?m)) (role ?r)",
            "(legal ?r (go ?m)) (role ?r) (distinct ?r b)",
            "faulty.kif: the rules leave b no legal move before the game is over",
            "the rules leave a role no legal move before the game is over",
        ),
        (
            "(goal b 60) (true (at 2))",
            "(goal b 60) (true (at 1))",
            "faulty.kif: a game is over, and the goal of b is none; a sheet says one goal of each role for each final "
            "state",
            "the rules give a role no goal, or several, when the game is over",
        ),
        (
            "(goal a 40)",
            "(goal a 40) (goal a 30)",
            "faulty.kif: a game is over, and the goal of a is 30 and 40; a sheet says one goal of each role for each "
            "final state",
            "the rules give a role no goal, or several, when the game is over",
        ),
    ],
)
def test_faults(old: str, new: str, said: str, of_kernels: str, tmp_path: Path) -> None:
    sheet = written(tmp_path, (old, new))
    for arena, expected in ((ReferenceArena(sheet), said), (CompiledArena(sheet), of_kernels)):
        agent = agent_of("select(sim, 1)", sheet)
        with pytest.raises(DomainError) as error:
            player = arena.player(arena.ready(sheet.sample(Random(0))), agent, 0, 1, Limits(50))
            player.search(Limits(50))
        assert expected in str(error.value)


def test_more_joint_moves_than_can_be_numbered(tmp_path: Path) -> None:
    path = tmp_path / "wide.kif"
    path.write_text(
        "(role a) (role b) (role c) (role d) (init start)"
        + " ".join(f"(number {i})" for i in range(257))
        + "(<= (legal ?r (pick ?n)) (role ?r) (number ?n)) (<= (next over) (true start)) (<= terminal (true over))"
        "(<= (goal ?r 50) (role ?r))"
    )
    sheet = Gdl(path)
    arena = CompiledArena(sheet)
    with pytest.raises(DomainError) as error:
        arena.player(arena.ready(sheet.sample(Random(0))), agent_of("select(sim, 1)", sheet), 0, 1, Limits(9))
    assert str(error.value) == (
        "Gdl has a state with more than 2^32 joint moves, too many for the compiled engine to number; use --engine "
        "reference"
    )


def test_the_name_is_that_of_the_rules(tmp_path: Path) -> None:
    elsewhere = tmp_path / "noughts.kif"
    elsewhere.write_text("; mine\n" + (SHEETS / "tictactoe.kif").read_text().upper())
    assert canonical_text(find_domain(f"gdl:{elsewhere}")) == canonical_text(game("tictactoe"))


def test_drawings() -> None:
    noughts = game("tictactoe")
    initial = noughts.sample(Random(0))
    joint = (noughts.names.index("mark 1 3"), NOOP)
    assert noughts.draw(initial, [joint]) == ". . .\n. . .\nx . .\nturn o\n1. mark 1 3 · o to move"
    assert "1. mark 1 3" in noughts.svg(initial, [joint])
    duel = game("duel")
    joint = tuple(duel.actions_of(duel.sample(Random(0)), role)[0] for role in (0, 1))
    assert duel.draw(duel.sample(Random(0)), [joint] * 3).splitlines()[-1] == (
        "3. ann show paper bob show paper · ann 50, bob 50"
    )


def test_a_match_of_three() -> None:
    found = mg.match(f"gdl:{SHEETS}/ring.kif", ["select(sim, 0.4)", "select(sim(mast), 0.4)"], games=6, budget=10)
    assert len(found.games) == 6 and {len(one.goals) for one in found.games} == {3}
    assert any(sum(one.goals) != 1 for one in found.games)


@pytest.mark.slow
def test_workers_write_the_same_journal_and_a_changed_sheet_is_another_game(tmp_path: Path) -> None:
    sheet = tmp_path / "stones.kif"
    sheet.write_text((SHEETS / "hopping.kif").read_text())
    game, agents = f"gdl:{sheet}", ("select(sim, 0.4)", "select(sim(mast), 0.4)")
    journals = []
    for jobs in ("1", "2"):
        folder = tmp_path / jobs
        done = run("match", game, *agents, "--games", "6", "--budget", "9", "--jobs", jobs, "--out", str(folder))
        assert done.returncode == 0, done.stderr
        journals.append((folder / "journal.jsonl").read_bytes())
    assert journals[0] == journals[1]
    again = ("match", game, *agents, "--games", "8", "--budget", "9", "--jobs", "1", "--out", str(tmp_path / "1"))
    sheet.write_text("; a remark\n" + sheet.read_text())
    assert run(*again).returncode == 0
    grown = (tmp_path / "1" / "journal.jsonl").read_bytes()
    assert grown.startswith(journals[0]) and len(grown) > len(journals[0])
    sheet.write_text(sheet.read_text().replace("(heap 8)", "(heap 7)"))
    refused = run(*again)
    assert refused.returncode == 2 and "canonical_domain" in refused.stderr
