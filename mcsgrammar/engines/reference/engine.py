"""The reference engine as an engine: the definition, run within limits."""

from typing import Any

from domains.problems import Split
from domains.protocol import Domain
from mcsgrammar.engines.guarding import initial_state
from mcsgrammar.engines.pacing import OnProgress, Pace
from mcsgrammar.engines.reference.interpreter import BudgetSpent, ReferenceSearch
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.rules import committing_select
from mcsgrammar.engines.searching import Limits, SearchTask, SemanticsName
from mcsgrammar.language.expressions import Component, Step


class ReferenceEngine:
    """To it a problem is its initial state."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def ready(self, initial: Any) -> Any:
        return initial

    def ready_number(self, number: int, split: Split, stream: int) -> Any:
        return initial_state(self.domain, number, split, stream)

    def size(self, ready: Any) -> int | None:
        return None

    def warm_up(self, ready: Any) -> None:
        return

    def run(
        self,
        ready: Any,
        expression: Component,
        seed: int,
        limits: Limits,
        semantics: SemanticsName = "standard",
        on_progress: OnProgress | None = None,
    ) -> RunResult:
        pace = Pace(limits.evaluations, limits.seconds, on_progress)
        task = SearchTask(expression, seed, limits.max_nodes, semantics, limits.evaluations)
        return searched(ReferenceSearch(self.domain, ready, task, after_nothing), pace)

    def game(self, task: SearchTask, keep_trees: bool = False) -> "ReferenceGameSearch":
        return ReferenceGameSearch(self.domain, task, keep_trees)


def after_nothing(evaluations: int) -> None:
    return


def searched(running: ReferenceSearch, pace: Pace) -> RunResult:
    """What a search comes to that may go on until the pace says stop."""
    pause_at = 0

    def after_evaluation(evaluations: int) -> None:
        nonlocal pause_at
        if evaluations == pause_at or running.plays >= pace.plays:
            following = pace.pause(evaluations, running.best_reward, running.plays)
            if following is None:
                raise BudgetSpent
            pause_at = following

    running.after_evaluation = after_evaluation
    interrupted = False
    pause_at = pace.start()
    if pace.evaluations != 0:
        try:
            running.run()
        except KeyboardInterrupt:
            interrupted = True
    best, evaluations = running.best, running.evaluations
    curve = list(running.curve)
    if evaluations and (not curve or curve[-1][0] != evaluations):
        curve.append((evaluations, best.reward))
    return RunResult(
        reward=best.reward if evaluations else None,
        actions=tuple(best.sequence),
        evaluations=evaluations,
        stop_reason="interrupted" if interrupted else pace.stop_reason,
        curve=tuple(curve),
        tree_nodes=running.nodes,
        tree_full=running.tree_full,
        seconds=pace.elapsed,
        tunings=running.tunings(),
    )


class ReferenceGameSearch:
    """See `GameSearch`."""

    def __init__(self, domain: Domain, task: SearchTask, keep_trees: bool) -> None:
        self.keep_trees = keep_trees
        self.search = ReferenceSearch(domain, None, task, after_nothing, in_game=True)
        self.select = committing_select(Step(task.expression))
        self.result: RunResult | None = None
        self.committed: Any = None

    def tick(self, ready: Any, pace: Pace) -> RunResult:
        if self.result is not None:
            self.search.playouts.committed()
        self.search.begin_again(ready, self.keep_trees, self.committed)
        self.result = searched(self.search, pace)
        return self.result

    def commit(self, rule: str) -> Any:
        assert self.result is not None
        action = None if self.select is None or rule == "best" else self.search.best_child(self.select, rule, [])
        self.committed = self.result.actions[0] if action is None else action
        return self.committed
