"""The tables of agents that play each other: their cells are the papers', matches go on after a kill, and the page says
what its table holds."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import mcsgrammar as mg
from discovery.arena.playing import Arena
from discovery.statistics import summary
from domains.registry import find_domain
from experiments.arena import finding as arena_finding
from experiments.arena import running as arena_running
from experiments.arena.cells import (
    ARENA_SCALES,
    GAMES,
    MAST,
    NST,
    ArenaScale,
    Cell,
    cells,
    decayed,
    family,
    printed,
    tuned,
)
from experiments.arena.finding import POOL, found_cells, run_finding
from experiments.arena.played import Played
from experiments.arena.rendering import NAME, arena_text
from experiments.arena.running import (
    COLUMNS,
    FOLDER,
    ROUNDS,
    TABLE_FILE,
    append,
    half_of,
    kept,
    missing,
    play_block,
    row_of,
    run_cells,
    write_cells,
)
from experiments.cli import main
from experiments.files import read_csv, write_csv
from experiments.markdown import NOT_YET
from experiments.options import RESULTS
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of

FULL = ARENA_SCALES["full"]
TINY = ArenaScale("tiny", 8, 8, 5, 10, 12)
CELL = Cell("S-IV", "tictactoe", "0.4", 5, decayed("select(sim(mast(tau=0.1{})), 0.4)", 0.4), "select(sim, 0.4)")
DRAWN = Cell("G-V", "tictactoe", "SP 2", 5, tuned("SP 2", "ntbea"), family("SP 2").opened, family("SP 2"))


@pytest.fixture
def by_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled."""

    def arena(game: str, start: int) -> Arena:
        found = find_domain(game)
        return Arena(found, arena_of(found, "reference"), start=start)

    monkeypatch.setattr(arena_running, "_arena", arena)


def test_rendering_the_kept_table_changes_nothing(tmp_path: Path) -> None:
    if (RESULTS / FOLDER).exists():
        shutil.copytree(RESULTS / FOLDER, tmp_path / FOLDER)
    done = CliRunner().invoke(main, ["arena", "--render", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / NAME).read_bytes() == (RESULTS / NAME).read_bytes()


def test_every_printed_value_has_a_cell_and_the_other_way_round() -> None:
    found = {(cell.table, cell.game, cell.column) for cell in cells(FULL) if cell.table != "control"}
    assert found == set(printed())
    assert printed()["S-IV", "tictactoe3d", "0.4"] == (91.3, 1.8)
    assert printed()["S-II", "chinesecheckers", "0.6"] == (51.3, 4.29)
    assert printed()["S-III", "battle", "1"] == (19.2, 4.01)
    assert printed()["S-V", "tictactoe3d", "0.4"] == (69.8, 4.0)
    assert printed()["S-VII", "battle", "0.6"] == (27.2, 4.13)
    assert printed()["S-IX", "chinook", "25"] == (39.3, 5.29) and printed()["S-IX", "breakthrough", "50"] == (
        31.9,
        5.01,
    )
    assert printed()["S-XI", "connect5", "0.85"] == (38.6, 5.03) and printed()["S-XI", "battle", "0.94"] == (53.3, 3.97)
    assert printed()["S-XIII", "quad", "0.8 and 0.97"] == (64.4, 2.77)
    assert printed()["G-II", "quad", "lsi"] == (81.2, 3.22)
    assert printed()["G-V", "breakthrough", "AP 4"] == (88.4, 2.81)


def test_cells_are_agents_and_no_two_are_the_same() -> None:
    for cell in cells(FULL):
        game = find_domain(cell.game)
        for text in (cell.agent, cell.opponent_in(0)):
            agent_of(text, game)
    counts = Counter((cell.table, cell.budget) for cell in cells(FULL))
    both = {"S-IV": 40, "S-II": 40, "S-III": 16, "S-V": 16, "S-VII": 8, "G-II": 35, "G-V": 28}
    one = {"control": 8, "S-IX": 28, "S-XI": 20, "S-XIII": 16}
    assert counts == (
        {(table, 300): n for table, n in (both | one).items()} | {(table, 1_000): n for table, n in both.items()}
    )
    paths = {arena_running.path_of(Path(), cell) for cell in cells(FULL)}
    assert len(paths) == len(cells(FULL))


def test_how_many_matches() -> None:
    numbers = {(cell.table, cell.budget): FULL.games_of(cell) for cell in cells(FULL)}
    assert numbers["control", 300] == numbers["S-IV", 300] == numbers["S-IV", 1_000] == 300
    assert numbers["G-V", 300] == numbers["S-XIII", 300] == 200 and numbers["G-V", 1_000] == 100


def test_the_papers_agents() -> None:
    assert decayed(MAST) == "select(sim(mast(tau=0.1)), 0.4)"
    assert decayed(NST, 0.6, sim_decay=0.94) == (
        "select(sim(nst(eps=0.2, n=3, kmin=7, move_decay=0.6, sim_decay=0.94)), 0.4)"
    )
    assert decayed(NST, batch_decay=0.9, batch=50).endswith("kmin=7, batch_decay=0.9, batch=50)), 0.4)")
    assert family("SP 2").fixed() == "select(sim(mast(eps=0.4, move_decay=0.2)), ucb1(c=0.2, vo=0.01, fpu=1))"
    assert family("AP 2").fixed() == (
        "select(sim(mast(eps=0.4, move_decay=0.2)), grave(c=0.2, vo=0.01, fpu=1))"  # ref=50, k=250 are the defaults
    )
    assert "ucb1(c=[0..1]" in tuned("SP 2", "cmaes") and "mast(eps=[0..1]" in tuned("SP 2", "cmaes")


def test_drawn_opponents_differ_from_block_to_block() -> None:
    texts = [DRAWN.opponent_in(block) for block in range(30)]
    assert texts == [DRAWN.opponent_in(block) for block in range(30)] and len(set(texts)) > 20
    assert CELL.opponent_in(3) == CELL.opponent


@pytest.mark.usefixtures("by_the_definition")
def test_any_prefix_of_the_matches_is_of_all_cells(tmp_path: Path) -> None:
    some = [replace(CELL, column=str(i), budget=i) for i in range(1, 4)]
    scale = ArenaScale("any", 200, 200, 1, 1, 1)
    done = dict.fromkeys(some, 0)
    for task in missing(tmp_path, scale, some):
        assert task.blocks.start == done[task.cell]
        shares = sorted(count / 100 for count in done.values())
        passed = [share for share in (0.0, *ROUNDS) if share <= shares[-1]]
        assert shares[0] >= passed[-2:][0]  # nobody is two rounds behind
        done[task.cell] = task.blocks.stop
    assert set(done.values()) == {100}


@pytest.mark.usefixtures("by_the_definition")
def test_stopped_it_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    told = []

    def stop(text: str) -> None:
        told.append(text)
        if len(told) == 2:
            raise KeyboardInterrupt

    some = [CELL, DRAWN]
    run_cells(tmp_path / "whole", TINY, 1, lambda _: None, some)
    with pytest.raises(KeyboardInterrupt):
        run_cells(tmp_path / "stopped", TINY, 1, stop, some)
    assert 0 < sum(len(kept(tmp_path / "stopped", cell)) for cell in some) < 8
    run_cells(tmp_path / "stopped", TINY, 1, lambda _: None, some)
    for cell in some:
        blocks = [kept(tmp_path / name, cell) for name in ("whole", "stopped")]
        for row in (*blocks[0], *blocks[1]):
            row.pop("cpu_seconds")
        assert len(blocks[0]) == 4 and blocks[0] == blocks[1]
    assert list(missing(tmp_path / "stopped", TINY, some)) == []
    assert len(list(missing(tmp_path / "stopped", replace(TINY, games=20), some))) > 0


def test_two_commands_count_no_block_twice(tmp_path: Path) -> None:
    rows = [
        {"block": block, "points": 0.5, "draws": 0, "steps": 9, "simulations": 5, "cpu_seconds": 1}
        for block in range(6)
    ]
    for first, end, there in ((0, 3, 3), (0, 3, 3), (1, 5, 5), (5, 6, 6)):
        append(tmp_path, CELL, rows[first:end])
        assert [row["block"] for row in kept(tmp_path, CELL)] == [str(block) for block in range(there)]
    append(tmp_path / "other", CELL, rows[2:4])
    assert kept(tmp_path / "other", CELL) == []


@pytest.mark.usefixtures("by_the_definition")
def test_the_matches_are_those_of_match() -> None:
    blocks = [{name: str(value) for name, value in play_block(CELL, block).items()} for block in range(4)]
    row = row_of(CELL, blocks)
    agents = [CELL.agent, CELL.opponent]
    played = mg.match(CELL.game, agents, games=8, budget=5, start=2, points="roles", engine="reference")
    assert played.standings is not None
    pairing = played.standings.pairings[0]
    assert float(row["points"]) == pytest.approx(100 * pairing[0].points.mean, rel=1e-4)
    assert float(row["half"]) == pytest.approx(100 * (pairing[0].points.high - pairing[0].points.mean), rel=1e-4)
    assert float(row["steps"]) == pytest.approx(pairing.mean_steps, rel=1e-4)
    assert row["games"] == pairing.matches == 8


def test_an_interval_at_the_end_of_the_scale() -> None:
    """Of 50 blocks that are all won Wilson's interval begins at 1 / (1 + 1.96² / 50)."""
    assert half_of(summary([1.0] * 50)) == pytest.approx(1 - 1 / (1 + 1.959964**2 / 50), rel=1e-6)
    assert half_of(summary([0.0] * 49 + [0.5])) > 0.05
    inside = summary([0.5, 1.0] * 20)
    assert half_of(inside) == inside.high - inside.mean
    rows = [dict.fromkeys(COLUMNS, "1.0") | {"block": str(block)} for block in range(9)]
    assert row_of(CELL, rows)["p"] == "0.00390625", "nine coins that fall alike"


@pytest.mark.usefixtures("by_the_definition")
def test_an_agent_against_itself_plays_from_seeds_of_its_own() -> None:
    same = replace(CELL, agent=CELL.opponent)
    played = mg.match(CELL.game, [same.agent, same.opponent], games=2, budget=5, start=2, engine="reference")
    assert play_block(same, 0)["steps"] == f"{played.games[0].record.steps / 2 + played.games[1].record.steps / 2:.6g}"


def test_unknown_tables_are_refused() -> None:
    done = CliRunner().invoke(main, ["arena", "small", "--only", "S-VI"])
    assert (
        done.exit_code == 2
        and "there is no table S-VI; there are G-II, G-V, S-II, S-III, S-IV, S-IX, S-V, S-VII, S-XI, S-XIII, control, "
        "found"
        in done.output.replace("\n", " ")
    )


def test_budgets_that_no_cell_has_are_refused() -> None:
    done = CliRunner().invoke(main, ["arena", "--budget", "500"])
    assert done.exit_code == 2 and "cells have 300 or 1000 simulations, not 500" in done.output


def cell_row(table: str, game: str, column: str, budget: int, points: float, half: float) -> dict[str, object]:
    rest = {"draws": 0.1, "steps": 20, "simulations": 1000, "cpu_seconds": 0.5, "agent": "a", "opponent": "b"}
    head = {"table": table, "game": game, "column": column, "budget": budget, "games": 300}
    return {**head, "points": points, "half": half, **rest}


def test_how_cells_are_told(tmp_path: Path) -> None:
    rows = [
        cell_row("control", "quad", "itself", 300, 52, 3),
        cell_row("control", "battle", "itself", 300, 57, 3),
        cell_row("S-IV", "tictactoe3d", "0.4", 1_000, 84.4, 3.5),  # printed: 91.3 ± 1.8
        cell_row("S-IV", "quad", "0.4", 1_000, 75, 4),  # 76.6 ± 2.72
        cell_row("S-IV", "chinook", "0.4", 1_000, 45, 4),  # 63.5 ± 3.86
        cell_row("S-IV", "battle", "0.4", 1_000, 67.5, 9.8),  # 49.4 ± 3.84
        cell_row("S-IV", "connect5", "0.4", 1_000, 55, 6),  # 76.3 ± 3.16
    ]
    write_csv(tmp_path / TABLE_FILE, list(rows[0]), rows)
    text = arena_text(tmp_path)
    assert "| tictactoe3d | 91.3 → 84.4 ± 3.5 ▼ |" in text
    assert "| quad | 76.6 → 75.0 ± 4.0 |" in text
    assert "| battle | 49.4 → 67.5 ± 9.8 ▲ |" in text
    assert "1 000 simulations: 1 of 5 values agree with what is printed. Of 4 that are printed as clearly" in text
    assert "2 are so here, 1 are open, 1 are the other way round (chinook 0.4 45.0 ± 4.0)." in text
    assert "- quad: 52.0 ± 3.0 (300 matches, 300 simulations): holds." in text
    assert "- battle: 57.0 ± 3.0 (300 matches, 300 simulations): **does not hold**." in text
    assert "- tictactoe3d: 84.4 ± 3.5, here 84.4 ± 3.5 (300 matches): inside its interval, no difference shown." in text
    assert "- chinook: 65.0 ± 6.3, here 45.0 ± 4.0 (300 matches): outside its interval, clearly different." in text
    assert text.startswith("# Agents") and "7 of 438 cells are measured" in text


def test_columns_that_some_games_lack(tmp_path: Path) -> None:
    rows = [cell_row("S-XI", "tictactoe3d", "0.94", 300, 60, 5)]
    rows += [cell_row("S-XI", "quad", column, 300, 60, 5) for column in ("0.85", "0.9", "0.94")]
    write_csv(tmp_path / TABLE_FILE, list(rows[0]), rows)
    text = arena_text(tmp_path)
    assert "|  | 0.85 | 0.9 | 0.94 |" in text
    assert "| tictactoe3d |  |  | 65.0 → 60.0 ± 5.0 |" in text
    assert "| quad | 58.0 → 60.0 ± 5.0 | 64.6 → 60.0 ± 5.0 | 66.3 → 60.0 ± 5.0 |" in text


def test_a_page_without_a_table(tmp_path: Path) -> None:
    text = arena_text(tmp_path)
    assert text.lower().count(NOT_YET) == 1 + 10 + len(GAMES) + 3 + 10 + 2


def test_the_table_keeps_what_was_played_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [cell_row("S-IV", "quad", "0.4", 10, 75, 4), cell_row("S-IV", "quad", "0.6", 10, 70, 4)]
    write_csv(tmp_path / FOLDER / TABLE_FILE, list(before[0]), before)
    few = next(
        cell for cell in cells(TINY) if (cell.table, cell.game, cell.column, cell.budget) == ("S-IV", "quad", "0.2", 10)
    )
    fewer = replace(few, column="0.4", agent="a")
    monkeypatch.setattr(arena_running, "cells", lambda _: [few, fewer, replace(few, column="0.6")])
    blocks = [{"points": "0.5", "draws": "0", "steps": "9", "simulations": "5", "cpu_seconds": "1"}] * 3
    monkeypatch.setattr(arena_running, "kept", lambda _, cell: blocks[: 0 if cell.column == "0.6" else 3])
    write_cells(tmp_path, tmp_path, TINY)
    rows = read_csv(tmp_path / FOLDER / TABLE_FILE)
    assert [(row["column"], row["games"]) for row in rows] == [("0.2", "6"), ("0.4", "300"), ("0.6", "300")]


def found_row(game: str, member: str, points: float, p: float) -> dict[str, object]:
    return cell_row("found", game, member, 300, points, 3) | {"p": p}


def test_an_agent_found_beats_all_or_not(tmp_path: Path) -> None:
    rows = [found_row("quad", member, 60, 0.001) for member in POOL]
    rows += [found_row("battle", member, 60, p) for member, p in zip(POOL, (0.001, 0.02, 0.001, 0.01), strict=True)]
    rows += [found_row("chinook", member, 40 if member == "G's AP" else 60, 0.001) for member in POOL]
    rows += [found_row("connect5", "G's AP", 60, 0.001)]  # has not met the others
    write_csv(tmp_path / TABLE_FILE, list(rows[0]), rows)
    text = arena_text(tmp_path)
    # Holm for 0.001, 0.02, 0.001: times 3, times 1, times 2, and none below one before it
    assert "| quad | `a` | 60.0 ± 3.0 | 60.0 ± 3.0 | 60.0 ± 3.0 | 60.0 ± 3.0 | 0.003 | yes |" in text
    assert "| battle | `a` | 60.0 ± 3.0 | 60.0 ± 3.0 | 60.0 ± 3.0 | 60.0 ± 3.0 | 0.02 | yes |" in text
    assert "| chinook | `a` | 60.0 ± 3.0 | 60.0 ± 3.0 | 60.0 ± 3.0 | 40.0 ± 3.0 | 0.003 | no |" in text
    assert "on 2 of 3 games what the campaign puts first beats each of the papers' four (quad, battle)" in text
    assert "| connect5" not in text and "wanted on 5 of 8: not reached so far." in text


@pytest.mark.slow
def test_a_campaign_finds_an_agent_and_it_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_finding, "GAMES", ("tictactoe",))
    monkeypatch.setattr(arena_finding, "TREES", ("0.4",))
    monkeypatch.setattr(arena_finding, "DEPTH", 3)
    assert list(found_cells(tmp_path, TINY)) == []
    run_finding(tmp_path, TINY, 1, lambda _: None)
    found = list(found_cells(tmp_path, TINY))
    assert [cell.column for cell in found] == list(POOL) and len({cell.agent for cell in found}) == 1
    run_cells(tmp_path, TINY, 1, lambda _: None, found)
    assert all(len(kept(tmp_path, cell)) == TINY.games / 2 for cell in found)


def test_sides() -> None:
    one = Played("S-IV", "quad", "0.4", 300, 10, 60.0, 5.0, 0.0, 0.0)
    assert (one.side, replace(one, value=54.0).side, replace(one, value=40.0).side) == (1, 0, -1)
    assert one.beside(52.0, 6.0) == 1 and one.beside(53.0, 6.0) == 0 and one.beside(68.0, 6.0) == -1


def test_the_kept_table_is_of_cells_that_there_are() -> None:
    path = RESULTS / FOLDER / TABLE_FILE
    if not path.exists():
        return
    known = {(str(one.table), one.game, one.column, str(one.budget)): one for one in cells(FULL)}
    for row in read_csv(path):
        if row["table"] == "found":
            assert row["opponent"] == POOL[row["column"]] and row["game"] in GAMES
            continue
        cell = known[row["table"], row["game"], row["column"], row["budget"]]
        assert (row["agent"], row["opponent"]) == (cell.agent, cell.opponent)


def test_each_paper_has_its_own_rules() -> None:
    """S counts points by roles and searches twice before the first step; opponents of G are drawn as on test problems,
    another for each block."""
    drawn = family("AP 2")
    of_s, of_g = Cell("S-IV", "quad", "0.4", 300, "sim", "sim"), Cell("G-V", "quad", "AP 2", 300, "sim", "sim", drawn)
    assert (of_s.rule, of_s.start, of_s.opponent_in(3)) == ("roles", 2, "sim")
    assert (of_g.rule, of_g.start) == ("agents", 1)
    opponents = [of_g.opponent_in(block) for block in range(8)]
    assert opponents == [drawn.drawn("test", block) for block in range(8)] and len(set(opponents)) > 4
    assert opponents != [drawn.drawn("train", block) for block in range(8)]
