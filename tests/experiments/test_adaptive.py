"""The questions about online tuning are well-formed; runs go on after a kill; the page needs the tables alone."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from discovery.evaluation.evaluating import evaluate
from experiments.adaptive import running as adaptive_running
from experiments.adaptive.lines import Gain, Results, decimals, in_full, tally
from experiments.adaptive.questions import (
    DOMAINS,
    LIKE_BAD,
    OPEN,
    PAPERS,
    QUESTIONS,
    Algorithm,
    Contest,
    Question,
    family,
    mostly,
)
from experiments.adaptive.rendering import _where_it_pays, adaptive_text, render_adaptive
from experiments.adaptive.running import FOLDER, Piece, expression_of, measure, pieces_in, pieces_of
from experiments.adaptive.tables import _compared, _corrected, write_tables
from experiments.cli import main
from experiments.files import read_csv, write_csv
from experiments.options import RESULTS
from experiments.pieces import domain_of
from mcsgrammar.engines.searching import Limits, prepare
from mcsgrammar.language.expressions import Tune
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Grave, Mast
from mcsgrammar.solving import solve
from mcsgrammar.tuning.space import space_of

ALGORITHMS = [(c.domain, c.budgets, a) for q in QUESTIONS.values() for c in q.contests for a in c.algorithms]


def small_part(question: Question) -> Question:
    """What is cheap of it."""
    contests = tuple(c for c in question.contests if c.domain in ("knights", "statespace") and c.key not in ("4", "6"))
    return replace(question, contests=contests)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("adaptive")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive_running, "SETTINGS", 3)
        patch.setattr(adaptive_running, "TRAINING", 2)
        questions = [small_part(question) for question in QUESTIONS.values()]
        measure(folder / "work", questions, 2)
        write_tables(folder / "work", folder / "results", questions)
        render_adaptive(folder / "results")
        yield folder


def test_every_expression_runs_on_its_domain() -> None:
    seen = set()
    for domain, budgets, algorithm in ALGORITHMS:
        text = algorithm.family.tuned("random") if algorithm.family is not None else algorithm.expression
        if (domain, text) not in seen:
            prepare(parse(text), domain_of(domain), Limits(max(budgets)))
            seen.add((domain, text))


def test_pieces_that_mutate_are_told_from_those_of_another_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = pieces_of(QUESTIONS.values())
    before = {piece: piece.path(tmp_path) for piece in pieces}
    monkeypatch.setattr(adaptive_running, "MUTATION", "another")
    others = [piece for piece in pieces if piece.path(tmp_path) != before[piece]]
    labels = {piece.algorithm.label for piece in others}
    assert labels == {"ea", "ntbea", "most used"}
    assert [piece for piece in pieces if piece.algorithm.label in labels] == others


def test_contests_are_well_formed() -> None:
    for question in QUESTIONS.values():
        assert len({(c.domain, c.key) for c in question.contests}) == len(question.contests)
        for contest in question.contests:
            labels = [one.label for one in contest.algorithms]
            assert len(set(labels)) == len(labels) and contest.baseline in labels
            assert all(set(contest.budgets) <= set(one.budgets or contest.budgets) for one in contest.algorithms)
            assert all((one.family is None) == (one.way == "as it is") for one in contest.algorithms)


@pytest.mark.parametrize(("n", "combinations"), [(2, 99), (4, 7_227), (6, 433_620)])
def test_the_lists_are_the_papers(n: int, combinations: int) -> None:
    expression = parse(family(n).tuned("ntbea"))
    tune = next(part for part in expression.walk() if isinstance(part, Tune))
    assert space_of(expression, tune).legal_count == combinations
    fixed = list(parse(family(n).fixed()).walk())
    grave = next(part.policy for part in fixed if isinstance(getattr(part, "policy", None), Grave))
    mast = next(part.policy for part in fixed if isinstance(getattr(part, "policy", None), Mast))
    vo = PAPERS["vo"] if n == 6 else 0
    assert (grave.c, grave.ref, grave.k, grave.vo, grave.t, mast.eps) == (0.2, 50, 250, vo, 0, 0.4)


def test_drawn_combinations_are_legal_and_differ_from_run_to_run() -> None:
    texts = [family(4).drawn("test", k) for k in range(40)]
    assert len(set(texts)) > 30
    assert texts == [family(4).drawn("test", k) for k in range(40)]
    assert texts[0] != family(4).drawn("train", 0)
    for text in texts:
        grave = next(p.policy for p in parse(text).walk() if isinstance(getattr(p, "policy", None), Grave))
        assert grave.ref == 0 or grave.k != 0


def test_lists_that_are_mostly_bad() -> None:
    for bad, good in ((0, 0.5), (1, 0), (0.1, 0.5)):
        values = mostly(bad, good)
        assert len(set(values)) == LIKE_BAD + 1 and values[-1] == good and values[0] == bad
        assert max(abs(value - bad) for value in values[:-1]) < 1e-9


def piece_of(label: str) -> Piece:
    contest = next(c for c in QUESTIONS["tuners"].contests if c.domain == "knights" and c.key == "2")
    return next(piece for piece in pieces_in(contest) if piece.algorithm.label == label)


@pytest.mark.slow
def test_the_runs_are_those_of_evaluate(folder: Path) -> None:
    piece = piece_of("ntbea")
    evaluated = evaluate("knights", [piece.algorithm.expression], budgets=1_000, problems=2).settings[0]
    runs = piece.read(folder / "work")
    assert runs[0, 0].tolist() == evaluated.rewards[0].tolist()
    assert runs[1, 0].tolist() == evaluated.scores[0].tolist()


@pytest.mark.slow
def test_runs_with_their_own_expression(folder: Path) -> None:
    for label in ("drawn", "most used", "best in training"):
        piece = piece_of(label)
        expression = expression_of(piece, 1, folder / "work")
        assert not any(isinstance(part, Tune) for part in parse(expression).walk())
        assert piece.read(folder / "work")[0, 0, 1] == solve("knights", expression, 1_000, problem=1)[0].reward


def test_what_was_used_most_comes_from_a_training_problem() -> None:
    tuned = family(2).tuned("ntbea")
    tuning = solve("knights", tuned, 1_000, problem=3, split="train")[0].result.tunings[0]
    c, eps = tuning.used[0][0]
    assert expression_of(piece_of("most used"), 3, Path()) == family(2).fixed(c=c, eps=eps)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_page_tells_what_came_out(folder: Path) -> None:
    text = (folder / "results" / "adaptive.md").read_text("utf-8")
    assert text.startswith("# Online tuning")
    assert text.count("*Expected:*") == text.count("*Came out:*") + text.count("*Came out*") >= 14
    assert "not measured yet" in text  # most of it
    assert text.index("In short") < text.index("## 1.") < text.index("## Tables")


@pytest.mark.slow
def test_rendering_searches_nothing_and_gives_the_same_bytes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_search(*_: object, **__: object) -> None:
        raise AssertionError("render must not search")

    monkeypatch.setattr("mcsgrammar.engines.compiled.driver.CompiledEngine.run", no_search)
    monkeypatch.setattr("mcsgrammar.engines.reference.engine.ReferenceEngine.run", no_search)
    page = folder / "results" / "adaptive.md"
    before = page.read_bytes()
    page.unlink()
    done = CliRunner().invoke(main, ["adaptive", "--render", "--results", str(folder / "results")])
    assert done.exit_code == 0, done.output
    assert page.read_bytes() == before


def test_tables_of_what_is_not_in_the_work_folder_stay(folder: Path, tmp_path: Path) -> None:
    kept = {path.name: path.read_bytes() for path in (folder / "results" / "adaptive").glob("*.csv")}
    for name, content in kept.items():
        (tmp_path / "adaptive").mkdir(exist_ok=True)
        (tmp_path / "adaptive" / name).write_bytes(content)
    write_tables(tmp_path / "nothing", tmp_path)
    assert {name: (tmp_path / "adaptive" / name).read_bytes() for name in kept} == kept != {}


def test_a_page_without_any_table(tmp_path: Path) -> None:
    assert "not measured yet" in render_adaptive(tmp_path).read_text("utf-8")


@pytest.mark.slow
def test_the_tables_hold_the_statistics_of_the_runs(folder: Path) -> None:
    rows = read_csv(folder / "results/adaptive/tuners.csv")
    ntbea, drawn = (
        next(row for row in rows if row["label"] == label and row["domain"] == "knights")
        for label in ("ntbea", "drawn")
    )
    scores = [piece_of(label).read(folder / "work")[1, 0] for label in ("ntbea", "drawn")]
    assert float(ntbea["mean"]) == pytest.approx(scores[0].mean())
    assert ntbea["gain"] == "" and drawn["baseline"] == "ntbea"
    assert float(drawn["gain"]) == pytest.approx((scores[1] - scores[0]).mean())


@pytest.mark.slow
def test_in_time_beside_the_largest_budget_that_takes_no_longer(folder: Path) -> None:
    rows = read_csv(folder / "results/adaptive/time.csv")
    assert {row["beside"] for row in rows} == {"plain", "uct"}
    for row in rows:
        assert float(row["beside_cpu_seconds"]) <= float(row["cpu_seconds"])


def test_less_is_better_where_it_is(tmp_path: Path) -> None:
    pair = (Algorithm("a", "sim"), Algorithm("b", "step(lookahead(sim))"))
    question = replace(QUESTIONS["tuners"], contests=(Contest("2", "regression", (100,), "a", pair),))
    measure(tmp_path, [question], 3)
    write_tables(tmp_path, tmp_path, [question])
    first, second = read_csv(tmp_path / "adaptive/tuners.csv")
    assert float(second["gain"]) == pytest.approx(float(first["mean"]) - float(second["mean"]), rel=1e-4)


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = (Algorithm("a", "sim"), Algorithm("b", family(2).opened, "drawn", family(2)))
    question = replace(QUESTIONS["tuners"], contests=(Contest("2", "knights", (100,), "a", pair),))
    monkeypatch.setattr(adaptive_running, "CHUNK", 2)
    told = []

    def kill(text: str) -> None:
        told.append(text)
        if len(told) == 4:
            raise KeyboardInterrupt

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    measure(whole, [question], 5)
    with pytest.raises(KeyboardInterrupt):
        measure(killed, [question], 5, kill)
    counts = [piece.read(killed).shape[2] for piece in pieces_of([question])]
    assert 0 < sum(counts) < 10
    measure(killed, [question], 5)
    for piece in pieces_of([question]):
        assert np.array_equal(piece.read(killed)[:2], piece.read(whole)[:2])
        assert piece.read(killed).shape == (3, 1, 5)


def gain(mean: float, half: float, p: float = 0.01) -> Gain:
    return Gain("knights", "points", 50, mean, mean - half, mean + half, p)


def test_how_gains_are_told() -> None:
    assert gain(1.234, 0.5).figure == "+1.23 [0.73, 1.73]"
    assert gain(-0.1, 0.2, 0.4).turned().figure == "+0.10 [−0.10, 0.30]"
    assert [gain(m, 1, p).verdict for m, p in ((1, 0.01), (-1, 0.01), (1, 0.2), (1, float("nan")))] == [
        "better",
        "worse",
        "open",
        "open",
    ]
    some = [gain(1, 1), gain(2, 1), gain(-3, 1), gain(0.1, 1, 0.8)]
    assert tally(some) == "better on 2 of 4, no difference shown on 1, worse on 1"
    assert tally(some[:2]) == "better on 2 of 2"
    assert tally([]) == "not measured yet"
    assert in_full(some[:1]) == "Better on 1 of 1: `knights` +1.0 [0.0, 2.0] points (n = 50)."
    assert [decimals(error) for error in (0.5, 0.05, 5, 50, 500, 0.0)] == [2, 3, 1, 0, 0, 2]


def test_results_of_an_empty_folder(tmp_path: Path) -> None:
    found = Results(tmp_path)
    assert found.gains("tuners", "2", 1_000, "drawn") == [] and found.time == []
    assert OPEN.keys() == {2, 4, 6}


def test_a_gain_by_hand() -> None:
    """Differences 1, 2 and 3: t = 2 sqrt(3) with 2 degrees, for which p = 1 - t / sqrt(2 + t^2)."""
    one = _compared(np.array([1.0, 2.0, 3.0]))
    t = 2 * math.sqrt(3)
    assert one["p"] == pytest.approx(1 - t / math.sqrt(2 + t * t)) and one["gain"] == "2"
    assert [float(one[end]) for end in ("low", "high")] == pytest.approx([2 - 4.30265 / math.sqrt(3), 4.48414], 1e-5)
    lines = [{"p": 0.01}, {"p": 0.04}, {"p": 0.03}]
    _corrected(lines)
    assert [line["p_holm"] for line in lines] == ["0.03", "0.06", "0.06"]


def test_chosen_in_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best and the worst of what is drawn, by means on the training problems."""
    drawn = family(2)
    asked = []

    def mean(domain: str, text: str, budget: int) -> float:
        asked.append(text)
        return {0: 0.5, 1: 0.9, 2: 0.1}.get(len(asked) - 1, 0.4)

    monkeypatch.setattr(adaptive_running, "_training_mean", mean)
    assert adaptive_running.chosen("queens", drawn, 10, tmp_path) == (asked[1], asked[2])


def test_training_means_are_of_training_problems() -> None:
    means = [
        float(
            evaluate("sudoku:3", ["sim"], budgets=1, problems=adaptive_running.TRAINING, split=split)
            .settings[0]
            .rewards.mean()
        )
        for split in ("train", "test")
    ]
    assert means[0] != means[1]
    assert adaptive_running._training_mean("sudoku:3", "sim", 1) == pytest.approx(means[0])


def test_the_kept_page_is_what_is_rendered() -> None:
    assert adaptive_text(RESULTS / FOLDER) == (RESULTS / "adaptive.md").read_text("utf-8")


def test_times_that_lie_apart_are_not_the_same(tmp_path: Path) -> None:
    """Of two budgets with 1.4 and 1.6 times the time of the other the smaller counts, though the larger is kept."""
    rows = read_csv(RESULTS / FOLDER / "time.csv")
    row = next(row for row in rows if (row["label"], row["beside"]) == ("ntbea", "plain"))
    near = row | {"budget": "100", "cpu_seconds": "1.4", "beside_cpu_seconds": "1"}
    far = row | {"budget": "200", "cpu_seconds": "1.6", "beside_cpu_seconds": "1"}
    write_csv(tmp_path / "time.csv", list(row), [near, far])
    assert [one.budget for one in Results(tmp_path).in_the_same_time("ntbea", "plain")] == [100]


def test_what_the_reading_says_is_so() -> None:
    found = Results(RESULTS / FOLDER)
    where = {domain: _where_it_pays(found, "beside papers", domain) for domain in DOMAINS}
    for_good = [domain for domain, said in where.items() if said.startswith("pays from") and "beyond" not in said]
    assert len(for_good) == len(DOMAINS) / 3
    ended = {domain for domain, said in where.items() if said.endswith("to 2 000, no longer beyond")}
    assert ended == {"sudoku:4", "queens"}
    plain, uct = (
        {one.gain.domain: one.gain.verdict for one in found.in_the_same_time("ntbea", beside)}
        for beside in ("plain", "uct")
    )
    assert list(plain.values()).count("worse") == 5
    assert {domain for domain, verdict in plain.items() if verdict == "better"} == {"queens", "sudoku_simple"}
    assert list(uct.values()).count("worse") > len(uct) / 2
