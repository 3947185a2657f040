"""Measures algorithms on problems that they were not chosen on.

Every expression runs once on each of the problems 0 … N - 1, with the seed that `mcsgrammar solve --problem k` has for
it, so that any single run can be looked at again. The results do not depend on the number of workers, nor on what else
is measured at the same time.
"""

import math
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from discovery.evaluation.evaluated import Evaluation, Setting
from discovery.evaluation.runs import Bench, Block, Plan, measure_in_worker, parcel
from discovery.pool.parallel import in_workers, jobs_that_pay
from domains.errors import DomainError, UserError
from domains.problems import SPLITS, Split, check_split, describe_problems, has_own_instances, instances_of
from domains.protocol import Domain
from domains.registry import canonical_text, domain_of, found_from_anywhere
from mcsgrammar.arguments import as_list, at_least, check_choice, numbered_from_0, whole
from mcsgrammar.defaults import DEFAULT_BUDGET, DEFAULT_MAX_NODES
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.guarding import guarded
from mcsgrammar.engines.searching import ENGINES, SEMANTICS, EngineName, Limits, SemanticsName
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse_all
from mcsgrammar.playing import TREES, Trees

BLOCK_SECONDS = 0.3
"""About the size of a task: large beside the millisecond that a task costs, small enough for progress to be seen."""
PILOT_EVALUATIONS = 1000
PILOT_SECONDS = 0.03
OnProgress = Callable[[int, int], None]
"""Called after each block with (runs done, runs in all)."""


def evaluate(
    domain: Domain | str,
    expressions: Component | str | Sequence[Component | str],
    *,
    budgets: int | Sequence[int] | None = None,
    seconds: float | None = None,
    problems: int = 1000,
    first_problem: int = 0,
    split: Split = "test",
    stream: int = 0,
    seed: int = 0,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
    jobs: int | None = 1,
    on_progress: OnProgress | None = None,
    play: Trees | None = None,
) -> Evaluation:
    """Run every expression once on each of `problems` problems, for each budget (1000 evaluations if none is given).
    Expressions with the same canonical text are one.

    The problems are those from number `first_problem` on, whatever the `seed`, which gives other runs on the same ones:
    a short evaluation keeps their luck, and takes others with another `first_problem`. `stream` tells the training
    problems of campaigns apart; there is one stream of test problems, number 0. `jobs` worker processes, or as many as
    pay if None, give the same results. With `play`, which says what becomes of trees, a run is a whole game, and the
    budgets are those of every search before an action. Raises `UserError` for wrong input, and for what the domain does
    wrong, with the expression and the problem.
    """
    found = domain_of(domain)
    plan = _plan(found, expressions, budgets, seconds, split, stream, seed, semantics, engine, max_nodes)
    problems = at_least(1, "the number of problems", problems)
    first_problem = numbered_from_0("the first problem", first_problem)
    jobs = None if jobs is None else at_least(1, "the number of jobs", jobs)
    if play is not None:
        check_choice("what becomes of trees", play, TREES)
    plan = replace(plan, first_problem=first_problem, play=play)
    bench = Bench(found, plan)
    for i in range(len(plan.expressions)):
        bench.runs(i)  # an expression that cannot be run is found before anything is
    per_cell, per_problem = _estimate(bench)
    jobs = jobs or jobs_that_pay(problems * (len(plan.expressions) * per_cell + per_problem))
    blocks = cut(len(plan.expressions), problems, per_cell, per_problem, jobs)
    if jobs == 1:
        outcomes = (bench.measure(block) for block in blocks)
    else:
        typed = found_from_anywhere(domain) if isinstance(domain, str) else None
        what = parcel(found, typed, plan, uuid.uuid4().hex)
        outcomes = in_workers(partial(measure_in_worker, what), blocks, jobs)
    shape = (len(plan.limits), len(plan.expressions), problems)
    rewards, scores, spent = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    digests: set[bytes] = set()
    done, total = 0, len(plan.expressions) * problems
    with closing(outcomes):
        for block, outcome in zip(blocks, outcomes, strict=True):
            if outcome.failure is not None:
                raise DomainError(outcome.failure)
            place = (slice(None), _slice(block.expressions), _slice(block.problems))
            rewards[place], scores[place], spent[place] = outcome.rewards, outcome.scores, outcome.seconds
            digests |= outcome.problem_digests
            done += block.runs
            if on_progress is not None:
                on_progress(done, total)
    assert np.isfinite(rewards).all() and np.isfinite(scores).all()
    return Evaluation(
        domain=canonical_text(found),
        unit=found.unit,
        less_is_better=less_is_better(found),
        expressions=plan.expressions,
        problems=problems,
        split=split,
        stream=stream,
        seed=seed,
        semantics=semantics,
        about=_about(found, split, problems, first_problem, len(digests)),
        own_instances=has_own_instances(found),
        first_problem=first_problem,
        play=play,
        settings=tuple(
            Setting(limits.evaluations, limits.seconds, rewards[i], scores[i], spent[i].mean(axis=1), bench.runs_as(i))
            for i, limits in enumerate(plan.limits)
        ),
    )


def less_is_better(domain: Domain) -> bool | None:
    """Whether a lower score is a higher reward."""
    own = type(domain)
    if domain.minimise is not None and (own.score, own.reward) == (Domain.score, Domain.reward):
        return True
    try:
        worse, better = guarded(domain, "score_of_reward", lambda: [domain.score_of_reward(r) for r in (0.0, 1.0)])
    except DomainError:  # it has none for every reward, such as the logarithm of 0
        return None
    return None if worse is None or better is None else better < worse


def cut(expressions: int, problems: int, per_cell: float, per_problem: float, jobs: int) -> list[Block]:
    """Blocks of about `BLOCK_SECONDS` that cover every expression on every problem once, problem by problem."""
    row = expressions * per_cell + per_problem
    if row <= BLOCK_SECONDS:
        width = max(1, min(int(BLOCK_SECONDS / max(row, 1e-9)), math.ceil(problems / (4 * jobs if jobs > 1 else 1))))
        height = expressions
    else:
        width = 1
        height = max(1, min(expressions, int(BLOCK_SECONDS / max(per_cell, 1e-9))))
    return [
        Block(range(e, min(expressions, e + height)), range(k, min(problems, k + width)))
        for k in range(0, problems, width)
        for e in range(0, expressions, height)
    ]


def _plan(
    domain: Domain,
    expressions: Component | str | Sequence[Component | str],
    budgets: int | Sequence[int] | None,
    seconds: float | None,
    split: Split,
    stream: int,
    seed: int,
    semantics: SemanticsName,
    engine: EngineName,
    max_nodes: int,
) -> Plan:
    check_choice("the engine", engine, ENGINES)
    check_choice("the semantics", semantics, SEMANTICS)
    check_choice("the split", split, SPLITS)
    check_split(domain, split)
    texts = dict.fromkeys(map(str, parse_all(expressions)))
    if not texts:
        raise UserError("there is nothing to evaluate: name one expression or more")
    if seconds is not None:
        if budgets is not None:
            raise UserError("give budgets in evaluations or in seconds, one of the two")
        limits = [Limits(None, seconds, max_nodes)]
    else:
        given = as_list(DEFAULT_BUDGET if budgets is None else budgets)
        limits = [Limits(budget, None, max_nodes) for budget in dict.fromkeys(given)]
        if not limits or any(one.evaluations == 0 for one in limits):
            raise UserError("an evaluation needs a budget of at least 1 evaluation")
    stream, seed = whole("the stream", stream), whole("the seed", seed)
    return Plan(tuple(texts), tuple(limits), split, stream, seed, semantics, vetted_engine(domain, engine))


def _estimate(bench: Bench) -> tuple[float, float]:
    """About how long it takes, in seconds: one expression on one problem, and a problem before any expression runs.
    Compiles the rules on the way, so that workers find them in the cache."""
    plan = bench.plan
    try:
        bench.ready(bench.initial(0))
        started = time.perf_counter()
        initial = bench.initial(0)
        ready = bench.ready(initial)
        per_problem = time.perf_counter() - started
        searches = bench.searches_a_run
        if plan.engine == "compiled":
            bench.pilot(bench.runs(0)[0].expression, 1, 0, ready)
        if plan.limits[0].seconds is not None:
            return searches * plan.limits[0].seconds, per_problem
        evaluations, spent = 0, 0.0
        for i in range(len(plan.expressions)):
            run = bench.runs(i)[0]
            pilot = min(max(1, PILOT_EVALUATIONS // searches), plan.limits[run.answers[-1]].evaluations or 1)
            started = time.perf_counter()
            evaluations += bench.pilot(run.expression, pilot, 0, ready)
            spent += time.perf_counter() - started
            if spent > PILOT_SECONDS:
                break
    except DomainError:
        return BLOCK_SECONDS, BLOCK_SECONDS  # met again, and reported, where the runs are done
    in_all = searches * sum(
        plan.limits[run.answers[-1]].evaluations or 0 for i in range(len(plan.expressions)) for run in bench.runs(i)
    )
    return in_all / len(plan.expressions) * spent / max(1, evaluations), per_problem


def _slice(numbers: range) -> slice:
    return slice(numbers.start, numbers.stop)


def _about(domain: Domain, split: Split, problems: int, first: int, different: int) -> str:
    runs = "1 run" if problems == 1 else f"{problems:,} runs"
    of_which = f" from problem {first:,} on" if first else ""
    described = f"{runs} of each{of_which}, {describe_problems(domain, split)}"
    if domain.instances is not None and problems < len(instances_of(domain, split)):
        return f"{described} ({problems} of them used)"
    if domain.instances is None and different <= problems / 2:
        return f"{described} ({different} different {'one' if different == 1 else 'ones'}: only the seeds are fresh)"
    return described
