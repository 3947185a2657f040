"""What trees are walked down by: the highest of many values, and tables of roots, against the plain formulas."""

import math
from typing import Any

import numpy as np
import pytest

from domains import portable_math
from domains.kernels import njit
from domains.randomness import Random
from mcsgrammar.engines.compiled import roots_kernels
from mcsgrammar.engines.compiled.choosing_kernels import LANES, equal_in_block, highest_of_block
from mcsgrammar.engines.compiled.layout import SPARE_NODES
from mcsgrammar.engines.compiled.tree_kernels import BLOCK, MOST_NOTED, _highest_children


@njit
def of_block(means: Any, spreads: Any, first: int, n: int, scale: float) -> Any:
    highest = highest_of_block(means, spreads, first, n, scale)
    return highest, equal_in_block(means, spreads, first, n, scale, highest)


def children(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Means and spreads with many ties, untried and exhausted children; higher ones lie around those that count."""
    random = Random(seed)
    means, spreads = np.full(n + 2 * LANES, 9.0), np.full(n + 2 * LANES, 1.0)
    kinds = (0.25, 0.5, 0.5, -math.inf, math.inf) if seed % 3 == 0 else (0.25, 0.5, 0.5, -math.inf, 0.0)
    for i in range(LANES, LANES + n):
        means[i] = kinds[random.below(5)]
        spreads[i] = (1.0, 0.5)[random.below(2)]
    return means, spreads


def naive(means: np.ndarray, spreads: np.ndarray, n: int, scale: float) -> tuple[float, int]:
    values = [float(means[LANES + i] + scale * spreads[LANES + i]) for i in range(n)]
    return max(values), sum(1 << i for i, value in enumerate(values) if value == max(values))


@pytest.mark.parametrize("n", range(1, LANES + 1))
def test_a_block(n: int) -> None:
    for seed in range(9):
        means, spreads = children(n, seed)
        for scale in (0.0, 0.5):
            assert of_block(means, spreads, LANES, n, scale) == naive(means, spreads, n, scale)


@pytest.mark.parametrize("n", [1, LANES, LANES + 1, 3 * LANES - 1, MOST_NOTED - 1, MOST_NOTED])
def test_all_children(n: int) -> None:
    for seed in range(9):
        means, spreads = children(n, seed)
        assert _highest_children(means, spreads, LANES, n, 0.5) == naive(means, spreads, n, 0.5)[1]


def test_there_is_room_behind_the_last_node() -> None:
    assert max(LANES, BLOCK) <= SPARE_NODES


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4095, 4096, roots_kernels.TABLE_SIZE - 1, roots_kernels.TABLE_SIZE, 10**6])
def test_roots(n: int) -> None:
    @njit
    def both(n: int) -> Any:
        return roots_kernels.root_log(n), roots_kernels.spread_of(max(n, 1))

    expected = 0.0 if n == 0 else math.sqrt(portable_math.log(float(n)))
    assert both(n) == (expected, 1.0 / math.sqrt(float(max(n, 1))))


def test_the_table_of_roots_is_that_of_portable_math() -> None:
    assert roots_kernels.ROOT_LOG[1:].tolist() == [
        math.sqrt(portable_math.log(float(n))) for n in range(1, roots_kernels.TABLE_SIZE)
    ]
