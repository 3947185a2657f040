"""The checks on what random walks came to: pictures of them, and their rewards."""

import math
from typing import Any
from xml.etree import ElementTree

from domains.check.games import check_spans, is_game
from domains.check.probing import Broken, Findings, Place, Probe
from domains.check.rules import Seen, played_out
from domains.protocol import NOOP, Domain, drawn, pictured
from domains.randomness import Random, seed_of
from domains.saying import shown

SMALLEST_SPAN = 0.1
MOST_PROBLEMS = 25
"""How many problems are looked at before rewards are called too much alike."""


def check_drawing(probe: Probe, found: Findings, seen: Seen) -> None:
    """What was found can be shown: nothing, a part, and a whole solution."""
    for end in seen.ends.values():
        if probe.domain.stochastic:
            with found.noting():
                _check_chancy_pictures(probe, end.problem)
        else:
            for length in (0, end.length // 2, end.length):
                with found.noting():
                    _check_pictures(probe, end.before(length))
        with found.noting():
            _check_names(probe, found, end.before(0))


def _check_chancy_pictures(probe: Probe, problem: int) -> None:
    """`draw` and `svg` show a game, or its beginning, with the chance that it had."""
    chooser, seed = Random(seed_of("check chance", problem)), seed_of("check world", problem)
    state, world, place = probe.initial(problem), Random(seed), Place(problem)
    while place.length < probe.domain.length_bound and not probe.is_final(place, state):
        actions = probe.actions(place, state)
        action = actions[chooser.below(len(actions))]
        state = probe.play(place, state, action, world)
        place = place.after(action)
    for end in (place.before(0), place.before(place.length // 2), place):
        _check_pictures(probe, end, seed)


def _check_pictures(probe: Probe, end: Place, seed: int | None = None) -> None:
    """Of a solution; `seed` is that of its chance, where there was any."""
    start, initial = end.before(0), probe.initial(end.problem)

    def chance() -> Random | None:
        return None if seed is None else Random(seed)

    before = probe.look(start, initial)
    text = probe.guard(end, "draw", drawn, probe.domain, initial, end.actions, chance())
    if not isinstance(text, str):
        raise Broken("drawing", f"{end}: draw returned {shown(text)}; return a text")
    picture = probe.guard(end, "svg", pictured, probe.domain, initial, end.actions, chance())
    if picture is not None:
        _check_svg(end, picture)
    change = before.change_to(probe.look(start, initial))
    if change:
        raise Broken("looking-changes", f"{end}: draw or svg changes the initial state ({change}); play on a copy")


def _check_svg(end: Place, picture: Any) -> None:
    try:
        root = ElementTree.fromstring(picture)
    except (ElementTree.ParseError, TypeError) as error:
        raise Broken("drawing", f"{end}: svg returned no well-formed XML: {error}") from None
    if root.tag.rpartition("}")[2] != "svg":
        raise Broken("drawing", f"{end}: svg returned an element <{root.tag}>; return an SVG document, or None")


def _check_names(probe: Probe, found: Findings, place: Place) -> None:
    state = probe.initial(place.problem)
    for _, _, actions in probe.look(place, state).lists():
        names: dict[str, Any] = {}
        for action in actions:
            if is_game(probe.domain) and action == NOOP:
                continue
            name = str(probe.ask(place, "action_name", state, action))
            if names.setdefault(name, action) != action:
                found.warn(
                    "action-names",
                    f"{place}: {shown(names[name])} and {shown(action)} are both called {name!r}; "
                    "give every legal action a name of its own",
                )


def check_reward_of_cost(probe: Probe, found: Findings, seen: Seen) -> None:
    """Warn of a reward of one's own that grows with the cost."""
    if not seen.costs or type(probe.domain).reward is Domain.reward:
        return
    cheapest, dearest = (chosen(range(len(seen.costs)), key=seen.costs.__getitem__) for chosen in (min, max))
    if seen.worths[cheapest] < seen.worths[dearest]:
        found.warn(
            "reward-cost",
            f"{probe.name}: a solution that costs {seen.costs[cheapest]:g} has the reward {seen.worths[cheapest]:g}, "
            f"and one that costs {seen.costs[dearest]:g} has {seen.worths[dearest]:g}: a search looks for a high "
            "reward, and so for a high cost; leave reward out, which minimise makes, or turn it round",
        )


def check_span(probe: Probe, found: Findings, seen: Seen, random: Random | None = None) -> None:
    """Warn of rewards too much alike: the search clips them to [0, 1], and sees differences on that scale. Without
    `random`, what was seen must do."""
    if is_game(probe.domain):
        check_spans(probe, found, [rewards for own in seen.rewards.values() for rewards in own])
        return
    k = max(seen.rewards, default=-1)
    playouts = len(seen.rewards.get(k, ()))
    while random is not None and k >= 0 and _clipped_span(_widest(seen)) < SMALLEST_SPAN and k < MOST_PROBLEMS:
        k += 1  # the first few problems may be special: look at more before saying so
        for _ in range(playouts):
            state = probe.initial(k)
            place, state = played_out(probe, Place(k), state, random)
            seen.note(probe, place, state)
    rewards = _widest(seen)
    if len(rewards) < 2 or _clipped_span(rewards) >= SMALLEST_SPAN:
        return
    many = sum(map(len, seen.rewards.values()))
    if not any(end.length for end in seen.ends.values()):
        found.warn(
            "nothing-to-play",
            f"{probe.name}: in no initial state is there an action to play ({many} playouts); actions returns none",
        )
        return
    if min(rewards) == max(rewards):
        what = f"random playouts of the same problem all come to the same reward, such as {rewards[0]:g}"
    else:
        what = (
            f"the rewards of random playouts are too much alike: on no problem do they span {SMALLEST_SPAN} or more, "
            f"clipped to [0, 1] as a search does; the widest go from {min(rewards):g} to {max(rewards):g}"
        )
    found.warn("small-span", f"{probe.name}: {what} ({many} playouts); {_advice(probe, seen.costs)}")


def _widest(seen: Seen) -> list[float]:
    return max(seen.rewards.values(), key=_clipped_span, default=[])


def _clipped_span(rewards: list[float]) -> float:
    lo, hi = (min(max(reward, 0.0), 1.0) for reward in (min(rewards), max(rewards)))
    return round(hi - lo, 9)


def _advice(probe: Probe, costs: list[float]) -> str:
    if probe.domain.minimise is None:
        return "scale the reward so that a poor solution is worth about 0 and a very good one about 1"
    if min(costs) == max(costs):
        return "if better solutions exist, declare as minimise the cost of a very good one and of a poor one"
    lo, hi = proposed_bounds(costs, probe.domain.minimise)
    return (
        f"costs go from {min(costs):g} to {max(costs):g}, for which minimise = ({lo:.12g}, {hi:.12g}) would be better"
    )


def proposed_bounds(costs: list[float], declared: tuple[float, float]) -> tuple[float, float]:
    """Bounds that hold the costs of random playouts and leave room for better and worse, within those declared."""
    lowest, highest = min(costs), max(costs)
    span = highest - lowest
    digits = -math.floor(math.log10(span))
    return max(round(lowest - 2 * span, digits), declared[0]), min(round(highest + span, digits), declared[1])
