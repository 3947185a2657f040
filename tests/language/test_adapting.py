"""Candidates that tune themselves: which parameters are opened, and where the tune stands."""

import json

import pytest

from mcsgrammar import candidates
from mcsgrammar.enumeration.adapting import tuned
from mcsgrammar.language.components import require_closed
from mcsgrammar.language.parameters import declaration, parameters_of
from mcsgrammar.language.parsing import parse, parse_tuner
from mcsgrammar.language.policies import PLAYOUT_POLICIES, SELECTION_POLICIES
from tests.language.command import run

C = "{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}"
EPS = "{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}"
K = "{0, 10, 50, 100, 250, 500, 750, 1000, 2000, inf}"
REF = "{0, 50, 100, 250, 500, 1000, 10000, inf}"
VO = "{0.001, 0.005, 0.01, 0.015, 0.02, 0.025}"
W = "{0.1, 0.25, 0.5, 1, 3, 5, 7.5, 10, 20, 50}"
N = "{1, 2, 3, 4, 5}"
KMIN = "{1, 3, 5, 7, 10, 15, 20, 30, 50}"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("select(sim, 0.5)", f"tune(select(sim, {C}), ntbea)"),
        ("step(repeat(select(sim, 0.5), 10))", f"step(repeat(tune(select(sim, {C}), ntbea), 10))"),
        ("step(sim(mast(eps=0.4)))", f"step(tune(sim(mast(eps={EPS})), ntbea))"),
        ("sim(mast(tau=0.3))", "tune(sim(mast(tau={0.02, 0.05, 0.1, 0.2, 0.5, 1})), ntbea)"),
        ("sim(nst)", f"tune(sim(nst(eps={EPS}, n={N}, kmin={KMIN})), ntbea)"),
        # The decay has no list, so it stays as it is written.
        ("sim(mast(eps=0.1, move_decay=0.6))", f"tune(sim(mast(eps={EPS}, move_decay=0.6)), ntbea)"),
        (
            "lookahead(select(sim(mast), grave(vo=0.01)))",
            f"lookahead(tune(select(sim(mast(eps={EPS})), grave(c={C}, vo={VO}, ref={REF}, k={K})), ntbea))",
        ),
        ("select(sim, grave(bias=0.1))", f"tune(select(sim, grave(c={C}, ref={REF}, bias=0.1)), ntbea)"),
        (
            "step(select(step(select(sim, 0)), history))",
            f"step(tune(select(step(select(sim, {C})), history(c={C}, w={W})), ntbea))",
        ),
    ],
)
def test_the_parameters_are_opened_and_the_tune_stands_around_the_outermost(expression: str, expected: str) -> None:
    twin = tuned(parse(expression), parse_tuner("ntbea"))
    assert str(twin) == expected
    assert twin is not None and require_closed(twin) == parse(expected)


@pytest.mark.parametrize("expression", ["sim", "step(lookahead(sim))", "repeat(sim, 10)"])
def test_what_has_no_parameters_has_no_twin(expression: str) -> None:
    assert tuned(parse(expression), parse_tuner("ntbea")) is None


def test_cmaes_gets_intervals_and_leaves_whole_numbers_alone() -> None:
    twin = tuned(parse("select(sim(nst), 0.5)"), parse_tuner("cmaes"))
    assert str(twin) == "tune(select(sim(nst(eps=[0..1])), [0..1]), cmaes)"


def test_every_list_reaches_as_far_as_its_interval() -> None:
    policies = [*PLAYOUT_POLICIES.values(), *SELECTION_POLICIES.values()]
    declared = [declaration(f) for policy in policies for f in parameters_of(policy)]
    both = [one for one in declared if one.interval is not None]
    assert len(both) > 10
    for one in both:
        assert one.interval is not None
        finite = [value for value in one.values if value != float("inf")]
        assert one.interval[0] <= min(finite) and max(finite) <= one.interval[1]


def test_tuned_candidates_come_last_and_each_once() -> None:
    texts = [str(e) for e in candidates(2, select=[0, 0.5], sim=["random", "mast(eps=0.4)"], tuner=["random", "ntbea"])]
    fixed = [str(e) for e in candidates(2, select=[0, 0.5], sim=["random", "mast(eps=0.4)"])]
    assert texts[: len(fixed)] == fixed
    inside = f"sim(mast(eps={EPS}))"
    shapes = ["tune({0}, {1})", "lookahead(tune({0}, {1}))", "step(tune({0}, {1}))"]
    expected = [
        text
        for tuner in ("random", "ntbea")
        for text in (
            *(shape.format(inside, tuner) for shape in shapes),
            f"tune(select(sim, {C}), {tuner})",
            f"tune(select({inside}, {C}), {tuner})",
        )
    ]
    assert texts[len(fixed) :] == expected


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_they_are_counted_as_they_are_listed(depth: int) -> None:
    listed = candidates(depth, repeat=[2], sim=["random", "nst"], tuner=["nmc", "mab"])
    texts = [str(e) for e in listed]
    assert len(set(texts)) == len(texts) == len(listed)
    assert sum(listed.by_depth()) == len(listed)
    # A twin stands for all that differ from it in values of tuned parameters alone: here, in C.
    one_c = candidates(depth, repeat=[2], select=[0.5], sim=["random", "nst"])
    with_policy = [e for e in map(str, one_c) if "select" in e or "nst" in e]
    assert len(texts) == len(candidates(depth, repeat=[2], sim=["random", "nst"])) + 2 * len(with_policy)


def test_the_command_lists_counts_and_explains_them() -> None:
    options = ["--depth", "2", "--select", "0.5, 1", "--tuner", "ntbea(x=3), cmaes"]
    listed = run("enumerate", *options)
    assert listed.returncode == 0 and listed.stderr == ""
    assert listed.stdout.splitlines()[-2:] == [
        f"tune(select(sim, {C}), ntbea(x=3))",
        "tune(select(sim, [0..1]), cmaes)",
    ]
    assert run("enumerate", *options, "--count").stdout == "7\n"
    assert "tuned" in run("enumerate", *options, "--rules").stdout
    assert json.loads(run("enumerate", *options, "--rules", "--json").stdout)["tuned"] == 2


def test_an_unknown_tuner_is_named() -> None:
    done = run("enumerate", "--tuner", "ntbea, anneal")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "mcsgrammar: --tuner: there is no tuner called 'anneal'; there are random, mab, nmc, lsi, ea, ntbea, cmaes, "
        "local\n  anneal\n  ^^^^^^\n"
    )


def test_a_campaign_takes_them_like_any_other(tmp_path) -> None:  # type: ignore[no-untyped-def]
    done = run(
        "discover", "sudoku:2", "--budget", "20", "--depth", "2", "--sim", "random, mast(eps=0.4)", "--tuner", "ntbea",
        "--pulls-per-candidate", "3", "--test-problems", "5", "--jobs", "1", "--out", str(tmp_path / "campaign"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    texts = (tmp_path / "campaign" / "candidates.txt").read_text().splitlines()
    assert f"tune(select(sim, {C}), ntbea)" in texts
