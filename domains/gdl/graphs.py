"""What depends on what: strongly connected components, and all that follows from something."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def components(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """The nodes in groups that need each other; a group comes after those that it needs. `needs[i]` are those of i."""
    order = [-1] * len(needs)
    lowest = [0] * len(needs)
    waiting = [False] * len(needs)
    stack: list[int] = []
    found: list[list[int]] = []
    count = 0
    for first in range(len(needs)):
        if order[first] >= 0:
            continue
        path = [(first, 0)]
        while path:
            node, position = path.pop()
            if position == 0:
                order[node] = lowest[node] = count
                count += 1
                stack.append(node)
                waiting[node] = True
            following = needs[node]
            while position < len(following):
                other = following[position]
                position += 1
                if order[other] < 0:
                    path.append((node, position))
                    path.append((other, 0))
                    break
                if waiting[other]:
                    lowest[node] = min(lowest[node], order[other])
            else:
                if lowest[node] == order[node]:
                    cut = len(stack) - 1
                    while stack[cut] != node:
                        cut -= 1
                    found.append(stack[cut:])
                    for member in stack[cut:]:
                        waiting[member] = False
                    del stack[cut:]
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
    return found


def with_what_follows(things: set[Thing], rules: Iterable[tuple[Thing, Iterable[Thing]]]) -> set[Thing]:
    """These, and the heads of all rules, given as (head, body), that have one of them in the body."""
    heads: dict[Thing, list[Thing]] = {}
    for head, body in rules:
        for one in body:
            heads.setdefault(one, []).append(head)
    found, waiting = set(things), list(things)
    while waiting:
        more = set(heads.get(waiting.pop(), ())) - found
        found |= more
        waiting += more
    return found
