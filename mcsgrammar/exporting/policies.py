"""An expression with policies as a Python program: playouts and trees that learn, playouts cut off, commit rules.

As in `interpreter.py`, every final state is shown to what learns (in `evaluate`), and a select tells its tree what its
invocation came to. All parameters have fixed values, and what a value makes unnecessary is left out.

Glossary
    worth     what the playout policy has learnt of an action
    memory    the nodes of trees and the entries of tables, which have one limit in common
    cut       the end of a playout after so many actions; where nothing but repeat stands between it and a select, the
              actions of the walk down that tree are among them
"""

import math
from collections.abc import Iterator

from mcsgrammar.engines.compiled.layout import BELOW_LOCAL_ROOT_2013, FLOOR_2013, LARGEST
from mcsgrammar.engines.reference.playouts import longest_gram
from mcsgrammar.exporting import parts as plain_parts
from mcsgrammar.exporting import policy_parts as parts
from mcsgrammar.exporting.parts import fill
from mcsgrammar.exporting.program import LINE, SAFE_C, Level, Program, is_playout, literal, node, whole
from mcsgrammar.language.expressions import Component, Lookahead, Select, Simulate, Step
from mcsgrammar.language.parameters import value_text
from mcsgrammar.language.policies import Grave, History, Mast, Nst, PlayoutPolicy, SelectionPolicy

EXPLORATION = " + scale * (1 / math.sqrt(child.visits))"


class AdaptiveProgram(Program):
    """The code of one file. The expression is closed, resolved and exportable."""

    def __init__(self, expression: Component, maes2013: bool, budget: int) -> None:
        super().__init__(expression, maes2013, budget)
        simulate = self.levels[-1].component
        assert isinstance(simulate, Simulate)
        self.playout: PlayoutPolicy = simulate.policy
        self.learns = longest_gram(self.playout) > 0
        self.depth: float = self.playout.depth  # type: ignore[attr-defined]
        self.cuts = self.depth < math.inf
        policies = [policy_of(level) for level in self.selects]
        self.keeps_history = any(isinstance(policy, History) for policy in policies)
        self.keeps_amaf = any(isinstance(policy, Grave) for policy in policies)
        self.cutting = self.levels[-2] if self.cuts and self.levels[-2:-1] and self.levels[-2] in self.selects else None
        """the select whose walk counts into the depth of playouts"""
        self.rules = [rule for rule in dict.fromkeys(map(commit_rule, self.levels)) if rule != "best"]
        """by which a step commits its actions, other than by the best sequence"""
        self.outermost_step = next((level for level in self.levels if isinstance(level.component, Step)), None)
        self.counts_visits = bool(self.rules) or any(number(policy, "t") < math.inf for policy in policies)
        # What the walk down a tree hands on to `choose`, if any of them needs it.
        self.needs_start = any(map(looks_back, policies)) or any(map(self.c_changes, policies))
        self.needs_actions = isinstance(self.playout, Nst)

    @property
    def remembers(self) -> bool:
        return bool(self.selects) or self.learns

    # The search.

    def memory_in_words(self) -> str:
        tables = self.learns or self.keeps_history or self.keeps_amaf
        trees = "The trees" if len(self.selects) > 1 else "The tree"
        if not tables:
            return f"{trees} may grow to `max_nodes` nodes.\n" if self.selects else ""
        if not self.selects:
            return "What it learns may come to `max_nodes` entries.\n"
        return f"{trees} and what else it learns may come to `max_nodes` nodes and entries.\n"

    def full_in_words(self) -> str:
        return parts.MEMORY_FULL if self.remembers else ""

    def memory_full(self) -> str:
        return "search.room.full,\n" if self.remembers else ""

    def memory(self) -> str:
        lines = []
        if self.remembers:
            trees = len(self.selects)
            lines.append(f"self.room = Room(max_nodes{f' - {trees}' if trees else ''})\n")
        for level in self.selects:
            lines.append(f"self.{level.tree} = Node()  # the initial state; kept for the whole run\n")
        if self.learns:
            lines.append("self.learnt = Means(self.room)  # by playouts\n")
        if self.batch_decay < 1:
            lines.append("self.since_decay = 0\n")
        if self.keeps_history:
            lines.append("self.history = Means(self.room)  # of actions\n")
        return "".join(lines)

    # The components.

    def simulate(self, level: Level) -> str:
        limit, within, cut = "", "", ""
        if self.cuts:
            within = "len(actions) < limit and "
            cut = "\n\n    It is cut off "
            if self.cutting is None:
                limit = f"limit = len(prefix) + {whole(int(self.depth))}\n"
                cut += f"after {'1 action' if self.depth == 1 else f'{whole(int(self.depth))} actions'}.\n    "
            else:
                cut += "when so many actions lead to the state.\n    "
        return fill(
            parts.SIMULATE,
            method=level.method,
            how=self.how_playouts_choose(),
            limit_parameter=", limit" if self.cutting else "",
            cut=cut,
            limit=limit,
            within_limit=within,
            drawn="legal[self.draw(legal, actions)]" if self.needs_actions else self.drawn("legal", "legal"),
        )

    def how_playouts_choose(self) -> str:
        if not self.learns:
            return "random actions"
        gibbs = isinstance(self.playout, Mast) and self.playout.tau is not None
        return "actions drawn by their worth" if gibbs else "mostly actions that were worth most"

    def drawn(self, items: str, actions: str) -> str:
        """The code of one of the items, as the playout policy chooses it."""
        if not self.learns:
            return f"self.random.choice({items})"
        return f"{items}[self.draw({actions}{', actions' if self.needs_actions else ''})]"

    def step(self, level: Level, below: Level) -> str:
        rule, prefix, state = commit_rule(level), "prefix", "state"
        committed = self.committed(level)
        if rule != "best":
            return fill(
                parts.STEP_BY_STATISTIC,
                method=level.method,
                below=below.in_words,
                search=below.called(prefix, state, "latest"),
                rule=rule,
                tree=below.tree,
                **committed,
            )
        if self.cuts:
            search = below.compared(prefix, state, "latest")
            return fill(parts.STEP_CUT, method=level.method, below=below.in_words, search=search, **committed)
        search = below.compared(prefix, state)
        return fill(plain_parts.STEP, method=level.method, below=below.in_words, search=search, **committed)

    def decay_of_moves(self, level: Level) -> str:
        factor = self.factor("move_decay") if level is self.outermost_step else 1.0
        return fill(parts.MOVE_DECAY, factor=literal(factor)) if factor < 1 else ""

    def select(self, level: Level, below: Level) -> str:
        policy = policy_of(level)
        limit, own_limit = "", ""
        if self.cutting is not None:
            own_limit = ", math.inf"
            if level is self.cutting:
                limit, own_limit = f"limit = len(prefix) + {whole(int(self.depth))}\n", ", limit"
        search = below.called("actions", "state, limit" if level is self.cutting else "state")
        if not is_playout(below):
            search = fill(plain_parts.SEARCH_LEAF, search=search)
        return fill(
            parts.SELECT,
            method=level.method,
            below=below.in_words,
            limit=limit,
            descent=self.descent(level, own_limit),
            search=search,
            learn=self.learn_of_tree(isinstance(policy, Grave)),
        )

    def learn_of_tree(self, amaf: bool) -> str:
        """What a tree learns of the result of an invocation."""
        reward = f"max(best.reward, {literal(FLOOR_2013)})" if self.maes2013 else "min(max(best.reward, 0.0), 1.0)"
        learn = fill(parts.LEARN_RESULT, reward=reward) if self.counts_visits or amaf else ""
        if self.counts_visits:
            top = "node.top = max(node.top, reward)\n" if "max" in self.rules else ""
            learn += fill(parts.LEARN_MEAN, top=top)
        return learn + (parts.LEARN_AMAF.lstrip("\n") if amaf else "")

    def descent(self, level: Level, limit: str) -> str:
        arguments = f"self.{level.tree}, self.{choose_method(level)}, prefix, state{limit}"
        path = "path" if self.counts_visits or isinstance(policy_of(level), Grave) else "_"
        line = f"{path}, actions, state = self.descend({arguments})\n"
        if len(line) - 1 + 8 <= LINE:
            return line
        return f"{path}, actions, state = self.descend(\n    {arguments}\n)\n"

    # Machinery.

    def machinery(self) -> Iterator[str]:
        for rule in self.rules:
            statistic, value = parts.STATISTICS[rule]
            yield fill(parts.FAVOURITE, rule=rule, statistic=statistic, value=value)
        if self.selects:
            yield self.descend()
            for level in self.selects:
                yield self.choose_at(level)
            yield fill(parts.GROW)
            if self.skips_nodes:
                yield fill(plain_parts.REPLAY)
        yield from self.playout_policy()
        yield fill(plain_parts.PLAY)
        yield fill(
            plain_parts.EVALUATE,
            which="the last state" if self.cuts else "a final state",
            learn=(parts.LEARN.lstrip("\n") if self.learns else "")
            + (parts.LEARN_HISTORY.lstrip("\n") if self.keeps_history else ""),
        )

    def descend(self) -> str:
        limited = self.cutting is not None
        return fill(
            parts.DESCEND,
            limit_parameter=", limit" if limited else "",
            find=(plain_parts.FIND_OR_GROW if self.skips_nodes else plain_parts.FIND).lstrip("\n"),
            and_within_limit=" and len(actions) < limit" if limited else "",
            arguments=", len(prefix)" * self.needs_start + ", actions" * self.needs_actions,
            otherwise="elif not path[-1].children and len(actions) < limit" if limited else "else",
        )

    def choose_at(self, level: Level) -> str:
        policy = policy_of(level)
        signature = {
            "method": choose_method(level),
            "parameters": ", start" * self.needs_start + ", actions" * self.needs_actions,
        }
        drawn = self.drawn_child("children")
        t, vo, fpu = number(policy, "t"), number(policy, "vo"), number(policy, "fpu")
        if t == math.inf:
            return fill(parts.CHOOSE_BY_PLAYOUT, **signature, drawn=drawn)
        first = "A child never tried, or else the" if fpu == math.inf else "The"
        then = " most promising one; ties at random"
        if vo > 0:
            then = " most promising, or one not much less so"
        return fill(
            parts.CHOOSE,
            **signature,
            first=first,
            then=then,
            promise=promise_in_words(policy, self.explores(policy)),
            few_visits=fill(parts.FEW_VISITS, t=literal(t), drawn=drawn) if t > 0 else "",
            untried=fill(parts.UNTRIED, drawn=self.drawn_child("untried")) if fpu == math.inf else "",
            c=self.c_at(policy),
            scale=self.scale_at(policy),
            values=values_of(policy, self.explores(policy)),
            lowest="highest = max(values)\n" if vo == 0 else f"lowest = max(values) - {literal(vo)}\n",
            ties="== highest" if vo == 0 else ">= lowest",
        )

    def drawn_child(self, children: str) -> str:
        return self.drawn(children, f"[child.action for child in {children}]")

    def explores(self, policy: SelectionPolicy) -> bool:
        return number(policy, "c") > 0 or self.maes2013

    def c_changes(self, policy: SelectionPolicy) -> bool:
        return self.maes2013 and number(policy, "c") != BELOW_LOCAL_ROOT_2013 and number(policy, "t") < math.inf

    def c_at(self, policy: SelectionPolicy) -> str:
        c = number(policy, "c")
        if self.c_changes(policy):
            return fill(parts.C_2013, c=literal(c), below=literal(BELOW_LOCAL_ROOT_2013))
        return f"c = {literal(c)}\n" if self.explores(policy) else ""

    def scale_at(self, policy: SelectionPolicy) -> str:
        if not self.explores(policy):
            return ""
        all_tried = number(policy, "fpu") == math.inf
        scale = f"c * math.sqrt(log({'visits' if all_tried else 'max(visits, 1)'}))"
        if number(policy, "c") > SAFE_C:
            scale = f"min({scale}, {literal(LARGEST)})"
        return fill(parts.SCALE, scale=scale)

    # What playouts learn.

    def factor(self, decay: str) -> float:
        """By what the playout policy multiplies counts; 1 where it does not."""
        return number(self.playout, decay) if self.learns else 1.0

    @property
    def batch_decay(self) -> float:
        return self.factor("batch_decay")

    def playout_policy(self) -> Iterator[str]:
        if not self.learns:
            return
        nst = isinstance(self.playout, Nst)
        eps = getattr(self.playout, "eps", None)
        if eps is None:
            yield fill(parts.DRAW_GIBBS, tau=literal(number(self.playout, "tau")))
        else:
            actions = ", actions" if nst else ""
            yield fill(parts.DRAW_GREEDY, sequence=actions, sequence_argument=actions, eps=literal(eps))
        sim_decay = self.factor("sim_decay")
        decays = {"sim_decay": "", "batch_decay": ""}
        if sim_decay < 1:
            piece = parts.SIM_DECAY_NST if nst else parts.SIM_DECAY_MAST
            decays["sim_decay"] = fill(piece, factor=literal(sim_decay))
        if self.batch_decay < 1:
            batch = whole(int(number(self.playout, "batch")))
            decays["batch_decay"] = fill(parts.BATCH_DECAY, batch=batch, factor=literal(self.batch_decay))
        if nst:
            n, kmin = int(number(self.playout, "n")), int(number(self.playout, "kmin"))
            met = f"met at least {kmin} times" if kmin > 1 else "met before"
            often = f">= {kmin}" if kmin > 0 else "> 0"
            yield fill(parts.WORTH_NST, n=str(n), met=met, often=often)
            yield fill(parts.LEARN_NST, n=str(n), **decays)
        else:
            if eps is not None:
                yield fill(parts.WORTH_MAST)
            yield fill(parts.LEARN_MAST, **decays)

    # Behind the search.

    def helpers(self) -> Iterator[str]:
        if self.selects:
            yield self.node()
        if self.remembers:
            yield parts.ROOM
        if self.learns or self.keeps_history or self.keeps_amaf:
            yield self.means()
        if any(self.explores(policy_of(level)) and number(policy_of(level), "t") < math.inf for level in self.selects):
            yield plain_parts.LOG
        if isinstance(self.playout, Mast) and self.playout.tau is not None:
            yield parts.EXP
        yield self.random_numbers()

    def random_numbers(self) -> str:
        shuffles = any(isinstance(level.component, Lookahead) for level in self.levels)
        if not self.learns:
            return fill(plain_parts.SPLITMIX, shuffle=plain_parts.SHUFFLE if shuffles else "")
        chooses = self.counts_visits or getattr(self.playout, "eps", None) is not None
        more = [parts.BELOW] * (shuffles or chooses) + [parts.CHOICE] * chooses + [plain_parts.SHUFFLE] * shuffles
        return fill(parts.SPLITMIX, more="".join(more))

    def node(self) -> str:
        slots, more = set(plain_parts.SLOTS), plain_parts.MEAN_OF_NODE.lstrip("\n")
        if not self.counts_visits:
            slots, more = slots - {"total", "visits"}, ""
        if "max" in self.rules:
            slots.add("top")
            more += parts.TOP
        if self.keeps_amaf:
            slots.add("amaf")
            more += parts.AMAF_OF_NODE
        return node(slots, more)

    def means(self) -> str:
        methods = []
        if isinstance(self.playout, Nst):
            methods.append(parts.COUNT)
        if self.learns or self.keeps_history:
            methods.append(parts.MEAN)
        methods.append(parts.ADD)
        if self.factor("sim_decay") < 1:
            methods.append(parts.DECAY)
        if (self.factor("move_decay") < 1 and self.outermost_step is not None) or self.batch_decay < 1:
            methods.append(parts.DECAY_ALL)
        return fill(parts.MEANS, methods="\n".join(method.lstrip("\n") for method in methods))


def policy_of(level: Level) -> SelectionPolicy:
    assert isinstance(level.component, Select)
    return level.component.policy


def commit_rule(level: Level) -> str:
    return str(level.component.commit) if isinstance(level.component, Step) else "best"


def choose_method(level: Level) -> str:
    return level.method.replace("select", "choose")


def number(policy: PlayoutPolicy | SelectionPolicy, name: str) -> float:
    """A parameter, which has a fixed value."""
    return float(getattr(policy, name))


def looks_back(policy: SelectionPolicy) -> bool:
    """Whether it asks for nodes above the one whose children it compares."""
    return isinstance(policy, Grave) and policy.k != 0 and number(policy, "ref") > 0


def promise_in_words(policy: SelectionPolicy, explores: bool) -> str:
    """What `choose` says of its formula."""
    lines = ["Promising is a high mean reward" + (", or few visits (UCB1):" if explores else ".")]
    if explores:
        lines.append("mean + c * sqrt(log(visits of all children) / visits).")
    if isinstance(policy, History):
        lines.append("Added to it is what the action came to in all runs, less and less:")
        lines.append("w * (mean over runs) / ((1 - mean) * visits + 1).")
    if isinstance(policy, Grave) and policy.k != 0:
        lines.append("The mean is blended with that of the same action played at any time later")
        seen = {0.0: "below this node", math.inf: "below the node where the walk began"}
        nearest = f"below the nearest node of the walk with {value_text(number(policy, 'ref'))} visits"
        lines.append(f"{seen.get(number(policy, 'ref'), nearest)}, by the weight beta (GRAVE).")
    return "".join(line + "\n" for line in lines)


def values_of(policy: SelectionPolicy, explores: bool) -> str:
    """What the children are worth."""
    exploration = EXPLORATION if explores else ""
    fpu = number(policy, "fpu")
    untried = ""
    if isinstance(policy, Grave) and policy.k != 0:
        return amaf_values(policy, exploration)
    promise = fill(parts.MEAN_PROMISE, exploration=exploration)
    before = ""
    if isinstance(policy, History):
        before = f"w = {literal(number(policy, 'w'))}\n"
        promise = fill(parts.HISTORY_PROMISE, exploration=exploration)
        if fpu < math.inf:
            untried = fill(parts.FIRST_PLAY, fpu=f"{any_float(fpu)} + self.history.mean(child.action) * w")
    elif fpu < math.inf:
        untried = fill(parts.FIRST_PLAY, fpu=any_float(fpu))
    return before + fill(parts.VALUES, promise=untried + promise)


def amaf_values(policy: Grave, exploration: str) -> str:
    ref, fpu = number(policy, "ref"), number(policy, "fpu")
    if ref == 0:
        reference = ""
    elif ref == math.inf:
        reference = "reference = path[start]\n"
    else:
        reference = fill(parts.REFERENCE, ref=literal(ref))
    if policy.k is None:
        before, beta = f"bias = {literal(number(policy, 'bias'))}\n", parts.BETA_OF_BIAS.lstrip("\n")
    elif policy.k == math.inf:
        before, beta = "beta = 1.0\n", ""
    else:
        before, beta = fill(parts.BETA_OF_K, k=literal(number(policy, "k"))), ""
    promise = fill(parts.AMAF_PROMISE, beta=beta, exploration=exploration)
    if fpu < math.inf:
        full = " + scale" if exploration else ""
        promise = fill(parts.AMAF_PROMISE_OF_UNTRIED, fpu=any_float(fpu), full_exploration=full) + promise
    return fill(parts.AMAF, reference=reference, beta=before, of="node" if ref == 0 else "reference", promise=promise)


def any_float(x: float) -> str:
    """A float as Python code, infinite ones too."""
    return literal(x) if math.isfinite(x) else ("math.inf" if x > 0 else "-math.inf")
