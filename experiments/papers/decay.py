"""Tak, Winands and Björnsson (2014): playouts that learn, and forget."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from discovery.evaluation.statistics import SIGNIFICANT, holm
from experiments.adaptive.lines import Gain, in_brief
from experiments.adaptive.questions import GAMES as GAMES_OF_ONE
from experiments.arena.cells import GAMES, MIXED
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
FRAMES = {"sim": "playouts alone", "select": "in a tree"}


def as_printed(own: Sequence[Played]) -> tuple[int, int, list[Played]]:
    """Of the cells whose printed value is clearly above or below 50: how many are so and open, and which are the other
    way round."""
    clear = [(one, side_of(*one.printed)) for one in own if one.printed is not None and side_of(*one.printed)]
    same = sum(one.side == side for one, side in clear)
    against = [one for one, side in clear if one.side == -side]
    return same, len(clear) - same - len(against), against


def like_printed(
    table: str, columns: Sequence[str], games: Sequence[str] = GAMES, no_harm: bool = False
) -> Callable[[Evidence], Finding]:
    """Whether the cells of a table of agents that the paper prints as clear are so here. `no_harm`: and whether no cell
    is clearly below 50, at any budget."""

    def judge(evidence: Evidence) -> Finding:
        own = [one for one in evidence.played(table) if one.column in columns and one.game in games]
        same, open_ones, against = as_printed(own)
        total = same + open_ones + len(against)
        if not total:
            raise LookupError
        planned = len(columns) * len(games)
        text = (
            f"{len(own)} of {planned} cells are measured, at {thousands(own[0].budget)} simulations. Of {total} that "
            f"are printed as clearly above or below 50, {same} are so here, {open_ones} are open, {len(against)} are "
            "the other way round"
        )
        if len(columns) == 1:
            text += f" ({'; '.join(f'{one.game} {one}' for one in own)})"
        elif against:
            text += f" ({'; '.join(f'{one.game} {one.column} {one}' for one in against)})"
        cases = [1] * same + [0] * open_ones + [-1] * len(against)
        if no_harm:
            every, harmed = _harmed(evidence, table, columns)
            cases += [-1] * len(harmed) or [1]
            text += (
                f". Below 50 beyond chance, of {every} cells at all budgets, with Holm's correction: "
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


def _against_nst(evidence: Evidence) -> Finding:
    """Table V: what move decay gains MAST against the same opponent."""
    values = {(one.game, one.column): one for one in evidence.played("S-V")}
    there = [game for game in GAMES if {(game, "1"), (game, "0.4")} <= set(values)]
    same, against, clear, told = 0, 0, 0, []
    for game in there:
        without, with_decay = values[game, "1"], values[game, "0.4"]
        assert without.printed is not None and with_decay.printed is not None
        gain, half = _apart((without.value, without.half), (with_decay.value, with_decay.half))
        printed = side_of(*_apart(without.printed, with_decay.printed), middle=0.0)
        own = side_of(gain, half, middle=0.0)
        clear, same, against = clear + (printed != 0), same + (own * printed > 0), against + (own * printed < 0)
        told.append(f"{game} {signed(gain)} ± {half:.1f}")
    if not clear:
        raise LookupError
    text = (
        f"What it gains, at {thousands(values[there[0], '1'].budget)} simulations: {'; '.join(told)}. Of {clear} that "
        f"are printed as clear, {same} are so here, {against} are the other way round."
    )
    return Finding(judged(same, against, clear), text, "" if len(there) == len(GAMES) else SO_FAR)


def _apart(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """The second less the first, and half the interval of that."""
    return second[0] - first[0], math.hypot(first[1], second[1])


def _beside_move_decay(table: str, column: str, decay: str) -> Callable[[Evidence], Finding]:
    """Whether move decay 0.6 of NST is no worse than another decay, and, for one player, what that gains."""

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
        return Finding(weighed([found.move_is_no_worse]), f"{found.text} {alone}", found.limits)

    return judge


def _no_more_together(evidence: Evidence) -> Finding:
    found = {f"{move} and {sim}": _beside(evidence, "S-XIII", f"{move} and {sim}") for move, sim in MIXED}
    text = " ".join(f"With {decays}: {one.text}" for decays, one in found.items())
    limits = next(iter(found.values())).limits
    return Finding(weighed(one.move_is_no_worse for one in found.values()), text, limits)


@dataclass(frozen=True)
class BesideMoveDecay:
    """NST with another decay, and with move decay 0.6, each against NST without."""

    games: int
    gain: float
    """of the other over move decay, in the mean over the games"""
    half: float
    """of its interval"""
    text: str

    @property
    def move_is_no_worse(self) -> int:
        return no_worse(-self.gain - self.half, -self.gain + self.half)

    @property
    def limits(self) -> str:
        return "" if self.games == len(GAMES) else SO_FAR


def _beside(evidence: Evidence, table: str, column: str) -> BesideMoveDecay:
    others = {one.game: one for one in evidence.played(table) if one.column == column}
    budget = next(iter(others.values())).budget
    moves = {one.game: one for one in evidence.played("S-II", budget) if one.column == "0.6"}
    pairs = {game: (moves[game], others[game]) for game in GAMES if game in others and game in moves}
    gains = {game: _apart((a.value, a.half), (b.value, b.half)) for game, (a, b) in pairs.items()}
    mean = fmean(gain for gain, _ in gains.values())
    half = math.hypot(*(half for _, half in gains.values())) / len(gains)
    of_moves, of_others = (fmean(pair[i].value for pair in pairs.values()) for i in (0, 1))
    told = "; ".join(f"{game} {signed(gain)} ± {half:.1f}" for game, (gain, half) in gains.items())
    text = (
        f"{of_others:.1f} % of the points against NST without decay in the mean over {len(pairs)} games, with move "
        f"decay 0.6 {of_moves:.1f}, at {thousands(budget)} simulations: {signed(mean)} ± {half:.1f} ({told})."
    )
    return BesideMoveDecay(len(pairs), mean, half, text)


TAK = Paper(
    "S",
    "Decaying Simulation Strategies",
    "Tak, Winands and Björnsson, 2014",
    (
        Claim(
            "Table II, VI-A",
            "NST with move decay 0.4 to 0.6 is better than without in some games, and hardly ever worse.",
            "arena.md",
            like_printed("S-II", ("0.4", "0.6"), no_harm=True),
        ),
        Claim(
            "Table II",
            "Forgetting everything after each move (decay 0) harms NST in some games and helps it in others.",
            "arena.md",
            like_printed("S-II", ("0",)),
        ),
        Claim(
            "Table III",
            "NST is better than MAST in most games, Battle excepted, with decay 0.6 more so.",
            "arena.md",
            like_printed("S-III", ("1", "0.6")),
        ),
        Claim(
            "Table IV",
            "MAST with move decay 0.4 is better than without where good moves depend on the position, and not worse "
            "elsewhere.",
            "arena.md",
            like_printed("S-IV", ("0.4",), no_harm=True),
        ),
        Claim(
            "Table IV",
            "So it is with other decays; even decay 0 does MAST no harm.",
            "arena.md",
            like_printed("S-IV", ("0", "0.2", "0.6", "0.8"), no_harm=True),
        ),
        Claim(
            "Table V",
            "MAST with decay 0.4 is better against NST than MAST without.",
            "arena.md",
            _against_nst,
        ),
        Claim(
            "Table VI",
            "With one player move decay brings hardly anything.",
            "adaptive.md#3-nst-mast-and-decay-on-the-six-games",
            _one_player_move_decay,
        ),
        Claim(
            "Table VI",
            "With one player NST is better than MAST on four games, worse on Pancakes, equal on Statespace.",
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
            "Tables IX, X",
            "Batch decay helps in the games where move decay does.",
            "arena.md",
            like_printed("S-IX", ("50",)),
        ),
        Claim(
            "Table X",
            "In most games move decay is at least as good as batch decay.",
            "arena.md",
            _beside_move_decay("S-IX", "50", "batch decay"),
        ),
        Claim(
            "Tables XI, XII",
            "In most games move decay is at least as good as simulation decay.",
            "arena.md",
            _beside_move_decay("S-XI", "0.94", "simulation decay"),
        ),
        Claim("Table XIII", "Both together bring no more than move decay alone.", "arena.md", _no_more_together),
    ),
)
