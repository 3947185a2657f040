"""What a report says: rankings, components, spending, test scores, curves, solutions; all against hand-made journals or
against the functions that `evaluate` and `solve` use."""

import csv
import io
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discovery.campaign.ranking import read_standing
from discovery.evaluation.comparison import contestants
from discovery.evaluation.evaluating import evaluate
from discovery.evaluation.measuring import Wanted, best_of_campaign, measure
from discovery.evaluation.tables import as_markdown as tables_markdown
from discovery.evaluation.tables import as_text as tables_text
from discovery.numbers import REWARDS, decimals_for, fixed, scale_of, signed
from discovery.report.charts import boxes
from discovery.report.components import analyse, levels_of, parts_of, structure_text
from discovery.report.measuring import Curve, measure_tests
from discovery.report.page import as_html
from discovery.report.report import Report, make_report
from discovery.report.text import as_csv, as_json_text, as_markdown, as_text
from domains.errors import UserError
from domains.registry import find_domain
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import solve
from tests.discovery.campaigns import change_settings, on_disk, tiny
from tests.discovery.evaluation_toys import COSTS, COUNTDOWN, WITH_A_SCORE_OF_ITS_OWN, write
from tests.discovery.reports import Pull, many, written
from tests.language.command import run as mcsgrammar

CANDIDATES = ("sim", "lookahead(sim)", "step(sim)", "step(lookahead(sim))", "step(repeat(sim, 2))")
PULLS: list[Pull] = [
    *((0, 0.25), (1, 0.5), (2, 0.5), (3, 1.0)),
    *((0, 0.25), (1, 0.0, "failed"), (2, 0.75), (3, 0.5)),
    *((2, 1.0), (3, 0.75), (3, 0.75)),
]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return written(tmp_path / "c", "sudoku:2", CANDIDATES, PULLS)


def untested(folder: Path, **options: int) -> Report:
    return make_report(folder, problems=0, **options)  # type: ignore[arg-type]


# The journal alone.


def test_csv(small: Path) -> None:
    """step(sim): 0.5, 0.75, 1 has mean 0.75, sd 0.25, stderr 0.25 / √3; the candidate without a pull is left out."""
    rows = list(csv.DictReader(io.StringIO(as_csv(untested(small)))))
    assert [(row["rank"], row["expression"], row["depth"], row["pulls"]) for row in rows] == [
        ("1", "step(sim)", "2", "3"),
        ("2", "step(lookahead(sim))", "3", "4"),
        ("3", "sim", "1", "2"),
        ("4", "lookahead(sim)", "2", "2"),
    ]
    first, *_, last = rows
    assert [float(first[name]) for name in ("mean", "sd", "best")] == pytest.approx([0.75, 0.25, 1.0])
    assert float(first["stderr"]) == pytest.approx(0.25 / 3**0.5)
    assert (first["unit"], float(first["score"])) == ("filled cells", 12.0)
    assert [row["failed"] for row in rows] == ["0", "0", "0", "1"]
    assert {first[name] for name in first if name.startswith("test_")} == {""}
    assert float(last["mean"]) == 0.25


def test_one_pull_has_no_deviation(tmp_path: Path) -> None:
    folder = written(tmp_path / "c", "sudoku:2", CANDIDATES, [(0, 0.5), (2, 0.25)])
    rows = list(csv.DictReader(io.StringIO(as_csv(untested(folder)))))
    assert [(row["sd"], row["stderr"], row["score_stderr"]) for row in rows] == [("", "", "")] * 2
    assert [row["sd"] for row in json.loads(as_json_text(untested(folder)))["ranking"]] == [None, None]


def test_the_quantiles_of_the_boxes_and_where_they_are_drawn(tmp_path: Path) -> None:
    candidates = [f"step(repeat(sim, {n}))" for n in range(2, 7)]
    rewards = [0.3, 0.0, 1.0, 0.1, 0.6]
    folder = written(tmp_path / "c", "sudoku:2", candidates, list(enumerate(rewards)))
    structure = analyse(read_standing(folder))
    assert structure is not None
    (group,) = structure.by_outermost
    # Of 0, 0.1, 0.3, 0.6 and 1 the places 0.2, 1, 2, 3 and 3.8, counted from 0.
    quantiles = [0.02, 0.1, 0.3, 0.6, 0.6 + 0.8 * 0.4]
    assert group.spread == pytest.approx(quantiles)

    drawing = boxes("boxes", "Boxes", [group], REWARDS, 1)
    found = re.search(
        r'found-line" d="M([\d.]+) \d+L([\d.]+) .*?box" x="([\d.]+)" [^>]*width="([\d.]+)".*?median" d="M([\d.]+) ',
        drawing,
        re.DOTALL,
    )
    assert found is not None
    low, high, first, width, median = map(float, found.groups())
    places = [low, first, median, first + width, high]
    assert [0.02 + 0.9 * (place - low) / (high - low) for place in places] == pytest.approx(quantiles, abs=0.001)


def test_markdown(small: Path) -> None:
    assert as_markdown(untested(small)) == Path(__file__).with_name("golden_report.md").read_text(encoding="utf-8")


def test_text(small: Path) -> None:
    text = as_text(untested(small, top=2))
    head, state, empty, finding, *rest = text.splitlines()
    assert (head, state, empty) == (
        "sudoku:2, 20 evaluations",
        "Complete: 11 pulls on 5 candidates by ucb1(c=0.1)",
        "",
    )
    assert finding == "The campaign recommends step(sim), by its mean on 3 training problems. It was not tested."
    assert rest[1:6] == [
        "Ranking on training problems",
        "filled cells, more is better; 4 candidates tried; "
        "1 pull failed and counted as reward 0, failures.jsonl says why",
        "rank  expression            pulls  mean  ± 95 %  best  failed",
        "1     step(sim)                 3  12.0     4.5  16.0       0",
        "2     step(lookahead(sim))      4  12.0     3.2  16.0       0",
    ]
    assert text.count("\x1b") == 0


def test_effects_of_components(small: Path) -> None:
    """All tried candidates have two pulls: only these count. Means are sim 0.25, lookahead 0.25, step 0.625,
    step(lookahead) 0.75."""
    structure = untested(small).structure
    assert structure is not None
    assert (structure.common_problems, structure.tried, structure.floored) == (2, 4, False)
    effects = {key: (effect.pairs, effect.mean, effect.helps) for key, effect in structure.effects.items()}
    assert effects == {
        ("lookahead", 1): (1, 0.0, 0.0),  # lookahead(sim) beside sim
        ("step", 1): (2, (0.375 + 0.5) / 2, 1.0),  # beside sim, and beside lookahead(sim)
        ("lookahead", 2): (1, 0.125, 1.0),  # step(lookahead(sim)) beside step(sim)
    }
    outermost = {group.label: (group.candidates, group.mean, group.best_rank) for group in structure.by_outermost}
    assert outermost == {"sim": (1, 0.25, 3), "lookahead": (1, 0.25, 4), "step": (2, 0.6875, 1)}
    assert {key: group.mean for key, group in structure.by_component.items()} == {
        ("sim", 1): 0.25,
        ("sim", 2): (0.25 + 0.625) / 2,
        ("sim", 3): 0.75,
        ("lookahead", 1): 0.25,
        ("lookahead", 2): 0.75,
        ("step", 1): 0.6875,
    }
    assert [(group.label, group.candidates) for group in structure.by_depth] == [("1", 1), ("2", 2), ("3", 1)]


def test_constants_and_structures(tmp_path: Path) -> None:
    texts = ("select(sim, 0)", "select(sim, 1)", "step(repeat(sim, 10))", "step(repeat(sim, 2))")
    folder = written(tmp_path / "c", "sudoku:2", texts, [(0, 0.5), (1, 1.0), (2, 0.25), (3, 0.125)])
    structure = untested(folder).structure
    assert structure is not None
    assert [(group.label, group.mean) for group in structure.by_constant] == [
        ("repeat(…, 2)", 0.125),
        ("repeat(…, 10)", 0.25),
        ("select(…, 0)", 0.5),
        ("select(…, 1)", 1.0),
    ]
    assert [(group.label, group.candidates, group.best_expression) for group in structure.by_structure] == [
        ("select(sim)", 2, "select(sim, 1)"),
        ("step(repeat(sim))", 2, "step(repeat(sim, 10))"),
    ]


def test_a_name_of_the_literature_is_as_deep_as_what_it_stands_for(tmp_path: Path) -> None:
    texts = ("uct(0.5)", "step(repeat(select(sim, 0.5), 3))", "sim(mast(eps=0.4))")
    structure = untested(written(tmp_path / "c", "sudoku:2", texts, [(0, 0.5), (1, 1.0), (2, 0.25)])).structure
    assert structure is not None
    assert [(group.label, group.candidates) for group in structure.by_depth] == [("1", 1), ("4", 2)]
    labels = [group.label for group in structure.by_constant]
    assert labels == ["sim(mast(eps=0.4))", "repeat(…, 3)", "select(…, 0.5)", "uct(0.5)"]


@pytest.mark.parametrize(
    ("text", "parts", "levels"),
    [
        ("step(repeat(sim, 2))", [("step", ""), ("repeat", "2"), ("sim", "")], [1, 2, 3]),
        ("select(sim(mast(eps=0.4)), grave(c=0.2, ref=50))", None, [1, 2]),
        ("step(repeat(select(sim, 0.5), 10), mean)", [("step", "mean"), ("repeat", "10"), ("select", "0.5")], None),
        ("step(tune(repeat(sim, {2, 5}), ntbea))", None, [1, 2, 2, 3]),
        ("uct(0.5)", [("uct", "0.5")], [1]),
    ],
)
def test_parts(text: str, parts: list[tuple[str, str]] | None, levels: list[int] | None) -> None:
    found = parts_of(parse(text))
    if parts is not None:
        assert [(part.name, part.constant) for part in found][: len(parts)] == parts
    if levels is not None:
        assert levels_of(found) == levels
    assert [part.name for part in found] == [part.name for part in parse(text).walk()]
    assert structure_text(parts_of(parse("step(repeat(sim, 2))"))) == "step(repeat(sim))"


def test_rewards_without_a_floor(tmp_path: Path) -> None:
    """A formula may miss its points by 1e30: that is nothing to compare components by, and no chart can show it."""
    pulls: list[Pull] = [(0, -1e30), (1, 0.5), (2, 0.75), (3, -1e100)] * 2
    folder = written(tmp_path / "c", "regression", CANDIDATES, pulls)
    report = untested(folder)
    assert report.structure is not None and report.structure.floored
    assert report.structure.effects["step", 1].mean == pytest.approx((0.75 + -0.5) / 2)
    assert "rewards below 0 counted as 0" in as_text(report)
    assert max(map(len, as_text(report).splitlines())) < 400
    json.loads(as_json_text(report))
    as_html(report)


def test_spending(tmp_path: Path) -> None:
    texts = [f"repeat(sim, {n})" for n in range(2, 15)]
    pulls: list[Pull] = [*((arm, arm / 20) for arm in range(12)), *[(11, 0.55)] * 108]
    spent = untested(written(tmp_path / "c", "sudoku:2", texts, pulls), top=2).spending
    assert spent is not None
    assert (spent.windows, spent.edges[:3], spent.edges[-1]) == (60, (0, 2, 4), 120)
    assert [(group.label, group.candidates, group.total) for group in spent.groups] == [
        ("rank 1 to 10", 10, 118),
        ("rank 11 to 12", 2, 2),
    ]
    assert spent.groups[1].pulls[:2] == (2, 0)
    assert [(one.label, one.total) for one in spent.leaders] == [("repeat(sim, 13)", 109), ("repeat(sim, 12)", 1)]
    assert spent.leaders[0].pulls[:8] == (0, 0, 0, 0, 0, 1, 2, 2)
    assert (spent.untried, spent.fewest, spent.median, spent.most) == (1, 1, 1.0, 109)


def test_not_complete(small: Path, tmp_path: Path) -> None:
    report = untested(written(tmp_path / "d", "sudoku:2", CANDIDATES, PULLS, pulls_in_all=40))
    state = "Not complete: 11 of 40 pulls on 5 candidates by ucb1(c=0.1); it is still running, or was stopped early"
    assert as_text(report).splitlines()[1] == state
    assert f"<strong>{state}</strong>" in as_html(report)
    assert "Not complete" not in as_html(untested(small))


def test_no_pulls_yet(tmp_path: Path) -> None:
    folder = written(tmp_path / "c", "sudoku:2", CANDIDATES, [], pulls_in_all=9)
    report = make_report(folder, curves=True)
    assert report.findings == ["The campaign has no pulls yet, so there is nothing to report."]
    assert as_text(report).splitlines()[1].startswith("Not complete: 0 of 9 pulls")
    assert len(as_csv(report).splitlines()) == 1
    assert "no pulls yet" in as_html(report) and "no pulls yet" in as_markdown(report)
    assert json.loads(as_json_text(report))["ranking"] == []


def test_a_torn_journal(small: Path) -> None:
    journal = small / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b'[0,2,0.5,"12')
    report = untested(small)
    assert report.pulls_done == 11
    assert report.notes == ("when it is resumed: cut 0 pulls (12 bytes) after the last complete batch (torn write)",)
    assert "torn" not in as_html(report)


def test_how_to_repeat_it(tmp_path: Path) -> None:
    texts = [what for what, _ in untested(many(tmp_path / "a")).commands]
    assert texts[0] == "The campaign again, pull for pull"
    (_, enumerated), *_ = untested(many(tmp_path / "b")).commands
    assert "--depth 4 --policy 'ucb1(c=0.1)' --pulls 1233 --batch 7 --seed 3 --out again" in enumerated
    folder = written(tmp_path / "c", "sudoku:2", CANDIDATES, PULLS, semantics="maes2013")
    (what, listed), *_, (_, run) = untested(folder).commands
    assert what.endswith("(candidates.txt is in its folder)")
    assert "--candidates candidates.txt " in listed and " --semantics maes2013 " in listed
    assert run == "mcsgrammar solve sudoku:2 'step(sim)' --budget 20 --semantics maes2013"


def test_the_command_to_repeat_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same candidates and settings, so the same journal."""
    import shlex

    monkeypatch.chdir(tmp_path)
    arguments = ["sudoku:2", "--depth", "3", "--budget", "5", "--pulls", "60", "--seed", "4", "--batch", "9"]
    assert mcsgrammar("discover", *arguments, "--test-problems", "0", "--jobs", "1", "--out", "first").returncode == 0
    (_, command), *_ = untested(tmp_path / "first").commands
    again = mcsgrammar(*shlex.split(command)[1:], "--test-problems", "0", "--jobs", "1")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again/journal.jsonl").read_bytes() == (tmp_path / "first/journal.jsonl").read_bytes()


def test_one_problem_says_nothing_of_components(tmp_path: Path) -> None:
    report = untested(written(tmp_path / "c", "sudoku:2", CANDIDATES, PULLS[:4]))
    assert report.structure is not None
    assert (report.structure.common_problems, report.structure.effects) == (1, {})
    for text in (as_text(report), as_markdown(report), as_html(report)):
        assert "What adding a component does" not in text and "the one training problem" in text


def test_what_always_failed_is_not_recommended(tmp_path: Path) -> None:
    """Although a reward of 0 is the best here."""
    pulls: list[Pull] = [(2, 0.0, "failed"), (1, -1.0), (0, -2.0), (2, 0.0, "failed"), (1, 0.0, "failed"), (0, -2.0)]
    folder = written(tmp_path / "c", "sudoku:2", CANDIDATES[:3], pulls)
    report = untested(folder)
    assert [one.expression_text for one in report.ranking] == ["lookahead(sim)", "sim", "step(sim)"]
    assert report.findings[0].startswith("The campaign recommends `lookahead(sim)`")
    assert [text for text, *_ in best_of_campaign(folder, 10).trained] == ["lookahead(sim)", "sim"]
    tested = make_report(folder, problems=2, jobs=1).test
    assert tested is not None and "step(sim)" not in [row.expression for row in tested.rows]


def test_where_everything_failed_nothing_is_recommended(tmp_path: Path) -> None:
    folder = written(tmp_path / "c", "sudoku:2", CANDIDATES[:2], [(0, 0.0, "failed"), (1, 0.0, "failed")])
    report = make_report(folder)
    assert report.findings == [
        "Every pull failed and counted as reward 0, so nothing is recommended; failures.jsonl says why."
    ]
    assert report.test is None and not any("solve" in command for _, command in report.commands)
    with pytest.raises(UserError) as error:
        best_of_campaign(folder, 1)
    assert (
        str(error.value) == f"every pull of {folder} failed, so that nothing is the best; its failures.jsonl says why"
    )
    done = mcsgrammar("status", str(folder))
    assert "every pull failed, so nothing is recommended" in done.stdout.splitlines()


EVIL = "\x1b[2J|<b>*x*"


def test_what_a_domain_calls_itself_stays_text(tmp_path: Path) -> None:
    """No control characters, no Markdown, no HTML of others."""
    named = COUNTDOWN.replace('"points"', repr(EVIL))
    folder = written(tmp_path / "c", write(tmp_path, named, "evil"), CANDIDATES[:2], PULLS[:2] * 2)
    report = make_report(folder, problems=2, jobs=1, curves=True)
    assert report.test is not None
    columns = measure([Wanted(report.settings.domain, 20)], contestants(CANDIDATES[:2], True), problems=2)
    for text in (as_text(report), as_csv(report), tables_text(columns)):
        assert "\x1b" not in text and "\\x1b[2J" in text
    for text in (as_markdown(report), tables_markdown(columns)):
        assert "\x1b" not in text and "\\[2J\\|&lt;b&gt;\\*x\\*" in text and "<b>" not in text
    assert "<b>" not in as_html(report) and "\x1b" not in as_html(report)


def test_spreads_beyond_numbers_are_null_in_json(tmp_path: Path) -> None:
    pulls: list[Pull] = [(0, -1e200), (0, -2e200), (1, 0.5)]
    folder = written(tmp_path / "c", "sudoku:2", CANDIDATES[:2], pulls)
    documents = [json.loads(as_json_text(untested(folder)), parse_constant=pytest.fail)]
    done = mcsgrammar("status", str(folder), "--json")
    documents.append(json.loads(done.stdout, parse_constant=pytest.fail))
    assert documents[0]["ranking"][1]["stderr"] is None and documents[1]["leaders"][1]["stderr"] is None


# Scales and numbers.


def test_scales(tmp_path: Path) -> None:
    cells = scale_of(find_domain("sudoku:3"))
    assert (cells.unit, cells.less_is_better, cells.of(0.5), cells.width(0.1)) == ("filled cells", False, 40.5, 8.1)
    error = scale_of(find_domain("regression"))
    assert (error.unit, error.less_is_better, error.of(0.75)) == ("mae", True, 0.25)
    cost = scale_of(find_domain(write(tmp_path, COSTS, "costs")))
    assert (cost.less_is_better, cost.of(1.0), cost.of(0.0), cost.width(0.5)) == (True, 2.0, 14.0, 6.0)
    assert scale_of(find_domain(write(tmp_path, WITH_A_SCORE_OF_ITS_OWN, "own"))).direction == (
        "more is better, whatever that is in points"
    )


def test_a_score_that_is_no_line_of_the_reward(tmp_path: Path) -> None:
    bent = COUNTDOWN + "\n    def score_of_reward(self, reward):\n        return reward ** 2\n"
    assert scale_of(find_domain(write(tmp_path, bent, "bent"))).unit == "reward"
    broken = COUNTDOWN + "\n    def score_of_reward(self, reward):\n        return 1 / 0\n"
    assert scale_of(find_domain(write(tmp_path, broken, "broken"))).unit == "reward"


def test_numbers() -> None:
    assert [fixed(value, 1) for value in (1.25, -0.04, None, float("nan"), 3e30)] == ["1.2", "0.0", "–", "–", "3e+30"]
    assert [signed(value, 2) for value in (1.0, -1.0, 0.0, None)] == ["+1.00", "-1.00", "+0.00", "–"]
    assert [decimals_for(errors) for errors in ([2.5, None], [0.0031], [0.0], [], [25.0])] == [1, 4, 4, 4, 0]


# Test problems.


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A real campaign, with an algorithm among its best that is a generic one."""
    from discovery.campaign.running import run

    folder = written(
        tmp_path / "c", "sudoku:2", [*CANDIDATES, "step(repeat(select(sim, 0.3), 2))"], [], pulls_in_all=36
    )
    run(folder, accept_versions=True)
    return folder


def test_scores_are_those_of_evaluate(trained: Path) -> None:
    report = make_report(trained, problems=25, top=4, jobs=1)
    selection = best_of_campaign(trained, 4)
    field = contestants((), True, selection.trained)
    wanted = [Wanted("sudoku:2", 20)]
    (column,) = measure(wanted, field, problems=25, seed=3, jobs=1, selection=selection)
    assert report.test is not None and not report.test.kept
    expected = {row.contestant.expression: row for row in column.rows}
    assert {row.expression for row in report.test.rows} == set(expected)
    for row in report.test.rows:
        twin = expected[row.expression]
        assert (row.rank, row.mean, row.stderr, row.ci95) == (twin.rank, twin.mean, twin.stderr, twin.ci95)
        assert row.p_holm == (twin.versus and twin.versus.p_holm)
    assert (report.test.reference, report.test.reference_is) == (column.reference, column.reference_chosen_on)
    assert column.winners_curse is not None and report.test.excess is not None
    assert report.test.excess[2] == column.winners_curse.excess
    assert [row.rank for row in report.test.rows] == sorted(row.rank for row in report.test.rows)


def test_curves_are_those_of_shorter_runs(trained: Path) -> None:
    report = make_report(trained, problems=12, top=3, curves=True, jobs=1)
    curves = report.curves
    assert curves is not None and curves.points == (1, 2, 5, 10, 20)
    by_text: dict[str, Curve] = {curve.expression: curve for curve in curves.curves}
    short = evaluate("sudoku:2", ["step(sim)", "step(lookahead(sim))"], budgets=[2, 10], problems=12, seed=3)
    for i, text in enumerate(short.expressions):
        found = (by_text[text].scores[1], by_text[text].scores[3]) if text in by_text else None
        if found is not None:
            assert found == (short.settings[0].scores[i].mean(), short.settings[1].scores[i].mean())
    # uct(C) keeps the N of the full budget all along its curve.
    runs = [solve("sudoku:2", "uct(0.5)", 20, problem=k, seed=3)[0].result for k in range(12)]
    assert by_text["uct(0.5)"].scores[2] == pytest.approx(16 * sum(r.best_at(5) or 0 for r in runs) / 12)
    assert report.test is not None
    assert {curve.expression: curve.scores[-1] for curve in curves.curves} == pytest.approx(
        {row.expression: row.mean for row in report.test.rows}
    )


def test_drawings_are_the_best_solutions(trained: Path) -> None:
    report = make_report(trained, problems=8, curves=True, jobs=1)
    assert len(report.drawings) == 3
    first = report.drawings[0]
    solutions = [solve("sudoku:2", first.expression, 20, problem=k, seed=3)[0] for k in range(8)]
    best = max(solutions, key=lambda solution: solution.reward or 0)
    assert (first.problem, first.score, first.text) == (best.problem, best.score, best.draw())
    assert first.svg == best.svg()
    assert len({drawing.problem for drawing in report.drawings}) == 3


def test_kept_scores(tmp_path: Path) -> None:
    """What the campaign measured at its end is not measured again, unless other problems are asked for."""
    folder = tmp_path / "c"
    arguments = ["sudoku:2", "--depth", "3", "--budget", "5", "--pulls", "60", "--jobs", "1", "--out", str(folder)]
    assert mcsgrammar("discover", *arguments, "--test-problems", "30", "--top", "4").returncode == 0
    report = make_report(folder, top=4)
    kept = json.loads((folder / "evaluation.json").read_text())
    assert report.test is not None and report.test.kept
    assert [(row.name, row.mean) for row in report.test.rows] == [(row["name"], row["mean"]) for row in kept["rows"]]
    drawn = make_report(folder, top=4, curves=True, jobs=1)
    assert drawn.test == report.test and drawn.curves is not None and drawn.curves.problems == 200
    assert make_report(folder, top=4, problems=0).test == report.test
    anew = make_report(folder, top=4, problems=10, jobs=1).test
    assert anew is not None and (anew.kept, anew.problems) == (False, 10)
    more = make_report(folder, top=5, jobs=1).test
    assert more is not None and (more.kept, more.problems) == (False, 200)


def test_less_is_better(tmp_path: Path) -> None:
    domain = write(tmp_path, COSTS, "costs")
    pulls: list[Pull] = [(0, 0.25), (1, 0.75), (2, 0.5), (0, 0.25), (1, 0.5), (2, 0.5)]
    report = make_report(written(tmp_path / "c", domain, CANDIDATES[:3], pulls), problems=6, jobs=1, curves=True)
    assert [one.expression_text for one in report.ranking] == ["lookahead(sim)", "step(sim)", "sim"]
    assert "1     lookahead(sim)      2   6.5" in as_text(report)  # 14 - 12 * 0.625
    test = report.test
    assert test is not None and test.less_is_better
    means = [row.mean for row in test.rows]
    assert means == sorted(means)
    assert "less is better" in report.findings[0]
    assert report.drawings[0].svg is None and report.drawings[0].text


def test_a_score_of_its_own(tmp_path: Path) -> None:
    """Training can be told in rewards only, the test in the domain's unit."""
    domain = write(tmp_path, WITH_A_SCORE_OF_ITS_OWN, "own")
    report = make_report(written(tmp_path / "c", domain, CANDIDATES[:3], PULLS[:3]), problems=4, jobs=1, curves=True)
    assert report.scale.unit == "reward" and report.test is not None and report.test.unit == "points"
    assert report.test.less_is_better is None and report.test.rows[0].mean > 100
    page = as_html(report)
    assert "mean points" in page and "mean reward" in page
    as_text(report), as_markdown(report), as_json_text(report)


def test_seconds_have_no_curve(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    arguments = [
        "sudoku:2",
        "--depth",
        "2",
        "--seconds",
        "0.0005",
        "--pulls",
        "20",
        "--jobs",
        "1",
        "--out",
        str(folder),
    ]
    assert mcsgrammar("discover", *arguments, "--test-problems", "0").returncode == 0
    report = make_report(folder, problems=3, jobs=1, curves=True)
    assert report.curves is None and report.test is not None
    assert not any(row.name.startswith("uct") for row in report.test.rows)
    assert "no common curve" in as_html(report)
    assert report.commands[0][0] == "The same campaign; its results differ"


# The same every time.


def test_bytes_are_the_same(trained: Path, tmp_path: Path) -> None:
    """Wherever the folder is, and with any number of workers; and it is only read."""
    before = on_disk(trained)
    elsewhere = shutil.copytree(trained, tmp_path / "other" / "place")
    reports = [
        make_report(trained, problems=7, curves=True, jobs=1),
        make_report(trained, problems=7, curves=True, jobs=1),
        make_report(elsewhere, problems=7, curves=True, jobs=2),
    ]
    for write_it in (as_html, as_markdown, as_csv, as_json_text, as_text):
        first, *others = map(write_it, reports)
        assert others == [first, first]
        assert str(tmp_path) not in first
    assert on_disk(trained) == before


def test_failed_pulls_are_mentioned(small: Path) -> None:
    said = "1 pull failed and counted as reward 0; failures.jsonl in its folder says why."
    assert said in as_html(untested(small))


def test_a_domain_that_is_gone(tmp_path: Path) -> None:
    """Nothing is lost but what would have to be run."""
    domain = tiny(tmp_path)
    folder = written(tmp_path / "c", domain.name, CANDIDATES, PULLS)
    before = as_text(untested(folder))
    (tmp_path / "tiny.py").unlink()
    assert as_text(untested(folder)) == before


def test_an_older_campaign_does_not_know_its_unit(tmp_path: Path) -> None:
    """A built-in domain can be asked."""
    note = "an older version began this campaign and did not keep the unit; training scores are rewards"
    of_a_file = written(tmp_path / "c", tiny(tmp_path).name, CANDIDATES, PULLS)
    built_in = written(tmp_path / "d", "sudoku:2", CANDIDATES, PULLS)
    for folder in (of_a_file, built_in):
        change_settings(folder, units=None)
    assert (untested(of_a_file).notes, untested(of_a_file).scale.unit) == ((note,), "reward")
    assert (untested(built_in).notes, untested(built_in).scale.unit) == ((), "filled cells")
    change_settings(built_in, domain="sudoku:3")  # another one under the same settings
    assert untested(built_in).notes == (note,)


def test_a_generic_algorithm_in_disguise(trained: Path) -> None:
    """With a budget of 20 and 16 cells, uct(0.3) spends one simulation a step; here a campaign has found that."""
    one = "step(repeat(select(sim, 0.3), 1))"
    folder = written(trained.parent / "d", "sudoku:2", (one, "sim"), [(0, 0.75), (1, 0.5)])
    report = make_report(folder, problems=3, jobs=1)
    test = report.test
    assert test is not None
    row = test.row_of(one)
    assert row is not None and test.disguised(row) == "uct(0.3)"
    assert [test.disguised(other) for other in test.rows if other.generic] == [None] * 14
    assert "Within this budget it is the generic algorithm `uct(0.3)`." in report.findings[0]
    assert "= uct(0.3)" in as_html(report) and "= uct(0.3)" in as_text(report)


def test_findings_name_what_is_better(trained: Path) -> None:
    """The sentences follow the tests, not the means."""
    report = make_report(trained, problems=10, jobs=1)
    test = report.test
    assert test is not None
    found = [row for row in test.rows if not row.generic]
    reference = next(row for row in test.rows if row.reference)

    def with_first(**changes: object) -> list[str]:
        rows = tuple(replace(row, **changes) if row is found[0] else row for row in test.rows)  # type: ignore[arg-type]
        return replace(report, test=replace(test, rows=rows)).findings

    better = with_first(p_holm=0.01, mean_reward=reference.mean_reward + 0.1)
    assert f"1 of the {len(found)} discovered algorithms is better than {test.reference}, " in " ".join(better)
    for changes in (
        {"p_holm": 0.2, "mean_reward": reference.mean_reward + 0.1},
        {"p_holm": 0.01, "mean_reward": reference.mean_reward - 0.1},
    ):
        assert f"None of the {len(found)} discovered algorithms is better" in " ".join(with_first(**changes))


def test_everything_is_read_from_the_journal(small: Path) -> None:
    standing = read_standing(small)
    assert [one.expression_text for one in untested(small).ranking] == [
        standing.expressions[arm] for arm in standing.order
    ]


LETTERS = """
from pathlib import Path


class Letters:
    horizon = 1

    def __init__(self, folder: Path):
        self.folder = folder
        self.instances = sorted(folder.iterdir())

    def load(self, path):
        return [path.read_text()]

    def actions(self, state):
        return "ab" if len(state) == 1 else ""

    def play(self, state, action):
        state.append(action)

    def reward(self, state):
        return float(state[-1] in state[0])
"""


@pytest.mark.parametrize(("files", "said"), [(20, True), (1, False)])
def test_instances_that_training_has_not_are_mentioned(files: int, said: bool, tmp_path: Path) -> None:
    (tmp_path / "letters.py").write_text(LETTERS)
    (tmp_path / "texts").mkdir()
    for number in range(files):
        (tmp_path / "texts" / str(number)).write_text("a" * (number + 1))
    domain = f"{tmp_path / 'letters.py'}:Letters:{tmp_path / 'texts'}"
    folder = written(tmp_path / "c", domain, ("sim", "step(sim)"), [(0, 0.5), (1, 0.5), (0, 1.0), (1, 0.0)])
    page = as_html(make_report(folder, problems=2, curves=True))
    assert "Training against test scores" in page
    assert ("Part of it is that training has other instances" in page) == said


@pytest.mark.parametrize("play", [None, "new"])
def test_what_has_no_curves_is_run_to_be_drawn_alone(
    play: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores that are kept are not measured again for games, of which only pictures are to come."""
    texts = ("sim", "lookahead(sim)", "repeat(sim, 2)", "select(sim, 0.5)", "lookahead(repeat(sim, 2))")
    folder = written(tmp_path / "c", "sudoku:2", texts, PULLS, play=play)
    standing, domain = read_standing(folder), find_domain("sudoku:2")
    best = standing.ranking(3)
    kept = measure_tests(domain, standing.settings, best, 4).test
    asked: list[int] = []

    def noting(domain: object, texts: list[str], **how: Any) -> Any:
        asked.append(len(texts))
        return evaluate(domain, texts, **how)  # type: ignore[arg-type]

    monkeypatch.setattr("discovery.report.measuring.evaluate", noting)
    again = measure_tests(domain, standing.settings, best, 4, kept=kept, drawn=2)
    assert again.test is kept and len(again.drawings) == 2
    assert (asked, again.curves is None) == (([16], False) if play is None else ([2], True))
