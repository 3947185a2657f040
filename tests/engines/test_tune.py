"""`tune` in a run: when it chooses, what it is told, and what the result says of it."""

import math
from collections import Counter
from typing import Any

import pytest

from domains.protocol import Domain
from mcsgrammar.engines.results import RunResult, Tuning
from mcsgrammar.engines.searching import EngineName, Limits, prepare
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parsing import parse
from mcsgrammar.tuning.lsi import LinearSideInformationTuner
from mcsgrammar.wording import shortened
from tests.engines.running import run
from tests.engines.toys import TreeGame, corridor, grown
from tests.engines.unfinished import WORTH, ValuedTreeGame, look

ENGINES: tuple[EngineName, ...] = ("reference", "compiled")

on_each_engine = pytest.mark.parametrize("engine", ENGINES)

TUNERS = ["random", "mab", "nmc", "local", "ea(lambda=4, mu=2)", "ntbea", "cmaes"]
"""All but lsi, which plans by the budget."""

SIDES = {1: {1: 0.25, 2: 0.75}, 2: {1: 0.5, 2: 1.0}}


def tuned(
    game: Domain, expression: str, budget: int, engine: EngineName, seed: int = 0
) -> tuple[RunResult, tuple[Tuning, ...]]:
    """The run of the engine. What it came to stands in `game.seen`: the reference engine notes it, and must agree."""
    prepared = prepare(parse(expression), game, Limits(budget))
    result = run(game, game.sample(None), prepared, budget, seed=seed)  # type: ignore[arg-type]
    if engine != "reference":
        assert run(game, game.sample(None), prepared, budget, seed=seed, engine=engine) == result  # type: ignore[arg-type]
    return result, result.tunings


def used(tuning: Tuning) -> dict[tuple[Any, ...], int]:
    return {values: times for values, times, _ in tuning.used}


# When it chooses.


@on_each_engine
@pytest.mark.parametrize("budget", [1, 2, 10, 11])
def test_it_chooses_before_each_invocation_and_is_not_told_of_the_one_that_was_cut(
    engine: EngineName, budget: int
) -> None:
    # The last evaluation ends the search inside its invocation.
    _, (tuning,) = tuned(TreeGame(SIDES), "tune(sim(mast(eps={0, 1})), random)", budget, engine)
    assert tuning.choices == sum(used(tuning).values()) == budget - 1
    assert tuning.parameters == ("eps of mast",)


@on_each_engine
def test_an_invocation_of_several_evaluations_is_one_choice(engine: EngineName) -> None:
    for budget, choices in [(3, 0), (4, 1), (6, 1), (7, 2), (30, 9), (31, 10)]:
        _, (tuning,) = tuned(TreeGame(SIDES), "tune(repeat(sim(mast(eps={0, 1})), 3), random)", budget, engine)
        assert tuning.choices == choices


@on_each_engine
def test_its_state_is_kept_across_invocations(engine: EngineName) -> None:
    # step invokes it twice a round, at each of the two times; it is one tuner all the while.
    _, (tuning,) = tuned(TreeGame(SIDES), "step(tune(sim(mast(eps={0, 1})), mab))", 21, engine)
    assert tuning.choices == 20
    assert set(used(tuning)) == {(0,), (1,)}


@on_each_engine
def test_it_does_not_choose_at_final_states(engine: EngineName) -> None:
    # 1 is final, 2 is not: lookahead invokes the tune after both.
    game = TreeGame({1: 0.25, 2: {1: 0.5}})
    result, (tuning,) = tuned(game, "lookahead(tune(sim(mast(eps={0, 1})), random))", 41, engine)
    assert result.evaluations == 41
    assert tuning.choices == 20
    game = TreeGame(0.5, horizon=1)
    assert tuned(game, "tune(sim(mast(eps={0, 1})), random)", 5, engine)[1] == (
        Tuning(("eps of mast",), choices=0, used=(), best=None),
    )


@on_each_engine
def test_without_a_budget_nothing_is_chosen(engine: EngineName) -> None:
    result, (tuning,) = tuned(TreeGame(SIDES), "tune(sim(mast(eps={0, 1})), ntbea)", 0, engine)
    assert result.reward is None
    assert (tuning.choices, tuning.used, tuning.best) == (0, (), None)


@on_each_engine
def test_the_search_runs_with_what_was_chosen(engine: EngineName) -> None:
    # The length of a playout says which depth was chosen for it.
    game = ValuedTreeGame({WORTH: 0.0, 1: {WORTH: 0.125, 1: {WORTH: 0.25, 1: 0.5}}})
    _, (tuning,) = tuned(game, "tune(sim(random(depth={1, 2, inf})), random)", 100, engine)
    lengths = Counter(len(path) for path in game.seen[:-1])
    assert used(tuning) == {(1,): lengths[1], (2,): lengths[2], (math.inf,): lengths[3]}
    assert min(lengths.values()) > 15
    assert {values[0]: mean for values, _, mean in tuning.used} == {1: 0.125, 2: 0.25, math.inf: 0.5}


@on_each_engine
def test_a_fixed_choice_runs_like_the_value_itself_but_for_the_draws_of_the_tuner(engine: EngineName) -> None:
    # A tuner with nothing to choose draws all the same, so the runs differ; on one path they cannot.
    game = TreeGame(corridor(3, 0.5))
    with_tune, (tuning,) = tuned(game, "step(tune(select(sim, {0.5}), random))", 7, engine)
    without = run(game, game.sample(None), "step(select(sim, 0.5))", 7, engine=engine)
    assert (with_tune.reward, with_tune.actions, with_tune.tree_nodes) == (without.reward, without.actions, 4)
    assert used(tuning) == {(0.5,): 6}


# What it is told.


@on_each_engine
def test_it_is_told_the_best_reward_of_its_invocation_clipped(engine: EngineName) -> None:
    game = TreeGame(SIDES)
    _, (tuning,) = tuned(game, "tune(repeat(sim(mast(eps={0.5})), 2), random)", 21, engine)
    rewards = [SIDES[a][b] for a, b in game.seen]
    best = [max(rewards[i : i + 2]) for i in range(0, 20, 2)]
    assert list[Any](tuning.used) == [((0.5,), 10, pytest.approx(sum(best) / 10))]
    for reward, told in [(-3.0, 0.0), (7.0, 1.0)]:
        _, (tuning,) = tuned(TreeGame(corridor(2, reward)), "tune(sim(mast(eps={0.5})), random)", 5, engine)
        assert tuning.used == (((0.5,), 4, told),)


@on_each_engine
@pytest.mark.parametrize(("budget", "choices"), [(3, 0), (4, 1), (6, 1), (7, 2), (31, 10), (33, 10)])
def test_b_keeps_a_combination_for_as_many_invocations(engine: EngineName, budget: int, choices: int) -> None:
    game = ValuedTreeGame({WORTH: 0.0, 1: {WORTH: 0.125, 1: 0.5}})
    _, (tuning,) = tuned(game, "tune(sim(random(depth={1, 2})), random(b=3))", budget, engine)
    assert tuning.choices == choices
    groups = [game.seen[i : i + 3] for i in range(0, 3 * choices, 3)]
    assert all(len(set(group)) == 1 for group in groups)
    assert used(tuning) == dict(Counter((len(group[0]),) for group in groups))
    if choices == 10:
        assert {len(group[0]) for group in groups} == {1, 2}


@on_each_engine
def test_b_tells_the_mean(engine: EngineName) -> None:
    game = TreeGame(SIDES)
    _, (tuning,) = tuned(game, "tune(repeat(sim(mast(eps={0.5})), 2), ntbea(b=3))", 61, engine)
    rewards = [SIDES[a][b] for a, b in game.seen]
    best = [max(rewards[i : i + 2]) for i in range(0, 60, 2)]
    means = [sum(best[i : i + 3]) / 3 for i in range(0, 30, 3)]
    assert list[Any](tuning.used) == [((0.5,), 10, pytest.approx(sum(means) / 10))]


@on_each_engine
def test_b_of_1_is_the_default(engine: EngineName) -> None:
    game = TreeGame(SIDES)
    assert tuned(game, "tune(sim(mast(eps={0, 1})), nmc(b=1))", 50, engine) == tuned(
        game, "tune(sim(mast(eps={0, 1})), nmc)", 50, engine
    )


# Nested tunes, and parameters of every kind.


@on_each_engine
def test_nested_tunes_choose_their_own_parameters_and_count_their_own_invocations(engine: EngineName) -> None:
    expression = "tune(repeat(tune(select(sim, {0, 1}), random), {2, 3}), random)"
    result, (outer, inner) = tuned(TreeGame(grown(3, 5)), expression, 101, engine)
    assert (outer.parameters, inner.parameters) == (("N of repeat",), ("c of ucb1",))
    assert inner.choices == 100
    assert set(used(outer)) == {(2,), (3,)} and set(used(inner)) == {(0,), (1,)}
    spent = sum(values[0] * times for values, times in used(outer).items())
    assert spent < 101 <= spent + 3
    assert result.tunings == (outer, inner)  # from the outside in


@on_each_engine
def test_an_open_commit_rule_is_a_parameter(engine: EngineName) -> None:
    expression = "tune(step(repeat(select(sim, 0.5), 3), {best, mean, visits, max}), random)"
    _, (tuning,) = tuned(TreeGame(grown(3, 5)), expression, 2000, engine)
    assert tuning.parameters == ("rule of step",)
    assert set(used(tuning)) == {("best",), ("mean",), ("visits",), ("max",)}


@on_each_engine
def test_an_open_commit_rule_is_what_step_commits_by(engine: EngineName) -> None:
    # As in test_cuts_and_commits: there `best` and `visits` differ. A list of one is that rule, up to draws; so every
    # first commit is looked at, over many seeds.
    game = TreeGame({1: {1: 0.25, 2: 0.25, 3: 0.25}, 2: {1: 1.0, 2: 0.0, 3: 0.0}})

    def follows_best(rule: str) -> int:
        found = 0
        for seed in range(60):
            game.seen.clear()
            tuned(game, f"tune(step(repeat(select(sim, 0), 5), {rule}), random)", 6, engine, seed=seed)
            if (2, 1) in game.seen[:5]:
                found += game.seen[5][0] == 2
            else:
                found += 1
        return found

    assert follows_best("{best}") == 60
    assert follows_best("{visits}") < 60


@on_each_engine
@pytest.mark.parametrize(
    ("expression", "parameters"),
    [
        (
            "tune(step(select(sim(mast(tau={0.1, 1}, move_decay={0, 1})), "
            "grave(c={0, 1}, ref={0, 5}, k={0, 9}))), random)",
            ("c of grave", "k of grave", "ref of grave", "tau of mast", "move_decay of mast"),
        ),
        (
            "tune(select(sim(nst(eps={0, 1}, n={1, 2, 3}, kmin={0, 7})), "
            "history(c={0.5}, vo={0, 0.5}, w={0, 2})), random)",
            ("c of history", "vo of history", "w of history", "eps of nst", "n of nst", "kmin of nst"),
        ),
        (
            "tune(select(sim(mast(eps=0.5, batch_decay={0, 1}, batch={1, 50}, sim_decay={0, 1})), "
            "ucb1(t={0, 5}, fpu={0, inf})), random)",
            ("t of ucb1", "fpu of ucb1", "batch_decay of mast", "batch of mast", "sim_decay of mast"),
        ),
    ],
)
def test_all_parameters_of_playouts_and_selection_can_be_open(
    engine: EngineName, expression: str, parameters: tuple[str, ...]
) -> None:
    result, (tuning,) = tuned(TreeGame(grown(3, 5)), expression, 300, engine)
    assert tuning.parameters == parameters
    for i in range(len(parameters)):
        values = {combination[i] for combination, _, _ in tuning.used}
        # Every listed value was used; the one listed alone, too.
        assert len(values) == (1 if parameters[i] == "c of history" else 3 if parameters[i] == "n of nst" else 2)
    assert result.evaluations == 300


# What the result says.


@on_each_engine
def test_the_result_lists_what_was_used_the_most_used_first(engine: EngineName) -> None:
    game = ValuedTreeGame({WORTH: 0.0, 1: {WORTH: 0.25, 1: {WORTH: 0.75, 1: 0.5}}})
    _, (tuning,) = tuned(game, "tune(sim(random(depth={1, 2, 3})), mab(c=0.1))", 200, engine)
    times = [n for _, n, _ in tuning.used]
    assert times == sorted(times, reverse=True) and sum(times) == tuning.choices == 199
    assert tuning.used[0][0] == tuning.best == (2,)
    assert {combination: mean for combination, _, mean in tuning.used} == {(1,): 0.25, (2,): 0.75, (3,): 0.5}


@on_each_engine
def test_of_what_was_used_alike_the_first_comes_first(engine: EngineName) -> None:
    # Every generation evaluates each of the four once; whatever was met in the first 4 was met once more per duplicate.
    game = ValuedTreeGame({WORTH: 0.0, 1: {WORTH: 0.25, 1: {WORTH: 0.75, 1: 0.5}}})
    for seed in range(20):
        game.seen.clear()
        _, (tuning,) = tuned(game, "tune(sim(random(depth={1, 2, 3})), random)", 7, engine, seed=seed)
        order = [len(path) for path in game.seen[:-1]]
        counted = Counter(order)  # of those counted alike, the first met comes first
        assert [(values[0], n) for values, n, _ in tuning.used] == counted.most_common()


@on_each_engine
def test_cmaes_reports_how_often_and_the_mean_it_came_to(engine: EngineName) -> None:
    _, (tuning,) = tuned(TreeGame(SIDES), "tune(step(sim(mast(eps=[0..0.5]))), cmaes)", 101, engine)
    assert (tuning.parameters, tuning.choices, tuning.used) == (("eps of mast",), 50, ())
    assert tuning.best is not None and 0 <= tuning.best[0] <= 0.5


@on_each_engine
@pytest.mark.parametrize("tuner", ["mab", "nmc", "local", "lsi", "ea(lambda=6, mu=3)", "ntbea"])
def test_a_tuner_finds_the_depth_that_pays(engine: EngineName, tuner: str) -> None:
    # depth 2 is worth 0.9, all others 0.1; the seed is fixed, and no tuner needs luck for that.
    game = ValuedTreeGame({WORTH: 0.0, 1: {WORTH: 0.1, 1: {WORTH: 0.9, 1: {WORTH: 0.1, 1: {WORTH: 0.1, 1: 0.1}}}}})
    _, (tuning,) = tuned(game, f"tune(sim(random(depth={{1, 2, 3, 4, 5}})), {tuner})", 400, engine)
    assert tuning.best == (2,)
    assert tuning.used[0][0] == (2,)


# Runs.


@on_each_engine
@pytest.mark.parametrize("tuner", [*TUNERS, "lsi"])
def test_a_second_run_starts_with_nothing_known(engine: EngineName, tuner: str) -> None:
    eps = "[0..1]" if tuner == "cmaes" else "{0, 0.5, 1}"
    game = TreeGame(grown(5, 5))
    expression = f"step(tune(select(sim(mast(eps={eps})), 0.5), {tuner}))"
    first = tuned(game, expression, 200, engine, seed=4)
    assert tuned(game, expression, 200, engine, seed=4) == first
    assert tuned(game, expression, 200, engine, seed=5) != first


@on_each_engine
@pytest.mark.parametrize("tuner", TUNERS)
@pytest.mark.parametrize("b", [1, 3])
def test_a_short_run_is_the_beginning_of_a_long_one(engine: EngineName, tuner: str, b: int) -> None:
    c = "[0..1]" if tuner == "cmaes" else "{0, 0.3, 1}"
    named = tuner.replace(")", f", b={b})") if "(" in tuner else f"{tuner}(b={b})"
    expression = f"step(tune(repeat(select(sim(mast(eps={c})), {c}), 2), {named}))"
    game = TreeGame(grown(6, 6))
    seen = {}
    for budget in (100, 1000):
        game.seen.clear()
        result, _ = tuned(game, expression, budget, engine, seed=11)
        seen[budget] = result.curve, list(game.seen)
    short, long = seen[100], seen[1000]
    assert [point for point in long[0] if point[0] <= 100] == list(short[0])
    assert long[1][:100] == short[1]


@on_each_engine
def test_the_run_of_lsi_depends_on_its_budget(engine: EngineName) -> None:
    expression = "tune(select(sim, {0, 0.3, 1}), lsi(k=5))"
    game, seen = TreeGame(grown(6, 6)), []
    for budget in (60, 600):
        game.seen.clear()
        tuned(game, expression, budget, engine, seed=11)
        seen.append(game.seen[:60])
    assert seen[0] != seen[1]


# What lsi plans with.


@pytest.mark.parametrize(
    ("inside", "evaluations"),
    [
        ("sim", 1),
        ("select(sim, 0.5)", 1),
        ("repeat(sim, 5)", 5),
        ("repeat(select(sim, 0.5), 4)", 4),
        ("repeat(lookahead(sim), 4)", None),
        ("select(repeat(sim, 2), 0.5)", None),  # a leaf that is final costs one
        ("lookahead(sim)", None),
        ("step(sim)", None),
    ],
)
def test_the_evaluations_of_an_invocation_where_they_are_fixed(inside: str, evaluations: int | None) -> None:
    assert parse(inside).evaluations == evaluations


def planned(expression: str, budget: int) -> int | None:
    """The N that the lsi in a run has come to know."""
    looked = look(TreeGame(corridor(4, 0.5)), expression, budget)
    (running,) = looked.search.tuners.values()
    assert isinstance(running.tuner, LinearSideInformationTuner)
    return running.tuner.total


@pytest.mark.parametrize(
    ("expression", "budget", "n"),
    [
        ("tune(select(sim, {0, 1}), lsi)", 100, 100),
        ("tune(repeat(select(sim, {0, 1}), 6), lsi)", 100, 16),
        ("tune(repeat(select(sim, {0, 1}), 6), lsi(b=3))", 100, 5),
        ("tune(repeat(select(sim, {0, 1}), 6), lsi)", 5, 1),
        # step takes four invocations of sim on this corridor, select or not: the first 10 choices took 4 each.
        ("tune(step(sim(mast(eps={0, 1}))), lsi)", 100, 25),
        ("tune(step(sim(mast(eps={0, 1}))), lsi(b=4))", 100, 6),
        ("tune(step(sim(mast(eps={0, 1}))), lsi)", 39, None),  # the tenth was cut
        ("tune(step(sim(mast(eps={0, 1}))), lsi)", 40, None),
        ("tune(step(sim(mast(eps={0, 1}))), lsi)", 41, 10),
    ],
)
def test_lsi_plans_by_the_budget_and_what_an_invocation_costs(expression: str, budget: int, n: int | None) -> None:
    assert planned(expression, budget) == n


def test_an_open_repetition_is_estimated_from_the_first_ten_invocations() -> None:
    expression = "tune(repeat(sim, {2, 4}), lsi)"
    looked = look(TreeGame(corridor(2, 0.5)), expression, 200, seed=6)
    (running,) = looked.search.tuners.values()
    assert isinstance(running.tuner, LinearSideInformationTuner)
    # Passes of two, each with 2 and 4: five passes are 30 evaluations in 10 invocations, 3 each; 200 / 3 = 66.
    assert running.tuner.total == 66


# Refusals.


def refusal(expression: str, limits: Limits) -> str:
    with pytest.raises(InvalidExpression) as refused:
        prepare(parse(expression), TreeGame(SIDES), limits)
    return str(refused.value)


def test_lsi_needs_a_budget_in_evaluations() -> None:
    assert refusal("tune(select(sim, {0, 1}), lsi)", Limits(seconds=1)) == (
        "lsi must know how many combinations it can try, which a budget in seconds does not say; "
        "give a budget in evaluations, or use another tuner, such as ntbea"
    )
    assert refusal("step(tune(select(sim, {0, 1}), lsi))", Limits(seconds=1)).startswith("lsi must know")
    for tuner in TUNERS[:-1]:
        prepare(parse(f"tune(select(sim, {{0, 1}}), {tuner})"), TreeGame(SIDES), Limits(seconds=1))


def listed(n: int) -> str:
    return "{" + ", ".join(map(str, range(1, n + 1))) + "}"


def test_mab_takes_up_to_a_million_arms() -> None:
    hundred = listed(100)
    prepare(
        parse(f"tune(repeat(repeat(select(sim, {hundred}), {hundred}), {hundred}), mab)"), TreeGame(SIDES), Limits(1)
    )
    text = f"tune(repeat(repeat(select(sim, {hundred}), {hundred}), {listed(101)}), mab)"
    assert refusal(text, Limits(1)) == (
        f"mab keeps an arm for each of the 1,010,000 combinations of {shortened(str(parse(text)))}, and can keep "
        "1,000,000; list fewer values, or use ntbea"
    )
    assert len(refusal(text, Limits(1))) < 250


def test_only_legal_combinations_count_as_arms() -> None:
    # 1 000 values of k and 1 001 of ref are 1 001 000 combinations, of which 999 * 1 001 + 1 = 1 000 000 are legal.
    k = "{0, " + listed(999)[1:]
    text = f"tune(select(sim, grave(ref={listed(1001)}, k={k})), mab)"
    prepare(parse(text), TreeGame(SIDES), Limits(1))


def test_too_many_combinations_to_number_are_refused_before_the_run() -> None:
    thousand = listed(1000)
    inner = f"select(sim, ucb1(c={thousand}, vo={thousand}, t={thousand}, fpu={thousand}))"
    text = f"tune(select(repeat({inner}, {thousand}), ucb1(c={thousand}, vo={thousand})), random)"
    assert refusal(text, Limits(1)) == "tune chooses among more than 2^62 combinations; list fewer values"
