"""How long a game can last, where that can be seen from its network.

What is certain of a state is followed from the first state on, whatever is done: each base is true, false or unknown.
A step counter stays certain, and when it alone ends the game, no game is longer.
"""

from domains.gdl.network import Network

UNKNOWN = 2
MOST_WORK = 20_000_000
"""Inputs that are looked at."""


def longest_game(network: Network, most: int) -> int:
    """A number of steps after which every game is over; 0 if none up to `most` can be seen."""
    inputs = sum(map(len, network.nodes[: network.main]))
    steps = min(most, MOST_WORK // (inputs + len(network.bases) + 1))
    state = [int(holds) for holds in network.initial]
    seen = set()
    for step in range(steps + 1):
        values = _certain(network, state)
        if _value(values, network.terminal) == 1:
            return step
        if tuple(state) in seen:
            return 0
        seen.add(tuple(state))
        state = [_value(values, signal) for signal in network.following]
    return 0


def _value(values: list[int], signal: int) -> int:
    value = values[signal >> 1]
    return value if value == UNKNOWN else value ^ (signal & 1)


def _certain(network: Network, state: list[int]) -> list[int]:
    """What is certain of each variable in a state that is not final, if it can be; nodes of blocks are unknown."""
    values = [UNKNOWN] * network.variables
    values[0] = 1
    values[1 : network.first_move] = state
    goes_on = network.terminal & 1
    """What the variable behind `terminal` is as long as the game goes on."""
    for i, inputs in enumerate(network.nodes[: network.main]):
        if not inputs:
            continue
        value = 1
        for signal in inputs:
            known = values[signal >> 1]
            if known == UNKNOWN:
                value = UNKNOWN
            elif known == signal & 1:
                value = 0
                break
        node = network.first_node + i
        if value == UNKNOWN and node == network.terminal >> 1:
            value = goes_on
        values[node] = value
    return values
