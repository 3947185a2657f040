"""Run one expression on one problem, on either engine.

An engine is something with `ready(problem)` and `run(…)`: what a problem looks like to it is its own affair.
"""

import math
import weakref
from dataclasses import dataclass
from numbers import Integral
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, Protocol

from domains.errors import DomainError, UserError
from domains.problems import Split
from domains.protocol import Domain, kernels_method
from domains.registry import typed_text
from domains.saying import shown
from mcsgrammar.arguments import real, whole
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.guarding import kernels_of, require_declared
from mcsgrammar.engines.pacing import OnProgress, Pace
from mcsgrammar.engines.results import RunResult
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Adapt, Component, Simulate, Tune, require_closed, resolve
from mcsgrammar.language.parameters import Choice
from mcsgrammar.language.policies import Guided
from mcsgrammar.wording import note_once, quoted, suggestion

if TYPE_CHECKING:
    from mcsgrammar.engines.compiled.driver import CompiledEngine

EngineName = Literal["auto", "compiled", "reference"]
SemanticsName = Literal["standard", "maes2013"]
ENGINES = ("auto", "compiled", "reference")
SEMANTICS = ("standard", "maes2013")

NODE_LIMIT = 2**31 - 1
"""The compiled engine numbers nodes with 32 bits."""


@dataclass(frozen=True)
class Limits:
    """How long a run may take and how much memory its trees may hold. Exactly one of the budgets is given."""

    evaluations: int | None = None
    seconds: float | None = None
    max_nodes: int = DEFAULT_MAX_NODES
    plays: int | None = None
    """actions played in the model, for the ticks of games: the evaluation that reaches them is the last"""

    def __post_init__(self) -> None:
        if [self.evaluations, self.seconds, self.plays].count(None) != 2:
            raise UserError("give a budget in evaluations or in seconds, one of the two")
        if self.plays is not None:
            self._set("plays", whole("the budget in actions", self.plays, 1))
        if self.evaluations is not None:
            self._set("evaluations", whole("the budget", self.evaluations))
        if self.seconds is not None:
            if not 0 < real(self.seconds) < float("inf"):
                raise UserError(f"the budget cannot be {shown(self.seconds)} seconds; it is a finite number above 0")
            self._set("seconds", float(self.seconds))
        self._set("max_nodes", whole("max_nodes", self.max_nodes, 1, NODE_LIMIT))

    def _set(self, name: str, value: float) -> None:
        object.__setattr__(self, name, value)  # as it was given, but of Python's own type


@dataclass(frozen=True)
class SearchTask:
    """What a search is asked for, or all searches of a game together; how long they may go on is a `Pace`."""

    expression: Component
    """prepared"""
    seed: int
    max_nodes: int = DEFAULT_MAX_NODES
    semantics: SemanticsName = "standard"
    evaluations: int | None = None
    """all that there will be, about, where that is known, for the tuners that plan ahead"""

    @property
    def maes2013(self) -> bool:
        return self.semantics == "maes2013"


def prepare(expression: Component, domain: Domain, limits: Limits) -> Component:
    """The expression as the engines run it: checked, and `uct(C)` resolved. What seeds and results name."""
    require_no_chance(domain)
    return prepare_any(expression, domain, limits)


def prepare_any(expression: Component, domain: Domain, limits: Limits) -> Component:
    """The same where chance may have a say."""
    require_declared(domain)
    require_one_role(domain)
    resolved = resolve(require_closed(expression), horizon_of(domain), limits.evaluations)
    for part in resolved.walk():
        if isinstance(part, Adapt) and domain.stochastic:
            raise InvalidExpression(
                f"adapt learns from its best sequence by playing it again, and in {type(domain).__name__} chance would "
                "lead it elsewhere; leave adapt out, or learn by means: sim(mast), sim(nst), select(sim, history)"
            )
        if isinstance(part, Simulate) and not part.is_plain:
            _check_cut(part, domain)
            _check_features(part, domain)
        if isinstance(part, Tune):
            from mcsgrammar.tuning.making import check_tune

            check_tune(resolved, part, budget_in_seconds=limits.evaluations is None)
    return resolved


def _check_cut(simulate: Simulate, domain: Domain) -> None:
    depth = simulate.settings()["depth"]
    cuts = any(value != math.inf for value in (depth.values if isinstance(depth, Choice) else (depth,)))
    if cuts and not domain.values_unfinished:
        raise InvalidExpression(
            f"{simulate} cuts playouts off, and {type(domain).__name__} does not value unfinished states; leave depth "
            "out, or set values_unfinished in the domain if its reward means something before the end"
        )


def _check_features(simulate: Simulate, domain: Domain) -> None:
    if not isinstance(simulate.policy, Guided):
        return
    name, features = type(domain).__name__, tuple(domain.features)
    for asked, _ in simulate.policy.weights:
        if not features:
            raise InvalidExpression(
                f"{simulate} goes by features of actions, and {name} names none; give it features and a "
                "feature(state, action) method (see docs/tutorial.md), or use another playout policy"
            )
        if asked not in features:
            raise InvalidExpression(f"{name} has no feature {quoted(asked)}" + suggestion(asked, features))


def require_no_chance(domain: Domain) -> None:
    if domain.stochastic:
        name = typed_text(domain)
        raise UserError(
            f"{name} is stochastic: chance decides where an action leads, so no sequence of actions is a solution. "
            f"Search anew before every action: mcsgrammar play {quote(name)} EXPRESSION, or evaluate, discover and "
            "record with --play"
        )


def require_one_role(domain: Domain) -> None:
    if len(domain.roles) > 1:
        name = typed_text(domain)
        *others, last = domain.roles
        raise UserError(
            f"{name} has {len(domain.roles)} roles, {', '.join(others)} and {last}; this runs problems with one. Let "
            f"agents play it: mcsgrammar match {quote(name)} AGENT AGENT"
        )


def horizon_of(domain: Domain) -> int:
    """T, checked: `uct(C)` divides by it."""
    horizon = getattr(domain, "horizon", None)
    if isinstance(horizon, bool) or not isinstance(horizon, Integral) or horizon < 1:
        raise DomainError(
            f"{type(domain).__name__} has horizon {horizon!r}; set it to the usual number of actions in a solution, "
            "a whole number of at least 1"
        )
    return int(horizon)


class Engine(Protocol):
    """What runs prepared expressions on the problems of one domain."""

    def ready(self, initial: Any) -> Any:
        """The problem that starts in `initial` as this engine takes it: made once, for as many runs as are wanted."""

    def ready_number(self, number: int, split: Split, stream: int) -> Any:
        """The same for a problem of the domain by its number, where nobody needs its initial state."""

    def size(self, ready: Any) -> int | None:
        """The bytes that a ready problem takes; None where nobody knows."""

    def warm_up(self, ready: Any) -> None:
        """Compile what is to be compiled, so that it is not counted as search time."""

    def run(
        self,
        ready: Any,
        expression: Component,
        seed: int,
        limits: Limits,
        semantics: SemanticsName = "standard",
        on_progress: OnProgress | None = None,
    ) -> RunResult:
        """Run a prepared expression. Ctrl-C ends the run with its best so far and the stop reason 'interrupted'.
        Raises `DomainError` for what the domain does wrong."""

    def game(self, task: SearchTask, keep_trees: bool = False) -> "GameSearch":
        """A game about to begin."""


class GameSearch(Protocol):
    """The searches of one game, each of which chooses the next action. What playouts, history and tuners learn is kept
    from one to the next, and `move_decay` acts between them; trees are new, or, where they are kept, what stands below
    the action that was chosen. All draw from one generator, one after the other. One at a time in a thread."""

    def tick(self, ready: Any, pace: Pace) -> RunResult:
        """Search from a problem that starts in the state the game has come to, until the pace says stop."""

    def commit(self, rule: str) -> Any:
        """The action that the last search chooses by a commit rule: `best`, or where the outermost component is a
        select, but for repeat and tune around it, `mean` or `visits`."""


def engine_of(domain: Domain, name: EngineName) -> Engine:
    """The engine that will run: `choose_engine` says which."""
    if choose_engine(domain, name) == "compiled":
        return compiled_engine(domain)
    from mcsgrammar.engines.reference.engine import ReferenceEngine

    return ReferenceEngine(domain)


def search(
    domain: Domain,
    initial: Any,
    expression: Component,
    seed: int,
    limits: Limits,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    on_progress: OnProgress | None = None,
) -> RunResult:
    """Run a prepared expression once on the problem that starts in `initial`; see `Engine.run`."""
    running = engine_of(domain, engine)
    return running.run(running.ready(initial), expression, seed, limits, semantics, on_progress)


def choose_engine(domain: Domain, engine: EngineName) -> Literal["compiled", "reference"]:
    """The engine that will run: compiled if the domain has kernels, else reference, with one notice."""
    require_one_role(domain)
    return "compiled" if runs_compiled(domain, engine) else "reference"


def runs_compiled(domain: Domain, engine: EngineName) -> bool:
    """The same for games, too."""
    if engine == "reference":
        return False
    if kernels_of(domain) is not None:
        return True
    name = type(domain).__name__
    if engine == "compiled":
        raise UserError(
            f"the compiled engine needs Numba kernels, and {name} has none; "
            f"give it a {kernels_method(domain)}() method (see CONTRIBUTING.md), or use --engine reference"
        )
    note_once(f"{name} has no kernels, so it runs on the reference engine, which is slower")
    return False


_compiled: "dict[int, tuple[weakref.ref[Domain], CompiledEngine]]" = {}
"""By id, with a reference that says whether the id still means the same domain; a domain need not be hashable."""


def compiled_engine(domain: Domain) -> "CompiledEngine":
    """The domain made ready for the compiled engine, compiled on first use (seconds, once per machine)."""
    known = _compiled.get(id(domain))
    if known is None or known[0]() is not domain:
        from mcsgrammar.engines.compiled.driver import CompiledEngine

        def forget(_: object, kept: dict[int, Any] = _compiled, key: int = id(domain)) -> None:
            kept.pop(key, None)

        known = weakref.ref(domain, forget), CompiledEngine(domain)
        _compiled[id(domain)] = known
    return known[1]
