"""Tak, Winands and Björnsson (2014): playouts that learn, and forget."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy import stats

from discovery.statistics import SIGNIFICANT, holm
from experiments.adaptive.lines import Gain, in_brief
from experiments.adaptive.questions import GAMES as GAMES_OF_ONE
from experiments.arena.cells import DECAYS, GAMES, GAMES_OF_BATCHES, MIXED
from experiments.arena.played import Played, side_of
from experiments.markdown import signed, thousands
from experiments.papers.claims import SO_FAR, Claim, Evidence, Finding, Paper, counted, judged, no_worse, some, weighed

BUDGET = 1_000
"""Of the one-player games."""
NST_LESS_MAST = {
    "sudoku_simple": 1,
    "statespace": 0,
    "queens": 1,
    "pancakes": -1,
    "knights": 1,
    "frogs": 1,
}
"""Table VI without decay: whether the printed intervals of NST and MAST lie apart, and which is above."""
OTHER_DECAYS = tuple(str(decay) for decay in DECAYS if decay != 0.4)
FRAMES = {"sim": "playouts alone", "select": "in a tree"}


def as_printed(own: Sequence[Played], sides: Sequence[int] = (1, -1)) -> tuple[int, int, list[Played]]:
    """Of the cells whose printed value is clearly on one of these sides of 50: how many are so and open, and which are
    the other way round."""
    clear = [(one, side_of(*one.printed)) for one in own if one.printed is not None and side_of(*one.printed) in sides]
    same = sum(one.side == side for one, side in clear)
    against = [one for one, side in clear if one.side == -side]
    return same, len(clear) - same - len(against), against


def like_printed(
    table: str,
    columns: Sequence[str],
    games: Sequence[str] = GAMES,
    helps: bool = False,
    harmless: Sequence[str] = (),
) -> Callable[[Evidence], Finding]:
    """Whether the cells of a table of agents that the paper prints as clear are so here. `helps`: only those above 50.
    `harmless`: and whether no cell of these columns is clearly below 50, at any budget."""

    def judge(evidence: Evidence) -> Finding:
        own = [one for one in evidence.played(table) if one.column in columns and one.game in games]
        same, open_ones, against = as_printed(own, (1,) if helps else (1, -1))
        total = same + open_ones + len(against)
        if not total:
            raise LookupError
        planned = len(columns) * len(games)
        text = (
            f"{len(own)} of {planned} cells are measured, at {thousands(own[0].budget)} simulations. Of {total} that "
            f"are printed as clearly above {'' if helps else 'or below '}50, {same} are so here, {open_ones} are open, "
            f"{len(against)} are the other way round"
        )
        if len(columns) == 1:
            text += f" ({'; '.join(f'{one.game} {one}' for one in own)})"
        elif against:
            text += f" ({'; '.join(f'{one.game} {one.column} {one}' for one in against)})"
        cases = [1] * same + [0] * open_ones + [-1] * len(against)
        if harmless:
            every, harmed = _harmed(evidence, table, harmless)
            cases += [-1] * len(harmed) or [1]
            which = "" if harmless == columns else f" with {', '.join(harmless)}"
            text += (
                f". Below 50 beyond chance, of {every} cells{which} at all budgets, with Holm's correction: "
                f"{', '.join(f'{one.game} {one.column} {one}' for one in harmed) or 'none'}"
            )
        return Finding(weighed(cases), text + ".", "" if len(own) == planned else SO_FAR)

    return judge


def _harmed(evidence: Evidence, table: str, columns: Sequence[str]) -> tuple[int, list[Played]]:
    """How many cells these columns have at all budgets, and those that are below 50 beyond chance."""
    cells = [one for n in evidence.budgets(table) for one in evidence.played(table, n) if one.column in columns]
    ps = holm([one.p for one in cells])
    return len(cells), [one for one, p in zip(cells, ps, strict=True) if p < SIGNIFICANT and one.value < 50]


def _gains(evidence: Evidence, frame: str, contest: str, label: str) -> list[Gain]:
    return evidence.adaptive.gains("policies", f"{frame}: {contest}", BUDGET, label)


def _one_player_move_decay(evidence: Evidence) -> Finding:
    gains = [g for p in ("mast", "nst") for g in some(_gains(evidence, "select", f"decay of {p}", f"{p}, move decay"))]
    better, open_ones, worse = counted(gains)
    text = f"MAST with 0.4 and NST with 0.6, in a tree, beside the same without: {in_brief(gains)}"
    return Finding(judged(open_ones + worse, better, len(gains)), text + ".")


def _one_player_nst(evidence: Evidence) -> Finding:
    parts, good, bad, total = [], 0, 0, 0
    for frame, words in FRAMES.items():
        gains = some(_gains(evidence, frame, "nst and mast", "nst"))
        parts.append(f"{words} {in_brief(gains)}")
        for gain in gains:
            side = {"better": 1, "open": 0, "worse": -1}[gain.verdict]
            printed = NST_LESS_MAST[gain.domain]
            good, bad, total = good + (side == printed), bad + (side * printed < 0), total + 1
    text = f"NST beside MAST: {'; '.join(parts)}. {good} of {total} are as printed, {bad} the other way round"
    return Finding(judged(good, bad, total), text + ".")


def _gained(table: str, without: str, with_decay: str) -> Callable[[Evidence], Finding]:
    """What decay gains an agent against one opponent, where the paper prints that as clear."""

    def judge(evidence: Evidence) -> Finding:
        values = {(one.game, one.column): one for one in evidence.played(table)}
        there = [game for game in GAMES if {(game, without), (game, with_decay)} <= set(values)]
        same, against, clear, told = 0, 0, 0, []
        for game in there:
            before, after = values[game, without], values[game, with_decay]
            gain, half = _apart((before.value, before.half), (after.value, after.half))
            printed = side_of(*_apart(printed_of(before), printed_of(after)), middle=0.0)
            own = side_of(gain, half, middle=0.0)
            clear, same, against = clear + (printed != 0), same + (own * printed > 0), against + (own * printed < 0)
            told.append(f"{game} {signed(gain)} ± {half:.1f}")
        if not clear:
            raise LookupError
        text = (
            f"What it gains, at {thousands(values[there[0], without].budget)} simulations: {'; '.join(told)}. Of "
            f"{clear} that are printed as clear, {same} are so here, {against} are the other way round."
        )
        return Finding(judged(same, against, clear), text, "" if len(there) == len(GAMES) else SO_FAR)

    return judge


def printed_of(one: Played) -> tuple[float, float]:
    if one.printed is None:
        raise LookupError
    return one.printed


def _apart(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """The second less the first, and half the interval of that."""
    return second[0] - first[0], math.hypot(first[1], second[1])


def _beside_move_decay(table: str, column: str, decay: str) -> Callable[[Evidence], Finding]:
    """Whether move decay 0.6 of NST is no worse than another decay, game by game, and, for one player, what that
    gains."""

    def judge(evidence: Evidence) -> Finding:
        found = _beside(evidence, table, column)
        gains = [
            gain
            for frame in FRAMES
            for policy in ("mast", "nst")
            for gain in some(_gains(evidence, frame, f"decay of {policy}", f"{policy}, {decay}"))
        ]
        alone = (
            f"On {len(GAMES_OF_ONE)} games of one player, where the paper did not try it, beside no decay at all: "
            f"{in_brief(gains)}."
        )
        return Finding(weighed(found.games_no_worse), f"{found.text} {alone}", found.limits)

    return judge


def _as_much_in_all(evidence: Evidence) -> Finding:
    found = _beside(evidence, "S-XI", "0.94")
    return Finding(weighed([found.is_equal]), found.text, found.limits)


def _no_more_together(evidence: Evidence) -> Finding:
    found = {f"{move} and {sim}": _beside(evidence, "S-XIII", f"{move} and {sim}") for move, sim in MIXED}
    text = " ".join(f"With {decays}: {one.text}" for decays, one in found.items())
    limits = next(iter(found.values())).limits
    return Finding(weighed(one.move_is_no_worse for one in found.values()), text, limits)


@dataclass(frozen=True)
class BesideMoveDecay:
    """NST with another decay, and with move decay 0.6, each against NST without."""

    gains: Sequence[tuple[float, float]]
    """of the other over move decay, and half of its interval, game by game"""
    text: str

    @property
    def gain(self) -> tuple[float, float]:
        """The same in the mean over the games."""
        return mean_of(self.gains)

    @property
    def games_no_worse(self) -> list[int]:
        """Whether move decay is no worse, in each game."""
        return [no_worse(-gain - half, half - gain) for gain, half in self.gains]

    @property
    def move_is_no_worse(self) -> int:
        gain, half = self.gain
        return no_worse(-gain - half, half - gain)

    @property
    def is_equal(self) -> int:
        """Whether neither is worse than the other over all games."""
        gain, half = self.gain
        return min(no_worse(gain - half, gain + half), no_worse(-gain - half, half - gain))

    @property
    def limits(self) -> str:
        return "" if len(self.gains) == len(GAMES) else SO_FAR


def mean_of(cells: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The mean of values that chance parts from each other, and half of its interval."""
    return fmean(value for value, _ in cells), math.hypot(*(half for _, half in cells)) / len(cells)


def _beside(evidence: Evidence, table: str, column: str) -> BesideMoveDecay:
    others = {one.game: one for one in evidence.played(table) if one.column == column}
    budget = next(iter(others.values())).budget
    moves = {one.game: one for one in evidence.played("S-II", budget) if one.column == "0.6"}
    pairs = {game: (moves[game], others[game]) for game in GAMES if game in others and game in moves}
    gains = {game: _apart((a.value, a.half), (b.value, b.half)) for game, (a, b) in pairs.items()}
    mean, half = mean_of(list(gains.values()))
    of_moves, of_others = (fmean(pair[i].value for pair in pairs.values()) for i in (0, 1))
    printed_moves, printed_others = (fmean(printed_of(pair[i])[0] for pair in pairs.values()) for i in (0, 1))
    told = "; ".join(f"{game} {signed(gain)} ± {half:.1f}" for game, (gain, half) in gains.items())
    text = (
        f"{of_others:.1f} % of the points against NST without decay in the mean over {len(pairs)} games, with move "
        f"decay 0.6 {of_moves:.1f} (printed: {printed_others:.1f} and {printed_moves:.1f}), at {thousands(budget)} "
        f"simulations: {signed(mean)} ± {half:.1f} ({told})."
    )
    return BesideMoveDecay(list(gains.values()), text)


def _no_decay_is_best(evidence: Evidence) -> Finding:
    """Whether in some game another move decay is better than the one that is best over all games."""
    cases, parts = [], []
    for table, name in (("S-IV", "MAST"), ("S-II", "NST")):
        own = {(one.game, one.column): (one.value, one.half) for one in evidence.played(table)}
        there = [game for game in GAMES if {(game, str(decay)) for decay in DECAYS} <= set(own)]
        if not there:
            raise LookupError
        best = max(DECAYS, key=lambda decay: fmean(own[game, str(decay)][0] for game in there))
        others = [(game, decay) for game in there for decay in DECAYS if decay != best]
        gains = [_apart(own[game, str(best)], own[game, str(decay)]) for game, decay in others]
        ps = holm([_p_of(*gain) for gain in gains])
        better = [
            f"{game} {decay:g} {signed(gain)} ± {half:.1f}"
            for (game, decay), (gain, half), p in zip(others, gains, ps, strict=True)
            if p < SIGNIFICANT and gain > 0
        ]
        cases.append(1 if better else 0)
        parts.append(
            f"{name} has most points over {len(there)} games with {best:g}; of {len(others)} cells with another, those "
            f"clearly above it, with Holm's correction: {', '.join(better) or 'none'}"
        )
    return Finding(weighed(cases), f"{'. '.join(parts)}.")


def _p_of(gain: float, half: float) -> float:
    """Of a normal gain whose 95 % interval has this half width."""
    return float(2 * stats.norm.sf(abs(gain) / half * stats.norm.isf(0.025))) if half else float(gain == 0)


TAK = Paper(
    "S",
    "Decaying Simulation Strategies",
    "Tak, Winands and Björnsson, 2014",
    (
        Claim(
            "Table II, VI-A",
            "NST with move decay 0.4 or 0.6 is better than without in some games; with 0.6 it is hardly ever worse.",
            "arena.md",
            like_printed("S-II", ("0.4", "0.6"), helps=True, harmless=("0.6",)),
        ),
        Claim(
            "Table II",
            "Forgetting everything after each move (decay 0) harms NST in some games and helps it in others.",
            "arena.md",
            like_printed("S-II", ("0",)),
        ),
        Claim(
            "Table III, VI-A",
            "NST is better than MAST in most games, Battle excepted, without decay and with decay 0.6.",
            "arena.md",
            like_printed("S-III", ("1", "0.6")),
        ),
        Claim(
            "Table III, VI-A",
            "Against MAST NST has more with decay 0.6 than without: on 3D Tic-tac-toe, Connect 5, Breakthrough, Quad, "
            "Battle and Chinook.",
            "arena.md",
            _gained("S-III", "1", "0.6"),
        ),
        Claim(
            "Table IV, VI-A",
            "MAST with move decay 0.4 is clearly better than without in some games, and about as good in the others.",
            "arena.md",
            like_printed("S-IV", ("0.4",), harmless=("0.4",)),
        ),
        Claim(
            "Table IV, VI-A",
            "So it is with other decays: even decay 0 does MAST no harm.",
            "arena.md",
            like_printed("S-IV", OTHER_DECAYS, harmless=OTHER_DECAYS),
        ),
        Claim(
            "Table V",
            "The same games profit where MAST with decay 0.4 plays against NST: 3D Tic-tac-toe, Connect 5 and Quad.",
            "arena.md",
            _gained("S-V", "1", "0.4"),
        ),
        Claim(
            "Table VI",
            "With one player move decay brings hardly anything.",
            "adaptive.md#3-nst-mast-and-decay-on-the-six-games",
            _one_player_move_decay,
        ),
        Claim(
            "Table VI",
            "With one player and no decay NST is better than MAST on four games, worse on Pancakes, equal on "
            "Statespace.",
            "adaptive.md#3-nst-mast-and-decay-on-the-six-games",
            _one_player_nst,
        ),
        Claim(
            "Table VII",
            "With decay, too, NST is better than MAST in most games.",
            "arena.md",
            like_printed("S-VII", ("0.6",)),
        ),
        Claim(
            "Table IX",
            "Batch decay helps in the games where move decay does, Chinook excepted.",
            "arena.md",
            like_printed("S-IX", ("50",), GAMES_OF_BATCHES, helps=True),
        ),
        Claim(
            "Table X",
            "For most games move decay is at least as good as batch decay.",
            "arena.md",
            _beside_move_decay("S-IX", "50", "batch decay"),
        ),
        Claim(
            "Table XII, VI-C",
            "In most games move decay is at least as good as simulation decay.",
            "arena.md",
            _beside_move_decay("S-XI", "0.94", "simulation decay"),
        ),
        Claim("Table XII, VI-C", "Over all games both have about as many points.", "arena.md", _as_much_in_all),
        Claim("Table XIII", "Both together bring no more than move decay alone.", "arena.md", _no_more_together),
        Claim(
            "VII",
            "No single decay is best in all games, so that choosing it while playing can gain.",
            "arena.md",
            _no_decay_is_best,
        ),
    ),
)
