"""A network as two flat arrays for the kernels, and where what stands in them.

Glossary
    slot        of a variable: how many of its inputs are false, so that 0 means true; of one without inputs, 0 or 1
    bit         of a slot: the bit that turns when the variable does; only slots from FIRST_BIT on have one
    hot         a node that moves, ends or defaults depend on: always up to date
    cold        a node that effects alone depend on: worked out when its move is made
    goal node   one that goals alone depend on: brought up to date when a game is over
    stand-in    a slot of what goal nodes ask of the others, as it was when they were up to date
    edge        of a slot: twice the slot of a node that has it as an input, and one more where it is negated there
    watcher     a node that stands for an input of a block; where it turns, the block is worked out again
    spoken      a move that nodes depend on, and that has a slot therefore

The problem array (uint32) opens with HEAD numbers, of which those called …_AT are places where lists begin. A list by
number, such as that of edges by slots, is written as one place more than there are numbers, and then the entries.

The state array (uint64) begins with the bases. From KEPT on, words say which of them stay as they are by default, and
from TURN on, which moves are legal in their role's turn alone: always the same. For each role there are its goal in a
final state and its last move. Then room for bases that are about to change. From DIRTY on the bits of the slots: of hot
nodes that must be looked at, of moves that are legal, those of each role beginning with a word of their own, of bases
that follow by default, whether the game is over, and of goal nodes that must be looked at. Last, the slots, 16 bits
each: what is always true, the bases, spoken moves, cold nodes, stand-ins, and those that have bits, in their order.

A node that is only asked whether a move is legal, or something like it, has the slot of what is asked.

The last moves stay made until the next ones are: what depends on moves is not asked before. In the beginning that is
the first move of each role.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from domains.gdl.effects import Effects, cone, effects_of
from domains.gdl.network import FALSE, TRUE, Network, RuleBlock
from domains.gdl.reference import Referee, State

(
    BASES,
    MOVES,
    ROLES,
    KEPT_WORD,
    TURN_WORD,
    GOAL_WORD,
    LAST_WORD,
    PENDING_WORD,
    DIRTY_WORD,
    LEGAL_WORD,
    NEXT_WORD,
    TERMINAL_WORD,
    GOAL_DIRTY_WORD,
    SLOT_WORD,
    WORDS,
    FIRST_COLD,
    FIRST_BIT,
    SLOTS,
    SPOKEN,
    BLOCKS,
    STAND_INS,
    GOALS,
    EDGES_AT,
    INPUTS_AT,
    EFFECTS_AT,
    ROLE_MOVES_AT,
    ROLE_WORDS_AT,
    TURNS_AT,
    SPOKEN_AT,
    STAND_INS_AT,
    GOALS_AT,
    BLOCK_OF_AT,
    BLOCKS_AT,
    INVERTED_AT,
    INVERTED,
    FOLLOWING_AT,
    FOLLOWING,
    WAITS_AT,
    WAITS,
    HEAD,
) = range(40)
NONE, SEVERAL = 253, 254
"""Instead of a goal: there is none, or more than one, or one that is no number from 0 to 100."""
NO_NUMBER = 255
"""Instead of a goal in the problem."""


def words(bits: int) -> int:
    return (bits + 63) // 64


def problem_array(network: Network) -> np.ndarray:
    """What stays the same."""
    if network.problem is None:
        network.problem = _Layout(network).problem()
    return network.problem


class _Layout:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.effects: Effects = effects_of(network)
        self.head = np.zeros(HEAD, np.int64)
        self.block_of = {block.first + i: block for block in network.blocks for i in range(block.count)}
        self.blocks: list[RuleBlock] = []
        """Those that are needed."""
        self.slots: dict[int, int] = {0: 0}
        """Of variables."""
        self.goal_slots: dict[int, int] = {}
        """Of goal nodes and stand-ins, where goal nodes ask for a variable."""
        self.edges: list[tuple[int, int]] = []
        self.inverted: list[int] = []
        """Slots whose bit is the other way round."""

    def problem(self) -> np.ndarray:
        network, effects, head = self.network, self.effects, self.head
        of_moves = [signal for own in effects.of_move for _, signal in own]
        of_goals = [signal for _, _, signal in network.goals]
        blocks = [2 * node for node in self.cone(of_moves + of_goals) if node in self.block_of]
        hot = self.cone([*effects.following, *network.legal, network.terminal, *blocks])
        self.blocks = [block for block in network.blocks if block.first in hot]
        cold = sorted(set(self.cone(of_moves)) - set(hot))
        goal_nodes = sorted(set(self.cone(of_goals)) - set(hot))
        asked = {signal >> 1 for node in (*hot, *cold) for signal in self.inputs(node)}
        asked |= {signal >> 1 for signal in (*of_moves, *self._of_blocks(), *effects.following)}
        spoken = sorted(asked & set(range(network.first_move, network.first_node)))
        seen = {signal >> 1 for node in goal_nodes for signal in self.inputs(node)} | {s >> 1 for s in of_goals}
        stand_ins = sorted(seen - set(goal_nodes) - {0})
        for variable in chain(range(1, network.first_move), spoken):
            self.slots[variable] = len(self.slots)
        head[FIRST_COLD] = len(self.slots)
        for variable in cold:
            self.slots[variable] = len(self.slots)
        self.goal_slots = {0: 0} | {variable: len(self.slots) + i for i, variable in enumerate(stand_ins)}
        head[FIRST_BIT] = len(self.slots) + len(stand_ins)
        self._place(hot, goal_nodes)
        self._connect(hot, goal_nodes)
        return self._written(set(hot), cold, spoken, stand_ins)

    def _of_blocks(self) -> list[int]:
        """What the rules of blocks ask for."""
        return [signal for block in self.blocks for _, inputs in block.rules for signal in inputs]

    def inputs(self, variable: int) -> Sequence[int]:
        node = variable - self.network.first_node
        return self.effects.nodes[node] if node >= 0 else ()

    def cone(self, signals: Iterable[int]) -> list[int]:
        """The nodes that signals depend on, in order; a block as a whole."""
        waiting, found = [signal >> 1 for signal in signals], set()
        while waiting:
            node = waiting.pop()
            if node < self.network.first_node or node in found:
                continue
            block = self.block_of.get(node)
            if block is None:
                found.add(node)
                waiting += [signal >> 1 for signal in self.inputs(node)]
            else:
                found |= set(range(block.first, block.first + block.count))
                waiting += [signal >> 1 for _, inputs in block.rules for signal in inputs]
        return sorted(found)

    def outputs(self) -> list[tuple[int, int]]:
        """The slot and the signal of each."""
        network, head = self.network, self.head
        start = int(head[FIRST_BIT])
        found, first, word = [], 0, int(head[LEGAL_WORD] - head[DIRTY_WORD])
        for own in network.moves:
            found += [(start + 64 * word + i, network.legal[first + i]) for i in range(len(own))]
            first += len(own)
            word += words(len(own))
        start += 64 * int(head[NEXT_WORD] - head[DIRTY_WORD])
        kept = [2 * (1 + base) for base in range(len(network.bases))]
        following = zip(self.effects.following, kept, strict=True)
        found += [(start + base, signal) for base, (signal, same) in enumerate(following) if signal != same]
        start = int(head[FIRST_BIT]) + 64 * int(head[TERMINAL_WORD] - head[DIRTY_WORD])
        return [*found, (start, network.terminal)]

    def _place(self, hot: list[int], goal_nodes: list[int]) -> None:
        """Give slots to nodes that have bits, and places to all that states have."""
        network, head = self.network, self.head
        uses = [signal >> 1 for node in hot for signal in self.inputs(node)]
        asked = {*uses, *(signal >> 1 for signal in self._of_blocks())}
        outputs = [*self.effects.following, *network.legal, network.terminal]
        counts: dict[int, int] = {}
        for signal in outputs:
            counts[signal >> 1] = counts.get(signal >> 1, 0) + 1
        alone = {node for node in hot if node not in asked and counts.get(node) == 1 and node not in self.block_of}
        self.watchers: dict[tuple[int, int], int] = {}
        """Of (block, variable), the number among the nodes that are looked at."""
        looked_at: list[int] = []
        """The variables; of watchers -1 minus the first node of the block."""
        for node in hot:
            block = self.block_of.get(node)
            if block is not None and block.first == node:
                inside = range(node, node + block.count)
                for variable in sorted({s >> 1 for _, inputs in block.rules for s in inputs} - set(inside)):
                    self.watchers[node, variable] = len(looked_at)
                    looked_at.append(-1 - node)
            if node not in alone:
                looked_at.append(node)
        self.looked_at = looked_at
        roles, bases = len(network.roles), words(len(network.bases))
        legal = sum(words(len(own)) for own in network.moves)
        word = 0
        for name, count in (
            (KEPT_WORD, bases),
            (TURN_WORD, bases),
            (GOAL_WORD, legal),
            (LAST_WORD, roles),
            (PENDING_WORD, roles),
            (DIRTY_WORD, bases),
            (LEGAL_WORD, words(len(looked_at))),
            (NEXT_WORD, legal),
            (TERMINAL_WORD, bases),
            (GOAL_DIRTY_WORD, 1),
            (SLOT_WORD, words(len(goal_nodes))),
        ):
            word += count
            head[name] = word
        start = int(head[FIRST_BIT])
        self.slots |= {node: start + i for i, node in enumerate(looked_at) if node >= 0}
        for slot, signal in self.outputs():
            if signal >> 1 in alone:
                self.slots[signal >> 1] = slot
        start += 64 * int(head[GOAL_DIRTY_WORD] - head[DIRTY_WORD])
        self.goal_slots |= {node: start + i for i, node in enumerate(goal_nodes)}
        head[SLOTS] = start + len(goal_nodes)
        head[WORDS] = head[SLOT_WORD] + (head[SLOTS] + 3) // 4

    def _connect(self, hot: list[int], goal_nodes: list[int]) -> None:
        edges, slots, asked = self.edges, self.slots, self.goal_slots
        for node in hot:
            edges += [(slots[signal >> 1], 2 * slots[node] | signal & 1) for signal in self.inputs(node)]
        for (_, variable), number in self.watchers.items():
            edges.append((slots[variable], 2 * (int(self.head[FIRST_BIT]) + number)))
        for node in goal_nodes:
            edges += [(asked[signal >> 1], 2 * asked[node] | signal & 1) for signal in self.inputs(node)]
        for slot, signal in self.outputs():
            if signal == FALSE or (signal & 1 and slots[signal >> 1] == slot):
                self.inverted.append(slot)
            elif signal != TRUE and slots[signal >> 1] != slot:
                edges.append((slots[signal >> 1], 2 * slot | signal & 1))

    def _written(self, hot: set[int], cold: list[int], spoken: list[int], stand_ins: list[int]) -> np.ndarray:
        network, head, slots = self.network, self.head, self.slots

        def of(signal: int) -> int:
            return 2 * slots[signal >> 1] | signal & 1

        pieces: list[np.ndarray] = [head]
        place = HEAD

        def add(name: int, *arrays: Sequence[int] | np.ndarray) -> None:
            nonlocal place
            head[name] = place
            for array in arrays:
                pieces.append(np.asarray(array, np.int64))
                place += len(pieces[-1])

        def add_lists(name: int, lists: Sequence[Sequence[int]]) -> None:
            """Their places among all numbers of the problem, and they themselves."""
            places = np.cumsum([0, *map(len, lists)]) + place + len(lists) + 1
            add(name, places, np.fromiter(chain.from_iterable(lists), np.int64))

        edges = np.array(self.edges, np.int64).reshape(-1, 2)
        edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
        counts = np.bincount(edges[:, 0], minlength=int(head[SLOTS]))
        add(EDGES_AT, np.concatenate([[0], np.cumsum(counts)]) + place + len(counts) + 1, edges[:, 1])
        add_lists(INPUTS_AT, [list(map(of, self.inputs(node))) for node in cold])
        add_lists(EFFECTS_AT, [self._effects_of(own, hot, of) for own in self.effects.of_move])
        moves = [len(own) for own in network.moves]
        add(ROLE_MOVES_AT, np.cumsum([0, *moves]))
        add(ROLE_WORDS_AT, np.cumsum([0, *map(words, moves)]))
        add(TURNS_AT, [of(signal) for signal in network.turns])
        asked = {variable - network.first_move: slots[variable] for variable in spoken}
        add(SPOKEN_AT, [asked.get(move, 0) for move in range(sum(moves))])
        add(STAND_INS_AT, [number for v in stand_ins for number in (slots[v], self.goal_slots[v])])
        asked = self.goal_slots
        values = [(role, value if value >= 0 else NO_NUMBER, signal) for role, value, signal in network.goals]
        add(GOALS_AT, [n for role, value, s in values for n in (role, value, 2 * asked[s >> 1] | s & 1)])
        heads = {block.first: i for i, block in enumerate(self.blocks)}
        block_of = [heads.get(-1 - node if node < 0 else node, -1) for node in self.looked_at]
        marks = [0 if i < 0 else 2 * i + 1 + (v < 0) for i, v in zip(block_of, self.looked_at, strict=True)]
        add(BLOCK_OF_AT, marks if self.blocks else [])
        add_lists(BLOCKS_AT, [self._block(block, of) for block in self.blocks])
        add(INVERTED_AT, sorted(self.inverted))
        following = [base for base, signal in enumerate(self.effects.following) if signal != 2 * (1 + base)]
        add(FOLLOWING_AT, following)
        head[WAITS] = len(self.effects.waits) if self.effects.of_move[-1] else 0
        waits = self.effects.waits if self.effects.of_move[-1] else []
        add(WAITS_AT, [wait - first for wait, first in zip(waits, np.cumsum([0, *moves]), strict=False)])
        head[FOLLOWING] = len(following)
        head[BASES], head[MOVES], head[ROLES] = len(network.bases), sum(moves), len(network.roles)
        head[SPOKEN], head[BLOCKS] = len(spoken), len(self.blocks)
        head[STAND_INS], head[GOALS], head[INVERTED] = len(stand_ins), len(network.goals), len(self.inverted)
        array = np.concatenate(pieces)
        if int(array.max()) >= 2**32:  # over four thousand million connections; grounding ends before
            raise OverflowError("a network is too large for 32 bits")
        array = array.astype(np.uint32)
        array.setflags(write=False)
        return array

    def _effects_of(self, own: list[tuple[int, int]], hot: set[int], of: Callable[[int], int]) -> list[int]:
        """How many cold nodes must be worked out; these, without the number of the first of all; then for each effect
        the number of the base, and the signal."""
        found = cone(self.network, self.effects.nodes, (signal for _, signal in own), hot)
        slots = [self.slots[node] - int(self.head[FIRST_COLD]) for node in sorted(found)]
        return [len(slots), *slots, *[number for base, signal in own for number in (base, of(signal))]]

    def _block(self, block: RuleBlock, of: Callable[[int], int]) -> list[int]:
        """The slot of its first node, how many nodes and rules it has; and for each rule the slot of the node, how many
        inputs it has, and these."""
        entries = [self.slots[block.first], block.count, len(block.rules)]
        for node, inputs in block.rules:
            entries += [self.slots[node], len(inputs), *map(of, inputs)]
        return entries


def state_array(referee: Referee, problem: np.ndarray, state: State) -> np.ndarray:
    """A state with the first move of each role made."""
    network, numbers = referee.network, problem.tolist()
    slots = _slots(numbers, state)
    array = np.zeros(numbers[WORDS], np.uint64)
    _set_bits(array, 0, state)
    kept = [True] * len(state)
    for base in numbers[numbers[FOLLOWING_AT] :][: numbers[FOLLOWING]]:
        kept[base] = False
    _set_bits(array, numbers[KEPT_WORD], kept)
    bits = [not slot for slot in slots[numbers[FIRST_BIT] :]]
    for slot in numbers[numbers[INVERTED_AT] :][: numbers[INVERTED]]:
        bits[slot - numbers[FIRST_BIT]] ^= True
    dirty = numbers[DIRTY_WORD]
    first = 0
    for role, moves in enumerate(network.moves):
        word = numbers[numbers[ROLE_WORDS_AT] + role]
        _set_bits(array, numbers[TURN_WORD] + word, network.needs_turn[first : first + len(moves)])
        word += numbers[LEGAL_WORD]
        _set_bits(array, word, bits[64 * (word - dirty) :][: len(moves)])
        first += len(moves)
    _set_bits(array, numbers[NEXT_WORD], bits[64 * (numbers[NEXT_WORD] - dirty) :][: len(state)])
    array[numbers[TERMINAL_WORD]] = bits[64 * (numbers[TERMINAL_WORD] - dirty)]
    array.view(np.int16)[4 * numbers[SLOT_WORD] :][: len(slots)] = slots
    if array[numbers[TERMINAL_WORD]]:
        for role, goals in enumerate(referee.goals(state)):
            array[numbers[GOAL_WORD] + role] = goal_code(goals)
    return array


def _slots(numbers: list[int], state: State) -> list[int]:
    """Of a state with the first move of each role made."""
    slots = [0] * numbers[SLOTS]
    edges, bits = numbers[EDGES_AT], numbers[FIRST_BIT]

    def tell(slot: int) -> None:
        is_true = slots[slot] == 0
        for edge in numbers[numbers[edges + slot] : numbers[edges + slot + 1]]:
            slots[edge >> 1] += is_true == edge & 1

    slots[1 : len(state) + 1] = [int(not holds) for holds in state]
    made = set(numbers[numbers[ROLE_MOVES_AT] :][: numbers[ROLES]])
    for move, slot in enumerate(numbers[numbers[SPOKEN_AT] :][: numbers[numbers[ROLE_MOVES_AT] + numbers[ROLES]]]):
        if slot:
            slots[slot] = int(move not in made)
    slots[numbers[FIRST_COLD] : bits] = [1] * (bits - numbers[FIRST_COLD])
    for slot in range(numbers[FIRST_COLD]):
        tell(slot)
    looked_at = bits + 64 * (numbers[LEGAL_WORD] - numbers[DIRTY_WORD])
    for slot in range(bits, looked_at):
        if numbers[BLOCKS] and slot - bits < numbers[BLOCKS_AT] - numbers[BLOCK_OF_AT]:
            mark = numbers[numbers[BLOCK_OF_AT] + slot - bits]
            if mark & 1:
                _settle(numbers, slots, numbers[numbers[BLOCKS_AT] + (mark >> 1)])
        tell(slot)
    for i in range(numbers[STAND_INS_AT], numbers[STAND_INS_AT] + 2 * numbers[STAND_INS], 2):
        slots[numbers[i + 1]] = int(slots[numbers[i]] != 0)
        tell(numbers[i + 1])
    for slot in range(looked_at, numbers[SLOTS]):
        tell(slot)
    return slots


def _settle(numbers: list[int], slots: list[int], at: int) -> None:
    """The slots of a block, from what its rules make true."""
    first, count, rules = numbers[at : at + 3]
    slots[first : first + count] = [1] * count
    changed = True
    while changed:
        changed, rule = False, at + 3
        for _ in range(rules):
            slot, inputs = numbers[rule : rule + 2]
            signals = numbers[rule + 2 : rule + 2 + inputs]
            if slots[slot] and all((slots[signal >> 1] == 0) != bool(signal & 1) for signal in signals):
                slots[slot], changed = 0, True
            rule += 2 + inputs


def goal_code(goals: Sequence[int]) -> int:
    if len(goals) != 1 or goals[0] < 0:
        return SEVERAL if goals else NONE
    return goals[0]


def _set_bits(array: np.ndarray, word: int, bits: Sequence[bool]) -> None:
    for i, bit in enumerate(bits):
        if bit:
            array[word + i // 64] |= np.uint64(1 << (i % 64))
