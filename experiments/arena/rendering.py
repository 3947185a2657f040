"""results/arena.md from results/arena/cells.csv and the published values alone. Nothing is played."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.arena.cells import ARENA_SCALES, GAMES, TableName, cells
from experiments.arena.found import found_in_short, found_lines
from experiments.arena.played import Played, read_played, side_of
from experiments.arena.running import FOLDER
from experiments.files import write
from experiments.markdown import NOT_YET, NOT_YET_SENTENCE, duration, signed, table_lines, thousands

NAME = "arena.md"
READING = Path(__file__).parent / "reading.md"
TITLES: dict[TableName, str] = {
    "S-IV": "S, table IV: MAST with move decay against MAST without",
    "S-II": "S, table II: NST with move decay against NST without",
    "S-III": "S, table III: NST, with decay 1 and 0.6, against MAST without",
    "S-V": "S, table V: MAST, with decay 1 and 0.4, against NST without",
    "S-VII": "S, table VII: NST with decay 0.6 against MAST with decay 0.4",
    "S-IX": "S, tables IX and X: NST with batch decay 0.9 after every so many simulations, against NST without",
    "S-XI": "S, tables XI and XII: NST with simulation decay against NST without",
    "S-XIII": "S, table XIII: NST with move and simulation decay together against NST without",
    "G-II": "G, table II: UCT with MAST, c and eps tuned while it plays, against the same with fixed values",
    "G-V": "G, table V: tuned by `ntbea` against values drawn at random",
}
EXPECTED = {"tictactoe3d": (84.4, 3.5), "quad": (74.3, 6.2), "chinook": (65.0, 6.3)}
"""What a prototype, written before this program, had in S's table IV with decay 0.4 and EXPECTED_BUDGET, and half its
intervals."""
EXPECTED_BUDGET = 1_000


MARKS = {0: "", 1: " ▲", -1: " ▼"}


def render_arena(results: Path) -> Path:
    """Write it."""
    path = results / NAME
    write(path, arena_text(results / FOLDER))
    return path


def arena_text(folder: Path) -> str:
    played = read_played(folder)
    parts = ["# Agents against each other: the published tables again", ""]
    parts += [*_standing(played), *_in_short(played), *_controls(played)]
    parts += ["## How to read this", "", READING.read_text("utf-8")]
    for table, title in TITLES.items():
        own = [one for one in played if one.table == table]
        parts += [f"## {title}", ""]
        for budget in sorted({one.budget for one in own}, reverse=True):
            parts += _table([one for one in own if one.budget == budget], budget)
        if not own:
            parts += [NOT_YET_SENTENCE, ""]
    parts += found_lines(played)
    return "\n".join(parts).rstrip() + "\n"


def _standing(played: Sequence[Played]) -> Iterator[str]:
    full = ARENA_SCALES["full"]
    wanted = len(cells(full))
    played = [one for one in played if one.table != "found"]
    if not played:
        yield from (f"All {wanted} cells: {NOT_YET}.", "")
        return
    games = [one.games for one in played]
    spent = sum(one.games * one.cpu_seconds for one in played)
    yield from (
        f"{len(played)} of {wanted} cells are measured, by {min(games)} to {max(games)} matches each, of "
        f"{full.games}, {full.fewer} or {full.fewer // 2} in the end; {thousands(sum(games))} matches, "
        f"{duration(spent)} of CPU in their searches. The fewer matches, the wider the intervals, and the more a cell "
        "may agree by chance.",
        "",
    )


def _in_short(played: Sequence[Played]) -> Iterator[str]:
    yield from ("## In short", "")
    for table, title in TITLES.items():
        own = [one for one in played if one.table == table]
        for budget in sorted({one.budget for one in own}, reverse=True):
            yield f"- {title}, {thousands(budget)} simulations: {_tally([one for one in own if one.budget == budget])}"
        if not own:
            yield f"- {title}: {NOT_YET}."
    yield f"- Agents that campaigns find: {found_in_short(played)}"
    yield ""


def _tally(own: Sequence[Played]) -> str:
    pairs = [(one, *one.printed) for one in own if one.printed is not None]
    agree = sum(one.beside(value, half) == 0 for one, value, half in pairs)
    clear = [(one, side_of(value, half)) for one, value, half in pairs if side_of(value, half) != 0]
    same = sum(one.side == side for one, side in clear)
    against = [one for one, side in clear if one.side == -side]
    text = (
        f"{agree} of {len(pairs)} values agree with what is printed. Of {len(clear)} that are printed as clearly above "
    )
    text += f"or below 50, {same} are so here, {len(clear) - same - len(against)} are open"
    named = "; ".join(f"{one.game} {one.column} {one}" for one in against)
    return text + (f", {len(against)} are the other way round ({named})." if against else ".")


def _controls(played: Sequence[Played]) -> Iterator[str]:
    yield from ("## Controls", "", "*An agent against itself has 50.* S's MAST without decay:", "")
    null = {one.game: one for one in played if one.table == "control"}
    for game in GAMES:
        one = null.get(game)
        if one is None:
            yield f"- {game}: {NOT_YET}."
        else:
            verdict = "holds" if one.side == 0 else "**does not hold**"
            yield f"- {game}: {one} ({one.games} matches, {thousands(one.budget)} simulations): {verdict}."
    yield from (
        "",
        "*What a prototype, written before this program, had* in S's table IV, decay 0.4, "
        f"{thousands(EXPECTED_BUDGET)} simulations:",
        "",
    )
    for game, (value, half) in EXPECTED.items():
        found = [
            one
            for one in played
            if (one.table, one.game, one.column, one.budget) == ("S-IV", game, "0.4", EXPECTED_BUDGET)
        ]
        for one in found:
            inside = "inside its interval" if abs(one.value - value) <= half else "outside its interval"
            clear = "clearly different" if one.beside(value, half) else "no difference shown"
            yield f"- {game}: {value:.1f} ± {half:.1f}, here {one} ({one.games} matches): {inside}, {clear}."
        if not found:
            yield f"- {game}: {value:.1f} ± {half:.1f}, here {NOT_YET}."
    yield ""


def _table(own: Sequence[Played], budget: int) -> Iterator[str]:
    columns = max(([one.column for one in own if one.game == game] for game in GAMES), key=len)  # some games have fewer
    by_place = {(one.game, one.column): one for one in own}
    rows = [
        [game, *(_cell(by_place.get((game, column))) for column in columns)]
        for game in GAMES
        if any((game, column) in by_place for column in columns)
    ]
    games = [one.games for one in own]
    how_many = f"{min(games)}" if min(games) == max(games) else f"{min(games)} to {max(games)}"
    yield from (f"{thousands(budget)} simulations, {how_many} matches a cell:", "")
    yield from (*table_lines(["", *columns], rows), "")
    pairs = [(one, *one.printed) for one in own if one.printed is not None]
    if pairs:
        mean = sum(one.value - value for one, value, _ in pairs) / len(pairs)
        yield from (f"Ours less what is printed: {signed(mean)} in the mean over {len(pairs)} cells.", "")


def _cell(one: Played | None) -> str:
    if one is None:
        return ""
    if one.printed is None:
        return str(one)
    value, half = one.printed
    return f"{value:.1f} → {one}{MARKS[one.beside(value, half)]}"
