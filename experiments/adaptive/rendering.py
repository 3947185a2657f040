"""results/adaptive.md from results/adaptive/*.csv alone: the answers first, then tables. Nothing is searched."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from experiments.adaptive.lines import (
    SAME_TIME,
    VERDICTS,
    Gain,
    Line,
    Results,
    TimeLine,
    in_brief,
    in_full,
    runs_of,
    tally,
)
from experiments.adaptive.questions import (
    CURVE,
    DOMAINS,
    FRAMES,
    GAMES,
    LIKE_BAD,
    MOVE_DECAY,
    OPEN,
    PAPERS,
    POLICIES,
    RECOVERY_DOMAINS,
    SETTINGS,
    TRAINING,
    TUNED_DOMAINS,
    TUNERS,
)
from experiments.adaptive.running import FOLDER
from experiments.files import write
from experiments.markdown import NOT_YET, table_lines, thousands
from mcsgrammar.language.parameters import value_text

NAME = "adaptive.md"
LARGEST = CURVE[-1]
MARKS = {"better": " ▲", "open": "", "worse": " ▼"}

AGAINST = (
    ("drawn", "Parameters drawn for each run", "the tuner wins clearly"),
    ("papers", "The papers' fixed values", "equal with 2 parameters, the tuner is worse with 6"),
    ("best in training", "The best in training, fixed", "as good as the tuner or better"),
    ("bad", "Deliberately bad values (c = 0, eps = 0), fixed", "the tuner wins"),
    ("worst in training", "The worst in training, fixed", "the tuner wins"),
    ("random", "`random` for each iteration", "no difference: few iterations"),
    ("most used", "What it used most, fixed", "the tuner is more robust"),
)
"""Label, what it is, and what the papers say of the tuner beside it."""

READING = [
    "**What we make of it.** Online tuning is an insurance, not a gain. Two dozen combinations tried on training "
    "problems find fixed values that the tuner is hardly ever shown to beat at B = 1 000, and behind which it falls in "
    "half of the cases; beside the worst of them it is better almost everywhere. What is good differs: c = 0 and "
    "eps = 0, of the sort that is bad in video games, is among the best on knights and among the worst on regression, "
    "so that lists of values should reach such "
    "ends. Informed tuners differ little from drawing at random for each iteration. Beside the papers' fixed values "
    "tuning begins to pay for good with some thousand evaluations, on a third of the problems; on Sudoku(4) and queens "
    "it pays with some hundred and no longer with five thousand. In the same CPU time a plain "
    "search of the same shape, whose evaluations are cheaper, is still better on about half of the problems, and "
    "worse on queens and the simple Sudoku, where MAST and GRAVE with fixed values gain more than the tuner adds. UCT, "
    "which divides its budget among its moves, is better, too, on most problems, with the few evaluations at which "
    "their times could be compared. Learned playouts themselves "
    "help on most games. Simulation decay, which was expected to do nothing, makes NST better on most of them where "
    "there are playouts alone, in a tree on half.",
    "",
]
"""Our reading of the tables at full scale; on fewer runs it says nothing."""


def render_adaptive(results: Path) -> Path:
    """Write it."""
    path = results / NAME
    write(path, adaptive_text(results / FOLDER))
    return path


def adaptive_text(folder: Path) -> str:
    found = Results(folder)
    parts = [
        *_opening(found),
        *_answers_on_tuners(found),
        *_answers_on_pays(found),
        *_answers_on_policies(found),
        *_answers_on_recovery(found),
        *_tuner_tables(found),
        *_pays_tables(found),
        *_policy_tables(found),
        *_recovery_tables(found),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _opening(found: Results) -> list[str]:
    papers = ", ".join(f"{name} = {value_text(value)}" for name, value in PAPERS.items())
    return [
        "# Online tuning, playout policies and decay: what they are worth here",
        "",
        *(READING if found.complete() else []),
        *_in_short(found),
        "**How to read this.** A figure such as +1.2 [0.4, 2.0] is a gain: the mean difference on the same problems, "
        "each algorithm run once on each, in the domain's unit and **above 0 where it is better**, also where less is "
        "better, with its 95 % interval by Student's t; n is the number of problems. *Better* and *worse* mean p < "
        "0.05 in the paired test after Holm's correction over the algorithms beside that baseline; what is neither is "
        "open: no difference was shown. The six games have one start each; there the problems are fresh seeds.",
        "",
        "**Repeat it.** `python -m experiments adaptive` runs everything (`--only tuners`, `pays`, `policies` or "
        "`recovery`: one question); stopped, the same command goes on. `python -m experiments adaptive --render` makes "
        "this page from [the tables](adaptive) alone.",
        "",
        "**What is tuned:** `step(repeat(tune(select(sim(mast(eps=…)), grave(…)), TUNER), 100))` with 2, 4 or 6 open "
        "parameters (c, eps; then k, ref; then vo, t) over the lists of Sironi, Liu and Winands, who tune agents for "
        f"games of two and three players. *papers*: their fixed values, {papers}, but vo = 0 where it is not open. "
        "*bad*: c = 0, eps = 0, the rest the same: values of the sort that Sironi and Winands (2018) choose as bad. "
        "*drawn*: fixed, drawn from "
        "the lists anew for each run. *random*: drawn anew for each iteration. *most used*: fixed for a run, what "
        "`ntbea` used most on the training problem of the same number. *best* and *worst in training*: fixed, of "
        f"{SETTINGS} drawn combinations by their means on {TRAINING} training problems "
        "([chosen.csv](adaptive/chosen.csv)). *plain*: `step(repeat(select(sim, 0.5), 100))`.",
        "",
    ]


def _in_short(found: Results) -> Iterator[str]:
    """Each answer with its tally and the clearest figures."""

    def over(other: str) -> str:
        return in_brief([gain for n in OPEN for gain in _of_ntbea(found, n, other)])

    in_time = {beside: [one.gain for one in found.in_the_same_time("ntbea", beside)] for beside in ("plain", "uct")}
    begins = {domain: _begins(found, "beside papers", domain) for domain in DOMAINS}
    pays = [f"`{domain}` from B = {thousands(begin)}" for domain, begin in begins.items() if begin is not None]
    nowhere = "nowhere" if found.lines["pays"] else NOT_YET
    nst = found.gains("policies", "sim: nst and mast", 1_000, "nst")
    mast = found.gains("policies", "sim: policies", 1_000, "mast")
    decays = [gain for frame in FRAMES for policy in POLICIES for gain in _decay_gains(found, frame, policy)]
    yield from (
        "**In short.** First `ntbea` at B = 1 000, over 5 problems × 2, 4 and 6 parameters, with the clearest figures.",
        "",
        f"- Beside parameters drawn for each run: {over('drawn')}.",
        f"- Beside the papers' fixed values: {over('papers')}.",
        f"- Beside deliberately bad values, c = 0 and eps = 0: {over('bad')}.",
        f"- Beside the best fixed values of {SETTINGS} tried in training: {over('best in training')}.",
        f"- Beside `random` for each iteration: {over('random')}.",
        f"- Where it pays to tune 4 parameters online, beside the papers' fixed values: {', '.join(pays) or nowhere} "
        f"(of {len(DOMAINS)} problems, budgets up to {thousands(LARGEST)}).",
        f"- B = {thousands(LARGEST)} beside plain search, as many evaluations: "
        f"{in_brief(found.gains('pays', 'beside plain', LARGEST, 'ntbea'))}.",
        f"- The same in the same **CPU time**: {in_brief(in_time['plain'])}; beside `uct(0.5)`: "
        f"{in_brief(in_time['uct'])}.",
        f"- `sim(mast(eps=0.4))` beside random playouts on the six games, B = 1 000: {in_brief(mast)}.",
        f"- `sim(nst)` beside that: {in_brief(nst)}.",
        f"- Lists of {LIKE_BAD} bad values and a good one, {len(found.recoverable(1_000))} problems where good ones "
        f"are better, B = 1 000. `ntbea` beside the bad ones, fixed: {in_brief(_recovered(found, 'ntbea'))}; `nmc`: "
        f"{in_brief(_recovered(found, 'nmc'))}; `random`: {in_brief(_recovered(found, 'random'))}.",
        f"- Decay beside none, over games, policies, frames and decays: {in_brief(decays)}.",
        "",
    )


def _answers_on_tuners(found: Results) -> Iterator[str]:
    yield from ("## 1. A tuner against fixed parameters", "", "`ntbea`, B = 1 000. Gains are those of the tuner.", "")
    for other, claim, expected in AGAINST:
        yield f"**{claim}.** *Expected:* {expected}. *Came out:*"
        yield ""
        yield from (f"- {n} parameters: {in_full(_of_ntbea(found, n, other))}" for n in OPEN)
        yield ""
    yield "**`ntbea` against the other tuners.** *Expected:* `ntbea` best, `local` worse. *Came out:*"
    yield ""
    for tuner in TUNERS[2:]:
        parts = [f"{n}: {tally(gains)}" for n in OPEN if (gains := _of_ntbea(found, n, tuner))]
        yield f"- `{tuner}`, by the number of parameters: {'; '.join(parts) if parts else NOT_YET}."
    yield ""
    yield "`mab` has no line for 6 parameters: an arm for each of 433 620 combinations is `random` at B = 1 000."
    yield (
        "`lsi` with 4 and 6 draws 2 000 candidates when three quarters of its choices are made, and the rest ends "
        "before each was tried once: it never comes to a winner here."
    )
    yield ""


def _answers_on_pays(found: Results) -> Iterator[str]:
    yield from ("## 2. On which problems tuning pays, and from which budget", "")
    questions = (
        ("beside papers", "ntbea", "Beside the papers' fixed values", "equal, or worse with few evaluations"),
        ("beside random", "ntbea", "Beside `random` for each iteration", "equal at first, better with thousands"),
        ("beside plain", "ntbea", "Beside plain search, the same number of evaluations", "better"),
    )
    for contest, label, claim, expected in questions:
        yield f"**{claim}** (4 parameters). *Expected:* {expected}. *Came out:*"
        yield ""
        for domain in DOMAINS:
            gain = found.gain("pays", contest, LARGEST, label, domain)
            if gain is None:
                yield f"- `{domain}`: {NOT_YET}."
                continue
            where = _where_it_pays(found, contest, domain)
            at = thousands(LARGEST)
            came = f"{VERDICTS[gain.verdict]}, {gain.figure} {gain.unit}, {runs_of([gain])}"
            yield f"- `{domain}`: {where}; at B = {at} {came}."
        yield ""
    yield (
        "**In the same CPU time.** *Expected:* not at all where an evaluation of a plain search is cheap, because an "
        f"adaptive one costs many times that ({_costs(found)}). *Came out*, `ntbea` beside plain search with the "
        "evaluations that its CPU time buys (the next smaller budget measured), at the largest budget of `ntbea` that "
        f"takes no more than {SAME_TIME:g} times as long as these. CPU time of one thread on [a machine](machine.json) "
        "that other work shared:"
    )
    yield ""
    for domain in DOMAINS:
        fair = [line for beside in ("plain", "uct") for line in found.in_the_same_time("ntbea", beside)]
        lines = [line for line in fair if line.gain.domain == domain]
        if lines:
            yield f"- `{domain}`: {'; '.join(map(_in_time, lines))}."
    yield ""


def _costs(found: Results) -> str:
    """How many times the CPU time of a plain evaluation one with `ntbea` costs."""
    seconds = {
        (line.label, line.domain): line.cpu_seconds
        for line in found.lines["pays"]
        if line.contest == "beside plain" and line.budget == LARGEST
    }
    ratios = {
        domain: seconds["ntbea", domain] / seconds["plain", domain]
        for domain in DOMAINS
        if {("ntbea", domain), ("plain", domain)} <= seconds.keys()
    }
    if not ratios:
        return NOT_YET
    low, high = min(ratios, key=lambda domain: ratios[domain]), max(ratios, key=lambda domain: ratios[domain])
    return f"{ratios[low]:.1f} times on `{low}` to {ratios[high]:.1f} times on `{high}`"


def _in_time(line: TimeLine) -> str:
    name = "plain" if line.beside == "plain" else "`uct(0.5)`"
    return (
        f"B = {thousands(line.budget)}, {1000 * line.cpu_seconds:.2g} ms, "
        + (
            f"{line.gain.verdict} than {name} at B = {thousands(line.beside_budget)} "
            if line.gain.verdict != "open"
            else f"no difference shown to {name} at B = {thousands(line.beside_budget)} "
        )
        + f"({line.gain.figure} {line.gain.unit}, {runs_of([line.gain])})"
    )


def _answers_on_policies(found: Results) -> Iterator[str]:
    yield from (
        "## 3. NST, MAST and decay on the six games",
        "",
        "B = 1 000; as `sim(POLICY)` alone and as `step(repeat(select(sim(POLICY), 0.5), 100))`. `nst(eps=0.2, n=3, "
        "kmin=7)`, `mast(eps=0.4)`.",
        "",
    )
    for contest, label, claim, expected in (
        ("nst and mast", "nst", "NST beside MAST", "NST is better on most"),
        ("policies", "mast", "MAST beside random playouts", "better"),
        ("policies", "nst", "NST beside random playouts", "better"),
    ):
        yield f"**{claim}.** *Expected:* {expected}. *Came out:*"
        yield ""
        for frame in FRAMES:
            yield f"- {_frame(frame)}: {in_full(found.gains('policies', f'{frame}: {contest}', 1_000, label))}"
        yield ""
    moves = ", ".join(f"{value} for {policy}" for policy, value in MOVE_DECAY.items())
    yield (
        f"**Decay beside none.** *Expected:* it hardly helps with one player. Move decay {moves}, batch decay 0.9 "
        "every 50, simulation decay 0.94. *Came out:*"
    )
    yield ""
    for frame in FRAMES:
        for policy in POLICIES:
            for decay in ("move decay", "batch decay", "simulation decay"):
                gains = found.gains("policies", f"{frame}: decay of {policy}", 1_000, f"{policy}, {decay}")
                if gains:
                    yield f"- {decay} of {policy}, {_frame(frame)}: {in_full(gains)}"
    yield ""


def _answers_on_recovery(found: Results) -> Iterator[str]:
    yield from (
        "## 4. Out of bad parameters",
        "",
        f"Each list holds {LIKE_BAD} bad values (within 1e-9 of each other) and one good one, so that a tuner begins "
        "among bad ones and finds the good only if it learns. Gains over the bad values, fixed. *Expected:* the good "
        "ones are better, a tuner recovers some of that, `random` little. *Came out:*",
        "",
    )
    for contest in _keys(found.lines["recovery"]):
        for budget in _budgets(found.lines["recovery"]):
            yield f"- Bad: {contest}; B = {thousands(budget)}."
            for label in ("good", "ntbea", "nmc", "random"):
                shown = "good, fixed" if label == "good" else f"`{label}`"
                yield f"    - {shown}: {in_full(found.gains('recovery', contest, budget, label))}"
    yield ""


def _tuner_tables(found: Results) -> Iterator[str]:
    yield from ("## Tables", "")
    for n in OPEN:
        lines = [line for line in found.lines["tuners"] if line.contest == str(n)]
        if lines:
            yield from (f"### {n} parameters, B = 1 000", "", _score_note(lines, "`ntbea`"), "")
            yield from _by_domain(lines, TUNED_DOMAINS)


def _pays_tables(found: Results) -> Iterator[str]:
    lines = found.lines["pays"]
    if not lines:
        return
    yield from ("### Curves, 4 parameters", "", _score_note(lines, "*papers*"), "")
    for domain in DOMAINS:
        own = [line for line in lines if line.domain == domain]
        budgets = sorted({line.budget for line in own})
        shown = {(line.label, line.budget): line for line in reversed(own)}  # beside papers last, which stays
        rows = [
            [label, *(_score(shown.get((label, budget))) for budget in budgets), _cost(shown.get((label, budgets[-1])))]
            for label in dict.fromkeys(line.label for line in own)
        ]
        if rows:
            yield from table_lines([f"`{domain}` ({own[0].unit})", *map(thousands, budgets), "µs / evaluation"], rows)
            yield ""
    yield from (
        "### What the same CPU time buys",
        "",
        "The gain of the algorithm on the left. ([time.csv](adaptive/time.csv) has *papers* and `uct(0.5)`, too.)",
        "",
    )
    rows = [
        [
            f"`{line.gain.domain}`",
            thousands(line.budget),
            f"{1000 * line.cpu_seconds:.3g}",
            thousands(line.beside_budget),
            f"{1000 * line.beside_cpu_seconds:.3g}",
            f"{line.gain.figure} {line.gain.unit}{MARKS[line.gain.verdict]}",
            thousands(line.gain.runs),
        ]
        for line in found.time
        if line.label == "ntbea" and line.beside == "plain"
    ]
    yield from table_lines(["domain", "`ntbea`, B", "ms", "plain, B", "ms", "gain of `ntbea`", "n"], rows)
    yield ""


def _policy_tables(found: Results) -> Iterator[str]:
    for frame in FRAMES:
        lines = [
            line
            for line in found.lines["policies"]
            if line.budget == 1_000 and line.contest.startswith(f"{frame}: ") and "nst and mast" not in line.contest
        ]
        if lines:
            note = _score_note(lines, "random playouts (a decay: than the same policy without)")
            yield from (f"### Policies, {_frame(frame)}, B = 1 000", "", note, "")
            ordered = sorted(lines, key=lambda line: not line.contest.endswith("policies"))
            yield from _by_domain(ordered, GAMES)


def _recovery_tables(found: Results) -> Iterator[str]:
    for contest in _keys(found.lines["recovery"]):
        lines = [line for line in found.lines["recovery"] if line.contest == contest and line.budget == 1_000]
        yield from (f"### Bad: {contest}, B = 1 000", "", _score_note(lines, "the bad ones, fixed"), "")
        yield from _by_domain(lines, RECOVERY_DOMAINS)


def _by_domain(lines: Sequence[Line], domains: Sequence[str]) -> Iterator[str]:
    """A row for each label; of lines of one label and domain the first counts."""
    there = [domain for domain in domains if any(line.domain == domain for line in lines)]
    shown = {(line.label, line.domain): line for line in reversed(lines)}
    units = {line.domain: line.unit for line in lines}
    header = ["", *(f"`{domain}` ({units[domain]})" for domain in there)]
    labels = dict.fromkeys(line.label for line in lines)
    yield from table_lines(header, [[label, *(_score(shown.get((label, d))) for d in there)] for label in labels])
    yield ""


def _score(line: Line | None) -> str:
    return "" if line is None else line.score + (MARKS[line.gain.verdict] if line.gain is not None else "")


def _cost(line: Line | None) -> str:
    return "" if line is None else f"{1e6 * line.cpu_seconds / line.budget:.3g}"


def _score_note(lines: Sequence[Line], baseline: str) -> str:
    return (
        f"Mean score ± standard error over n runs, {runs_of(lines)}; ▲ better, ▼ worse than {baseline} by the paired "
        "test after Holm."
    )


def _of_ntbea(found: Results, n: int, other: str) -> list[Gain]:
    """Of `ntbea` over another algorithm, a domain each."""
    return [gain.turned() for gain in found.gains("tuners", str(n), 1_000, other)]


def _recovered(found: Results, label: str) -> list[Gain]:
    """Over the bad values, where good ones are better than these."""
    there = found.recoverable(1_000)
    return [
        gain
        for contest in _keys(found.lines["recovery"])
        for gain in found.gains("recovery", contest, 1_000, label)
        if (contest, gain.domain) in there
    ]


def _decay_gains(found: Results, frame: str, policy: str) -> list[Gain]:
    contest = f"{frame}: decay of {policy}"
    return [
        line.gain
        for line in found.lines["policies"]
        if line.contest == contest and line.budget == 1_000 and line.gain is not None
    ]


def _begins(found: Results, contest: str, domain: str) -> int | None:
    """The smallest budget from which on `ntbea` is better than the baseline at every budget measured."""
    begins = None
    for budget in sorted(_budgets(found.lines["pays"]), reverse=True):
        gain = found.gain("pays", contest, budget, "ntbea", domain)
        if gain is None or gain.verdict != "better":
            break
        begins = budget
    return begins


def _where_it_pays(found: Results, contest: str, domain: str) -> str:
    """At which budgets `ntbea` is better than the baseline."""
    begins = _begins(found, contest, domain)
    if begins is not None:
        return f"pays from B = {thousands(begins)}"
    budgets = sorted(_budgets(found.lines["pays"]))
    gains = [found.gain("pays", contest, budget, "ntbea", domain) for budget in budgets]
    better = [place for place, gain in enumerate(gains) if gain is not None and gain.verdict == "better"]
    if not better:
        return "does not pay at any budget"
    first, last = thousands(budgets[better[0]]), thousands(budgets[better[-1]])
    if len(better) == 1:
        return f"pays at B = {first} alone"
    if len(better) == better[-1] - better[0] + 1:
        return f"pays from B = {first} to {last}, no longer beyond"
    *others, final = (thousands(budgets[place]) for place in better)
    return f"pays at B = {', '.join(others)} and {final}"


def _frame(frame: str) -> str:
    return "alone" if frame == "sim" else f"in `{FRAMES[frame].format('sim(…)')}`"


def _keys(lines: Iterable[Line]) -> list[str]:
    return list(dict.fromkeys(line.contest for line in lines))


def _budgets(lines: Iterable[Line]) -> list[int]:
    return sorted({line.budget for line in lines})
