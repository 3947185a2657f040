"""The one source of randomness: SplitMix64, and seeds that derive from what a thing is.

Both engines draw from the same stream. A random choice costs one draw, forced choices (n = 1) included, so that a
fast playout and the plain loop it replaces stay in step. There is no global generator: a `Random` is always handed
over. The compiled twin of `Random` is in `domains/kernels.py`.
"""

import hashlib
import json
import random
from collections.abc import MutableSequence
from typing import Any

MASK = 0xFFFFFFFFFFFFFFFF
GOLDEN_GAMMA = 0x9E3779B97F4A7C15


_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def seed_of(kind: str, *identity: str | int) -> int:
    """The 64-bit seed of the thing named by `kind` and `identity`; the same on every machine."""
    text = _compact(["mcsg1", kind, *identity])
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")


class Random(random.Random):
    """SplitMix64 on a 64-bit state.

    It is a `random.Random`, so a domain's `sample` may use `choice`, `shuffle`, `gauss` and the rest; the engines use
    `below`, `uniform` and `shuffle_from_end` alone, whose draws are fixed for good.
    """

    state: int

    def __new__(cls, seed: int) -> "Random":
        # random.Random.__new__ hashes its argument; the value is set below, in seed().
        return super().__new__(cls)

    def seed(self, a: Any = 0, version: int = 2) -> None:
        self.state = int(a) & MASK

    def next(self) -> int:
        """The next 64 random bits."""
        self.state = (self.state + GOLDEN_GAMMA) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """A whole number in [0, n), one draw."""
        return ((self.next() >> 32) * n) >> 32

    def uniform01(self) -> float:
        """A float in [0, 1), one draw."""
        return (self.next() >> 11) * 2.0**-53

    def shuffle_from_end(self, items: MutableSequence[Any]) -> None:
        """Fisher-Yates from the end: len(items) - 1 draws."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def __reduce__(self) -> Any:
        return Random, (self.state,)

    # What random.Random builds its other methods on.
    def random(self) -> float:
        return self.uniform01()

    def getrandbits(self, k: int, /) -> int:
        words = (k + 63) // 64
        bits = 0
        for _ in range(words):
            bits = bits << 64 | self.next()
        return bits >> (64 * words - k)

    def getstate(self) -> Any:
        return self.state

    def setstate(self, state: Any) -> None:
        self.state = state
