"""Sironi, Liu and Winands (2020): parameters tuned while they are used, in games of several players."""

import math
from collections.abc import Sequence
from statistics import fmean

from experiments.adaptive.lines import Gain, in_brief
from experiments.adaptive.questions import CURVE, OPEN
from experiments.arena.cells import GAMES_OF_G, TUNERS
from experiments.arena.cells import OPEN as OPEN_OF_G
from experiments.arena.played import Played, side_of
from experiments.files import read_text_table
from experiments.markdown import signed, thousands
from experiments.papers.claims import (
    ONE_PLAYER,
    SO_FAR,
    TWO_PARAMETERS,
    Claim,
    Evidence,
    Finding,
    Paper,
    counted,
    judged,
    no_worse,
    some,
    weighed,
)
from experiments.papers.decay import like_printed, mean_of, printed_of

BUDGET = 1_000
DISCRETE = tuple(name for name in TUNERS if name != "cmaes")


def of_ntbea(evidence: Evidence, n: int, other: str) -> list[Gain]:
    return [gain.turned() for gain in evidence.adaptive.gains("tuners", str(n), BUDGET, other)]


def _so_far(own: Sequence[Played], columns: Sequence[str]) -> str:
    wanted = {(game, column) for game in GAMES_OF_G for column in columns}
    return "" if {(one.game, one.column) for one in own} >= wanted else SO_FAR


def _means(evidence: Evidence) -> tuple[dict[str, tuple[float, float]], str, str]:
    """What each tuner has over all games with two parameters, and half of its interval; that in words, and the limits
    of it."""
    own = evidence.played("G-II")
    there = [game for game in GAMES_OF_G if {one.column for one in own if one.game == game} >= set(TUNERS)]
    if not there:
        raise LookupError
    cells = {name: [one for one in own if one.column == name and one.game in there] for name in TUNERS}
    means = {name: mean_of([(one.value, one.half) for one in cells[name]]) for name in TUNERS}
    printed = {name: mean_of([printed_of(one) for one in cells[name]])[0] for name in TUNERS}
    shown = ", ".join(
        f"`{name}` {means[name][0]:.1f} ± {means[name][1]:.1f} (printed: {printed[name]:.1f})"
        for name in sorted(means, key=lambda n: -means[n][0])
    )
    text = (
        f"Mean percent of the points against the fixed values over {len(there)} games, at {thousands(own[0].budget)} "
        f"simulations: {shown}."
    )
    return means, text, SO_FAR if len(there) < len(GAMES_OF_G) else ""


def _apart(means: dict[str, tuple[float, float]], name: str, other: str) -> tuple[float, float]:
    """How much more a tuner has than another, and half of the interval."""
    (one, half), (less, other_half) = means[name], means[other]
    return one - less, math.hypot(half, other_half)


def _at_least_equal(evidence: Evidence) -> Finding:
    means, text, limits = _means(evidence)
    cases = [no_worse(mean - half - 50, mean + half - 50) for mean, half in (means[name] for name in DISCRETE)]
    cases.append(-side_of(*means["cmaes"]))
    elsewhere = "Of the paper's games Checkers, TTCC4, Sheep and Wolf, Connect 4, Pentago and Reversi are not here."
    return Finding(weighed(cases), f"{text} {elsewhere}", limits)


def _best_tuner(evidence: Evidence) -> Finding:
    means, text, limits = _means(evidence)
    cases = [side_of(*_apart(means, "ntbea", name), middle=0.0) for name in TUNERS if name != "ntbea"]
    return Finding(weighed(cases), text, limits)


def _lists_suffice(evidence: Evidence) -> Finding:
    means, text, limits = _means(evidence)
    apart = [_apart(means, name, "cmaes") for name in DISCRETE]
    return Finding(weighed(no_worse(gain - half, gain + half) for gain, half in apart), text, limits)


def _more_parameters(evidence: Evidence) -> Finding:
    parts, cases = [], []
    for n in OPEN:
        gains = some(of_ntbea(evidence, n, "papers"))
        parts.append(f"with {n} {in_brief(gains)}")
        as_said = {"better": 1, "open": 0, "worse": -1}
        if n == min(OPEN):  # as good
            cases += [as_said[gain.verdict] for gain in gains]
        if n == max(OPEN):  # much worse
            cases += [-as_said[gain.verdict] for gain in gains]
    text = (
        f"Not among agents, but on {_of_adaptive(evidence)} problems of one player, `ntbea` beside the papers' fixed "
        f"values: {'; '.join(parts)}"
    )
    return Finding(weighed(cases), text + ".", ONE_PLAYER)


def _of_adaptive(evidence: Evidence) -> int:
    return len({line.domain for line in evidence.adaptive.lines["tuners"]})


VARIES = 0.03
"""By about so much ratios of speeds vary from one measurement to the next (`tuners.md`)."""


def _speed(evidence: Evidence) -> Finding:
    rows = read_text_table(evidence.results / "tuners.md")
    kept = {name: [float(row["choosing"]) for row in rows if row["tuner"] == name] for name in DISCRETE}
    if not all(kept.values()):
        raise LookupError
    cost = {name: (100 * (1 - max(values)), 100 * (1 - min(values))) for name, values in kept.items()}
    parts = [f"`{name}` {low:.0f} to {high:.0f} %" for name, (low, high) in cost.items()]
    text = (
        f"What choosing alone costs of the speed, on two problems, with 2, 4 and 6 parameters: {'; '.join(parts)}. "
        "`lsi` draws candidates once, which shows in searches as short as these. Some of what the paper counts is the "
        "price of the values that are preferred"
    )
    means = {name: fmean(kept[name]) for name in DISCRETE}
    apart = [means[fast] - means[slow] for slow in ("nmc", "ntbea") for fast in ("lsi", "ea")]
    return Finding(weighed((one > VARIES) - (one < -VARIES) for one in apart), text + ".", ONE_PLAYER)


def _drawn(evidence: Evidence) -> Finding:
    gains = [gain for n in OPEN for gain in of_ntbea(evidence, n, "drawn")]
    alone = f"With one player, 2, 4 and 6 parameters: {in_brief(gains)}."
    try:
        own = evidence.played("G-V")
    except LookupError:
        better, _, worse = counted(gains)
        return Finding(judged(better, worse, len(gains)), f"Not among agents yet. {alone}", ONE_PLAYER)
    good, bad = sum(one.side > 0 for one in own), sum(one.side < 0 for one in own)
    text = (
        f"{good} of {len(own)} cells are clearly above 50, {bad} below, at {thousands(own[0].budget)} simulations; "
        f"{fmean(one.value for one in own):.1f} in the mean."
    )
    limits = _so_far(own, tuple(OPEN_OF_G))
    return Finding(judged(good, bad, len(own)), f"{text} {alone}" if gains else text, limits)


def _local(evidence: Evidence) -> Finding:
    gains = some([gain for n in OPEN for gain in of_ntbea(evidence, n, "local")])
    better, _, worse = counted(gains)
    text = f"On problems of one player, `ntbea` beside `local`, 2, 4 and 6 parameters: {in_brief(gains)}."
    return Finding(judged(better, worse, len(gains)), text, ONE_PLAYER)


def _more_time(evidence: Evidence) -> Finding:
    """Table II's cells with few simulations and with many, or else the curve of one player."""
    own = evidence.played("G-II")
    budgets = evidence.budgets("G-II")
    alone = curve(evidence)
    if len(budgets) < 2:
        return alone
    few = {(one.game, one.column): one for one in evidence.played("G-II", budgets[0])}
    pairs = [(few[one.game, one.column], one) for one in own if (one.game, one.column) in few]
    mean = fmean(many.value - less.value for less, many in pairs)
    half = math.hypot(*(one.half for pair in pairs for one in pair)) / len(pairs)
    before, after = (fmean(pair[i].value for pair in pairs) for i in (0, 1))
    text = (
        f"Over {len(pairs)} cells the tuned agents have {before:.1f} % of the points with {thousands(budgets[0])} "
        f"simulations and {after:.1f} % with {thousands(budgets[-1])}: {signed(mean)} ± {half:.1f}. {alone.text}"
    )
    limits = TWO_PARAMETERS if len(pairs) == len(GAMES_OF_G) * len(TUNERS) else SO_FAR
    return Finding(weighed([side_of(mean, half, middle=0.0)]), text, limits)


def curve(evidence: Evidence) -> Finding:
    """What tuning gains with few evaluations and with many."""
    first, last = (
        evidence.adaptive.gains("pays", "beside papers", budget, "ntbea") for budget in (CURVE[0], CURVE[-1])
    )
    (few, _, lost), (many, _, still) = counted(first), counted(last)
    text = (
        f"On problems of one player, 4 parameters, `ntbea` beside the papers' fixed values: with {thousands(CURVE[0])} "
        f"evaluations {in_brief(first)}; with {thousands(CURVE[-1])} {in_brief(last)}"
    )
    return Finding("holds" if many - still > few - lost else "does not hold", text + ".", ONE_PLAYER)


GGP = Paper(
    "G",
    "Self-Adaptive Monte-Carlo Tree Search in General Game Playing",
    "Sironi, Liu and Winands, 2020",
    (
        Claim(
            "Table II, VI-B",
            "Over all games an agent that tunes two parameters while it plays has as many points as one tuned before, "
            "or more; only with `cmaes` it has not.",
            "arena.md",
            _at_least_equal,
        ),
        Claim(
            "Table II",
            "Game by game: which tuner is above and which below 50.",
            "arena.md",
            like_printed("G-II", TUNERS, GAMES_OF_G),
        ),
        Claim("Table II, VI-B", "Of the tuners `ntbea` is best.", "arena.md", _best_tuner),
        Claim(
            "Table II, VII",
            "Lists of values are enough: `cmaes`, which tunes over intervals, is not better.",
            "arena.md",
            _lists_suffice,
        ),
        Claim(
            "Table III",
            "With two parameters tuning is as good as fixed values, with four nearly, with six much worse.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _more_parameters,
        ),
        Claim("Table IV", "Choosing parameters costs speed, most with `nmc` and `ntbea`.", "tuners.md", _speed),
        Claim(
            "Table V",
            "For almost all games `ntbea` is better than values drawn at random before each of them.",
            "arena.md",
            _drawn,
        ),
        Claim(
            "VI-E",
            "Parameters depend on each other: `local`, which ignores that, is worse.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _local,
        ),
        Claim(
            "Figure 2, VI-F",
            "With more time tuning comes nearer to fixed values.",
            "arena.md",
            _more_time,
        ),
        Claim(
            "Table VI",
            "The agents with fixed values and with `ntbea` are both better than CadiaPlayer, in a tenth of its time.",
            "",
            why_not="CadiaPlayer is not here",
        ),
    ),
)
