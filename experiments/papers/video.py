"""Sironi and others (2018), Sironi and Winands (2019): parameters tuned while they are used, in video games.

Most is judged by the papers' own games. A gain is what an agent wins more than the fixed values; one is *clear* if its
95 % interval leaves 0 out, of the printed ones with their 500 games.
"""

from collections import Counter
from collections.abc import Sequence

from discovery.evaluation.statistics import SIGNIFICANT, holm
from experiments.adaptive.lines import in_brief
from experiments.adaptive.questions import CURVE, DOMAINS, OPEN, RECOVERY_DOMAINS
from experiments.markdown import signed, thousands
from experiments.papers.claims import (
    FEW_RUNS,
    MARGIN,
    ONE_PLAYER,
    OTHER_GAMES,
    Claim,
    Evidence,
    Finding,
    Paper,
    counted,
    either,
    judged,
    no_worse,
    some,
    weighed,
)
from experiments.papers.tuning import BUDGET, curve, of_ntbea
from experiments.play.question import BASELINE
from experiments.play.shares import Difference, Share, difference, mean_difference
from experiments.play.video import SHALLOW
from experiments.play.video_rendering import (
    PRINTED,
    Rows,
    bad_games,
    how_many,
    in_points,
    pairs_of,
    printed_gain,
    printed_share,
    share_of,
)

THEIR_GAMES = "play.md#the-papers-own-games"
FEW = 0.25
"""Of all games."""
MANY_RUNS = 100
"""Of an agent at a game; the papers have 500."""
Row = dict[str, str]


def _their_games(evidence: Evidence) -> tuple[Rows, list[str], str, str]:
    """What was played of the papers' games, which these are, that in words, and the limits of it."""
    rows = evidence.video
    games = list(dict.fromkeys(game for game, _ in rows))
    runs = sorted({int(row["runs"]) for row in rows.values()})
    each = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    where = f"On {how_many(games, 'their')} video games, {each} runs of every agent at each"
    return rows, games, where, FEW_RUNS if runs[0] < MANY_RUNS else ""


def _gains(rows: Rows, games: Sequence[str], name: str) -> dict[str, Difference]:
    return {game: difference(share_of(rows, game, name), share_of(rows, game, BASELINE)) for game in games}


def _clear(rows: Rows, games: Sequence[str], name: str) -> tuple[list[str], list[str]]:
    """The games of which an agent wins more and less, by Fisher's test with Holm's correction for the games."""
    gains = _gains(rows, games, name)
    shown = [
        (game, gain.mean)
        for (game, gain), p in zip(gains.items(), holm([gain.p for gain in gains.values()]), strict=True)
        if p < SIGNIFICANT
    ]
    return [game for game, mean in shown if mean > 0], [game for game, mean in shown if mean < 0]


def _few(clear: int, most: int, rows: Rows, games: Sequence[str], name: str) -> int:
    """The case that no more than so many games are clear: only shown where all of them could have been."""
    if clear > most:
        return -1
    least = [_least_p(share_of(rows, game, name), share_of(rows, game, BASELINE)) for game in games]
    return 1 if all(p < SIGNIFICANT for p in holm(least)) else 0


def _least_p(one: Share, other: Share) -> float:
    """Of an agent that wins all its runs beside one that wins none."""
    return difference(Share(one.games, one.games), Share(0, other.games)).p


def _as_printed(rows: Rows, games: Sequence[str], name: str, column: str) -> str:
    """Of the games whose printed gain is clear: on how many ours is so, open, or the other way round."""
    own = _gains(rows, games, name)
    printed = {
        game: difference(printed_share(game, column), printed_share(game, PRINTED[BASELINE][0])) for game in games
    }
    clear = [game for game in games if printed[game].is_shown]
    same, against = (
        sum(own[game].is_shown and own[game].mean * printed[game].mean * sign > 0 for game in clear) for sign in (1, -1)
    )
    return (
        f"of {len(clear)} games whose printed gain is clear, {same} are so here, {len(clear) - same - against} are "
        f"open, {against} are the other way round"
    )


def _over(rows: Rows, games: Sequence[str], name: str, column: str) -> tuple[Difference, str]:
    gain = mean_difference(pairs_of(rows, games, name))
    return gain, f"{in_points(gain)} points (printed {signed(printed_gain(games, column))})"


def _lifts_bad_games(evidence: Evidence) -> Finding:
    rows, games, where, limits = _their_games(evidence)
    bad = bad_games(games)
    others = [game for game in games if game not in bad]
    if not bad or not others:
        raise LookupError
    lift, lifted = _over(rows, bad, "ntbea", "ntbea_first")
    elsewhere, changed = _over(rows, others, "ntbea", "ntbea_first")
    lifts = (lift.low > 0) - (lift.high < 0)
    text = (
        f"{where}: `ntbea` gains {lifted} at the {len(bad)} that the fixed values win less than a fifth of, {changed} "
        f"at the others; {_as_printed(rows, games, 'ntbea', 'ntbea_first')}."
    )
    return Finding(weighed([lifts, no_worse(100 * elsewhere.low, 100 * elsewhere.high)]), text, limits)


def _depth_one(evidence: Evidence) -> Finding:
    rows, games, where, limits = _their_games(evidence)
    own = [rows[game, "ntbea"] for game in games]
    depths = Counter(row["chosen_depth"] for row in own)
    others = max((count for depth, count in depths.items() if depth != "1"), default=0)
    share = sum(int(row["chose_1"]) for row in own) / sum(int(row["runs"]) for row in own)
    _, alone = _over(rows, games, SHALLOW, "bad")
    text = (
        f"{where}: what `ntbea` would choose in the end has D = 1 most often at {depths['1']} of them, no other depth "
        f"at more than {others}, and D = 1 in {100 * share:.0f} % of all runs. With C = 0 and D = 1 alone the gain is "
        f"{alone}."
    )
    return Finding(weighed([either(depths["1"] > others)]), text, limits)


def _random_is_as_good(evidence: Evidence) -> Finding:
    rows, games, where, limits = _their_games(evidence)
    gain, all_games = _over(rows, games, "random", "random")
    better, worse = _clear(rows, games, "random")
    as_good = -1 if gain.is_shown else int(max(-gain.low, gain.high) < MARGIN / 100)
    in_few = _few(len(better) + len(worse), int(FEW * len(games)), rows, games, "random")
    text = (
        f"{where}: values drawn at random gain {all_games}; clearly better at {_named(better)}, worse at "
        f"{_named(worse)}; {_as_printed(rows, games, 'random', 'random')}."
    )
    return Finding(weighed([as_good, in_few]), text, limits)


def _single_games(evidence: Evidence) -> Finding:
    rows, games, where, limits = _their_games(evidence)
    parts, cases = [], []
    for name, column in (("mab", "mab"), ("ntbea", "ntbea_later")):
        better, worse = _clear(rows, games, name)
        _, all_games = _over(rows, games, name, column)
        cases.append(_few(len(better), 1, rows, games, name))
        parts.append(
            f"`{name}` {all_games} over all, clearly better at {_named(better)}, worse at {_named(worse)}; "
            f"{_as_printed(rows, games, name, column)}"
        )
    return Finding(weighed(cases), f"{where}: {'. '.join(parts)}.", limits)


def _named(games: Sequence[str]) -> str:
    return ", ".join(games) or "none"


def _most_used(evidence: Evidence) -> Finding:
    gains = some([gain for n in OPEN for gain in of_ntbea(evidence, n, "most used")])
    better, _, worse = counted(gains)
    text = (
        "On problems of one player, the tuner beside what it used most on a training problem, fixed: "
        f"{in_brief(gains)}. Fixed values that are better where they fit, and much worse elsewhere, are those of "
        "[D = 1](play.md)"
    )
    return Finding(judged(better, worse, len(gains)), text + ".", ONE_PLAYER)


def _side(row: Row) -> int:
    if not row["p_holm"] or not float(row["p_holm"]) < SIGNIFICANT:
        return 0
    return 1 if float(row["gain"]) > 0 else -1


def _sides(rows: Sequence[Row]) -> tuple[int, int, int]:
    sides = [_side(row) for row in rows]
    return sides.count(1), sides.count(0), sides.count(-1)


def _said(rows: Sequence[Row]) -> str:
    better, open_ones, worse = _sides(rows)
    return f"better in {better} of {len(rows)} settings, no difference shown in {open_ones}, worse in {worse}"


def _longer(evidence: Evidence) -> Finding:
    rows = [row for row in evidence.games if row["agent"] == BASELINE]
    by_domain: dict[str, dict[int, Row]] = {}
    for row in rows:
        by_domain.setdefault(row["domain"], {})[int(row["budget"])] = row
    pairs = [(own[min(own)], own[max(own)]) for own in by_domain.values() if len(own) > 1]
    if not pairs:
        raise LookupError
    clear = 0
    for few, many in pairs:
        less = few["less_is_better"] == "True"
        clear += float(many["high"]) < float(few["low"]) if less else float(many["low"]) > float(few["high"])
    mab = [
        row for row in evidence.games if row["agent"] == "mab" and int(row["budget"]) == max(by_domain[row["domain"]])
    ]
    text = (
        f"With the fixed values, {pairs[0][0]['budget']} to {pairs[0][1]['budget']} evaluations a tick: clearly better "
        f"in {clear} of {len(pairs)} games; *mab* with the larger budget is {_said(mab)}"
    )
    good, total = clear + _sides(mab)[2], len(pairs) + len(mab)
    return Finding(judged(good, _sides(mab)[0], total), text + ".", OTHER_GAMES)


def _bad_values(evidence: Evidence) -> Finding:
    there = evidence.adaptive.recoverable(BUDGET)
    lines = [line for line in evidence.adaptive.lines["recovery"] if (line.contest, line.domain) in there]
    gains = {
        label: some([one.gain for one in lines if one.label == label and one.budget == BUDGET and one.gain is not None])
        for label in ("ntbea", "random")
    }
    counts = {label: counted(own) for label, own in gains.items()}
    text = (
        f"On problems of one player ({len(RECOVERY_DOMAINS)} of them, two lists of bad values each), where good values "
        f"are better: `ntbea` {in_brief(gains['ntbea'])}; `random` {in_brief(gains['random'])}"
    )
    better, total = sum(own[0] for own in counts.values()), sum(map(len, gains.values()))
    return Finding(judged(better, sum(own[2] for own in counts.values()), total), text + ".", ONE_PLAYER)


def _random_is_robust(evidence: Evidence) -> Finding:
    gains = some([gain for n in OPEN for gain in of_ntbea(evidence, n, "random")])
    better, open_ones, worse = counted(gains)
    curve = evidence.adaptive.gains("pays", "beside random", CURVE[-1], "ntbea")
    text = (
        f"On problems of one player `ntbea` beside drawing for each iteration, B = {thousands(BUDGET)}: "
        f"{in_brief(gains)}; with {thousands(CURVE[-1])} evaluations, on {len(DOMAINS)} problems, {in_brief(curve)}"
    )
    return Finding(judged(open_ones + worse, better, len(gains)), text + ".", ONE_PLAYER)


GVGP = Paper(
    "V",
    "Self-Adaptive MCTS for General Video Game Playing",
    "Sironi, Liu, Perez-Liebana, Gaina, Bravi, Lucas and Winands, 2018",
    (
        Claim(
            "Table 2",
            "`ntbea` lifts games where the fixed values are bad, and is as good elsewhere.",
            THEIR_GAMES,
            _lifts_bad_games,
        ),
        Claim("Table 4", "What is used most is a playout depth of 1.", THEIR_GAMES, _depth_one),
        Claim(
            "Table 5",
            "What was used most, fixed, gains most where it fits, and is less robust than tuning.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _most_used,
        ),
    ),
)

ANALYSIS = Paper(
    "A",
    "Analysis of Self-Adaptive Monte Carlo Tree Search in General Video Game Playing",
    "Sironi and Winands, 2019",
    (
        Claim(
            "Table I",
            "Tuning matters in few games; drawing at random for every simulation is about as good as the fixed values.",
            THEIR_GAMES,
            _random_is_as_good,
        ),
        Claim(
            "Tables I, II",
            "Informed tuners are hardly better than drawing at random.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _random_is_robust,
        ),
        Claim(
            "Table I",
            "`mab` and `ntbea` clearly lift no more than a single game each.",
            THEIR_GAMES,
            _single_games,
        ),
        Claim("Table II", "So it is with MaastCTS2 and five parameters.", "", why_not="that agent is not here"),
        Claim("Table III", "With more time agents are better; `mab` falls behind.", "play.md", _longer),
        Claim(
            "Table IV",
            "Beside bad fixed values any tuning, random included, has its use.",
            "adaptive.md#4-out-of-bad-parameters",
            _bad_values,
        ),
        Claim(
            "IV",
            "With some thousand simulations tuning may pay.",
            "adaptive.md#2-on-which-problems-tuning-pays-and-from-which-budget",
            curve,
        ),
    ),
)
