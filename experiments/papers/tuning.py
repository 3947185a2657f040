"""Sironi, Liu and Winands (2020), Sironi and others (2018), Sironi and Winands (2019): parameters tuned while they are
used, in games of several players and in video games."""

from collections.abc import Callable, Sequence
from statistics import fmean

from experiments.adaptive.lines import Gain, in_brief
from experiments.adaptive.questions import CURVE, DOMAINS, OPEN, RECOVERY_DOMAINS
from experiments.arena.cells import GAMES_OF_G, TUNERS
from experiments.arena.cells import OPEN as OPEN_OF_G
from experiments.arena.played import Played
from experiments.files import read_text_table
from experiments.markdown import thousands
from experiments.papers.claims import (
    ONE_PLAYER,
    OTHER_GAMES,
    SO_FAR,
    Claim,
    Evidence,
    Finding,
    Paper,
    Verdict,
    counted,
    judged,
    some,
)
from experiments.papers.decay import cells_text, like_printed

BUDGET = 1_000
SIGNIFICANT = 0.05
DISCRETE = tuple(name for name in TUNERS if name != "cmaes")
VIDEO = "vgdl"
Row = dict[str, str]


def _of_ntbea(evidence: Evidence, n: int, other: str) -> list[Gain]:
    return [gain.turned() for gain in evidence.adaptive.gains("tuners", str(n), BUDGET, other)]


def _so_far(own: Sequence[Played], columns: Sequence[str]) -> str:
    wanted = {(game, column) for game in GAMES_OF_G for column in columns}
    return "" if {(one.game, one.column) for one in own} >= wanted else SO_FAR


def _at_least_equal(evidence: Evidence) -> Finding:
    own = evidence.played("G-II")
    good = sum(one.side >= 0 for one in own if one.column in DISCRETE)
    cmaes = [one for one in own if one.column == "cmaes"]
    total = sum(one.column in DISCRETE for one in own)
    if not total:
        raise LookupError
    text = (
        f"{good} of {total} cells of the tuners with lists are not clearly below 50; of `cmaes` "
        f"{sum(one.side < 0 for one in cmaes)} of {len(cmaes)} are ({cells_text(own)})"
    )
    return Finding(judged(good, total - good, total), text + ".", _so_far(own, TUNERS))


def _best_tuner(evidence: Evidence) -> Finding:
    own = evidence.played("G-II")
    there = [game for game in GAMES_OF_G if {one.column for one in own if one.game == game} >= set(TUNERS)]
    if not there:
        raise LookupError
    means = {name: fmean(one.value for one in own if one.column == name and one.game in there) for name in TUNERS}
    order = sorted(means, key=lambda name: -means[name])
    shown = ", ".join(f"`{name}` {means[name]:.1f}" for name in order)
    text = f"Mean percent of the points over {len(there)} games: {shown}"
    return Finding(
        "holds" if order[0] == "ntbea" else "does not hold", text + ".", SO_FAR if len(there) < len(GAMES_OF_G) else ""
    )


def _more_parameters(evidence: Evidence) -> Finding:
    parts, shares = [], []
    for n in OPEN:
        gains = some(_of_ntbea(evidence, n, "papers"))
        better, _, worse = counted(gains)
        shares.append((better - worse) / len(gains))
        parts.append(f"with {n} {in_brief(gains)}")
    text = (
        f"Not among agents, but on {_of_adaptive(evidence)} problems of one player, `ntbea` beside the papers' fixed "
        f"values: {'; '.join(parts)}"
    )
    clear = shares[0] >= 0 and shares[0] > shares[1] > shares[2] and shares[2] <= -0.5
    verdict: Verdict = "holds" if clear else "holds in part" if shares[0] > shares[2] else "does not hold"
    return Finding(verdict, text + ".", ONE_PLAYER)


def _of_adaptive(evidence: Evidence) -> int:
    return len({line.domain for line in evidence.adaptive.lines["tuners"]})


def _speed(evidence: Evidence) -> Finding:
    rows = read_text_table(evidence.results / "tuners.md")
    kept = {name: [float(row["choosing"]) for row in rows if row["tuner"] == name] for name in DISCRETE}
    if not all(kept.values()):
        raise LookupError
    cost = {name: (100 * (1 - max(values)), 100 * (1 - min(values))) for name, values in kept.items()}
    parts = [f"`{name}` {low:.0f} to {high:.0f} %" for name, (low, high) in cost.items()]
    text = (
        f"What choosing alone costs of the speed, on two problems, with 2, 4 and 6 parameters: {'; '.join(parts)}. "
        "Some of what the paper counts is the price of the values that are preferred"
    )
    slow, fast = (max(fmean(kept[name]) for name in names) for names in (("nmc", "ntbea"), ("lsi", "ea")))
    return Finding("holds" if slow < fast else "does not hold", text + ".", ONE_PLAYER)


def _drawn(evidence: Evidence) -> Finding:
    gains = [gain for n in OPEN for gain in _of_ntbea(evidence, n, "drawn")]
    alone = f"With one player, 2, 4 and 6 parameters: {in_brief(gains)}."
    try:
        own = evidence.played("G-V")
    except LookupError:
        better, _, worse = counted(gains)
        return Finding(judged(better, worse, len(gains)), f"Not among agents yet. {alone}", ONE_PLAYER)
    good, bad = sum(one.side > 0 for one in own), sum(one.side < 0 for one in own)
    text = f"{good} of {len(own)} cells are clearly above 50, {bad} below ({cells_text(own)})."
    limits = _so_far(own, tuple(OPEN_OF_G))
    return Finding(judged(good, bad, len(own)), f"{text} {alone}" if gains else text, limits)


def _local(evidence: Evidence) -> Finding:
    gains = some([gain for n in OPEN for gain in _of_ntbea(evidence, n, "local")])
    better, _, worse = counted(gains)
    text = f"On problems of one player, `ntbea` beside `local`, 2, 4 and 6 parameters: {in_brief(gains)}."
    return Finding(judged(better, worse, len(gains)), text, ONE_PLAYER)


def _curve(evidence: Evidence) -> Finding:
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


def _games(evidence: Evidence, agent: str, theirs: bool) -> list[Row]:
    own = [row for row in evidence.games if row["agent"] == agent]
    own = [row for row in own if row["domain"].startswith(VIDEO) == theirs]
    if not own:
        raise LookupError
    return own


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


def _beside_fixed(agents: Sequence[str], rule: Callable[[int, int, int], bool]) -> Callable[[Evidence], Finding]:
    """Agents beside the fixed values, on the papers' video games if these are measured, or else on our games against
    chance. `rule` says of better, open and worse whether the claim is borne out for an agent."""

    def judge(evidence: Evidence) -> Finding:
        theirs = any(row["domain"].startswith(VIDEO) for row in evidence.games)
        found = {agent: _games(evidence, agent, theirs) for agent in agents}
        parts = [f"*{agent}* is {_said(rows)}" for agent, rows in found.items()]
        good = sum(rule(*_sides(rows)) for rows in found.values())
        where = "On video games" if theirs else "On three problems of ours with chance"
        text = f"{where}, beside the fixed values: {'; '.join(parts)}"
        text += "" if theirs else "; their video games, game by game, stand [there](play.md#the-papers-own-games)"
        return Finding(judged(good, len(agents) - good, len(agents)), text + ".", "" if theirs else OTHER_GAMES)

    return judge


def _depth_one(evidence: Evidence) -> Finding:
    rows = [row for row in evidence.games if row["agent"] == "ntbea" and row["chosen"]]
    if not rows:
        raise LookupError
    ones = sum(row["chosen"].endswith("depth of random = 1") for row in rows)
    one_deep = [row for row in evidence.games if row["agent"] == "D = 1" and row["gain"]]
    text = (
        f"In {ones} of {len(rows)} settings the combination that *ntbea* would choose most often has D = 1; D = 1 "
        f"alone is {_said(one_deep)}"
    )
    theirs = any(row["domain"].startswith(VIDEO) for row in rows)
    return Finding(judged(ones, 0, len(rows)), text + ".", "" if theirs else OTHER_GAMES)


def _most_used(evidence: Evidence) -> Finding:
    gains = some([gain for n in OPEN for gain in _of_ntbea(evidence, n, "most used")])
    better, _, worse = counted(gains)
    text = (
        "On problems of one player, the tuner beside what it used most on a training problem, fixed: "
        f"{in_brief(gains)}. Fixed values that are better where they fit, and much worse elsewhere, are those of "
        "[D = 1](play.md)"
    )
    return Finding(judged(better, worse, len(gains)), text + ".", ONE_PLAYER)


def _longer(evidence: Evidence) -> Finding:
    rows = [row for row in evidence.games if row["agent"] == "fixed"]
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
    theirs = any(row["domain"].startswith(VIDEO) for row in rows)
    good, total = clear + _sides(mab)[2], len(pairs) + len(mab)
    return Finding(judged(good, _sides(mab)[0], total), text + ".", "" if theirs else OTHER_GAMES)


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
    gains = some([gain for n in OPEN for gain in _of_ntbea(evidence, n, "random")])
    better, open_ones, worse = counted(gains)
    curve = evidence.adaptive.gains("pays", "beside random", CURVE[-1], "ntbea")
    text = (
        f"On problems of one player `ntbea` beside drawing for each iteration, B = {thousands(BUDGET)}: "
        f"{in_brief(gains)}; with {thousands(CURVE[-1])} evaluations, on {len(DOMAINS)} problems, {in_brief(curve)}"
    )
    return Finding(judged(open_ones + worse, better, len(gains)), text + ".", ONE_PLAYER)


GGP = Paper(
    "G",
    "Self-Adaptive Monte-Carlo Tree Search in General Game Playing",
    "Sironi, Liu and Winands, 2020",
    (
        Claim(
            "Table II",
            "An agent that tunes two parameters while it plays is as good as one tuned before, or better; only with "
            "`cmaes` it is not.",
            "arena.md",
            _at_least_equal,
        ),
        Claim(
            "Table II",
            "Game by game: which tuner is above and which below 50.",
            "arena.md",
            like_printed("G-II", TUNERS, GAMES_OF_G),
        ),
        Claim("Tables II, III", "Of the tuners `ntbea` is best.", "arena.md", _best_tuner),
        Claim(
            "Table III",
            "With two parameters tuning is as good as fixed values, with four nearly, with six much worse.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _more_parameters,
        ),
        Claim("Table IV", "Choosing parameters costs speed, most with `nmc` and `ntbea`.", "tuners.md", _speed),
        Claim("Table V", "`ntbea` is better than values drawn at random for each game.", "arena.md", _drawn),
        Claim(
            "VI-E",
            "Parameters depend on each other: `local`, which ignores that, is worse.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _local,
        ),
        Claim(
            "Figure 2",
            "With more time tuning comes nearer to fixed values.",
            "adaptive.md#2-on-which-problems-tuning-pays-and-from-which-budget",
            _curve,
        ),
        Claim("Table VI", "Both are better than CadiaPlayer.", "", why_not="CadiaPlayer is not here"),
    ),
)

GVGP = Paper(
    "V",
    "Self-Adaptive MCTS for General Video Game Playing",
    "Sironi, Liu, Perez-Liebana, Gaina, Bravi, Lucas and Winands, 2018",
    (
        Claim(
            "Table 2",
            "`ntbea` lifts games where the fixed values are bad, and is as good elsewhere.",
            "play.md",
            _beside_fixed(("ntbea",), lambda better, _, worse: better > 0 and worse == 0),
        ),
        Claim("Table 4", "What is used most is a playout depth of 1.", "play.md", _depth_one),
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
            "play.md",
            _beside_fixed(("random",), lambda better, open_ones, worse: open_ones >= better + worse),
        ),
        Claim(
            "Tables I, II",
            "Informed tuners are hardly better than drawing at random.",
            "adaptive.md#1-a-tuner-against-fixed-parameters",
            _random_is_robust,
        ),
        Claim(
            "Table I",
            "`mab` and `ntbea` lift a single game each.",
            "play.md",
            _beside_fixed(("mab", "ntbea"), lambda better, _, worse: better == 1 and worse == 0),
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
            _curve,
        ),
    ),
)
