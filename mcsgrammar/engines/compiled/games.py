"""The searches of one game on the compiled engine: what is kept from one to the next, and what is committed."""

from typing import TYPE_CHECKING, Any

from domains.randomness import Random
from mcsgrammar.engines.compiled.driver import CompiledEngine, Encoded, Searching
from mcsgrammar.engines.compiled.kept_trees import kept_below
from mcsgrammar.engines.compiled.layout import SELECT
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.rules import committing_select
from mcsgrammar.language.expressions import Step

if TYPE_CHECKING:
    from mcsgrammar.engines.searching import SearchTask


class CompiledGameSearch:
    """See `GameSearch`. Its first search makes it ready."""

    def __init__(self, engine: CompiledEngine, task: "SearchTask", keep_trees: bool) -> None:
        self.engine, self.task, self.keep_trees = engine, task, keep_trees
        self.random = task.seed
        self.searching: Searching | None = None
        self.result: RunResult | None = None
        self.committed: Any = None
        parts, select = list(task.expression.walk()), committing_select(Step(task.expression))
        self.select_frame = next((frame for frame, part in enumerate(parts, 1) if part is select), -1)

    def tick(self, ready: Encoded, pace: Pace) -> RunResult:
        if self.searching is None:
            self.searching = Searching(self.engine, ready, self.task)
            if self.searching.adaptation is not None:
                self.searching.adaptation.leave_steps_to_the_world()
        else:
            kept = None
            if self.keep_trees:
                workspace = self.searching.workspace
                if self.searching.adaptation is not None:
                    nodes = int(workspace.run.nodes[0])
                    self.searching.adaptation.add_what_waits(workspace.tree, nodes, self.task.max_nodes)
                trees = range(self.searching.program.op.tolist().count(SELECT))
                kept = kept_below(workspace.tree, trees, self.committed)
            if self.searching.adaptation is not None:
                self.searching.adaptation.begin_again(kept)
            self.searching.begin(ready, self.random, kept)
        self.result = self.searching.run(pace)
        self.random = int(self.searching.workspace.run.random[0])
        return self.result

    def commit(self, rule: str) -> Any:
        self.committed = self._chosen(rule)
        return self.committed

    def _chosen(self, rule: str) -> Any:
        assert self.searching is not None and self.result is not None
        best = self.result.actions[0]
        if rule == "best" or self.select_frame < 0:
            return best
        tree = self.searching.workspace.tree
        root = int(self.searching.workspace.own.select.path[self.select_frame, 0])
        children = range(int(tree.first_child[root]), int(tree.first_child[root]) + int(tree.children[root]))
        visited = [child for child in children if tree.visits[child]]
        if not visited:
            return best
        by_visits = {child: float(tree.visits[child]) for child in visited}
        worths = by_visits if rule == "visits" else {c: float(tree.total[c]) / by_visits[c] for c in visited}
        highest = max(worths.values())
        ties = [child for child in visited if worths[child] == highest]
        random = Random(self.random)
        chosen = ties[random.below(len(ties))]
        self.random = random.state
        return int(tree.action[chosen])
