"""The tree of a player of the reference engine, and what a simulation has played.

Glossary
    arm        an action of a role in a node: what has come of it, for that role
    forced     a role with one action only, in a game of several roles: it has nothing to choose and draws nothing
    diagonal   diagonal d has the action of role (d + t) mod R at every step t = 0, 1, …: what a role may look back on,
               its own last action, that of the role before it one step earlier, and so on. There are R of them
"""

from collections.abc import Sequence
from typing import Any

from mcsgrammar.engines.reference.means import Means, Room


class RoleArm:
    __slots__ = ("action", "exhausted", "total", "visits")

    def __init__(self, action: Any) -> None:
        self.action = action
        self.visits = 0
        self.total = 0.0
        self.exhausted = False
        """nothing is left to explore below; with several roles never"""

    @property
    def mean(self) -> float:
        return self.total / self.visits


class JointNode:
    """A state in the tree of a player; the joint moves lead to its children."""

    __slots__ = ("amaf", "arms", "children", "visits")

    def __init__(self, actions: Sequence[Sequence[Any]]) -> None:
        self.visits = 0
        self.arms = [[RoleArm(action) for action in of_role] for of_role in actions]
        """those of each role; a forced role has one, that nobody asks about"""
        self.children: dict[tuple[Any, ...], JointNode] = {}
        self.amaf: list[Means] | None = None
        """of each role"""

    def is_forced(self, role: int) -> bool:
        return len(self.arms) > 1 and len(self.arms[role]) == 1

    @property
    def size(self) -> int:
        """The room that it takes: as many nodes as there are arms to choose from, and one where there are none."""
        return max(1, sum(len(arms) for role, arms in enumerate(self.arms) if not self.is_forced(role)))

    def all_moves_as_first(self, room: Room) -> list[Means]:
        if self.amaf is None:
            self.amaf = [Means(room) for _ in self.arms]
        return self.amaf


class Trail:
    """What was played since the root of the search."""

    def __init__(self, roles: int) -> None:
        self.roles = roles
        self.joints: list[tuple[Any, ...]] = []
        self.diagonals: list[list[Any]] = [[] for _ in range(roles)]
        self.is_free = [False] * roles
        """whether somebody on the diagonal had a choice"""

    def copy(self) -> "Trail":
        other = Trail(self.roles)
        other.joints = list(self.joints)
        other.diagonals = [list(diagonal) for diagonal in self.diagonals]
        other.is_free = list(self.is_free)
        return other

    def diagonal_of(self, role: int) -> int:
        """The diagonal that the role's next action goes on."""
        return (role - len(self.joints)) % self.roles

    def seen_by(self, role: int) -> list[Any]:
        """What a role that is to act looks back on."""
        return self.diagonals[self.diagonal_of(role)]

    def play(self, joint: tuple[Any, ...], forced: Sequence[bool]) -> None:
        for role, action in enumerate(joint):
            diagonal = self.diagonal_of(role)
            self.diagonals[diagonal].append(action)
            self.is_free[diagonal] |= not forced[role]
        self.joints.append(joint)


def reachable(root: JointNode | None) -> list[JointNode]:
    """The nodes of the tree."""
    nodes = [root] if root is not None else []
    for node in nodes:
        nodes.extend(node.children.values())
    return nodes
