"""What each move changes: the next state without moves among the inputs of nodes.

Glossary
    choice     moves of which one is made at the most: those of a role, or of all roles where they take turns
    default    what a base is in the next state if no move of a choice is made, as far as nodes know
    effect     of a move: a base that is something else than its default, and the signal that says what
    tainted    a node that depends on moves by a block; such a base keeps its own signal

A move changes few bases, and most of them to what is certain. So a network is taken apart: with no move of the first
choice made it becomes a smaller one; with one of them made, what is different about it are the effects of that move.
What most moves of a choice do becomes the default. Then the same with the second choice. Effects of later choices come
first, those of earlier ones after them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from heapq import heappop, heappush

from domains.gdl.network import FALSE, TRUE, Network

LARGEST_CIRCLE = 64
"""Bases that one after the other say whose turn it is."""
MOST_SIGNALS, MOST_SIGNALS_A_NODE = 100_000, 10
"""Of these it is found out what they are when the moves of a choice are made; more, and the effects do not pay."""
LOOKED_AT = 8
"""Moves of a choice, after which it is foreseen how many signals there are."""
MOST_LOOKED_AT, LOOKS_OF_A_READER = 150, 4
"""Effects, and nodes for them, in a step; more for each node that reads a move."""


@dataclass
class Effects:
    """A network taken apart. Signals are those of the network, with more nodes behind its own."""

    nodes: list[tuple[int, ...]]
    following: list[int]
    """The default of each base; its own signal where that is left."""
    of_move: list[list[tuple[int, int]]]
    """(base, signal) for each move; last what happens if all roles wait."""
    waits: list[int]
    """The move by which each role waits, by its number among all, if one at the most does not."""


def effects_of(network: Network) -> Effects:
    taken = _Parts(network).effects()
    if not _pays(network, taken):
        return Effects(network.nodes, network.following, [[] for _ in taken.of_move], [])
    return taken


def _pays(network: Network, taken: Effects) -> bool:
    """Whether less is looked at in a step than if nodes depended on moves: what the moves that are made have effects
    on, and nodes that are asked for these alone."""
    moves = range(network.first_move, network.first_node)
    readers = sum(signal >> 1 in moves for inputs in network.nodes[: network.main] for signal in inputs)
    made_at_once = 1 if taken.waits else len(network.roles)
    most = (MOST_LOOKED_AT * len(moves) + LOOKS_OF_A_READER * readers) / made_at_once
    always = cone(network, taken.nodes, [*taken.following, *network.legal, network.terminal], set())
    count = 0
    for own in taken.of_move:
        count += len(own) + len(cone(network, taken.nodes, [signal for _, signal in own], always))
        if count > most:
            return False
    return True


def cone(network: Network, nodes: Sequence[tuple[int, ...]], signals: Iterable[int], but: Set[int]) -> set[int]:
    """The nodes that signals depend on, but for some and what these depend on; blocks stand for themselves."""
    waiting, found = [signal >> 1 for signal in signals], set()
    while waiting:
        node = waiting.pop()
        if node >= network.first_node and node not in but and node not in found:
            found.add(node)
            waiting += [signal >> 1 for signal in nodes[node - network.first_node]]
    return found


def moves_by_role(network: Network) -> list[range]:
    """The variables of the moves of each role."""
    found, first = [], network.first_move
    for own in network.moves:
        found.append(range(first, first + len(own)))
        first += len(own)
    return found


def one_mover(network: Network) -> list[int]:
    """Where it is certain that one role at the most does not wait, the move by which each waits. It is if some bases
    are a circle, of which one is true in the beginning and each follows from another, and all moves of a role but one
    need a base of it that no move of other roles needs."""
    bases = range(1, network.first_move)
    follows = {i: (s >> 1) - 1 for i, s in enumerate(network.following) if not s & 1 and s >> 1 in bases}
    for start in range(len(network.bases) if len(network.roles) > 1 else 0):
        circle = [start]
        while len(circle) <= LARGEST_CIRCLE and (before := follows.get(circle[-1], start)) != start:
            circle.append(before)
        if follows.get(circle[-1]) == start and sum(network.initial[base] for base in circle) == 1:
            waits = _waits(network, set(circle))
            if waits:
                return waits
    return []


def _waits(network: Network, circle: set[int]) -> list[int]:
    """For each role the one move that needs no base of its own in a circle; none if there is no such thing."""
    needed: list[dict[int, int]] = []
    """For each role, by move, the base that it needs; -1 if none."""
    for role, own in enumerate(moves_by_role(network)):
        needed.append({})
        for move in own:
            i = move - network.first_move
            conditions = network.conditions(network.legal[i])
            if network.needs_turn[i]:
                conditions.add(network.turns[role])
            needed[-1][move] = min({(signal >> 1) - 1 for signal in conditions if not signal & 1} & circle, default=-1)
    counts = [Counter(bases.values()) for bases in needed]
    owners = {base: max(range(len(counts)), key=lambda role: counts[role][base]) for base in circle}
    waits = [[move for move, base in bases.items() if owners.get(base) != role] for role, bases in enumerate(needed)]
    return [own[0] for own in waits] if all(len(own) == 1 for own in waits) else []


class _TooMuch(Exception):
    """A choice has more effects than pay."""


class _Parts:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.nodes = list(network.nodes)
        self.known = {inputs: 2 * (network.first_node + i) for i, inputs in enumerate(self.nodes) if inputs}
        moves = range(network.first_move, network.first_node)
        self.choices = moves_by_role(network)
        self.waits = one_mover(network)
        self.wait_instead = {move: wait for own, wait in zip(self.choices, self.waits, strict=False) for move in own}
        if self.waits:
            self.choices = [moves]
        self.of_move: list[list[tuple[int, int]]] = [[] for _ in range(len(moves) + 1)]
        self.tainted = self._tainted()

    def effects(self) -> Effects:
        network = self.network
        following = {base: signal for base, signal in enumerate(network.following) if signal >> 1 not in self.tainted}
        for choice in self.choices:
            try:
                self._take_out(choice, following)
            except _TooMuch:
                continue
        signals = [following.get(base, signal) for base, signal in enumerate(network.following)]
        return Effects(self.nodes, signals, self.of_move, [wait - network.first_move for wait in self.waits])

    def _moves_reach(self) -> set[int]:
        """All variables that depend on moves."""
        network = self.network
        found = set(range(network.first_move, network.first_node))
        blocks = {block.first: block for block in network.blocks}
        for i, inputs in enumerate(network.nodes):
            node = network.first_node + i
            if any(signal >> 1 in found for signal in inputs):
                found.add(node)
            if node in blocks:
                block = blocks[node]
                if any(signal >> 1 in found for _, inputs in block.rules for signal in inputs):
                    found |= set(range(node, node + block.count))
        return found

    def _tainted(self) -> set[int]:
        if not self.network.blocks:
            return set()
        network, reached = self.network, self._moves_reach()
        found = {node for block in network.blocks for node in range(block.first, block.first + block.count)} & reached
        for i, inputs in enumerate(network.nodes):
            if any(signal >> 1 in found for signal in inputs):
                found.add(network.first_node + i)
        return found

    # Nodes.

    def inputs(self, variable: int) -> tuple[int, ...]:
        return self.nodes[variable - self.network.first_node] if variable >= self.network.first_node else ()

    def all_of(self, given: set[int]) -> int:
        """The signal that all of these are true; none of them is TRUE or FALSE."""
        if any(signal ^ 1 in given for signal in given):
            return FALSE
        if len(given) <= 1:
            return given.pop() if given else TRUE
        key = tuple(sorted(given))
        if key not in self.known:
            self.known[key] = 2 * (self.network.first_node + len(self.nodes))
            self.nodes.append(key)
        return self.known[key]

    # Choices.

    def _take_out(self, choice: Sequence[int], following: dict[int, int]) -> None:
        """Note the effects of the moves of a choice, and let `following` be what it is without them."""
        default = {move: TRUE if move in self.waits else FALSE for move in choice}
        counts: dict[int, dict[int, int]] = {}
        readers: dict[int, list[int]] = {}
        """Signals: of nodes, negated where they read the variable so."""
        for node in sorted(cone(self.network, self.nodes, following.values(), set())):
            inputs = self.inputs(node)
            changing = [signal for signal in inputs if signal >> 1 in default]
            if not changing:
                continue
            count: dict[int, int] = {}
            for signal in inputs:
                value = default.get(signal >> 1, signal & ~1) ^ (signal & 1)
                count[value] = count.get(value, 0) + 1
            for signal in changing:
                readers.setdefault(signal >> 1, []).append(2 * node | signal & 1)
            counts[node] = count
            default[node] = FALSE if FALSE in count else self.all_of(set(count) - {TRUE})
        bases: dict[int, list[int]] = {}
        for base, signal in following.items():
            if signal >> 1 in default:
                bases.setdefault(signal >> 1, []).append(base)
        found: dict[int, dict[int, int]] = {}
        """For each base, by move, what it is instead of its default."""
        signals, most = 0, MOST_SIGNALS + MOST_SIGNALS_A_NODE * self.network.main
        for i, move in enumerate(choice):
            made = self._made(move, default, counts, readers) if move not in self.waits else {}
            signals += len(made)
            if i >= LOOKED_AT and signals * len(choice) > most * (i + 1):
                raise _TooMuch
            for variable, value in made.items():
                for base in bases.get(variable, ()):
                    found.setdefault(base, {})[move] = value ^ (following[base] & 1)
        for base, signal in following.items():
            following[base] = default.get(signal >> 1, signal & ~1) ^ (signal & 1)
        possible = self._possible(choice)
        for base, effects in found.items():
            most, times = Counter(effects.values()).most_common(1)[0]
            if times > len(possible) - len(effects):
                for move in possible:
                    effects.setdefault(move, following[base])
                following[base] = most
            for move, value in effects.items():
                if value != following[base]:
                    self.of_move[move - self.network.first_move].append((base, value))

    def _possible(self, choice: Sequence[int]) -> list[int]:
        """The moves of a choice; if roles can all wait, the number behind all moves for that."""
        idle = [self.network.first_node] if self.waits else []
        return [move for move in choice if move not in self.waits] + idle

    def _made(
        self, move: int, default: dict[int, int], counts: dict[int, dict[int, int]], readers: dict[int, list[int]]
    ) -> dict[int, int]:
        """What is another signal than its default when a move is made."""
        made = {move: TRUE}
        if self.waits:
            made[self.wait_instead[move]] = FALSE
        waiting: list[int] = []
        changes: dict[int, list[tuple[int, int]]] = {}

        def tell(variable: int) -> None:
            for reader in readers.get(variable, ()):
                node, negated = reader >> 1, reader & 1
                if node not in changes:
                    changes[node] = []
                    heappush(waiting, node)
                changes[node].append((default[variable] ^ negated, made[variable] ^ negated))

        for variable in list(made):
            tell(variable)
        while waiting:
            node = heappop(waiting)
            value = self._changed(counts[node], changes[node])
            if value != default[node]:
                made[node] = value
                tell(node)
        return made

    def _changed(self, count: dict[int, int], changes: list[tuple[int, int]]) -> int:
        """The signal of a node some of whose inputs are others."""
        gone: dict[int, int] = {}
        for before, after in changes:
            if after == FALSE:
                return FALSE
            gone[before] = gone.get(before, 0) + 1
        if count.get(FALSE, 0) > gone.get(FALSE, 0):
            return FALSE
        left = {signal for signal, times in count.items() if times > gone.get(signal, 0)}
        left.update(after for _, after in changes)
        left.discard(TRUE)
        return self.all_of(left)
