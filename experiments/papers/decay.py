"""Tak, Winands and Björnsson (2014): playouts that learn, and forget."""

from collections.abc import Callable, Sequence

from experiments.adaptive.lines import Gain, in_brief
from experiments.adaptive.questions import GAMES as GAMES_OF_ONE
from experiments.arena.cells import GAMES
from experiments.arena.played import Played, side_of
from experiments.markdown import thousands
from experiments.papers.claims import NOTHING, SO_FAR, Claim, Evidence, Finding, Paper, counted, judged, some

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


def cells_text(own: Sequence[Played]) -> str:
    return "; ".join(f"{one.game} {one}" for one in own)


def as_printed(own: Sequence[Played]) -> tuple[int, int, int]:
    """Of the cells whose printed value is clearly above or below 50: how many are so, open, the other way round."""
    clear = [(one, side_of(*one.printed)) for one in own if one.printed is not None and side_of(*one.printed)]
    same, against = (sum(one.side == sign * side for one, side in clear) for sign in (1, -1))
    return same, len(clear) - same - against, against


def like_printed(table: str, columns: Sequence[str], games: Sequence[str] = GAMES) -> Callable[[Evidence], Finding]:
    """Whether the cells of a table of agents that the paper prints as clear are so here."""

    def judge(evidence: Evidence) -> Finding:
        own = [one for one in evidence.played(table) if one.column in columns and one.game in games]
        same, open_ones, against = as_printed(own)
        total = same + open_ones + against
        if not total:
            raise LookupError
        planned = len(columns) * len(games)
        text = (
            f"{len(own)} of {planned} cells are measured, at {thousands(own[0].budget)} simulations. Of {total} that "
            f"are printed as clearly above or below 50, {same} are so here, {open_ones} are open, {against} are the "
            f"other way round ({cells_text(own)})"
        )
        return Finding(judged(same, against, total), text + ".", "" if len(own) == planned else SO_FAR)

    return judge


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


def _other_decay(decay: str) -> Callable[[Evidence], Finding]:
    def judge(evidence: Evidence) -> Finding:
        gains = [
            gain
            for frame in FRAMES
            for policy in ("mast", "nst")
            for gain in some(_gains(evidence, frame, f"decay of {policy}", f"{policy}, {decay}"))
        ]
        text = f"Not with two players. On {len(GAMES_OF_ONE)} games of one, where the paper did not try it: "
        return Finding(NOTHING, f"{text}{in_brief(gains)}.")

    return judge


TAK = Paper(
    "S",
    "Decaying Simulation Strategies",
    "Tak, Winands and Björnsson, 2014",
    (
        Claim(
            "Table II, VI-A",
            "NST with move decay 0.4 to 0.6 is better than without in some games, and hardly ever worse.",
            "arena.md",
            like_printed("S-II", ("0.4", "0.6")),
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
            like_printed("S-IV", ("0.4",)),
        ),
        Claim(
            "Table IV",
            "So it is with other decays; even decay 0 does MAST no harm.",
            "arena.md",
            like_printed("S-IV", ("0", "0.2", "0.6", "0.8")),
        ),
        Claim(
            "Table V",
            "MAST with decay 0.4 is better against NST than MAST without.",
            "",
            why_not="no matches of that kind are played: tables III and IV ask the same of other pairs",
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
            "",
            why_not="no matches of that kind are played",
        ),
        Claim(
            "Tables VIII to X",
            "Batch decay helps where move decay does, and is no better.",
            "adaptive.md#3-nst-mast-and-decay-on-the-six-games",
            _other_decay("batch decay"),
        ),
        Claim(
            "Tables XI, XII",
            "Simulation decay is as good as move decay.",
            "adaptive.md#3-nst-mast-and-decay-on-the-six-games",
            _other_decay("simulation decay"),
        ),
        Claim("Table XIII", "Both together bring no more.", "", why_not="no matches of that kind are played"),
    ),
)
