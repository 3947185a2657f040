"""Whole games, tick by tick, as GVGAI (commit e58ff65) plays them.

`trajectories.json` has hashes of what GVGAI did with our three games, all sprites of every tick, when it drew its
random numbers from SplitMix64 and was told the actions that are drawn here.
"""

import hashlib
import json
from pathlib import Path

import pytest

from domains.protocol import advance
from domains.randomness import Random
from domains.registry import find_domain
from domains.vgdl.domain import Vgdl
from tests.domains.vgdl.games import OURS

TICKS = 300
KNOWN = json.loads(Path(__file__).with_name("trajectories.json").read_text(encoding="utf-8"))


def trajectory(domain: Vgdl, seed: int) -> list[str]:
    """A line for every tick of a game of random actions."""
    actions, world, state, lines = Random(1000 + seed), Random(seed), domain.sample(Random(0)), []
    known = domain.umpire.rules.actions
    while len(lines) < TICKS and not domain.is_final(state):
        advance(domain, state, known[actions.below(len(known))], world)
        sprites = [
            f"{sprite.kind.name},{sprite.x},{sprite.y},{int(sprite.is_disabled)}"
            for group in state.groups
            for sprite in group
        ]
        lines.append(f"{state.tick} {state.score} {state.status} {' '.join(sprites)}")
    return lines


@pytest.mark.parametrize("spec", OURS)
def test_every_tick_is_as_in_gvgai(spec: str) -> None:
    domain = find_domain(f"vgdl:{spec}")
    assert isinstance(domain, Vgdl)
    for seed in range(3):
        lines = "\n".join(trajectory(domain, seed))
        assert hashlib.sha256(lines.encode()).hexdigest() == KNOWN[f"{spec},seed={seed}"]


def test_all_are_known() -> None:
    assert len(KNOWN) == 3 * len(OURS) == len(set(KNOWN.values()))
