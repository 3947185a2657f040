"""A ground game as gates, of which all that a game is asked can be read.

Glossary
    variable    0 is always true; then the bases, the moves of the roles, and the nodes, in this order
    base        a fact that a state is made of: (true F)
    signal      a variable, or that it is false: twice its number, and one more if it is negated
    node        true if all its inputs are; inputs have smaller numbers. "Or" is an "and" of what is false, negated
    block       nodes that depend on each other without negation: the least that their rules make true
    main node   what moves, ends or changes states depends on; the others are about goals alone, and come last
    turn        of a role: a base, or its being false, that most of its moves need. It is looked at when moves are
                listed; if it were an input of each of them, all would change with every turn
    outputs     for each base whether it holds in the next state, for each move whether it is legal, whether the game is
                over, and for each role and goal whether it has it

Three things keep a network small: equal nodes are one; each role makes exactly one move, so that "one of most of its
moves" is "none of the others"; and where roles take turns, waiting is that it is not one's turn, and all other moves of
all roles are one choice.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from domains.gdl.graphs import components
from domains.gdl.grounding import Grounding, negation_in_a_cycle
from domains.gdl.terms import Term, in_order, is_goal, spoken

TRUE, FALSE = 0, 1
MOST_INPUTS = 16_000
"""Of a node; engines count its inputs with 16 bits."""
FEWEST_IN_TURN = 2
"""Moves; for fewer a turn does not pay."""
NO_GOAL = -1
"""Instead of what is no number from 0 to 100."""


@dataclass(frozen=True)
class RuleBlock:
    """`count` nodes from `first` on; each rule is the node that it makes true, and the signals that must be."""

    first: int
    count: int
    rules: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass
class Network:
    """All there is to know of a game to play it."""

    roles: list[str]
    bases: list[str]
    moves: list[list[str]]
    """Of each role, in order."""
    initial: list[bool]
    """Which bases hold in the beginning."""
    nodes: list[tuple[int, ...]]
    """The inputs of each; none for a node of a block."""
    main: int
    """How many of the nodes are main nodes."""
    blocks: list[RuleBlock]
    following: list[int]
    """For each base, the signal of its being true in the next state."""
    legal: list[int]
    """For each move, all roles' one after the other: what must be true for it, beside its role's turn."""
    needs_turn: list[bool]
    """For each move, whether it is legal in its role's turn alone."""
    turns: list[int]
    """For each role, the signal that it is its turn; TRUE if there is no such thing."""
    terminal: int
    goals: list[tuple[int, int, int]]
    """(role, goal, signal)."""
    facts: dict[str, int] = field(default_factory=dict)
    """Numbers about the sheet, for people."""
    warnings: list[str] = field(default_factory=list)
    problem: np.ndarray | None = field(default=None, compare=False, repr=False)
    """For the kernels (`layout.py`), as soon as it is known."""

    @property
    def first_move(self) -> int:
        return 1 + len(self.bases)

    @property
    def first_node(self) -> int:
        return self.first_move + sum(map(len, self.moves))

    @property
    def variables(self) -> int:
        return self.first_node + len(self.nodes)

    def conditions(self, signal: int) -> set[int]:
        """What must be true for a signal, all of it."""
        node = (signal >> 1) - self.first_node
        return {signal} if signal & 1 or node < 0 or not self.nodes[node] else set(self.nodes[node])

    def name_of(self, signal: int) -> str:
        """For people."""
        names = ["true", *self.bases]
        names += [f"{role}: {move}" for role, moves in zip(self.roles, self.moves, strict=True) for move in moves]
        variable = signal >> 1
        name = names[variable] if variable < self.first_node else f"node {variable - self.first_node}"
        return f"~{name}" if signal & 1 else name


def build_network(game: Grounding) -> Network:
    """The network of a ground game. Bases that never change are worked into it, until there are no more."""
    fixed: dict[int, int] = {}
    while True:
        network = _Builder(game, fixed).network()
        more = {
            base: TRUE if network.initial[base] else FALSE
            for base, signal in enumerate(network.following)
            if base not in fixed and signal in (2 * (1 + base), TRUE if network.initial[base] else FALSE)
        }
        if not more:
            break
        fixed |= more
    waits = waiting_moves(network)
    if waits:
        in_turns = _Builder(game, fixed, waits).network()
        if sum(map(len, in_turns.nodes)) <= sum(map(len, network.nodes)):
            return in_turns
    return network


def waiting_moves(network: Network) -> dict[int, int]:
    """Where roles are seen to take turns: the move by which each role waits, by its number among all, and the signal
    that it is not the role's turn. It is if of some bases, one for each role, one is true in the beginning and each
    follows from another; and if all moves of a role but one need its base, and that one needs that it is false."""
    turns = [signal for signal in network.turns if signal != TRUE and not signal & 1]
    if len(network.roles) < 2 or len(set(turns)) != len(network.roles):
        return {}
    bases = [(signal >> 1) - 1 for signal in turns]
    one_at_first = sum(network.initial[base] for base in bases) == 1
    if not one_at_first or {network.following[base] for base in bases} != set(turns):
        return {}
    waits: dict[int, int] = {}
    first = 0
    for moves, turn in zip(network.moves, turns, strict=True):
        others = [move for move in range(first, first + len(moves)) if not network.needs_turn[move]]
        first += len(moves)
        if len(others) != 1:
            return {}
        signal = network.legal[others[0]]
        node = (signal >> 1) - network.first_node
        needed = {signal} if signal & 1 or node < 0 else {signal, *network.nodes[node]}
        if turn ^ 1 not in needed and not needed & (set(turns) - {turn}):
            return {}
        waits[others[0]] = turn ^ 1
    return waits


class _Builder:
    def __init__(self, game: Grounding, fixed: dict[int, int], waits: dict[int, int] | None = None) -> None:
        self.game = game
        self.bases = sorted(game.by_name.get("true", []), key=lambda number: in_order(game.atoms[number]))
        by_role: dict[Term, list[int]] = {role: [] for role in game.roles}
        for number in game.by_name.get("does", []):
            by_role[game.atoms[number][1]].append(number)
        self.moves = [sorted(by_role[role], key=lambda number: in_order(game.atoms[number][2])) for role in game.roles]
        self.signals: list[int | None] = [None] * len(game.atoms)
        for i, number in enumerate(self.bases):
            self.signals[number] = fixed.get(i, 2 * (1 + i))
        self.first_move = 1 + len(self.bases)
        self.first_node = self.first_move + sum(map(len, self.moves))
        self.choices: list[list[int]] = [[] for _ in self.moves]
        """Moves of which exactly one is made: those of each role, or of all roles if they take turns."""
        self.choice_of: dict[int, int] = {}
        variable = self.first_move
        for role, numbers in enumerate(self.moves):
            for number in numbers:
                wait = (waits or {}).get(variable - self.first_move)
                self.signals[number] = 2 * variable if wait is None else wait
                if wait is None:
                    self.choice_of[variable] = 0 if waits else role
                    self.choices[self.choice_of[variable]].append(variable)
                variable += 1
        self.nodes: list[tuple[int, ...]] = []
        self.known: dict[tuple[int, ...], int] = {}
        self.blocks: list[RuleBlock] = []

    # Nodes.

    def all_of(self, inputs: Iterable[int]) -> int:
        """The signal that all of these are true."""
        given = set(inputs)
        given.discard(TRUE)
        if FALSE in given:
            return FALSE
        if any(self.first_move <= signal >> 1 < self.first_node for signal in given):
            given = self._with_one_move_each(given)
        if FALSE in given or any(signal ^ 1 in given for signal in given):
            return FALSE
        if len(given) <= 1:
            return given.pop() if given else TRUE
        key = tuple(sorted(given))
        if len(key) > MOST_INPUTS:
            parts = [key[i : i + MOST_INPUTS] for i in range(0, len(key), MOST_INPUTS)]
            return self.all_of(map(self.all_of, parts))
        if key not in self.known:
            self.known[key] = 2 * (self.first_node + len(self.nodes))
            self.nodes.append(key)
        return self.known[key]

    def one_of(self, inputs: Iterable[int]) -> int:
        return self.all_of(signal ^ 1 for signal in inputs) ^ 1

    def _with_one_move_each(self, given: set[int]) -> set[int]:
        """The same of fewer moves, as exactly one of each choice is made."""
        rest = {signal for signal in given if not self.first_move <= signal >> 1 < self.first_node}
        by_choice: dict[int, tuple[set[int], set[int]]] = {}
        for signal in given - rest:
            by_choice.setdefault(self.choice_of[signal >> 1], (set(), set()))[signal & 1].add(signal >> 1)
        for choice in sorted(by_choice):
            made, not_made = by_choice[choice]
            every = self.choices[choice]
            if made:
                rest |= {2 * move for move in made} if len(made) == 1 and not made & not_made else {FALSE}
            elif 2 * len(not_made) > len(every):
                others = [2 * move for move in every if move not in not_made]
                rest.add(others[0] if len(others) == 1 else self.one_of(others) if others else FALSE)
            else:
                rest |= {2 * move + 1 for move in not_made}
        return rest

    # Atoms.

    def network(self) -> Network:
        game = self.game
        needs: list[list[int]] = [
            [] if self.signals[number] is not None else sorted({literal >> 1 for body in bodies for literal in body})
            for number, bodies in enumerate(game.bodies)
        ]
        for group in components(needs):
            if len(group) == 1 and self.signals[group[0]] is not None:
                continue
            if len(group) == 1 and group[0] not in needs[group[0]]:
                self.signals[group[0]] = self._signal_of(game.bodies[group[0]])
            else:
                self._add_block(group)
        return self._finished()

    def _literal(self, literal: int) -> int:
        signal = self.signals[literal >> 1]
        assert signal is not None
        return signal ^ (literal & 1)

    def _signal_of(self, bodies: Sequence[tuple[int, ...]]) -> int:
        """One of the bodies holds. Those that differ in a move alone are one: the rest, and one of the moves."""
        every: list[int] = []
        by_rest: dict[tuple[tuple[int, ...], int], list[int]] = {}
        for body in bodies:
            signals = {self._literal(literal) for literal in body}
            moves = [s for s in signals if s & 1 == 0 and self.first_move <= s >> 1 < self.first_node]
            if len(moves) == 1:
                rest = tuple(sorted(signals - {moves[0]}))
                by_rest.setdefault((rest, self.choice_of[moves[0] >> 1]), []).append(moves[0])
            else:
                every.append(self.all_of(signals))
        for (rest, _), moves in by_rest.items():
            every.append(self.all_of([*rest, self.one_of(moves)]))
        return self.one_of(every)

    def _add_block(self, group: list[int]) -> None:
        """Atoms that depend on each other."""
        inside = {number: i for i, number in enumerate(sorted(group))}
        rules: dict[tuple[int, int, tuple[int, ...]], None] = {}
        for number, i in inside.items():
            for body in self.game.bodies[number]:
                for literal in body:
                    if literal & 1 and literal >> 1 in inside:
                        head, negated = self.game.atoms[number][0], self.game.atoms[literal >> 1][0]
                        raise negation_in_a_cycle(self.game.rules, head, negated)
                within = tuple(sorted(inside[literal >> 1] for literal in body if literal >> 1 in inside))
                outside = self.all_of(self._literal(literal) for literal in body if literal >> 1 not in inside)
                if outside != FALSE and i not in within:
                    rules[(i, outside, within)] = None
        if len(inside) == 1:  # whatever makes it true but itself
            self.signals[group[0]] = self.one_of(outside for _, outside, _ in rules)
            return
        first = self.first_node + len(self.nodes)
        for number, i in inside.items():
            self.signals[number] = 2 * (first + i)
            self.nodes.append(())
        written = [
            (first + i, tuple(s for s in (outside, *(2 * (first + j) for j in within)) if s != TRUE))
            for i, outside, within in rules
        ]
        self.blocks.append(RuleBlock(first, len(inside), tuple(written)))

    # What is left of it.

    def _finished(self) -> Network:
        game = self.game
        at = {atom: number for number, atom in enumerate(game.atoms)}

        def signal_of(atom: Term) -> int:
            number = at.get(atom)
            return FALSE if number is None else self._literal(2 * number)

        initial = set(game.initial)
        network = Network(
            roles=game.roles,
            bases=[spoken(game.atoms[number][1]) for number in self.bases],
            moves=[[spoken(game.atoms[number][2]) for number in numbers] for numbers in self.moves],
            initial=[number in initial for number in self.bases],
            nodes=[],
            main=0,
            blocks=[],
            following=[signal_of(("next", game.atoms[number][1])) for number in self.bases],
            legal=[],
            needs_turn=[],
            turns=[],
            terminal=signal_of(("terminal",)),
            goals=sorted(self._goals()),
            facts={"rules": game.instances, "statements": game.statements},
            warnings=list(game.rules.warnings),
        )
        for numbers in self.moves:
            self._add_moves(network, [signal_of(("legal", *game.atoms[number][1:])) for number in numbers])
        self._keep_what_is_needed(network)
        return network

    def _add_moves(self, network: Network, legal: list[int]) -> None:
        """The moves of one more role, with what most of them need as its turn."""
        conditions = [self._conditions(signal) for signal in legal]
        needed = Counter(signal for own in conditions for signal in own if 1 <= signal >> 1 < self.first_move)
        turn = min(needed, key=lambda signal: (-needed[signal], signal), default=TRUE)
        if needed[turn] < FEWEST_IN_TURN:
            turn = TRUE
        network.turns.append(turn)
        for signal, own in zip(legal, conditions, strict=True):
            needs_turn = turn != TRUE and turn in own
            network.needs_turn.append(needs_turn)
            network.legal.append(self.all_of(own - {turn}) if needs_turn else signal)

    def _conditions(self, signal: int) -> set[int]:
        """What must be true for a signal, all of it."""
        node = (signal >> 1) - self.first_node
        return {signal} if signal & 1 or node < 0 or not self.nodes[node] else set(self.nodes[node])

    def _goals(self) -> Iterable[tuple[int, int, int]]:
        for number in self.game.by_name.get("goal", []):
            atom = self.game.atoms[number]
            role, value = atom[1], atom[2]
            if role in self.game.roles and (signal := self._literal(2 * number)) != FALSE:
                whole = isinstance(value, str) and is_goal(value)
                yield self.game.roles.index(str(role)), int(str(value)) if whole else NO_GOAL, signal

    def _keep_what_is_needed(self, network: Network) -> None:
        """The nodes that an output depends on: the main ones first, then those for goals alone."""
        block_of = {block.first + i: block for block in self.blocks for i in range(block.count)}

        def reach(signals: Iterable[int], reached: set[int]) -> None:
            waiting = [signal >> 1 for signal in signals]
            while waiting:
                node = waiting.pop()
                if node < self.first_node or node in reached:
                    continue
                block = block_of.get(node)
                if block is None:
                    reached.add(node)
                    waiting += [signal >> 1 for signal in self.nodes[node - self.first_node]]
                else:
                    reached |= set(range(block.first, block.first + block.count))
                    waiting += [signal >> 1 for _, inputs in block.rules for signal in inputs]

        main: set[int] = set()
        reach([*network.following, *network.legal, network.terminal], main)
        goals: set[int] = set()
        reach([signal for _, _, signal in network.goals], goals)
        reach([2 * block.first for block in self.blocks if block.first in goals], main)
        order = [*sorted(main), *sorted(goals - main)]
        new = {node: self.first_node + i for i, node in enumerate(order)}

        def renamed(signal: int) -> int:
            return 2 * new.get(signal >> 1, signal >> 1) | signal & 1

        network.nodes = [tuple(map(renamed, self.nodes[node - self.first_node])) for node in order]
        network.main = len(main)
        network.blocks = [
            RuleBlock(
                new[block.first],
                block.count,
                tuple((new[node], tuple(map(renamed, inputs))) for node, inputs in block.rules),
            )
            for block in self.blocks
            if block.first in new
        ]
        network.following = list(map(renamed, network.following))
        network.legal = list(map(renamed, network.legal))
        network.terminal = renamed(network.terminal)
        network.goals = [(role, value, renamed(signal)) for role, value, signal in network.goals]
