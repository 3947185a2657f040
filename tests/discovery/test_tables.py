"""Tables, as whole texts. The rewards are made up: 1 - mae on eight problems."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from discovery.evaluation.comparison import Column, compare, contestants, needs_training
from discovery.evaluation.evaluated import Evaluation, Setting
from discovery.evaluation.tables import as_csv, as_json_text, as_markdown, as_text, legend
from mcsgrammar.language.named import GENERIC

GOLDEN = Path(__file__).with_name("golden_tables.txt")

FIELD = contestants(["step(sim)"], False, [("step(step(sim))", 0.95, 40), ("la(2)", 0.92, 20)])
FIELD += [c for c in contestants([], True) if c.name in ("is", "uct(0.5)")]
NAMES = ["Dis#1", "la(2)", "Dis#3", "is", "uct(0.5)"]

NOISE = np.array([0.0, 0.01, -0.01, 0.02, -0.02, 0.01, 0.0, -0.01])
MEANS_AT_100 = [0.94, 0.91, 0.85, 0.88, 0.89]
MEANS_AT_1000 = [0.95, 0.97, 0.90, 0.93, 0.96]


def evaluation(means: list[list[float]], split: str = "test") -> Evaluation:
    """Everybody has the same ups and downs from problem to problem, and a few of their own."""
    own = 0.002 * np.cos(np.outer(np.arange(1, len(FIELD) + 1), np.arange(8)))
    rewards = [np.array(row)[:, None] + NOISE + own - own.mean(axis=1, keepdims=True) for row in means]
    texts = tuple(c.expression for c in FIELD)
    return Evaluation(
        domain="regression:length=11,set=train",
        unit="mae",
        less_is_better=True,
        expressions=texts,
        problems=8,
        split=split,  # type: ignore[arg-type]
        stream=0,
        seed=0,
        semantics="standard",
        about="8 runs of each, problems drawn from the test stream (8 different ones: only the seeds are fresh)",
        settings=tuple(
            Setting(budget, None, values, 1 - values, np.array([0.25, 0.5, 0.125, np.nan, 1.0]), texts)
            for budget, values in zip((100, 1000), rewards, strict=False)
        ),
    )


def columns() -> list[Column]:
    """In training `uct(0.5)` is the best generic one within 100 evaluations, and `la(2)` within 1000."""
    test = evaluation([MEANS_AT_100, MEANS_AT_1000])
    training = evaluation([[0, 0.90, 0, 0.87, 0.91], MEANS_AT_1000], "train")
    return [compare(test, 0, FIELD, training, selected=True), compare(test, 1, FIELD, training)]


def golden(name: str) -> str:
    """The part of `golden_tables.txt` below the line `==== name`."""
    parts = re.split(r"^==== (.*)\n", GOLDEN.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[name]


def test_names_of_contestants() -> None:
    assert [c.name for c in FIELD] == NAMES
    assert [c.alias for c in FIELD] == [None, "Dis#2", None, None, None]


def test_generic_algorithms_keep_their_names_and_come_once() -> None:
    everyone = contestants(["nmc(1)", "step(sim)", "step(lookahead(simulate))", "uct(0.5)"], True)
    assert [c.name for c in everyone][:3] == ["la(1)", "Dis#1", "uct(0.5)"]
    assert sorted(c.name for c in everyone if c.generic) == sorted(GENERIC)
    without = contestants(["sim"], True, without_uct=True)
    assert [c.name for c in without] == [name for name in GENERIC if not name.startswith("uct")]


def test_when_training_problems_are_needed() -> None:
    assert needs_training(FIELD, "test")
    assert not needs_training(FIELD, "train")
    assert not needs_training(FIELD[:3], "test")  # one generic algorithm alone
    assert not needs_training(contestants([], True), "test")


def test_the_terminal_shows_one_setting_with_its_tests() -> None:
    assert as_text(columns()[:1]) == golden("one setting")


def test_the_terminal_shows_several_settings_as_columns() -> None:
    assert as_text(columns()) == golden("two settings")


def test_a_narrow_terminal_has_the_expressions_below() -> None:
    text = as_text(columns()[:1], 70)
    assert text == golden("one setting, 70 columns wide")


def test_markdown() -> None:
    assert as_markdown(columns()) == golden("two settings in Markdown")


def test_the_star_is_against_the_reference_chosen_in_training_and_the_papers_way_is_apart() -> None:
    first, second = columns()
    assert (first.reference, first.best_generic_on_test) == ("uct(0.5)", "la(2)")
    assert (second.reference, second.best_generic_on_test) == ("la(2)", "la(2)")
    by_name = {row.contestant.name: row for row in first.rows}
    best = by_name["Dis#1"].versus
    assert best is not None
    assert best.star
    assert best.star_on_test
    assert best.difference == pytest.approx(-0.05)  # in mae, which is less
    assert best.effect_size is not None
    assert best.effect_size > 0
    worse = by_name["Dis#3"].versus
    assert worse is not None
    assert worse.p_vs_best_generic is not None
    assert worse.p_vs_best_generic < 0.05  # significant, but worse
    assert not worse.star
    assert by_name["uct(0.5)"].reference
    assert not any(row.versus and row.versus.star for row in second.rows)


def test_the_winners_curse_is_told_where_the_campaign_was() -> None:
    first, second = columns()
    assert second.winners_curse is None
    assert first.winners_curse is not None
    assert first.winners_curse.training == pytest.approx((0.95 + 0.92) / 2)
    assert first.winners_curse.excess == pytest.approx((0.95 + 0.92) / 2 - (0.94 + 0.91) / 2)


def test_other_instances_explain_part_of_the_winners_curse() -> None:
    fresh = columns()[0]
    other = replace(fresh, evaluation=replace(fresh.evaluation, own_instances=True))
    (said,) = (note for note in legend([fresh]) if note.startswith("winner's curse"))
    (more,) = (note for note in legend([other]) if note.startswith("winner's curse"))
    assert more == f"{said}; part of it is that training has other instances"


def test_ranks_are_shared_by_equals() -> None:
    """Also where the noise that each has of its own, whose mean is 0, rounds differently."""
    equal = compare(evaluation([[0.9, 0.8, 0.9, 0.8, 0.7]]), 0, FIELD)
    exact = compare(_without_noise(equal.evaluation), 0, FIELD)
    assert len({row.mean_reward for row in equal.rows}) > len({row.mean_reward for row in exact.rows}) == 3
    for column in (equal, exact):
        assert [row.rank for row in column.rows] == [1, 3, 1, 3, 5]
        assert [row.contestant.name for row in column.rows if row.best_of_its_kind] == ["Dis#1", "la(2)"]


def test_the_reference_and_the_best_on_the_test_are_two() -> None:
    """In training `uct(0.5)` leads, on the test `is`: discovered are compared with the one, stars by both."""
    test = evaluation([[0.90, 0.80, 0.95, 0.93, 0.85]])
    training = evaluation([[0, 0.80, 0, 0.85, 0.90]], "train")
    column = compare(test, 0, FIELD, training)
    versus = {row.contestant.name: row.versus for row in column.rows}
    first, second = versus["Dis#1"], versus["Dis#3"]
    assert (column.reference, column.best_generic_on_test) == ("uct(0.5)", "is")
    assert first is not None and second is not None
    assert (first.star, first.star_on_test, first.beats_all_generics) == (True, False, False)
    assert (second.star, second.star_on_test, second.beats_all_generics) == (True, True, True)


def test_the_order_of_an_evaluation_is_its_own() -> None:
    """The table goes by the names of what was run, also in the training of the reference and the winner's curse."""
    order = [3, 0, 4, 1, 2]

    def turned(given: Evaluation) -> Evaluation:
        (setting,) = given.settings
        own = {name: getattr(setting, name)[order] for name in ("rewards", "scores", "seconds_per_run")}
        texts = tuple(given.expressions[i] for i in order)
        return replace(given, expressions=texts, settings=(replace(setting, **own, runs_as=texts),))

    field = [FIELD[i] for i in (3, 0, 4, 1, 2)]
    test, training = evaluation([MEANS_AT_100]), evaluation([[0, 0.90, 0, 0.87, 0.91]], "train")
    column, other = compare(test, 0, FIELD, training, True), compare(turned(test), 0, FIELD, turned(training), True)
    assert (other.rows, other.winners_curse) == (column.rows, column.winners_curse)
    mixed = compare(test, 0, field, training, True)
    assert mixed.winners_curse == column.winners_curse
    assert [row.rank for row in mixed.rows] == [column.rows[i].rank for i in order]


def _without_noise(noisy: Evaluation) -> Evaluation:
    flat = np.repeat(noisy.settings[0].rewards.mean(axis=1, keepdims=True).round(6), 8, axis=1)
    setting = Setting(100, None, flat, 1 - flat, np.ones(5), noisy.expressions)
    return Evaluation(**{**vars(noisy), "settings": (setting,)})


def test_json_has_what_is_promised_and_null_for_what_there_is_not() -> None:
    document = json.loads(as_json_text(columns()[:1]))
    assert (document["domain"], document["budget"]) == ("regression:length=11,set=train", 100)
    assert (document["problems"], document["split"], document["reference"]) == (8, "test", "uct(0.5)")
    first = document["rows"][0]
    promised = {"name", "expression", "generic", "mean", "stderr", "ci95", "n", "unit", "seconds_per_run"}
    assert promised | {"p_vs_best_generic"} <= set(first)
    assert (first["name"], first["generic"], first["n"], first["unit"]) == ("Dis#1", False, 8, "mae")
    assert first["mean"] == pytest.approx(0.06)
    assert first["ci95"][0] < first["mean"] < first["ci95"][1]
    assert (first["star"], first["training_mean"], first["training_pulls"]) == (True, 0.95, 40)
    by_name = {row["name"]: row for row in document["rows"]}
    assert by_name["is"]["p_vs_best_generic"] is None
    assert by_name["is"]["seconds_per_run"] is None
    assert [row["rank"] for row in document["rows"]] == [1, 2, 3, 4, 5]


def test_json_of_several_settings_says_the_setting_in_every_row() -> None:
    document = json.loads(as_json_text(columns()))
    assert document["domain"] == "regression:length=11,set=train"
    assert document["budget"] is None
    assert [setting["budget"] for setting in document["settings"]] == [100, 1000]
    assert [row["budget"] for row in document["rows"]] == [100] * 5 + [1000] * 5


def test_csv_is_the_same_as_json() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(columns()))))
    document = json.loads(as_json_text(columns()))
    assert len(rows) == len(document["rows"]) == 10
    for line, row in zip(rows, document["rows"], strict=True):
        assert (line["name"], line["budget"]) == (row["name"], str(row["budget"]))
        assert float(line["mean"]) == row["mean"]
        assert [float(line["ci95_low"]), float(line["ci95_high"])] == row["ci95"]
        assert line["generic"] == str(row["generic"]).lower()
        assert line["p_holm"] == ("" if row["p_holm"] is None else repr(row["p_holm"]))


def test_one_problem_leaves_what_cannot_be_known_empty() -> None:
    whole = evaluation([MEANS_AT_100])
    rewards = whole.settings[0].rewards[:, :1]
    setting = Setting(100, None, rewards, 1 - rewards, np.ones(5), whole.expressions)
    column = compare(Evaluation(**{**vars(whole), "problems": 1, "settings": (setting,)}), 0, FIELD)
    row = json.loads(as_json_text([column]))["rows"][0]
    assert (row["stderr"], row["ci95"], row["p_vs_best_generic"], row["p_holm"]) == (None, None, None, None)
    assert row["star"] is False
    lines = as_text([column]).splitlines()
    assert lines[1].split()[-6:] == ["-", "-", "-0.0299", "-", "-", "-"]
