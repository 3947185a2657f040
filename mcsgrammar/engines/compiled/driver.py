"""The Python side of the compiled engine: hands the machine its arrays, lets it run, and reads the result."""

import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from domains.errors import DomainError, UserError
from domains.problems import Split, encoded_problem
from domains.protocol import Domain
from domains.saying import said
from mcsgrammar.engines.compiled.compiling import Scope, machine_for
from mcsgrammar.engines.compiled.kept_trees import KeptTrees
from mcsgrammar.engines.compiled.layout import (
    ADAPT,
    BAD_COUNT,
    BAD_COUNT_AT,
    BAD_FEATURE,
    BAD_LENGTH,
    BAD_REWARD,
    CHANGED_ACTIONS,
    NEEDS_CHOICE,
    NEEDS_MEMORY,
    NO_ACTIONS,
    PLAYS_ALLOWED,
    PLAYS_SO_FAR,
    TOO_LONG,
    Program,
    lower,
    with_memory,
)
from mcsgrammar.engines.compiled.learning_layout import Learning, empty_learning, grown_learning
from mcsgrammar.engines.compiled.workspace import Workspace
from mcsgrammar.engines.guarding import (
    bad_count,
    bad_feature,
    bad_length,
    bad_reward,
    changed_its_mind,
    drawing,
    guarded,
    kernels_of,
    no_actions,
    too_long,
    wrote_outside,
)
from mcsgrammar.engines.pacing import OnProgress, Pace
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.rules import FOR_EVER
from mcsgrammar.engines.searching import Limits, SearchTask, SemanticsName
from mcsgrammar.language.expressions import Adapt, Component, Simulate
from mcsgrammar.language.policies import Guided, Mast

if TYPE_CHECKING:
    from mcsgrammar.engines.compiled.adaptation import Statistics
    from mcsgrammar.engines.compiled.adaptive_layout import AdaptiveProgram
    from mcsgrammar.engines.compiled.games import CompiledGameSearch

OBJECT_BYTES = 900
"""What an encoded problem takes beside the contents of its two arrays, at most."""

Encoded = tuple[np.ndarray, np.ndarray]
"""A problem: what stays the same during a run, and the initial state."""


@dataclass(frozen=True, eq=False)
class Call:
    """A call into a machine, during which Python cannot do anything in this thread, Ctrl-C included."""

    domain: str
    machine: Any

    def is_compiled(self) -> bool:
        """Whether kernels run, and not the compiler."""
        return bool(self.machine.run_machine.overloads)


under_way: Call | None = None
"""That of the main thread."""


SHORTEST: dict[Scope, Component] = {
    "machine": Simulate(),
    "learning": Adapt(Simulate(), 1),
    "adaptive": Simulate(Mast()),
}
"""What is run to compile a machine."""
COMPILED_FOR: dict[Scope, str] = {
    "machine": "this domain, once",
    "learning": "searches with adapt, once",
    "adaptive": "adaptive searches, once; this takes some 25 s",
}


def call_machine(domain: Domain, machine: Any, *arguments: Any) -> int:
    """What the rules raise, or what does not compile in them, is the domain's to mend."""
    from numba.core.errors import NumbaError

    global under_way
    if threading.current_thread() is threading.main_thread():
        under_way = Call(type(domain).__name__, machine)
    try:
        status: int = machine.run_machine(*arguments)
        return status
    except NumbaError as error:
        first_lines = " ".join(str(error).split())[:300]
        raise DomainError(f"the kernels of {type(domain).__name__} do not compile: {first_lines}") from error
    except Exception as error:
        raise DomainError(f"a kernel of {type(domain).__name__} raised {said(error)}") from error
    finally:
        if threading.current_thread() is threading.main_thread():
            under_way = None


def checked_encoding(domain: Domain, arrays: Encoded) -> Encoded:
    """Arrays that a domain made, checked."""
    if not isinstance(arrays, tuple) or len(arrays) != 2:
        raise DomainError(f"{type(domain).__name__}.encode must return a pair of arrays, (problem, state)")
    problem, state = arrays
    for what, array in (("problem", problem), ("state", state)):
        if (
            not isinstance(array, np.ndarray)
            or array.ndim != 1
            or not array.flags.c_contiguous
            or array.dtype.hasobject
        ):
            raise DomainError(f"{type(domain).__name__}.encode must return 1-D arrays; its {what} is none")
    problem.setflags(write=False)
    return problem, state


class CompiledEngine:
    """A domain made ready for the machine. One per domain and process is enough; threads may share it."""

    def __init__(self, domain: Domain) -> None:
        kernels = kernels_of(domain)
        assert kernels is not None
        self._domain = weakref.ref(domain)  # whoever searches holds it; its arrays go when it goes
        self._kernels = kernels
        self._machines: dict[Scope, Any] = {}
        self.max_length = domain.length_bound
        self.max_actions = domain.max_actions
        if self.max_actions < 1:
            raise DomainError(
                f"{type(domain).__name__} has kernels but no max_actions; set it to the most actions a state can have"
            )
        self._workspaces = threading.local()
        self._programs: dict[str, Program | AdaptiveProgram] = {}

    @property
    def domain(self) -> Domain:
        domain = self._domain()
        assert domain is not None
        return domain

    def ready(self, initial: Any) -> Encoded:
        return self._checked(guarded(self.domain, "encode", lambda: self.domain.encode(initial)))

    def ready_number(self, number: int, split: Split, stream: int) -> Encoded:
        domain = self.domain
        return guarded(domain, drawing(domain), lambda: self._checked(encoded_problem(domain, number, split, stream)))

    def size(self, ready: Encoded) -> int:
        return OBJECT_BYTES + sum(int(array.nbytes) for array in ready)

    def _checked(self, arrays: Encoded) -> Encoded:
        return checked_encoding(self.domain, arrays)

    def run(
        self,
        ready: Encoded,
        expression: Component,
        seed: int,
        limits: Limits,
        semantics: SemanticsName = "standard",
        on_progress: OnProgress | None = None,
    ) -> RunResult:
        """Run a closed and resolved expression until its limits say stop."""
        pace = Pace(limits.evaluations, limits.seconds, on_progress)
        task = SearchTask(expression, seed, limits.max_nodes, semantics, limits.evaluations)
        return Searching(self, ready, task).run(pace)

    def game(self, task: SearchTask, keep_trees: bool = False) -> "CompiledGameSearch":
        from mcsgrammar.engines.compiled.games import CompiledGameSearch

        return CompiledGameSearch(self, task, keep_trees)

    def _lowered(self, expression: Component) -> "Program | AdaptiveProgram":
        text = expression.text
        lowered = self._programs.get(text)
        if lowered is None:
            expression = with_memory(expression)
            lowered = lower(expression)
            if not all(part.is_plain for part in expression.walk()):
                from mcsgrammar.engines.compiled.adaptive_layout import lower_adaptive

                lowered = lower_adaptive(expression, lowered, tuple(self.domain.features))
            self._require_kernels(expression)
            self._programs[text] = lowered
        return lowered

    def _require_kernels(self, expression: Component) -> None:
        """What the expression asks of actions the kernels can answer."""
        name, parts = type(self.domain).__name__, list(expression.walk())
        learns = any(isinstance(part, Adapt) for part in parts)
        guided = isinstance(expression.innermost, Simulate) and isinstance(expression.innermost.policy, Guided)
        missing = "feature" if guided and self._kernels.feature is None else ""
        if learns and self._kernels.code is None and type(self.domain).code is not Domain.code:
            missing = "code"
        if missing:
            raise UserError(
                f"{expression} asks for the {missing} of an action, and the kernels of {name} have no {missing}; give "
                "them one (see docs/kernels.md), or use --engine reference"
            )

    def _scope_of(self, lowered: "Program | AdaptiveProgram") -> Scope:
        if not isinstance(lowered, Program):
            return "adaptive"
        return "learning" if (lowered.op == ADAPT).any() else "machine"

    def _machine(self, scope: Scope) -> Any:
        if scope not in self._machines:
            self._machines[scope] = machine_for(self._kernels, scope, self.domain.stochastic)
        return self._machines[scope]

    def _learning(self, rows: int) -> Learning:
        """The thread's, with at least that many rows."""
        kept = self._workspaces.__dict__
        learning: Learning | None = kept.get("learning")
        if learning is None or learning.odds.shape[0] < rows:
            learning = empty_learning(rows, self.max_length, self.max_actions, len(self.domain.features))
            kept["learning"] = learning
        return learning

    def _grow(self, workspace: Workspace, max_nodes: int) -> None:
        workspace.grow(max_nodes)
        learning = workspace.own.adapt
        if isinstance(learning, Learning):
            larger = grown_learning(learning, self.max_actions)
            self._workspaces.__dict__["learning"] = larger
            workspace.own = workspace.own._replace(adapt=larger)

    def _statistics(self) -> "Statistics":
        kept = self._workspaces.__dict__
        if "statistics" not in kept:
            from mcsgrammar.engines.compiled.adaptation import Statistics

            kept["statistics"] = Statistics(self.max_length, self.max_actions)
        statistics: Statistics = kept["statistics"]
        return statistics

    def _call_machine(self, machine: Any, *arguments: Any) -> int:
        return call_machine(self.domain, machine, *arguments)

    def warm_up(self, ready: Encoded) -> None:
        """Compile, or load from the cache, what runs expressions, so that it is not counted as search time."""
        self._warm_up(ready, "machine")

    def _warm_up(self, ready: Encoded, scope: Scope) -> None:
        if scope in self._machines:
            return
        machine = self._machine(scope)
        if sys.stderr.isatty() and not any(Path(machine.__file__).parent.rglob("*.nbi")):
            print(f"compiling the engine for {COMPILED_FOR[scope]}", file=sys.stderr)
        result = self.run(ready, SHORTEST[scope], 0, Limits(1))
        if result.stop_reason == "interrupted":  # nobody looks at this result
            self._machines.pop(scope, None)
            raise KeyboardInterrupt

    def _workspace(self, frames: int, dtype: np.dtype, state_length: int) -> Workspace:
        kept: dict[tuple[int, str, int], Workspace] = self._workspaces.__dict__.setdefault("kept", {})
        key = (frames, dtype.str, state_length)
        if key not in kept:
            kept[key] = Workspace(frames, dtype, state_length, self.max_length, self.max_actions)
        workspace, last = kept[key], self._workspaces.__dict__.get("last")
        if last is not None and last is not workspace:  # one tree that has grown is enough for a thread
            workspace.tree, last.tree = last.tree, workspace.tree
        self._workspaces.__dict__["last"] = workspace
        return workspace

    def _raise_for(self, status: int, workspace: Workspace) -> None:
        """What the machine found, or else what the guard cells show: a length or a number of actions that is wrong says
        more than where it led to."""
        run, number = workspace.run, int(workspace.run.number[0])
        if status == BAD_COUNT:
            raise bad_count(self.domain, number)
        if status == BAD_LENGTH:
            if number < BAD_COUNT_AT // 2:
                raise bad_count(self.domain, number - BAD_COUNT_AT)
            raise bad_length(self.domain, number)
        self._require_intact(workspace)
        if status == TOO_LONG:
            raise too_long(self.domain)
        if status == NO_ACTIONS:
            raise no_actions(self.domain)
        if status == BAD_FEATURE:
            raise bad_feature(self.domain)
        if status == BAD_REWARD:
            raise bad_reward(self.domain, float(run.reward[0]), run.sequence[:number].tolist())
        if status == CHANGED_ACTIONS:
            raise changed_its_mind(self.domain, number)

    def _require_intact(self, workspace: Workspace) -> None:
        """Raises for a kernel that wrote outside its arrays."""
        for (what, kernel), guarded_one in workspace.guarded.items():
            if not guarded_one.is_intact():
                self._forget_workspaces()
                raise wrote_outside(self.domain, what, kernel)

    def _forget_workspaces(self) -> None:
        """Who knows what was written there, and what a walk that a kernel ended has left marked."""
        for name in ("kept", "last", "learning"):
            self._workspaces.__dict__.pop(name, None)


class Searching:
    """A search on the arrays of this thread, from a closed and resolved expression."""

    def __init__(self, engine: CompiledEngine, ready: Encoded, task: SearchTask) -> None:
        self.engine = engine
        self.max_nodes, self.maes2013 = task.max_nodes, task.maes2013
        self.evaluations = FOR_EVER if task.evaluations is None else task.evaluations
        self.lowered = engine._lowered(task.expression)
        self.scope = engine._scope_of(self.lowered)
        engine._warm_up(ready, self.scope)
        self.machine = engine._machine(self.scope)
        self.adaptation = None
        if isinstance(self.lowered, Program):
            self.program = self.lowered
        else:
            from mcsgrammar.engines.compiled.adaptation import Adaptation

            self.adaptation = Adaptation(engine._statistics(), self.lowered, task.evaluations)
            self.program = self.adaptation.program
        self.begin(ready, task.seed)
        if self.adaptation is not None:
            self.adaptation.start(self.workspace)

    def begin(self, ready: Encoded, seed: int, kept: KeptTrees | None = None) -> None:
        """From the beginning, or but for trees that are kept."""
        self.problem, state = ready
        self.workspace = self.engine._workspace(self.program.op.shape[0], state.dtype, state.shape[0])
        rows = int(self.program.row.max()) + 1
        self.workspace.prepare(() if self.scope == "machine" else self.engine._learning(rows))
        self.workspace.reset(self.program, state, seed)
        if kept is not None:
            self.workspace.plant(kept)

    def run(self, pace: Pace) -> RunResult:
        engine, workspace, adaptation = self.engine, self.workspace, self.adaptation
        interrupted = False
        plays = workspace.run.plays
        plays[PLAYS_ALLOWED] = pace.plays
        pause_at = pace.start()
        try:
            while pace.budget > 0:
                status = engine._call_machine(
                    self.machine,
                    self.program,
                    workspace.frames,
                    workspace.own,
                    workspace.tree,
                    workspace.run,
                    () if adaptation is None else adaptation.ready(workspace),
                    self.problem,
                    self.evaluations,
                    pause_at,
                    engine.max_length,
                    self.max_nodes,
                    self.maes2013,
                )
                if status == NEEDS_MEMORY:
                    engine._grow(workspace, self.max_nodes)
                    continue
                if status == NEEDS_CHOICE and adaptation is not None:
                    adaptation.choose(workspace)
                    continue
                engine._raise_for(status, workspace)
                evaluations, best = int(workspace.run.evaluations[0]), float(workspace.run.best[0])
                following = pace.pause(evaluations, best, int(plays[PLAYS_SO_FAR]))
                if following is None:
                    break
                pause_at = following
        except KeyboardInterrupt:
            interrupted = True
        except DomainError:
            engine._forget_workspaces()
            raise
        if interrupted:
            engine._require_intact(workspace)
        result = workspace.result(pace, interrupted, self.program)
        return result if adaptation is None else adaptation.completed(result)
