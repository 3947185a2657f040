"""Tables of means: what a search remembers of actions, of sequences of actions, and of actions below a node.

Counts are real numbers, because decay scales them and keeps the means. An entry whose count is 0 counts as never met.
Entries share their room with the nodes of the trees: `--max-nodes` bounds them together.
"""

from collections.abc import Hashable, Iterator

from domains.errors import DomainError
from domains.saying import shown


class Room:
    """How many nodes and entries a run may still add."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.nodes = 0
        self.entries = 0
        self.full = False
        """whether something could not be added"""

    def take_nodes(self, n: int) -> bool:
        """Room for n nodes, all or none."""
        if self.nodes + self.entries + n > self.limit:
            self.full = True
            return False
        self.nodes += n
        return True

    def take_entry(self) -> bool:
        if self.nodes + self.entries >= self.limit:
            self.full = True
            return False
        self.entries += 1
        return True


class Means:
    def __init__(self, room: Room) -> None:
        self.room = room
        self.entries: dict[Hashable, list[float]] = {}
        """[count, mean] by key"""

    def _entry(self, key: Hashable) -> list[float] | None:
        try:
            return self.entries.get(key)
        except TypeError:
            action = key[0] if isinstance(key, tuple) and len(key) == 1 else key
            raise DomainError(
                f"what is learned of actions is kept by them, and {shown(action)} has no hash; use numbers, strings, "
                "tuples or frozen dataclasses as actions"
            ) from None

    def count(self, key: Hashable) -> float:
        entry = self._entry(key)
        return entry[0] if entry else 0.0

    def mean(self, key: Hashable) -> float:
        """The mean of a key that was met."""
        return self.entries[key][1]

    def add(self, key: Hashable, reward: float) -> None:
        """One more reward for a key; lost if the key is new and the room is taken up."""
        entry = self._entry(key)
        if entry is None:
            if not self.room.take_entry():
                return
            entry = self.entries[key] = [0.0, 0.0]
        if entry[0] == 0:  # new, or decayed to nothing: a reset leaves no trace
            entry[1] = 0.0
        entry[0] += 1.0
        entry[1] += (reward - entry[1]) / entry[0]

    def decay(self, key: Hashable, factor: float) -> None:
        if key in self.entries:
            self.entries[key][0] *= factor

    def decay_all(self, factor: float) -> None:
        for entry in self.entries.values():
            entry[0] *= factor

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.entries)
