"""What a network says of a state, worked out from the beginning in plain Python: the definition for the kernels.

A state is a tuple of its bases, true or false. What is legal, whether the game is over, and what the goals are depends
on the bases alone; what comes next also on one move of each role.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from domains.gdl.network import Network

State = tuple[bool, ...]


class Referee:
    """The rules of one game."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._inputs = {network.first_node + i: inputs for i, inputs in enumerate(network.nodes)}
        self._blocks = {block.first: block for block in network.blocks}
        self._of_block = {block.first + i: block for block in network.blocks for i in range(block.count)}
        self.first_moves: list[int] = []
        """Where the moves of each role begin among all."""
        start = 0
        for moves in network.moves:
            self.first_moves.append(start)
            start += len(moves)

    @cached_property
    def _for_legal(self) -> list[int]:
        return self.needed([self.network.terminal, *self.network.legal])

    @cached_property
    def _for_next(self) -> list[int]:
        return self.needed(self.network.following)

    @cached_property
    def _for_goals(self) -> list[int]:
        return self.needed([signal for _, _, signal in self.network.goals])

    def needed(self, signals: Iterable[int]) -> list[int]:
        """The nodes that some signals depend on, in order; of a block the first alone."""
        waiting, found = [signal >> 1 for signal in signals], set()
        while waiting:
            node = waiting.pop()
            if node < self.network.first_node:
                continue
            if node in self._of_block:
                node = self._of_block[node].first
            if node not in found:
                found.add(node)
                rules = self._blocks[node].rules if node in self._blocks else ((node, self._inputs[node]),)
                waiting += [signal >> 1 for _, inputs in rules for signal in inputs]
        return sorted(found)

    def initial(self) -> State:
        return tuple(self.network.initial)

    def values(self, state: Sequence[bool], joint: Sequence[int], nodes: Iterable[int]) -> list[bool]:
        """Of all variables; of nodes, these alone. `joint` is a move of each role, by its number in the role's list;
        -1 for none."""
        network = self.network
        values = [False] * network.variables
        values[0] = True
        values[1 : network.first_move] = state
        for first, move in zip(self.first_moves, joint, strict=True):
            if move >= 0:
                values[network.first_move + first + move] = True
        self.work_out(nodes, values)
        return values

    def work_out(self, nodes: Iterable[int], values: list[bool]) -> None:
        """Of nodes in order, from the values of all that they depend on."""
        for node in nodes:
            if node in self._blocks:
                self.settle(self._blocks[node].rules, values)
            else:
                values[node] = all(values[signal >> 1] != bool(signal & 1) for signal in self._inputs[node])

    def settle(self, rules: Sequence[tuple[int, tuple[int, ...]]], values: list[bool]) -> None:
        """What the rules of a block make true."""
        changed = True
        while changed:
            changed = False
            for node, inputs in rules:
                if not values[node] and all(values[signal >> 1] != bool(signal & 1) for signal in inputs):
                    values[node] = changed = True

    def _none(self) -> list[int]:
        return [-1] * len(self.network.roles)

    def look(self, state: State) -> tuple[bool, list[list[int]]]:
        """Whether the game is over, and the legal moves of each role, by their numbers, in order."""
        network = self.network
        values = self.values(state, self._none(), self._for_legal)
        legal = []
        for moves, first, turn in zip(network.moves, self.first_moves, network.turns, strict=True):
            own = [i for i in range(len(moves)) if is_true(values, network.legal[first + i])]
            in_turn = is_true(values, turn)
            legal.append([i for i in own if in_turn or not network.needs_turn[first + i]])
        return is_true(values, network.terminal), legal

    def following(self, state: State, joint: Sequence[int]) -> State:
        """The state after a legal move of each role."""
        values = self.values(state, joint, self._for_next)
        return tuple(is_true(values, signal) for signal in self.network.following)

    def goals(self, state: State) -> list[list[int]]:
        """All goals that each role has; a sound sheet gives each one, in final states at least."""
        return self.goals_in(self.values(state, self._none(), self._for_goals))

    def goals_in(self, values: Sequence[bool]) -> list[list[int]]:
        return [
            sorted({value for owner, value, signal in self.network.goals if owner == role and is_true(values, signal)})
            for role in range(len(self.network.roles))
        ]


def is_true(values: Sequence[bool], signal: int) -> bool:
    return values[signal >> 1] != bool(signal & 1)
