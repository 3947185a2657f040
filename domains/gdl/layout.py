"""A network as two flat arrays for the kernels, and where what stands in them.

Glossary
    address     of a bit of the state: 64 times the word, plus the bit
    counter     of a main node: how many of its inputs are false, so that 0 means true; of a node of a block, 0 or 1
    reader      of a variable: a node that has it as an input, twice its number among the nodes, and one more where it
                is negated there
    wire        of a variable: the address of a bit that is the other way round whenever the variable is
    trigger     of a variable: the first node of a block that must be worked out again when the variable changes

The problem array (int32) opens with HEAD numbers, of which those called …S or …_AT are places where lists begin. A list
by variable, such as that of readers, is written as one place more than there are variables, and then the entries.

The state array (uint64) has the bases; those of the next state; room for those that change, none between two moves; the
legal moves, those of each role beginning with a word of their own; as many words that say which of them are legal in
their role's turn alone, always the same; a word whose lowest bit says whether the game is over; for each role its goal
in a final state, and its last move; the bits of the main nodes that must be looked at, none between two moves; room for
the goal nodes; and the counters, four of 16 bits to a word.

The last moves stay made until the next ones are: what depends on moves is not asked before. In the beginning that is
the first move of each role.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from domains.gdl.network import Network
from domains.gdl.reference import Referee, State, is_true

(
    BASES,
    MOVES,
    NODES,
    MAIN,
    ROLES,
    FIRST_MOVE,
    FIRST_NODE,
    NEXT_WORD,
    CHANGED_WORD,
    LEGAL_WORD,
    TURN_WORD,
    TERMINAL_WORD,
    GOAL_WORD,
    LAST_WORD,
    DIRTY_WORD,
    ROOM_WORD,
    COUNTER_WORD,
    WORDS,
    READERS_AT,
    WIRES_AT,
    TRIGGERS_AT,
    ROLE_MOVES_AT,
    ROLE_WORDS_AT,
    TURNS_AT,
    BLOCK_OF_AT,
    BLOCKS,
    BLOCKS_AT,
    INPUTS_AT,
    GOALS_AT,
    GOALS,
    HEAD,
) = range(31)
NONE, SEVERAL = 253, 254
"""Instead of a goal: there is none, or more than one, or one that is no number from 0 to 100."""


def words(bits: int) -> int:
    return (bits + 63) // 64


def problem_array(network: Network) -> np.ndarray:
    """What stays the same."""
    bases, moves, roles = len(network.bases), [len(own) for own in network.moves], len(network.roles)
    head = np.zeros(HEAD, np.int64)
    head[BASES], head[MOVES], head[NODES], head[MAIN] = bases, sum(moves), len(network.nodes), network.main
    head[ROLES], head[GOALS] = roles, len(network.goals)
    head[BLOCKS] = len(network.blocks)
    head[FIRST_MOVE], head[FIRST_NODE] = network.first_move, network.first_node
    role_words = np.cumsum([0, *map(words, moves)])
    word = 0
    for name, count in (
        (NEXT_WORD, words(bases)),
        (CHANGED_WORD, words(bases)),
        (LEGAL_WORD, words(bases)),
        (TURN_WORD, int(role_words[-1])),
        (TERMINAL_WORD, int(role_words[-1])),
        (GOAL_WORD, 1),
        (LAST_WORD, roles),
        (DIRTY_WORD, roles),
        (ROOM_WORD, words(network.main)),
        (COUNTER_WORD, words(len(network.nodes) - network.main)),
        (WORDS, (network.main + 3) // 4),
    ):
        word += count
        head[name] = word
    pieces: list[np.ndarray] = [head]
    place = HEAD

    def add(name: int, *arrays: Sequence[int] | np.ndarray) -> None:
        nonlocal place
        head[name] = place
        for array in arrays:
            pieces.append(np.asarray(array, np.int64))
            place += len(pieces[-1])

    legal_addresses = [
        64 * (int(head[LEGAL_WORD]) + int(role_words[role])) + i for role, own in enumerate(moves) for i in range(own)
    ]
    add(READERS_AT, *_by_variable(network, _readers(network)))
    add(WIRES_AT, *_by_variable(network, _wires(network, head, legal_addresses)))
    add(TRIGGERS_AT, *_by_variable(network, _triggers(network)))
    add(ROLE_MOVES_AT, np.cumsum([0, *moves]))
    add(ROLE_WORDS_AT, role_words)
    add(TURNS_AT, network.turns)
    add(BLOCK_OF_AT, _block_of(network))
    add(BLOCKS_AT, *_blocks(network))
    goal_nodes = network.nodes[network.main :]
    add(INPUTS_AT, *_listed(goal_nodes))
    add(GOALS_AT, [number for goal in network.goals for number in goal])
    array = np.concatenate(pieces)
    if len(array) and int(array.max()) >= 2**31:  # over two thousand million connections; grounding ends before
        raise OverflowError("a network is too large for 32 bits")
    array = array.astype(np.int32)
    array.setflags(write=False)
    return array


def _by_variable(network: Network, pairs: Iterable[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """(variable, entry) as places and entries, those of a variable in order."""
    table = np.array(list(pairs), np.int64).reshape(-1, 2)
    table = table[np.lexsort((table[:, 1], table[:, 0]))]
    counts = np.bincount(table[:, 0], minlength=network.variables)
    return np.concatenate([[0], np.cumsum(counts)]), table[:, 1]


def _listed(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    places = np.cumsum([0, *map(len, lists)])
    return places, np.array([entry for one in lists for entry in one], np.int64)


def _readers(network: Network) -> Iterable[tuple[int, int]]:
    for node in range(network.main):
        for signal in network.nodes[node]:
            yield signal >> 1, 2 * node | signal & 1


def _wires(network: Network, head: np.ndarray, legal: Sequence[int]) -> Iterable[tuple[int, int]]:
    first = 64 * int(head[NEXT_WORD])
    for base, signal in enumerate(network.following):
        yield signal >> 1, first + base
    for address, signal in zip(legal, network.legal, strict=True):
        yield signal >> 1, address
    yield network.terminal >> 1, 64 * int(head[TERMINAL_WORD])


def _triggers(network: Network) -> Iterable[tuple[int, int]]:
    for block in network.blocks:
        inside = range(block.first, block.first + block.count)
        variables = {signal >> 1 for _, inputs in block.rules for signal in inputs} - set(inside)
        yield from ((variable, block.first - network.first_node) for variable in variables)


def _block_of(network: Network) -> np.ndarray:
    """For each main node the number of the block that begins there, or -1."""
    found = np.full(network.main, -1)
    for i, block in enumerate(network.blocks):
        found[block.first - network.first_node] = i
    return found


def _blocks(network: Network) -> tuple[np.ndarray, np.ndarray]:
    """Places, then for each block: its first node, how many nodes and rules it has; and for each rule the node, how
    many inputs it has, and these."""
    lists = []
    for block in network.blocks:
        entries = [block.first, block.count, len(block.rules)]
        for node, inputs in block.rules:
            entries += [node, len(inputs), *inputs]
        lists.append(entries)
    return _listed(lists)


def state_array(referee: Referee, problem: np.ndarray, state: State) -> np.ndarray:
    """A state with the first move of each role made."""
    network = referee.network
    array = np.zeros(int(problem[WORDS]), np.uint64)
    values = referee.values(state, [0 if moves else -1 for moves in network.moves], referee.every_node())
    _set_bits(array, 0, state)
    _set_bits(array, int(problem[NEXT_WORD]), [is_true(values, signal) for signal in network.following])
    for role, moves in enumerate(network.moves):
        first = referee.first_moves[role]
        legal = [is_true(values, network.legal[first + i]) for i in range(len(moves))]
        word = int(problem[problem[ROLE_WORDS_AT] + role])
        _set_bits(array, int(problem[LEGAL_WORD]) + word, legal)
        _set_bits(array, int(problem[TURN_WORD]) + word, network.needs_turn[first : first + len(moves)])
    array[problem[TERMINAL_WORD]] = is_true(values, network.terminal)
    counters = array.view(np.int16)[4 * int(problem[COUNTER_WORD]) :]
    for i, inputs in enumerate(network.nodes[: network.main]):
        counters[i] = sum(not is_true(values, signal) for signal in inputs)
    for block in network.blocks:
        for node in range(block.first, block.first + block.count):
            counters[node - network.first_node] = not values[node]
    if is_true(values, network.terminal):
        for role, goals in enumerate(referee.goals(state)):
            array[int(problem[GOAL_WORD]) + role] = goal_code(goals)
    return array


def goal_code(goals: Sequence[int]) -> int:
    if len(goals) != 1 or goals[0] < 0:
        return SEVERAL if goals else NONE
    return goals[0]


def _set_bits(array: np.ndarray, word: int, bits: Sequence[bool]) -> None:
    for i, bit in enumerate(bits):
        if bit:
            array[word + i // 64] |= np.uint64(1 << (i % 64))
