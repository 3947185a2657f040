"""The questions about online tuning, playout policies and decay, and the algorithms that answer them.

Glossary
    question     what is asked: `tuners`, `pays`, `policies` or `recovery`; a CSV in results/adaptive/ each
    family       one expression with 2, 4 or 6 parameters that can be opened, and their lists of values
    algorithm    a label and what is run for it, see `Way`
    contest      algorithms on the same problems of one domain, each but the baseline compared with the baseline;
                 one family of tests for Holm's correction at each budget
    gain         mean difference to the baseline on the same problems, in the domain's unit, above 0 where it is better
    fixed        an expression without open parameters
    papers       the fixed values of Sironi, Liu and Winands (2020), found by hand for games of two and three players
    drawn        fixed values of a run, drawn from the lists, another legal combination for each problem
    most used    fixed values of a run: what `ntbea` used most on the training problem of the same number
    chosen       the best and the worst of `SETTINGS` drawn combinations on `TRAINING` training problems
    rounds       everything is run on few problems first, so that there are answers early on
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from domains.randomness import Random, seed_of
from mcsgrammar.language.expressions import Tune
from mcsgrammar.language.parameters import Number, value_text
from mcsgrammar.language.parsing import parse
from mcsgrammar.tuning.space import Space, space_of

QuestionName = Literal["tuners", "pays", "policies", "recovery"]
Way = Literal["as it is", "drawn", "most used", "best in training", "worst in training"]
"""How the expression of a run comes about."""

INF = float("inf")
LISTS: dict[str, tuple[Number, ...]] = {
    "c": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "eps": (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1),
    "k": (0, 10, 50, 100, 250, 500, 750, 1000, 2000, INF),
    "ref": (0, 50, 100, 250, 500, 1000, 10000, INF),
    "vo": (0.001, 0.005, 0.01, 0.015, 0.02, 0.025),
    "t": (0, 5, 10, 20, 30, 40, 50, 100, 200, INF),
}
"""Those of Sironi, Liu and Winands."""
PAPERS: dict[str, Number] = {"c": 0.2, "eps": 0.4, "k": 250, "ref": 50, "vo": 0.01, "t": 0}
BAD: dict[str, Number] = {"c": 0, "eps": 0}
"""Deliberately bad, as Sironi and Winands (2018) choose values for video games; the other parameters as in `PAPERS`."""
OPEN = {2: ("c", "eps"), 4: ("c", "eps", "k", "ref"), 6: ("c", "eps", "k", "ref", "vo", "t")}

SETTINGS, TRAINING = 24, 15
LIKE_BAD = 9
"""So many values of a list are bad, all within 1e-9 of each other, and one is good."""


@dataclass(frozen=True)
class Family:
    """An expression with parameters."""

    inner: str
    """what `tune` goes around, with the parameters in braces"""
    values: tuple[tuple[str, Number], ...]
    """fixed, where nothing else is said"""
    lists: tuple[tuple[str, tuple[Number, ...]], ...]
    """of the parameters that can be opened"""
    outer: str = "step(repeat({}, 100))"

    def fixed(self, **values: Number) -> str:
        texts = {name: value_text(value) for name, value in (dict(self.values) | values).items()}
        return str(parse(self.outer.format(self.inner.format(**texts))))

    def tuned(self, tuner: str) -> str:
        return str(parse(self.outer.format(f"tune({self._opened}, {tuner})")))

    @property
    def opened(self) -> str:
        """Without a `tune`, for people."""
        return self.outer.format(self._opened)

    @property
    def _opened(self) -> str:
        lists = {name: "{" + ", ".join(map(value_text, values)) + "}" for name, values in self.lists}
        return self.inner.format(**{name: value_text(value) for name, value in self.values} | lists)

    def drawn(self, split: str, k: int) -> str:
        """With the legal combination that belongs to problem `k`."""
        space = self._space
        random = Random(seed_of("adaptive", "drawn", self.opened, split, k))
        return self.with_values([p.name for p in space.parameters], space.values(space.draw(random)))

    def with_values(self, names: "list[str]", values: "tuple[Number | str, ...]") -> str:
        return self.fixed(**dict(zip(names, values, strict=True)))  # type: ignore[arg-type]

    @cached_property
    def _space(self) -> Space:
        expression = parse(self.tuned("random"))
        return space_of(expression, next(part for part in expression.walk() if isinstance(part, Tune)))


GRAVE = "select(sim(mast(eps={eps})), grave(c={c}, vo={vo}, t={t}, ref={ref}, k={k}))"
HISTORY = "select(sim(mast(eps={eps})), history(c={c}, w={w}))"


def family(n: int) -> Family:
    """The papers tune `vo` only with six parameters; with fewer it is off, as in the benchmark of the tuners."""
    values = PAPERS if n == 6 else PAPERS | {"vo": 0}
    return Family(GRAVE, tuple(values.items()), tuple((name, LISTS[name]) for name in OPEN[n]))


def mostly(bad: Number, good: Number) -> tuple[Number, ...]:
    """A list of bad values with a good one at its end."""
    return (*(bad * (1 - i * 1e-12) if bad else i * 1e-12 for i in range(LIKE_BAD)), good)


@dataclass(frozen=True)
class Algorithm:
    """What is run under a label."""

    label: str
    expression: str
    """as it is run, or, where runs differ, the expression with its lists"""
    way: Way = "as it is"
    family: Family | None = None
    """where the expression of a run is made from one"""
    budgets: tuple[int, ...] = ()
    """where they are not those of the contest: more of them"""


@dataclass(frozen=True)
class Contest:
    """Algorithms on the same problems."""

    key: str
    domain: str
    budgets: tuple[int, ...]
    baseline: str
    """a label"""
    algorithms: tuple[Algorithm, ...]


@dataclass(frozen=True)
class Question:
    """A list of contests with one table."""

    name: QuestionName
    title: str
    runs: int
    """of every algorithm, at full scale"""
    contests: tuple[Contest, ...]


TUNERS = ("ntbea", "random", "nmc", "local", "ea", "lsi", "mab")
TUNED_DOMAINS = ("sudoku:4", "morpion:5T", "regression", "knights", "queens")
GAMES = ("sudoku_simple", "statespace", "queens", "pancakes", "knights", "frogs")
DOMAINS = ("sudoku:4", "regression", "morpion:5T", *GAMES)
RECOVERY_DOMAINS = ("sudoku:4", "regression", "knights")
CURVE = (100, 200, 500, 1_000, 2_000, 5_000, 10_000)
LONG_CURVE = (*CURVE, 20_000, 50_000, 100_000, 200_000)
"""For what is so cheap that the CPU time of an adaptive run buys many times its evaluations."""
UCT_BUDGETS = (*CURVE, 100_000)
"""`uct(C)` counts on its budget, so that each is a run of its own."""
PLAIN = "step(repeat(select(sim, 0.5), 100))"
UCT = "uct(0.5)"


def _tuners(n: int, domain: str) -> Contest:
    opened = family(n)
    tuned = [Algorithm(name, opened.tuned(name)) for name in TUNERS if name != "mab" or n < 6]
    return Contest(
        str(n),
        domain,
        (1_000,),
        "ntbea",
        (
            *tuned,
            Algorithm("drawn", opened.opened, "drawn", opened),
            Algorithm("papers", opened.fixed()),
            Algorithm("bad", opened.fixed(**BAD)),
            Algorithm("most used", opened.opened, "most used", opened),
            Algorithm("best in training", opened.opened, "best in training", opened),
            Algorithm("worst in training", opened.opened, "worst in training", opened),
        ),
    )


def _recovery(domain: str) -> tuple[Contest, ...]:
    good: dict[str, Number] = {"c": 0.6, "w": 1, "eps": 0.5}
    lists = tuple((name, mostly(0, value)) for name, value in good.items())
    papers = Family(HISTORY, tuple(good.items()), lists)
    measured = Family(GRAVE, family(2).values, (("c", mostly(0.1, 0.5)), ("eps", mostly(1, 0))))
    return tuple(
        Contest(
            key,
            domain,
            (100, 1_000),
            "bad",
            (
                Algorithm("bad", one.fixed(**bad)),
                Algorithm("good", one.fixed(**fine)),
                *(Algorithm(tuner, one.tuned(tuner)) for tuner in ("ntbea", "nmc", "random")),
            ),
        )
        for key, one, bad, fine in (
            ("c = 0, w = 0, eps = 0", papers, dict.fromkeys(good, 0), good),
            ("c = 0.1, eps = 1", measured, {"c": 0.1, "eps": 1}, {"c": 0.5, "eps": 0}),
        )
    )


FRAMES = {"sim": "{}", "select": "step(repeat(select({}, 0.5), 100))"}
POLICIES = {"mast": "mast(eps=0.4{})", "nst": "nst(eps=0.2, n=3, kmin=7{})"}
MOVE_DECAY = {"mast": 0.4, "nst": 0.6}


def _policies(domain: str) -> tuple[Contest, ...]:
    contests = []
    for frame, around in FRAMES.items():
        playouts = [Algorithm("random playouts", str(parse(around.format("sim"))))]
        for policy, text in POLICIES.items():
            decays = {"batch decay": ", batch_decay=0.9, batch=50", "simulation decay": ", sim_decay=0.94"}
            if frame == "select":  # nothing is committed in a bare `sim`, so that nothing would decay
                decays = {"move decay": f", move_decay={MOVE_DECAY[policy]}", **decays}
            made = {"": "", **decays}
            decaying = [
                Algorithm(
                    f"{policy}, {name}" if name else policy, str(parse(around.format(f"sim({text.format(more)})")))
                )
                for name, more in made.items()
            ]
            playouts.append(decaying[0])
            contests.append(Contest(f"{frame}: decay of {policy}", domain, (100, 1_000), policy, tuple(decaying)))
        contests.append(Contest(f"{frame}: policies", domain, (100, 1_000), "random playouts", tuple(playouts)))
        contests.append(Contest(f"{frame}: nst and mast", domain, (100, 1_000), "mast", tuple(playouts[1:])))
    return tuple(contests)


def _pays(domain: str) -> tuple[Contest, ...]:
    opened = family(4)
    ntbea = Algorithm("ntbea", opened.tuned("ntbea"))
    random = Algorithm("random", opened.tuned("random"))
    papers = Algorithm("papers", opened.fixed())
    plain = Algorithm("plain", PLAIN, budgets=LONG_CURVE)
    uct = Algorithm("uct", UCT, budgets=UCT_BUDGETS)
    return (
        Contest("beside papers", domain, CURVE, "papers", (ntbea, random, papers)),
        Contest("beside plain", domain, CURVE, "plain", (ntbea, papers, plain)),
        Contest("beside uct", domain, CURVE, "uct", (ntbea, papers, uct)),
        Contest("beside random", domain, CURVE, "random", (ntbea, random)),
    )


QUESTIONS: dict[QuestionName, Question] = {
    question.name: question
    for question in (
        Question(
            "tuners",
            "Tuners and fixed parameters",
            200,
            tuple(_tuners(n, domain) for n in OPEN for domain in TUNED_DOMAINS),
        ),
        Question("pays", "Where and when tuning pays", 100, tuple(c for d in DOMAINS for c in _pays(d))),
        Question("policies", "Playout policies and decay", 200, tuple(c for d in GAMES for c in _policies(d))),
        Question("recovery", "Out of bad parameters", 200, tuple(c for d in RECOVERY_DOMAINS for c in _recovery(d))),
    )
}
