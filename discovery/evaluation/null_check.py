"""How often the pipeline cries wolf: the whole of it, many times, on candidates that are all the same algorithm.

One algorithm under many seeds plays both the candidates and the generic algorithms, so no claim that one of them is
better than another can be true. Each trial selects the best candidates by their training pulls, measures them on test
problems beside the generic ones, and counts the claims; `discovery.evaluation.comparison.judge` decides, as it does
for tables.

The rewards come from a pool: the algorithm run on a number of problems under a number of seeds, once. A trial draws
problems from the pool, and for each algorithm and problem one of the rewards there, all with replacement. That is an
exact null hypothesis, whatever is in the pool: on a problem, all algorithms have the same distribution of rewards.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from discovery.bandits.policies import make_policy, pull_numbers
from discovery.evaluation.comparison import Verdicts, judge
from discovery.evaluation.runs import Bench, Plan
from discovery.statistics import SIGNIFICANT, Floats, binomial_interval
from domains.errors import UserError
from domains.problems import Split, stream_of
from domains.protocol import Domain
from domains.randomness import seed_of
from domains.registry import canonical_text, domain_of
from mcsgrammar.arguments import at_least
from mcsgrammar.defaults import BATCH_OF_PULLS, DEFAULT_MAX_NODES
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.searching import Limits, prepare
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import read_expression

OnProgress = Callable[[str, int, int], None]
"""Called now and then with (what is being done, done, in all)."""


@dataclass(frozen=True)
class Design:
    """The size of every trial."""

    arms: int = 100
    pulls_per_arm: int = 20
    top: int = 10
    generics: int = 14
    problems: int = 200
    """test problems; the generic algorithms have as many training problems, to choose the reference by"""
    policy: str = "uniform"
    trials: int = 1000
    pool_problems: int = 500
    pool_seeds: int = 40

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 2 if field.name in ("problems", "pool_problems", "pool_seeds") else 1
            if field.name != "policy":
                object.__setattr__(self, field.name, at_least(least, field.name.replace("_", " "), value))
        if self.top > self.arms:
            raise UserError(f"the best {self.top} of {self.arms} candidates cannot be selected; select fewer (--top)")


@dataclass(frozen=True)
class Rate:
    """How often something happened, with the exact 95 % interval."""

    hits: int
    trials: int

    @property
    def value(self) -> float:
        return self.hits / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        return binomial_interval(self.hits, self.trials)


@dataclass(frozen=True)
class Alarms:
    """False claims against one choice of the reference. One comparison a trial is looked at where it is not the whole
    table, so that the trials are independent and the intervals exact."""

    difference: Rate
    """Dis#1 differs by the unpaired test, p < 0.05, better or worse; nominally 5 %"""
    star: Rate
    """Dis#1 has the star: p < 0.05 and better; nominally 2.5 %"""
    any_star: Rate
    """the table has one star or more; nothing promises that this is rare"""
    any_difference_by_holm: Rate
    """p Holm < 0.05 somewhere in the table, better or worse; at most 5 % is promised"""
    any_claim_by_holm: Rate
    """the table calls something better by p Holm < 0.05; at most 5 % is promised"""


@dataclass(frozen=True)
class NullCheck:
    """What came of all trials."""

    domain: str
    expression: str
    budget: int
    seed: int
    design: Design
    chosen_on_training: Alarms
    """the reference is the generic algorithm that is best on training problems"""
    best_on_test: Alarms
    """the paper's way: the generic algorithm that is best on the test problems"""
    between_problems: float
    """the share of the variance of the test rewards that lies between the problems, so that the paired test does not
    suffer from it and the unpaired one does"""
    excess: float
    """the winner's curse: mean training reward minus mean test reward of the selected, over all trials"""
    excess_stderr: float


def null_check(
    domain: Domain | str = "sudoku:3",
    expression: Component | str = "step(lookahead(sim))",
    budget: int = 20,
    design: Design | None = None,
    *,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> NullCheck:
    """Run the pipeline on candidates that are all this algorithm. The same arguments, the same figures."""
    design = design or Design()
    found = domain_of(domain)
    parsed = read_expression(expression)
    policy = make_policy(design.policy, design.arms, design.arms * design.pulls_per_arm, seed)
    if design.top > policy.reach:
        raise UserError(
            f"the best {design.top} cannot be selected: of {design.arms} candidates {design.policy} tries "
            f"{policy.reach} with so few pulls; select fewer (--top), or give more pulls"
        )
    progress = on_progress or (lambda what, done, total: None)
    training = pool_of(found, parsed, budget, "train", seed, design, progress)
    test = pool_of(found, parsed, budget, "test", seed, design, progress)
    tallies = Tally(), Tally()
    excesses = np.empty(design.trials)
    for trial in range(design.trials):
        draw = np.random.Generator(np.random.PCG64(seed_of("null check", seed, trial)))
        excesses[trial] = one_trial(design, training, test, draw, *tallies)
        progress("trials", trial + 1, design.trials)
    return NullCheck(
        domain=canonical_text(found),
        expression=str(parsed),
        budget=budget,
        seed=seed,
        design=design,
        chosen_on_training=tallies[0].alarms(),
        best_on_test=tallies[1].alarms(),
        between_problems=share_between_problems(test),
        excess=float(excesses.mean()),
        excess_stderr=float(excesses.std(ddof=1) / np.sqrt(design.trials)) if design.trials > 1 else float("nan"),
    )


def pool_of(
    domain: Domain, expression: Component, budget: int, split: Split, seed: int, design: Design, progress: OnProgress
) -> Floats:
    """Rewards [seed, problem] of the algorithm, the seeds being those of the repetitions in `solve --runs`."""
    limits = Limits(budget)
    if budget < 1:
        raise UserError("the runs need a budget of at least 1 evaluation")
    stream = stream_of(split, seed)
    plan = Plan((str(expression),), (limits,), split, stream, seed, "standard", vetted_engine(domain, "auto"))
    bench, prepared = Bench(domain, plan), prepare(expression, domain, Limits(budget, None, DEFAULT_MAX_NODES))
    rewards = np.empty((design.pool_seeds, design.pool_problems))
    for k in range(design.pool_problems):
        initial = bench.initial(k)
        ready = bench.ready(initial)
        for repetition in range(design.pool_seeds):
            rewards[repetition, k] = bench.search(prepared, limits, k, ready, repetition).reward
        progress(f"runs on {split} problems", k + 1, design.pool_problems)
    return rewards


def share_between_problems(pool: Floats) -> float:
    """The share of the variance of rewards [seed, problem] that lies between the problems."""
    whole = float(pool.var())
    return max(0.0, 1.0 - float(pool.var(axis=0, ddof=1).mean()) / whole) if whole > 0 else 0.0


def one_trial(
    design: Design, training: Floats, test: Floats, draw: np.random.Generator, on_training: "Tally", on_test: "Tally"
) -> float:
    """Select, measure and count the claims against both references; the excess of the selected is returned."""
    trained, selected = select(design, training, draw)
    generic_training = rewards_of(design.generics, drawn_problems(design.problems, training, draw), training, draw)
    problems = drawn_problems(design.problems, test, draw)
    rewards = rewards_of(len(selected), problems, test, draw)
    generics = rewards_of(design.generics, problems, test, draw)
    on_training.count(judge(rewards, generics[generic_training.mean(axis=1).argmax()]))
    on_test.count(judge(rewards, generics[generics.mean(axis=1).argmax()]))
    return float(trained[selected].mean() - rewards.mean())


def select(design: Design, pool: Floats, draw: np.random.Generator) -> tuple[Floats, np.ndarray]:
    """The training means of all candidates, and the numbers of those that a campaign by the policy recommends first.
    The t-th pull of each candidate is on the same t-th problem."""
    total = design.arms * design.pulls_per_arm
    policy = make_policy(design.policy, design.arms, total, int(draw.integers(2**63)))
    problems = drawn_problems(total, pool, draw)
    while len(asked := policy.ask(BATCH_OF_PULLS)):
        t = pull_numbers(asked, policy.counts)
        policy.tell(asked, pool[draw.integers(pool.shape[0], size=len(asked)), problems[t]])
    return policy.means, policy.ranking()[: design.top]


def drawn_problems(count: int, pool: Floats, draw: np.random.Generator) -> np.ndarray:
    return np.asarray(draw.integers(pool.shape[1], size=count))


def rewards_of(algorithms: int, problems: np.ndarray, pool: Floats, draw: np.random.Generator) -> Floats:
    """Rewards [algorithm, problem], each under a seed of its own."""
    return np.asarray(pool[draw.integers(pool.shape[0], size=(algorithms, len(problems))), problems])


@dataclass
class Tally:
    """Counts false claims over trials."""

    trials: int = 0
    difference: int = 0
    star: int = 0
    any_star: int = 0
    any_difference_by_holm: int = 0
    any_claim_by_holm: int = 0

    def count(self, verdicts: Verdicts) -> None:
        self.trials += 1
        self.difference += bool(verdicts.p_welch[0] < SIGNIFICANT)
        self.star += bool(verdicts.star[0])
        self.any_star += bool(verdicts.star.any())
        self.any_difference_by_holm += bool((verdicts.p_holm < SIGNIFICANT).any())
        self.any_claim_by_holm += bool(verdicts.better_by_holm.any())

    def alarms(self) -> Alarms:
        return Alarms(*(Rate(getattr(self, field.name), self.trials) for field in fields(Alarms)))
