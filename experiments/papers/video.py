"""Sironi and others (2018), Sironi and Winands (2018): parameters tuned while they are used, in video games.

Most is judged by the papers' own games. A gain is what an agent wins more than the fixed values; one is *clear* if its
95 % interval leaves 0 out, of the printed ones with their 500 games.
"""

from collections import Counter
from collections.abc import Sequence

from discovery.statistics import SIGNIFICANT, holm
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
    judged,
    no_worse,
    some,
    weighed,
)
from experiments.papers.tuning import BUDGET, curve, of_ntbea
from experiments.play.question import BASELINE
from experiments.play.shares import Difference, difference, mean_difference
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
TUNERS_OF_THE_FIRST = ("nmc", "ea", "ntbea")
EXCEPTED = ("chopper", "survivezombies")
"""By the first paper, where it says that tuning does no harm."""
HEADLINES_OF_THE_FIRST = ("waitforbreakfast", "escape")
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


def _few(clear: int, most: int, rows: Rows, games: Sequence[str], name: str, both_ways: bool = False) -> int:
    """The case that no more than so many games are lifted (or changed, `both_ways`): only shown where that is ruled out
    for the others by more than a margin. So few runs that nothing could be clear show nothing."""
    if clear > most:
        return -1
    gains = _gains(rows, games, name).values()
    possible = sum(max(gain.high, -gain.low if both_ways else gain.high) >= MARGIN / 100 for gain in gains)
    return int(possible <= most)


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
    others = [game for game in games if game not in (*bad, *EXCEPTED)]
    if not bad or not others:
        raise LookupError
    cases, parts = [], []
    for name in TUNERS_OF_THE_FIRST:
        column = PRINTED[name][0]
        lift, lifted = _over(rows, bad, name, column)
        elsewhere, changed = _over(rows, others, name, column)
        cases += [(lift.low > 0) - (lift.high < 0), no_worse(100 * elsewhere.low, 100 * elsewhere.high)]
        parts.append(f"`{name}` {lifted} and {changed}; {_as_printed(rows, games, name, column)}")
    text = (
        f"{where}: what they gain at the {len(bad)} that the fixed values win less than a fifth of, and at "
        f"{len(others)} others: {'. '.join(parts)}."
    )
    return Finding(weighed(cases), text, limits)


def _most_used_wins(evidence: Evidence) -> Finding:
    rows, games, where, limits = _their_games(evidence)
    there = [game for game in HEADLINES_OF_THE_FIRST if game in games]
    gains = _gains(rows, there, SHALLOW)
    shares = {game: [100 * share_of(rows, game, name).mean for name in (SHALLOW, BASELINE)] for game in there}
    parts = [
        f"{game} {shallow:.0f} % beside {fixed:.0f} % ({in_points(gains[game])} points)"
        for game, (shallow, fixed) in shares.items()
    ]
    text = f"{where}. With D = 1, as what they use most there, but C = 0: {'; '.join(parts)}."
    return Finding(weighed((gain.low > 0) - (gain.high < 0) for gain in gains.values()), text, limits)


def _depth_one(evidence: Evidence) -> Finding:
    rows, games, where, limits = _their_games(evidence)
    cases, parts = [], []
    for name in ("nmc", "ea", "ntbea"):
        own = [rows[game, name] for game in games]
        depths = Counter(row["chosen_depth"] for row in own)
        others = max((count for depth, count in depths.items() if depth != "1"), default=0)
        share = sum(int(row["chose_1"]) for row in own) / sum(int(row["runs"]) for row in own)
        cases.append((depths["1"] > others) - (depths["1"] < others))
        parts.append(f"`{name}` {depths['1']} and {others}, in {100 * share:.0f} % of all runs")
    _, alone = _over(rows, games, SHALLOW, "bad")
    text = (
        f"{where}: not what is used most, but what would be chosen in the end, is D = 1 at so many of them and the "
        f"most frequent other depth at so many: {'; '.join(parts)}. With C = 0 and D = 1 alone the gain is {alone}."
    )
    return Finding(weighed(cases), text, limits)


def _random_is_as_good(evidence: Evidence) -> Finding:
    rows, games, where, limits = _their_games(evidence)
    gain, all_games = _over(rows, games, "random", "random")
    better, worse = _clear(rows, games, "random")
    as_good = -1 if gain.is_shown else int(max(-gain.low, gain.high) < MARGIN / 100)
    in_few = _few(len(better) + len(worse), int(FEW * len(games)), rows, games, "random", both_ways=True)
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
    alone = (
        f"On problems of one player `ntbea` beside drawing for each iteration, B = {thousands(BUDGET)}: "
        f"{in_brief(gains)}; with {thousands(CURVE[-1])} evaluations, on {len(DOMAINS)} problems, {in_brief(curve)}."
    )
    cases = [1] * (open_ones + worse) + [-1] * better
    try:
        rows, games, where, limits = _their_games(evidence)
    except LookupError:
        return Finding(weighed(cases), alone, ONE_PLAYER)
    parts = []
    for name in ("mab", "ntbea"):
        gain = mean_difference(pairs_of(rows, games, name, "random"))
        cases.append(no_worse(-100 * gain.high, -100 * gain.low))
        parts.append(f"`{name}` {in_points(gain)}")
    text = f"{where}: more than drawing wins {', '.join(parts)} points. {alone}"
    return Finding(weighed(cases), text, limits)


GVGP = Paper(
    "V",
    "Self-Adaptive MCTS for General Video Game Playing",
    "Sironi, Liu, Perez-Liebana, Gaina, Bravi, Lucas and Winands, 2018",
    (
        Claim(
            "Table 2, 6",
            "All three tuners lift the games that the fixed values are bad at, and are as good at the others, Chopper "
            "and Survive Zombies excepted.",
            THEIR_GAMES,
            _lifts_bad_games,
        ),
        Claim("Table 4", "What is used most is a playout depth of 1.", THEIR_GAMES, _depth_one),
        Claim(
            "Table 5, 6",
            "What was used most, fixed, wins Wait for Breakfast four times and Escape 150 times as often as the values "
            "found by hand.",
            THEIR_GAMES,
            _most_used_wins,
        ),
        Claim(
            "Table 5",
            "What was used most, fixed, is much worse than those where it does not fit, and less robust than tuning.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _most_used,
        ),
    ),
)

ANALYSIS = Paper(
    "A",
    "Analysis of Self-Adaptive Monte Carlo Tree Search in General Video Game Playing",
    "Sironi and Winands, 2018",
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
            THEIR_GAMES,
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
            "Beside bad fixed values any tuning, random included, might have some benefits.",
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
