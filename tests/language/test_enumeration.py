"""The candidates: how many, which, in what order."""

import gc
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsgrammar import Candidates, Component, Constants, InvalidExpression, Simulate, candidates, parse
from mcsgrammar.enumeration import candidates as enumeration
from mcsgrammar.enumeration.pruning import SPENT_INSIDE
from mcsgrammar.language.policies import Ucb1
from tests.language.complaints import COUNT
from tests.language.naive_candidates import NaiveCandidates, is_spent_inside
from tests.language.strategies import deterministic

PAPERS_COUNTS = [1, 7, 51, 411, 3155, 24691, 191755]
PAPERS_REPEAT = (2, 5, 10, 100)
PAPERS_SELECT = ("0", "0.3", "0.5", "1")

TABLE_I = [
    "sim",
    "lookahead(sim)",
    "step(sim)",
    "select(sim, 0.5)",
    "lookahead(repeat(sim, 2))",
    "lookahead(repeat(sim, 10))",
    "lookahead(lookahead(sim))",
    "lookahead(step(sim))",
    "lookahead(select(sim, 0.5))",
    "step(repeat(sim, 2))",
    "step(repeat(sim, 10))",
    "step(lookahead(sim))",
    "step(step(sim))",
    "step(select(sim, 0.5))",
    "select(repeat(sim, 2), 0.5)",
    "select(repeat(sim, 10), 0.5)",
    "select(lookahead(sim), 0.5)",
    "select(step(sim), 0.5)",
]
"""The 18 algorithms of the paper's table I, with select(S) for a C of 0.5, in the order of the contract."""


def texts(expressions: Candidates) -> list[str]:
    return [str(expression) for expression in expressions]


@pytest.mark.parametrize(("depth", "count"), list(enumerate(PAPERS_COUNTS, 1)))
def test_the_papers_counts(depth: int, count: int) -> None:
    assert len(Candidates(depth)) == count
    assert sum(1 for _ in islice(Candidates(depth), 30_000)) == min(count, 30_000)


def test_depth_8_is_counted_without_building_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    for component in ("Simulate", "Repeat", "Lookahead", "Step", "Select", "Adapt"):
        monkeypatch.delattr(enumeration, component)
    assert Candidates(8).by_depth() == [1, 6, 44, 360, 2744, 21536, 167064, 1302000]
    assert len(Candidates(8)) == 1493755
    assert Candidates(8).unpruned == 11111111


def test_table_i_of_the_paper() -> None:
    assert texts(candidates(3, repeat=(2, 10), select=(0.5,))) == TABLE_I
    assert len(TABLE_I) == 18


def test_the_papers_candidates_are_those_of_the_naive_twin() -> None:
    naive = NaiveCandidates(5, PAPERS_REPEAT, PAPERS_SELECT)
    assert texts(Candidates(5)) == naive.texts
    assert Candidates(5).by_depth() == naive.by_depth()
    assert Candidates(5).pruned_by_rule() == naive.pruned
    assert Candidates(5).unpruned == naive.unpruned == 11111


@pytest.mark.parametrize(
    ("depth", "adapt", "count"),
    [
        (1, (10, 100), 1),
        (3, (10, 100), 89),
        (4, (10, 100), 921),
        (5, (), 3155),
        (5, (100,), 5685),
        (5, (10, 100), 9337),
        (5, (10, 30, 100), 14369),
        (6, (), 24691),
        (6, (10, 100), 95289),
    ],
)
def test_how_many_there_are_with_adapt(depth: int, adapt: tuple[int, ...], count: int) -> None:
    ours = candidates(depth, adapt=adapt)
    assert len(ours) == count
    if depth < 6:
        assert sum(1 for _ in ours) == count


def test_without_numbers_for_adapt_there_is_none() -> None:
    assert Constants().adapt == ()
    assert not any("adapt" in text for text in texts(Candidates(4)))


def test_with_adapt_the_others_come_as_they_did_and_adapt_comes_last() -> None:
    with_it = candidates(4, adapt=(100, 10))
    assert [text for text in texts(with_it) if "adapt" not in text] == texts(Candidates(4))
    assert texts(candidates(2, adapt=(100, 10))) == [
        *texts(Candidates(2)),
        "adapt(sim, 10)",
        "adapt(sim, 100)",
    ]
    inner = ["repeat(sim, 2)", "lookahead(sim)", "step(sim)", "adapt(sim, 3)", "adapt(sim, 5)"]
    assert texts(candidates(3, repeat=(2,), select=(), adapt=(5, 3)))[5:] == [
        *(f"lookahead({sub})" for sub in inner),
        *(f"step({sub})" for sub in inner),
        *(f"adapt({sub}, 3)" for sub in inner),
        *(f"adapt({sub}, 5)" for sub in inner),
    ]


def test_candidates_with_adapt_are_those_of_the_naive_twin() -> None:
    naive = NaiveCandidates(5, PAPERS_REPEAT, PAPERS_SELECT, adapt=(10, 100))
    ours = candidates(5, adapt=(10, 100))
    assert texts(ours) == naive.texts
    assert ours.by_depth() == naive.by_depth()
    assert ours.pruned_by_rule() == naive.pruned
    assert ours.unpruned == naive.unpruned


@pytest.mark.parametrize("budget", [1, 2, 50, 1000, 10_000])
def test_what_the_budget_leaves_out_is_what_the_naive_twin_leaves_out(budget: int) -> None:
    naive = NaiveCandidates(5, PAPERS_REPEAT, PAPERS_SELECT, adapt=(10, 100))
    spent = {naive.text(expression) for expression in naive.depth_of if is_spent_inside(expression, budget)}
    assert len(spent) == {1: 8415, 2: 5902, 50: 3430, 1000: 1409, 10_000: 679}[budget]
    assert {str(e) for e in candidates(5, adapt=(10, 100)) if SPENT_INSIDE.applies(e, budget)} == spent


SELECT_CONSTANTS = ("0", "0.05", "0.5", "2", "10", "grave", "ucb1(vo=0.1)", "history(w=2)", "puct", "puct(c=2, fpu=1)")
SIM_CONSTANTS = ("random", "mast(eps=0.4)", "mast(tau=0.1)", "nst", "random(depth=5)", "guided(distance=-4)")


@deterministic(max_examples=80)
@given(
    st.integers(1, 4),
    st.sets(st.sampled_from((1, 2, 3, 4, 6, 9, 10, 100)), max_size=4),
    st.sets(st.sampled_from(range(len(SELECT_CONSTANTS))), max_size=4),
    st.lists(st.sampled_from(SIM_CONSTANTS), unique=True, min_size=1, max_size=2),
    st.sets(st.sampled_from((2, 3, 10)), max_size=2),
    st.randoms(),
)
def test_any_candidates_are_those_of_the_naive_twin(
    depth: int, repeat: set[int], select: set[int], sim: list[str], adapt: set[int], rng: Any
) -> None:
    """As lists, in order: plain C by value, then other policies as listed; N by value; playout policies as listed."""
    chosen = [SELECT_CONSTANTS[i] for i in sorted(select)]
    plain, others = [c for c in chosen if c[0].isdigit()], [c for c in chosen if not c[0].isdigit()]
    naive = NaiveCandidates(depth, sorted(repeat), plain + others, sim, sorted(adapt))
    shuffled = list(repeat), list(plain), list(adapt)
    for values in shuffled:
        rng.shuffle(values)
    ours = candidates(depth, repeat=shuffled[0], select=[*others, *shuffled[1]], sim=sim, adapt=shuffled[2])
    assert texts(ours) == naive.texts
    assert ours.by_depth() == naive.by_depth()
    assert ours.pruned_by_rule() == naive.pruned
    assert ours.unpruned == naive.unpruned


def test_counting_equals_listing_at_depth_6_with_other_constants() -> None:
    ours = candidates(6, repeat=(2, 3, 4), select=(0.5, "grave"), sim=("random", "nst"))
    assert len(ours) == sum(1 for _ in ours)


def test_each_candidate_is_canonical_unique_and_within_its_depth() -> None:
    listed = list(Candidates(5))
    assert len(set(listed)) == len(listed)
    for expression in listed[::7]:
        assert parse(str(expression)) == expression
    for depth, end in enumerate(PAPERS_COUNTS[:5], 1):
        assert all(expression.depth <= depth for expression in listed[:end])


def test_the_depth_is_counted_before_repeats_collapse() -> None:
    """1000 takes two repeats, 10 and 100; so do not 2, 5, 10 and 100."""
    levels = [set(texts(Candidates(depth))) for depth in (3, 4)]
    assert "step(repeat(sim, 100))" in levels[0]
    assert "step(repeat(sim, 1000))" not in levels[0]
    assert "step(repeat(sim, 1000))" in levels[1]
    assert "step(repeat(sim, 1000000))" in set(texts(Candidates(5)))


def test_a_smaller_depth_is_a_prefix_of_a_larger_one() -> None:
    assert texts(Candidates(5))[:411] == texts(Candidates(4))


def test_constants_may_be_listed_in_any_order() -> None:
    assert texts(candidates(4, repeat=(10, 2), select=(1, 0.5))) == texts(
        candidates(4, repeat=(2, 10), select=(0.5, 1))
    )


def test_candidates_can_be_iterated_again_and_in_parallel() -> None:
    ours = Candidates(5)
    for one, other in zip(ours, ours, strict=True):
        assert one == other


@pytest.mark.parametrize("n", [1, 2])
def test_the_first_of_very_many_come_without_the_rest(n: int) -> None:
    first = list(islice(candidates(40, repeat=(n,)), 10))
    assert first == list(islice(candidates(3, repeat=(n,)), 10))
    assert sum(candidates(40, repeat=(n,)).by_depth()) > 10**20


def test_streaming_keeps_nothing() -> None:
    """After tens of thousands of depth 8, only the shared levels are in memory."""

    def alive() -> int:
        # by type: what asks a weak proxy whose object is gone raises
        return sum(issubclass(type(thing), Component) for thing in gc.get_objects())

    stream = iter(Candidates(8))
    before = alive()
    for _ in islice(stream, 30_000):
        pass
    assert alive() - before < 1000


def test_policies_may_be_given_as_text_or_object() -> None:
    assert texts(candidates(2, select=[0.5, "1", "grave(c=0.2)", Ucb1(0.7)], sim=["mast", "nst"])) == [
        "sim(mast(eps=0.4))",
        "sim(nst)",
        "lookahead(sim(mast(eps=0.4)))",
        "lookahead(sim(nst))",
        "step(sim(mast(eps=0.4)))",
        "step(sim(nst))",
        "select(sim(mast(eps=0.4)), 0.5)",
        "select(sim(nst), 0.5)",
        "select(sim(mast(eps=0.4)), 0.7)",
        "select(sim(nst), 0.7)",
        "select(sim(mast(eps=0.4)), 1)",
        "select(sim(nst), 1)",
        "select(sim(mast(eps=0.4)), grave(c=0.2))",
        "select(sim(nst), grave(c=0.2))",
    ]


def test_no_constants_leave_the_other_components() -> None:
    assert texts(candidates(2, repeat=(), select=())) == ["sim", "lookahead(sim)", "step(sim)"]
    assert Constants() == enumeration.PAPER == Constants(repeat=(100, 10, 5, 2))


GIVE_ONE = "give one, or use candidates(…), which reads text"
TOO_LARGE = (
    "nested repeats multiply to 9223372036854775807 * 9223372036854775807, which does not fit 64 bits; "
    "use smaller numbers of repetitions or a smaller depth"
)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Candidates(0), "the depth cannot be 0; it is a whole number from 1 to 64"),
        (lambda: Candidates(-1), "the depth cannot be -1; it is a whole number from 1 to 64"),
        (lambda: Candidates(65), "the depth cannot be 65; it is a whole number from 1 to 64"),
        (lambda: Candidates(True), "the depth cannot be True; it is a whole number from 1 to 64"),
        (lambda: Candidates(2.5), "the depth cannot be 2.5; it is a whole number from 1 to 64"),  # type: ignore[arg-type]
        (lambda: Candidates("3"), "the depth cannot be '3'; it is a whole number from 1 to 64"),  # type: ignore[arg-type]
        (lambda: candidates(repeat=(0,)), f"N of repeat cannot be 0; {COUNT}"),
        (lambda: candidates(repeat=(2**63,)), f"N of repeat cannot be {2**63}; {COUNT}"),
        (lambda: candidates(adapt=(0,)), f"N of adapt cannot be 0; {COUNT}"),
        (lambda: candidates(adapt=(1,)), "adapt(S, 1) is S; list numbers from 2 on for adapt"),
        (lambda: candidates(adapt=(10, 2, 10)), "the constants of adapt list 10 twice"),
        (lambda: candidates(repeat=(10, 2, 10)), "the constants of repeat list 10 twice"),
        (lambda: candidates(select=("grave", "grave(c=0.5)")), "the constants of select list grave twice"),
        (lambda: candidates(sim=("mast", "nst", "mast")), "the constants of sim list mast(eps=0.4) twice"),
        (
            lambda: candidates(select=("grave(ref={0, 50})",)),
            "grave(ref={0, 50}) has an open parameter; candidates take fixed values",
        ),
        (
            lambda: candidates(sim=("mast(eps=[0..1])",)),
            "mast(eps=[0..1]) has an open parameter; candidates take fixed values",
        ),
        (lambda: candidates(4, repeat=(2**63 - 1,)), TOO_LARGE),
        (lambda: candidates(select=("{0, 1}",)), "{0, 1} has an open parameter; candidates take fixed values"),
        (lambda: candidates(sim=()), "no constant is listed for sim; list at least one playout policy, such as random"),
        (lambda: Constants(select=(0.5,)), f"0.5 is no SelectionPolicy; {GIVE_ONE}"),  # type: ignore[arg-type]
        (lambda: Constants(sim=("mast",)), f"'mast' is no PlayoutPolicy; {GIVE_ONE}"),  # type: ignore[arg-type]
    ],
)
def test_wrong_depths_and_constants(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidExpression) as error:
        build()
    assert str(error.value) == message


def test_the_largest_count_is_a_constant_like_any_other() -> None:
    assert "step(repeat(sim, 9223372036854775807))" in texts(candidates(3, repeat=(2**63 - 1,)))


def test_the_largest_depth() -> None:
    assert sum(candidates(64, repeat=(2,)).by_depth()) > 10**40
    assert len(candidates(64, repeat=(), select=()).by_depth()) == 64


def test_products_beyond_64_bits_are_refused_before_the_first_candidate() -> None:
    with pytest.raises(InvalidExpression, match="does not fit 64 bits"):
        Candidates(20)
    assert next(iter(Candidates(11))) == Simulate()


def test_rules_are_counted_at_any_depth() -> None:
    ours = candidates(40, repeat=(2,))
    assert sum(ours.pruned_by_rule().values()) == ours.unpruned - sum(ours.by_depth())


def test_a_c_listed_twice_is_named_as_it_was_written() -> None:
    with pytest.raises(InvalidExpression) as error:
        candidates(select=(0.5, 0.50))
    assert str(error.value) == "the constants of select list 0.5 twice"


@pytest.mark.parametrize("sim", ["random(depth=3)", "mast(eps=0.4,depth=5)"])
def test_nested_selects_stay_where_playouts_are_cut_off(sim: str) -> None:
    found = candidates(4, repeat=[2], select=[0, 0.5], sim=["random", sim])
    texts = [str(one) for one in found]
    assert len(texts) == len(set(texts)) == len(found)
    assert sum(found.pruned_by_rule().values()) == found.unpruned - len(found)
    nested = [text for text in texts if "select(select(" in text]
    assert nested and all("depth=" in text for text in nested)


def test_what_is_tuned_has_the_depth_of_what_it_is_made_from() -> None:
    """Before repeats collapse, so that the number for a depth does not depend on the largest."""
    by_depth = [
        candidates(depth, repeat=[2, 5, 10, 100], select=0.5, sim="mast(eps=0.4)", tuner="ntbea").by_depth()
        for depth in (2, 3, 4)
    ]
    assert by_depth[2][:3] == by_depth[1] == [2, 6, 40] and by_depth[1][:2] == by_depth[0]
    assert sum(by_depth[2]) == len(list(candidates(4, [2, 5, 10, 100], 0.5, "mast(eps=0.4)", "ntbea")))
