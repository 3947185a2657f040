"""The check across processes: what a domain does must not depend on the one it runs in."""

from typing import Any

from domains.check.describing import described_by
from domains.check.probing import Finding, Place, Probe
from domains.randomness import Random
from domains.saying import cut, shown

LONGEST_TRACE = 10_000
"""States of a playout that are compared."""
LONGEST_TEXT = 200
PLAYED = "played"

Trace = list[dict[str, str]]
"""What the states of a playout say, by the methods; and the text of the action played."""


def traces(probe: Probe, problems: int, random: Random) -> list[Trace]:
    """One random playout on each problem."""
    return [_trace(probe, Place(k), random) for k in range(problems)]


def _trace(probe: Probe, place: Place, random: Random) -> Trace:
    state, trace = probe.initial(place.problem), []
    while True:
        look = probe.look(place, state)
        said = {method + who: _text(value) for method, who, value in look.said()}
        for method in described_by(probe):
            said[method] = _text([probe.ask(place, method, state, action) for action in look.actions])
        trace.append(said)
        longest = min(probe.domain.length_bound, LONGEST_TRACE)
        if look.final or not probe.can_play(look.actions) or place.length >= longest:
            return trace
        action = probe.choose(look.actions, random)
        said[PLAYED] = shown(action)
        state = probe.play(place, state, action)
        place = place.after(action)


def _text(value: Any) -> str:
    """A text that is the same in every process: sets are written in any order, and some objects with their address."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    text = shown(value)
    return type(value).__name__ if " at 0x" in text or "set({" in text else text


def difference(first: list[Trace], second: list[Trace]) -> Finding | None:
    """Where two processes disagree."""
    for k, (one, other) in enumerate(zip(first, second, strict=True)):
        played: list[str] = []
        for said, said_elsewhere in zip(one, other, strict=False):
            for what, here in said.items():
                there = said_elsewhere.get(what, "")
                if here != there and what != PLAYED:
                    where = f"problem {k}, after {', '.join(played)}" if played else f"problem {k}, initial state"
                    return Finding(
                        "error",
                        "process-dependent",
                        f"{cut(where, LONGEST_TEXT)}: {what} is {cut(here, LONGEST_TEXT)}, and in another process "
                        f"{cut(there, LONGEST_TEXT)}; it must not depend on hash(), id(), the order of a set, or the "
                        "time",
                    )
            played.append(said.get(PLAYED, ""))
    return None
