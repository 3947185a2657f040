"""What a tuner chooses from: which combinations are legal, and the laws of drawing them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from domains.randomness import Random
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Tune
from mcsgrammar.language.parsing import parse
from mcsgrammar.tuning.space import Space, space_of
from tests.language.strategies import deterministic
from tests.tuning.naive_tuners import LEGAL, all_legal, naive_feasible, naive_neighbours
from tests.tuning.scripted import K_AND_REF, Scripted, space, space_in
from tests.tuning.strategies import spaces

C = "{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}"
EPS = "{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}"
K = "{0, 10, 50, 100, 250, 500, 750, 1000, 2000, inf}"
REF = "{0, 50, 100, 250, 500, 1000, 10000, inf}"
VO = "{0.001, 0.005, 0.01, 0.015, 0.02, 0.025}"
T = "{0, 5, 10, 20, 30, 40, 50, 100, 200, inf}"
SAMPLE_C = "{0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2}"
DEPTH = "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}"
MAAST_C = "{0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2}"
MAAST_W = "{0.1, 0.25, 0.5, 1, 3, 5, 7.5, 10, 20, 50}"
KMIN = "{1, 3, 5, 7, 10, 15, 20, 30, 50}"


@pytest.mark.parametrize(
    ("expression", "legal"),
    [
        (f"select(sim(mast(eps={EPS})), {C})", 99),  # 9 * 11
        (f"select(sim(mast(eps=0.4)), grave(ref={REF}, k={K}))", 73),  # 9 * 8 + 1
        (f"select(sim(mast(eps={EPS})), grave(c={C}, ref={REF}, k={K}))", 7_227),  # 73 * 99
        (f"select(sim(mast(eps={EPS})), grave(c={C}, vo={VO}, t={T}, ref={REF}, k={K}))", 433_620),  # 7 227 * 60
        (f"select(sim(random(depth={DEPTH})), {SAMPLE_C})", 225),  # 15 * 15
        (f"select(sim(nst(eps={EPS}, n={{1, 2, 3, 4, 5}}, kmin={KMIN})), history(c={MAAST_C}, w={MAAST_W}))", 59_400),
    ],
)
def test_the_papers_count_as_many_legal_combinations(expression: str, legal: int) -> None:
    found = space_in(f"tune({expression}, random)")
    assert found.legal_count == legal
    if legal < 100_000:
        assert sum(1 for _ in found.legal()) == legal


def test_k_is_chosen_before_ref_and_its_zero_leaves_only_the_first_ref() -> None:
    found = space_in(K_AND_REF)
    assert [str(p) for p in found.parameters] == ["k of grave", "ref of grave"]
    assert list(found.legal()) == [(0, 0), (1, 0), (1, 1), (1, 2)]
    assert [found.values(c) for c in found.legal()] == [(0, 0), (10, 0), (10, 50), (10, 100)]
    assert found.feasible([None, None], 0) == [0, 1]
    assert found.feasible([None, None], 1) == [0, 1, 2]
    assert found.feasible([0, None], 1) == [0]
    assert found.feasible([1, None], 1) == [0, 1, 2]
    assert found.feasible([None, 0], 0) == [0, 1]
    assert found.feasible([None, 2], 0) == [1]  # ref is not its first value: k cannot be 0


def test_the_zero_of_k_may_stand_anywhere_in_its_list() -> None:
    found = space_in("tune(select(sim, grave(c={1, 2}, ref={50, 100}, k={10, 0, inf})), random)")
    assert [p.name for p in found.parameters] == ["c", "k", "ref"]
    assert found.legal_count == 2 * (2 * 2 + 1)
    assert [c for c in found.legal() if c[1] == 1] == [(0, 1, 0), (1, 1, 0)]


def test_without_a_zero_in_k_every_combination_is_legal() -> None:
    assert space_in("tune(select(sim, grave(ref={0, 50}, k={10, inf})), random)").legal_count == 4
    assert space_in("tune(select(sim, grave(ref={0, 50})), random)").legal_count == 2
    assert space_in("tune(select(sim, grave(ref={0, 50}, bias={0, 1})), random)").legal_count == 4


@pytest.mark.parametrize("k", ["0", "{0}"])
def test_where_k_is_0_for_good_ref_keeps_its_first_value(k: str) -> None:
    found = space_in(f"tune(select(sim, grave(c={{1, 2}}, ref={{50, 0, 100}}, k={k})), random)")
    assert found.legal_count == 2
    ref = [p.name for p in found.parameters].index("ref")
    assert {found.values(c)[ref] for c in found.legal()} == {50}
    # Whatever is listed can be chosen: each value is part of some legal combination.
    for number, parameter in enumerate(found.parameters):
        assert {c[number] for c in found.legal()} == set(range(len(parameter.values)))


def test_each_tree_has_its_own_k_and_ref() -> None:
    found = space_in("tune(select(select(sim, grave(ref={0, 9}, k={0, 1})), grave(ref={0, 9}, k={0, 1})), random)")
    assert [(p.part, p.name) for p in found.parameters] == [(1, "k"), (1, "ref"), (2, "k"), (2, "ref")]
    assert found.legal_count == 9
    assert (0, 0, 1, 1) in found.legal()
    assert (0, 1, 1, 1) not in found.legal()
    assert (1, 1, 0, 1) not in found.legal()


def test_parameters_come_from_the_outside_in_and_in_the_order_of_the_text() -> None:
    found = space_in(
        "tune(step(repeat(select(sim(mast(eps={0, 1}, move_decay={0, 1})), ucb1(c={1, 2}, t={0, 5})), {2, 3}), "
        "{mean, max}), random)"
    )
    assert [str(p) for p in found.parameters] == [
        "rule of step",
        "N of repeat",
        "c of ucb1",
        "t of ucb1",
        "eps of mast",
        "move_decay of mast",
    ]
    assert found.values((0, 1, 0, 1, 1, 0)) == ("mean", 3, 1, 5, 1, 0)


def test_a_tune_binds_what_no_tune_inside_it_binds() -> None:
    expression = parse("tune(repeat(tune(select(sim(mast(eps={0, 1})), {1, 2}), random), {2, 3}), random)")
    outer, inner = (part for part in expression.walk() if isinstance(part, Tune))
    assert [str(p) for p in space_of(expression, outer).parameters] == ["N of repeat"]
    assert [(p.part, str(p)) for p in space_of(expression, inner).parameters] == [(3, "c of ucb1"), (4, "eps of mast")]


def test_more_combinations_than_can_be_numbered_are_refused() -> None:
    assert space(*[2**20] * 3, 2, 2).sizes == (2**20, 2**20, 2**20, 2, 2)  # 2^62 is the last that is taken
    with pytest.raises(InvalidExpression) as refusal:
        space(*[2**20] * 3, 2, 2, 2)
    assert str(refusal.value) == "tune chooses among more than 2^62 combinations; list fewer values"


# Laws.


@given(found=spaces())
@deterministic(max_examples=100)
def test_legal_is_what_the_law_says(found: Space) -> None:
    legal = all_legal(found)
    assert list(found.legal()) == legal
    assert found.legal_count == len(legal)
    assert [c for c in itertools.product(*map(range, found.sizes)) if found.is_legal(c)] == legal


@given(found=spaces())
@deterministic(max_examples=100)
def test_key_and_combination_are_inverse(found: Space) -> None:
    all_of_them = list(itertools.product(*map(range, found.sizes)))
    assert [found.key(c) for c in all_of_them] == list(range(len(all_of_them)))
    assert [found.combination(key) for key in range(len(all_of_them))] == all_of_them


@given(found=spaces(), data=st.data())
@deterministic(max_examples=200)
def test_a_value_is_feasible_where_a_legal_combination_has_it(found: Space, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(all_legal(found)))
    number = data.draw(st.integers(0, len(whole) - 1))
    known = data.draw(st.sets(st.integers(0, len(whole) - 1)))
    chosen = [value if place in known and place != number else None for place, value in enumerate(whole)]
    assert found.feasible(chosen, number) == naive_feasible(found, chosen, number)


@given(found=spaces(), seed=st.integers(0, 2**32))
@deterministic(max_examples=100)
def test_what_is_drawn_is_legal(found: Space, seed: int) -> None:
    random = Random(seed)
    for _ in range(10):
        assert LEGAL(found, found.draw(random))
    for number, size in enumerate(found.sizes):
        for value in range(size):
            drawn = found.draw(random, (number, value))
            assert LEGAL(found, drawn) and drawn[number] == value


@given(found=spaces(), data=st.data())
@deterministic(max_examples=100)
def test_a_mutation_draws_a_parameter_and_then_any_legal_value_of_it(found: Space, data: st.DataObject) -> None:
    before = data.draw(st.sampled_from(all_legal(found)))
    for number in range(len(before)):
        neighbours = naive_neighbours(found, before, number)
        drawn = [Scripted((number, len(before)), (place, len(neighbours))) for place in range(len(neighbours))]
        assert [found.mutated(before, random) for random in drawn] == neighbours


def test_a_mutation_may_give_back_what_was_there() -> None:
    assert space(2, 3).mutated((1, 2), Scripted((1, 2), (2, 3))) == (1, 2)
    assert space(2, 3).mutated((1, 2), Scripted((1, 2), (0, 3))) == (1, 0)
    assert space(1).mutated((0,), Scripted((0, 1), (0, 1))) == (0,)


def test_k_and_ref_mutate_together() -> None:
    found = space_in(K_AND_REF)
    for drawn in (0, 1):  # k, or ref
        reached = [found.mutated((1, 1), Scripted((drawn, 2), (place, 4))) for place in range(4)]
        assert reached == [(0, 0), (1, 0), (1, 1), (1, 2)]  # k = 0 is reached from any ref
    assert found.mutated((0, 0), Scripted((1, 2), (3, 4))) == (1, 2)
    beside = space_in("tune(select(sim, grave(c={1, 2}, ref={50, 100}, k={10, 0, inf})), random)")
    reached = [beside.mutated((1, 2, 1), Scripted((1, 3), (place, 5))) for place in range(5)]
    assert reached == [(1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 2, 0), (1, 2, 1)]
    assert beside.mutated((1, 2, 1), Scripted((0, 3), (0, 2))) == (0, 2, 1)


def test_a_draw_costs_one_for_each_parameter_and_all_again_if_not_legal() -> None:
    found = space_in(K_AND_REF)
    for k, ref in itertools.product(range(2), range(3)):
        if (k, ref) in found.legal():
            assert found.draw(Scripted((k, 2), (ref, 3))) == (k, ref)
        else:
            assert found.draw(Scripted((k, 2), (ref, 3), (1, 2), (2, 3))) == (1, 2)
    assert found.draw(Scripted((0, 2), (1, 2)), (1, 2)) == (1, 2)  # ref is held: k alone is drawn
    assert found.draw(Scripted((1, 3), (2, 3), (0, 3)), (0, 0)) == (0, 0)
    assert space(1, 2).draw(Scripted((0, 1), (1, 2))) == (0, 1)  # a forced choice costs a draw


def test_all_legal_combinations_are_drawn_alike() -> None:
    # The seed is fixed, so this passes or fails for good; of all seeds a right `draw` would fail at one in a thousand.
    found = space_in(f"tune(select(sim, grave(ref={REF}, k={K})), random)")
    random = Random(20)
    counts = dict.fromkeys(found.legal(), 0)
    for _ in range(7_300):
        counts[found.draw(random)] += 1
    assert chisquare(list(counts.values())).pvalue > 0.001
