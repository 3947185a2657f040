"""The checks on the rules: sampling, the states of random walks, looking, copying."""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from domains.check.chance import check_same_actions
from domains.check.describing import Described, check_describing, described_by
from domains.check.games import check_mover, check_rewards, is_game
from domains.check.probing import REPEATS, STAYS, Between, Broken, Findings, Look, Place, Probe, nothing_between
from domains.randomness import Random
from domains.saying import listed, number, shown

REPEATS_BEFORE_BLAME = 50
"""The same before looks or copies are blamed for what chance may have done: a sample that seldom varies."""
REPEATED_PLAYOUTS = 5
"""Walks on each problem that are repeated with looks and copies on the way: about 20 times as long as the walk."""
LONGEST_RECORD = 10_000
"""States of one walk that are kept in memory."""
COPIES = 6
"""States of a walk in which a copy is made and played on."""


DEEPER = "copy the lists inside the state too, or leave out the method copy: the one you inherit copies all"


@dataclass
class Seen:
    """What random walks came across, by problem."""

    rewards: dict[int, list[Any]] = field(default_factory=dict)
    costs: list[float] = field(default_factory=list)
    worths: list[float] = field(default_factory=list)
    """the rewards beside the costs"""
    ends: dict[int, Place] = field(default_factory=dict)
    """one complete walk each"""
    walks: list[Place] = field(default_factory=list)
    """all of them"""
    described: Described = field(default_factory=Described)

    def note(self, probe: Probe, end: Place, state: Any) -> None:
        """A walk ended in `state`."""
        self.ends.setdefault(end.problem, end)
        self.walks.append(end)
        self.rewards.setdefault(end.problem, []).append(probe.reward(end, state))
        if probe.domain.minimise is not None:
            self.costs.append(probe.cost(end, state))
            self.worths.append(probe.reward(end, state))


# Sampling.


def check_sampling(probe: Probe, problems: int, random: Random) -> None:
    """Problem k is the same each time, whatever was sampled and played before."""
    walks = [_recorded_walk(probe, k, random) for k in range(problems)]
    for end, looks in walks:
        state = probe.initial(end.problem)
        for length, look in enumerate(looks):
            place = end.before(length)
            again = probe.look(place, state)
            change = look.change_to(again)
            if not change and length in (end.length // 2, end.length) and problems > 1:
                _check_other_problem(probe, place, state, again, (end.problem + 1) % problems)
            if change:
                if any(probe.look(place, state) != again for _ in range(REPEATS)):
                    return  # looking is what changes it, and another check says so
                _check_playing(probe, place)
                raise _varying_sample(place, change)
            if length < end.length:
                state = probe.play(place, state, end.played[length])


def _check_other_problem(probe: Probe, place: Place, state: Any, look: Look, other: int) -> None:
    """What a state says does not depend on which problem was asked for last."""
    if any(probe.look(place, state) != look for _ in range(REPEATS)):
        return  # looking is what changes it, and another check says so
    probe.initial(other)
    change = look.change_to(probe.look(place, state))
    probe.initial(place.problem)
    if change:
        raise Broken(
            "sample-shares",
            f"{place}: asking for problem {other} changes what this state says ({change}); what a problem is must "
            f"stand in its state, not in {probe.name} or in what all its states share",
        )


def _varying_sample(place: Place, change: str) -> Broken:
    return Broken(
        "sample-varies",
        f"{place}: the second time this problem is asked for, it is another one ({change}); "
        "sample must draw from its argument alone, and return a new state each time",
    )


def _recorded_walk(probe: Probe, k: int, random: Random) -> tuple[Place, list[Look]]:
    place, state = Place(k), probe.initial(k)
    looks = [probe.look(place, state)]
    longest = min(probe.domain.length_bound, LONGEST_RECORD)
    while not looks[-1].final and probe.can_play(looks[-1].actions) and place.length < longest:
        place, state = _random_step(probe, place, state, looks[-1].actions, random)
        looks.append(probe.look(place, state))
    return place, looks


def _random_step(probe: Probe, place: Place, state: Any, actions: list[Any], random: Random) -> tuple[Place, Any]:
    action = probe.choose(actions, random)
    return place.after(action), probe.play(place, state, action)


def _check_playing(probe: Probe, end: Place) -> None:
    """From one and the same initial state, the same actions lead to the same state."""
    initial = probe.initial(end.problem)
    try:
        states = [copy.deepcopy(initial) for _ in range(REPEATS)]
    except Exception:
        return  # no way to have the same state twice
    looks = []
    for state in states:
        for place, action in end.steps():
            state = probe.play(place, state, action)
        looks.append(probe.look(end, state))
    change = next(filter(None, map(looks[0].change_to, looks)), "")
    if change:
        raise Broken(
            "play-varies",
            f"{end}: the same actions played twice from the same state end differently ({change}); "
            f"what play does must depend on the state and the action alone{_and_chance(probe)}",
        )


def _and_chance(probe: Probe) -> str:
    return ", and on what it draws from its argument random" if probe.domain.stochastic else ""


# Random walks: every state on the way is checked, then the walk is repeated with looks and copies on the way.


def check_walks(
    probe: Probe,
    found: Findings,
    seen: Seen,
    problems: int,
    playouts: int,
    random: Random,
    through: Callable[[int], None],
) -> None:
    """`through` hears how many playouts on each problem are."""
    for playout in range(playouts):
        through(playout)
        for k in range(problems):
            with found.noting():
                end = _checked_walk(probe, found, seen, Place(k, world=playout), random)
                if playout < REPEATED_PLAYOUTS and probe.steps_left > probe.most_steps // 2:
                    for length in sorted({0, random.below(end.length + 1), end.length}):
                        check_looking(probe, end.before(length))
                    check_copying(probe, end, random)


def _checked_walk(probe: Probe, found: Findings, seen: Seen, place: Place, random: Random) -> Place:
    state = probe.initial(place.problem)
    while True:
        for check in state_checks(probe):
            with found.noting():
                check(probe, place, state)
        look = probe.look(place, state)
        for method, who, actions in look.lists():
            if len(set(actions)) < len(actions):
                found.warn(
                    "duplicate-actions", f"{place}: {method} lists {_twice(actions)} twice{who}; list every move once"
                )
        check_describing(probe, found, seen.described, place, state, look.actions)
        if look.final or not probe.can_play(look.actions):
            break
        if place.length >= probe.domain.length_bound:
            raise Broken(
                "too-long",
                f"problem {place.problem}: not final after {place.length} actions, the most that {probe.name} "
                f"declares; {probe.domain.too_long()}",
            )
        place, state = _random_step(probe, place, state, look.actions, random)
    seen.note(probe, place, state)
    return place


def _twice(actions: list[Any]) -> str:
    return next(shown(action) for i, action in enumerate(actions) if action in actions[:i])


def check_steady(probe: Probe, place: Place, state: Any) -> None:
    """Asked twice, a state says the same."""
    first, second = probe.look(place, state), probe.look(place, state)
    change = first.change_to(second)
    if not change:
        return
    fresh = [probe.look(place, probe.at(place)) for _ in range(REPEATS)]
    if all(look == fresh[0] for look in fresh):
        _blame_a_look(probe, place, change)
    pairs = [(one, other) for one, other in zip(first.said(), second.said(), strict=True) if one != other]
    for (method, _, one), (_, _, other) in pairs:
        if not isinstance(one, list):
            kind = method.removeprefix("is_").removesuffix("s")
            raise Broken(f"{kind}-varies", f"{place}: called twice, {method} gives {one}, then {other}")
    (method, who, actions), (_, _, others) = pairs[0]
    _check_equality(place, method, actions, others)
    if set(actions) == set(others):
        raise Broken(
            "action-order",
            f"{place}: called twice, {method} lists the same moves in another order{who} (from {shown(actions)} to "
            f"{shown(others)}); the order is part of the problem: sort them, or do not use a set",
        )
    raise Broken("actions-vary", f"{place}: called twice, {method} gives {shown(actions)}{who}, then {shown(others)}")


def _check_equality(place: Place, method: str, first: list[Any], second: list[Any]) -> None:
    for action in first:
        if action not in second and not _compares(action):
            kind = type(action).__name__
            raise Broken(
                "action-unequal",
                f"{place}: called twice, {method} lists {kind} objects that are not equal to those before; "
                f"make {kind} a frozen dataclass, or use numbers, strings or tuples",
            )


def _compares(action: Any) -> bool:
    """Whether equality is more than being the same object."""
    return any("__eq__" in vars(cls) for cls in type(action).__mro__[:-1])


def check_finality(probe: Probe, place: Place, state: Any) -> None:
    look = probe.look(place, state)
    for method, who, actions in look.lists():
        if look.final and actions:
            raise Broken(
                "final-with-moves",
                f"{place}: is_final is true, but {method} lists {shown(actions)}{who}; a final state must have no "
                "actions",
            )
        if not look.final and not actions:
            raise Broken("no-moves", f"{place}: {method} lists none{who}, but is_final is false; {probe.why_moves}")


def check_reward(probe: Probe, place: Place, state: Any) -> None:
    if not probe.valued(probe.is_final(place, state)):
        return
    if probe.domain.minimise is not None:
        lo, hi = probe.domain.minimise
        cost = probe.cost(place, state)
        if not lo <= cost <= hi:
            raise Broken(
                "cost-range",
                f"{place}: the cost {cost:g} is outside minimise = ({lo:g}, {hi:g}); widen these bounds so that they "
                "hold every solution",
            )
    lo, hi = probe.domain.reward_range
    reward = probe.reward(place, state)
    if not lo <= reward <= hi:
        raise Broken(
            "reward-range",
            f"{place}: the reward {reward:g} is outside reward_range = ({lo:g}, {hi:g}); scale the reward, or declare "
            "the range it has (the statistics of a search clip to [0, 1] all the same)",
        )


def check_score(probe: Probe, place: Place, state: Any) -> None:
    final = probe.is_final(place, state)
    if probe.valued(final):
        score = probe.guard(place, "score", lambda: float(probe.domain.score(state)))
        check_score_of_reward(probe, place, score, probe.reward(place, state))
    if final and (reached := probe.ask(place, "reaches_goal", state)) not in (True, False, None):
        raise Broken("reaches-goal", f"{place}: reaches_goal returned {shown(reached)}; return True, False or None")


def check_score_of_reward(probe: Probe, place: Place, score: float, reward: float) -> None:
    other = probe.ask(place, "score_of_reward", reward)
    if other is not None and not math.isclose(number(other), score, rel_tol=1e-6, abs_tol=1e-6):
        raise Broken(
            "score-of-reward",
            f"{place}: score_of_reward says {shown(other)} of the reward {reward:g}, and score says {score:g}; tables "
            "show the one where solutions show the other. Return None where the reward alone does not say it",
        )


def state_checks(probe: Probe) -> tuple[Callable[[Probe, Place, Any], None], ...]:
    own = (check_mover, check_rewards) if is_game(probe.domain) else (check_same_actions, check_reward, check_score)
    return check_steady, check_finality, *own


def check_looking(probe: Probe, end: Place) -> None:
    """Played with looks on the way, a sequence ends as it does without."""
    plain = _pristine(probe, end)
    change = plain.change_to(
        probe.look(end, probe.at(end, _calling(probe, (*probe.looks, *described_by(probe)), end, plain.final)))
    )
    if change or plain != _pristine(probe, end):
        _check_no_chance(probe, end)
    if change:
        _blame_a_look(probe, end, change)


def _check_no_chance(probe: Probe, end: Place) -> None:
    """Left alone, the same actions on the same problem always end the same way."""
    plain = _pristine(probe, end)
    change = next(filter(None, (plain.change_to(_pristine(probe, end)) for _ in range(REPEATS_BEFORE_BLAME))), "")
    if change:
        _check_playing(probe, end)
        raise _varying_sample(end, change)


def _blame_a_look(probe: Probe, end: Place, change: str) -> NoReturn:
    """Looking leads to `change`: say which method does it."""
    plain, looks = _pristine(probe, end), (*probe.looks, *described_by(probe))
    for method in looks:
        change_by_method = plain.change_to(_pristine(probe, end, _calling(probe, (method,), end, plain.final)))
        if change_by_method:
            raise Broken("looking-changes", f"{end}: calling {method} up to here changes {change_by_method}; {STAYS}")
    raise Broken("looking-changes", f"{end}: calling {', '.join(looks)} up to here changes {change}; {STAYS}")


def _pristine(probe: Probe, end: Place, between: Between = nothing_between) -> Look:
    """What the state at `end` says when each thing is asked of a state that was asked nothing else."""
    return probe.look_at(end, lambda: probe.at(end, between))


def _calling(probe: Probe, methods: tuple[str, ...], end: Place, final: bool) -> Between:
    """Calls the methods, wherever they may be called on the way to `end`, and there."""

    def call(place: Place, state: Any) -> None:
        at_end = place.length == end.length
        for method in methods:
            if method in ("action_name", "code", "feature"):
                if not at_end:
                    probe.call_on_action(place, method, state, end.played[place.length])
            elif method in probe.says or probe.valued(final and at_end):
                probe.call_look(place, method, state)

    return call


def check_copying(probe: Probe, end: Place, random: Random) -> None:
    """Neither does playing on a copy change the original, nor the other way round, and a copy goes on like it."""
    try:
        play_on_copies(probe, end, random)
    except Broken:
        _check_no_chance(probe, end)
        raise


def play_on_copies(probe: Probe, end: Place, random: Random) -> None:
    chosen = {random.below(end.length) for _ in range(COPIES)} if end.length else set()
    kept: list[tuple[Place, Any, Look]] = []

    def play_on_copies(place: Place, state: Any) -> None:
        if place.length not in chosen:
            return
        before = probe.look(place, state)
        copied = probe.copy(place, state)
        change = before.change_to(probe.look(place, copied))
        if change:
            raise Broken("copy-differs", f"{place}: a copy is not like its original: it changes {change}")
        played = played_out(probe, place, copied, random)[0].actions[place.length :]
        change = before.change_to(probe.look(place, state))
        if change:
            raise Broken(
                "copy-shares",
                f"{place}: playing {listed(played)} on a copy changes the original ({change}); {DEEPER}",
            )
        kept.append((place, probe.copy(place, state), before))

    expected = probe.look(end, probe.at(end))
    change = expected.change_to(probe.look(end, probe.at(end, play_on_copies)))
    if change:
        raise Broken(
            "copy-shares",
            f"{end}: playing on copies made on the way changes what the original comes to ({change}); {DEEPER}",
        )
    for place, copied, before in kept:
        change = before.change_to(probe.look(place, copied))
        if change:
            raise Broken(
                "copy-shares",
                f"{place}: playing {listed(end.actions[place.length :])} on the original changes a copy made "
                f"before ({change}); {DEEPER}",
            )
    state = probe.initial(end.problem)
    for place, action in end.steps():
        state = probe.play(place, probe.copy(place, state), action)
    change = expected.change_to(probe.look(end, state))
    if change:
        raise Broken(
            "copy-differs",
            f"{end}: a copy does not go on like its original: copied before every action, the same actions change "
            f"{change}; copy must keep all that matters later",
        )


def played_out(probe: Probe, place: Place, state: Any, random: Random) -> tuple[Place, Any]:
    while place.length < probe.domain.length_bound and not probe.is_final(place, state):
        actions = probe.actions(place, state)
        if not probe.can_play(actions):
            break
        place, state = _random_step(probe, place, state, actions, random)
    return place, state
