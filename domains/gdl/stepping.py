"""What the reference says, from one state to the next: in plain Python, and only what has changed is looked at.

`reference.py` works everything out from the beginning, which takes as long as a network is large. Matches, drawings,
checks and the reference engine ask about states that differ in little from the one that was asked about before; so here
the values of the last one are kept, and what is asked for next is reached by turning the bases and moves that differ.

Glossary
    stands     where the referee is: the state and the moves that its values are those of
    turn       become true, or false
    lacking    of a node: how many of its inputs are false; it is true if there are none
    reader     of a variable: a node that has it as an input
    output     what is asked for: that a move is legal, or that a base holds in the next state
"""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from threading import Lock

from domains.gdl.network import Network
from domains.gdl.reference import Referee, State, is_true


class SteppingReferee(Referee):
    """The rules of one game, as `Referee` has them. Threads may share it; a copy in another process begins anew."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._stands: _Stands | None = None
        self._lock = Lock()
        self._valued: tuple[State, list[list[int]]] | None = None

    def __reduce__(self) -> tuple[type, tuple[Network]]:
        return type(self), (self.network,)

    def look(self, state: State) -> tuple[bool, list[list[int]]]:
        with self._lock:
            stands = self._standing(state, None)
            values, network = stands.values, self.network
            legal = [sorted(own) for own in stands.legal]
            for role, (turn, first) in enumerate(zip(network.turns, self.first_moves, strict=True)):
                if not is_true(values, turn):
                    legal[role] = [move for move in legal[role] if not network.needs_turn[first + move]]
            return is_true(values, network.terminal), legal

    def following(self, state: State, joint: Sequence[int]) -> State:
        made = [
            self.network.first_move + first + move
            for first, move in zip(self.first_moves, joint, strict=True)
            if move >= 0
        ]
        with self._lock:
            return tuple(self._standing(state, made).following)

    def goals(self, state: State) -> list[list[int]]:
        """As they were worked out, if it was this state that was asked about last."""
        valued = self._valued
        if valued is None or valued[0] != state:
            with self._lock:
                stands = self._standing(state, None)
                values = stands.values[:]
                self.work_out(stands.goal_nodes, values)
            self._valued = valued = state, self.goals_in(values)
        return [goals[:] for goals in valued[1]]

    def _standing(self, state: State, made: Iterable[int] | None) -> "_Stands":
        """At a state, after the moves with these variables; None for any, which legal moves and ends do not mind."""
        stands = self._stands or _Stands(self)
        self._stands = None  # what Ctrl-C leaves half turned is not used again
        stands.go(state, stands.made if made is None else set(made))
        self._stands = stands
        return stands


class _Stands:
    """The values of all that moves, ends and next states depend on, for one state and some moves."""

    def __init__(self, referee: Referee) -> None:
        network = self.network = referee.network
        self.referee = referee
        self.state, self.made = referee.initial(), set[int]()
        nodes = referee.needed([network.terminal, *network.legal, *network.following])
        self.values = referee.values(self.state, [-1] * len(network.roles), nodes)
        self.blocks = {block.first: block for block in network.blocks}
        known = set(nodes)
        goals = referee.needed([signal for _, _, signal in network.goals])
        self.goal_nodes = [node for node in goals if node not in known]
        """Those that goals alone depend on."""
        self.lacking = [0] * network.variables
        self.readers: list[list[int]] = [[] for _ in range(network.variables)]
        """By variable: twice a node, and one more where it has the variable negated."""
        self.blocks_of: dict[int, list[int]] = {}
        """By variable: the first nodes of blocks whose rules have it as an input."""
        for node in nodes:
            if node in self.blocks:
                block = self.blocks[node]
                inside = range(node, node + block.count)
                asked = {signal >> 1 for _, inputs in block.rules for signal in inputs}
                for variable in sorted(asked - set(inside)):
                    self.blocks_of.setdefault(variable, []).append(node)
            else:
                for signal in network.nodes[node - network.first_node]:
                    self.readers[signal >> 1].append(2 * node | signal & 1)
                    self.lacking[node] += not is_true(self.values, signal)
        self.legal: list[set[int]] = []
        """Of each role, whether or not it is its turn."""
        self.moves_of: dict[int, list[tuple[int, int, int]]] = {}
        """By variable: the role, the move that it makes legal, and whether it does by being false."""
        for role, (own, first) in enumerate(zip(network.moves, referee.first_moves, strict=True)):
            signals = network.legal[first : first + len(own)]
            self.legal.append({move for move, signal in enumerate(signals) if is_true(self.values, signal)})
            for move, signal in enumerate(signals):
                self.moves_of.setdefault(signal >> 1, []).append((role, move, signal & 1))
        self.following = [is_true(self.values, signal) for signal in network.following]
        self.bases_of: dict[int, list[tuple[int, int]]] = {}
        """The same for bases that hold in the next state."""
        for base, signal in enumerate(network.following):
            self.bases_of.setdefault(signal >> 1, []).append((base, signal & 1))

    def go(self, state: State, made: set[int]) -> None:
        turning = [i for i, (old, new) in enumerate(zip(self.state, state, strict=True), 1) if old != new]
        turning += sorted(made ^ self.made)
        self.state, self.made = state, made
        waiting: list[int] = []
        for variable in turning:
            self.turn(variable, waiting)
        while waiting:  # in ascending order: when a node is looked at, its inputs have turned
            node = heappop(waiting)
            if node in self.blocks:
                while waiting and waiting[0] == node:
                    heappop(waiting)
                self.settle(node, waiting)
            elif self.values[node] == (self.lacking[node] > 0):
                self.turn(node, waiting)

    def turn(self, variable: int, waiting: list[int]) -> None:
        """Tell all that depend on a variable that it has turned."""
        lacking = self.lacking
        value = self.values[variable] = not self.values[variable]
        for reader in self.readers[variable]:
            node = reader >> 1
            if value == reader & 1:
                lacking[node] += 1
                if lacking[node] == 1:
                    heappush(waiting, node)
            else:
                lacking[node] -= 1
                if lacking[node] == 0:
                    heappush(waiting, node)
        for node in self.blocks_of.get(variable, ()):
            heappush(waiting, node)
        for role, move, negated in self.moves_of.get(variable, ()):
            if value != negated:
                self.legal[role].add(move)
            else:
                self.legal[role].discard(move)
        for base, negated in self.bases_of.get(variable, ()):
            self.following[base] = value != negated

    def settle(self, first: int, waiting: list[int]) -> None:
        """Work a block out again."""
        block = self.blocks[first]
        nodes = range(first, first + block.count)
        before = [self.values[node] for node in nodes]
        for node in nodes:
            self.values[node] = False
        self.referee.settle(block.rules, self.values)
        after = [self.values[node] for node in nodes]
        for node, was in zip(nodes, before, strict=True):
            self.values[node] = was
        for node, was, now in zip(nodes, before, after, strict=True):
            if was != now:
                self.turn(node, waiting)
