"""A game on a level as two flat arrays for the kernels, and where what stands in them.

Glossary
    fixed       of a kind: its sprites never change, so they are no part of the state; a bit of each cell says whether
                one is there. They can be met as seconds, chased and counted
    possible    of a kind: there may be sprites of it; of the others nothing is asked
    slot        room for one sprite, as many cells as the problem says, called by where it begins in the state. Those of
                a kind form a list, the oldest first, and so do those that are free
    carried     of a resource: its number among those that sprites of the game can carry; each has a cell in every slot

The problem (int64) opens with HEAD numbers, of which those called …_AT are places where lists begin. Probabilities are
in 2^-53, as random numbers are drawn. The state (int64) has S_HEAD numbers; when each effect by the clock happens next;
K_STATE numbers for each kind; the slots; room for those that a sprite meets; and for every cell how many sprites reach
into it that are not fixed, so that most need not look whom they meet.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from domains.vgdl.reference import Umpire
from domains.vgdl.rules import NONE, GameEffect, GameRules, SpriteKind
from domains.vgdl.stages import NOWHERE, Stage
from domains.vgdl.vocabulary import (
    ADD_HEALTH,
    AROUND,
    AVATAR,
    BOMBING,
    BOUNCE_FORWARD,
    CHANGE_RESOURCE,
    CHASING,
    COLLECT_RESOURCE,
    FLEEING,
    FLICKERING,
    KILL_BOTH,
    KILL_IF_OTHER_HAS_MORE,
    PASSIVE,
    RANDOM,
    SPAWNING,
    STILL,
    TELEPORT_TO_EXIT,
    TRANSFORM_TO,
    TRANSFORM_TO_ALL,
    TURN_AROUND,
    TURNING,
    WRAP_AROUND,
)

(
    BLOCK,
    WIDTH,
    HEIGHT,
    COLUMNS,
    ROWS,
    TICKS,
    SCALE,
    STRIDE,
    CARRIED,
    ACTIONS_AT,
    ACTIONS_N,
    KINDS_AT,
    MOVERS_AT,
    MOVERS_N,
    UNDONE_AT,
    UNDONE_N,
    CLOCK_AT,
    CLOCK_N,
    EDGE_AT,
    EDGE_N,
    PAIRS_AT,
    PAIRS_N,
    ENDINGS_AT,
    ENDINGS_N,
    GRID_AT,
    FIRST_KIND,
    FIRST_SLOT,
    HITS_AT,
    CROWD_AT,
    HEAD,
) = range(30)
"""FIRST_KIND, FIRST_SLOT, HITS_AT and CROWD_AT are places in the state."""

(
    K_DOES,
    K_MOVES_ON,
    K_ON_PIXELS,
    K_STRIDE,
    K_INT_SPEED,
    K_PUSHES,
    K_PUSHED,
    K_COOLDOWN,
    K_RIGHT,
    K_DOWN,
    K_ORIENTED,
    K_ROTATES,
    K_HEALTH,
    K_HEALTH_LIMIT,
    K_CONS,
    K_OTHER,
    K_EXIT,
    K_AMMO,
    K_CARRIED,
    K_PROB,
    K_TOTAL,
    K_LIMIT,
    K_VALUE,
    K_IS_RESOURCE,
    K_USE,
    K_TURNS,
    K_CAN,
    K_BIT,
    K_PLACES_AT,
    K_PLACES_N,
    K_MEMBERS_AT,
    K_MEMBERS_N,
    K_SINGLE_AT,
    K_SINGLE_N,
    K_SIZE,
) = range(35)
"""Of a kind. K_MOVES_ON: 0 never, 1 it only stays in its first tick, 2 it moves. K_PUSHES: pixels that it pushes
others, or none where the other's K_PUSHED counts. K_CAN has a bit for each action. K_BIT is 0 unless it is fixed."""
NOT_SAID = -(2**40)

(
    E_NUMBER,
    E_FIRST,
    E_SECOND,
    E_SCORE,
    E_OTHER,
    E_SOURCE,
    E_CARRIED,
    E_MOST,
    E_VALUE,
    E_LIMIT,
    E_SPEND,
    E_PROB,
    E_IF_KILLED,
    E_KILLS_SECOND,
    E_KILLS_RESOURCE,
    E_PIXEL_PERFECT,
    E_FORCES,
    E_TIMER,
    E_REPEATING,
    E_BITS,
    E_SIZE,
) = range(21)
"""Of an effect. E_BITS: those of the fixed kinds that its second may be."""
N_NUMBER, N_LIMIT, N_WIN, N_KINDS_N, N_KINDS, N_SIZE = 0, 1, 2, 3, 4, 7
"""Of an ending."""

TICK, SCORE, STATUS, AVATAR_SLOT, BORN, FREE, KILLED, S_HEAD = range(8)
"""BORN: how many sprites there have been. FREE: the first free slot. KILLED: how many go when the tick ends."""
HEAD_SLOT, TAIL_SLOT, COUNT, DISABLED, K_STATE = range(5)
"""Of a kind: its first and last slot, how many sprites it has, and how many of these are disabled."""
KIND, X, Y, LAST_X, LAST_Y, RESTED, RIGHT_, DOWN_, FLAGS, NEXT, SERIAL, ONE, TWO, HEALTH, CELL, SPAN, CARRIES = range(
    17
)
"""Of a slot. ONE and TWO: of a walker how often it repeated what, of a flicker its age, of a producer how many it made
since when. CELL: that of its upper left corner. SPAN: whether it reaches into those on the RIGHT_TOO or BELOW_TOO, or
out of the screen."""
RIGHT_TOO, BELOW_TOO, OUTSIDE = 1, 2, 4
IS_NEW, IS_KILLED, IS_DISABLED = 1, 2, 4
MOST_FIXED = 60
"""Kinds: there is a bit for each."""


def threshold(prob: float) -> int:
    """A draw of 53 bits below it is luck."""
    return math.ceil(prob * 2**53)


class GameArrays:
    """The arrays of one game on one level."""

    def __init__(self, umpire: Umpire, actions: Sequence[int], scale: int) -> None:
        self.umpire, self.rules = umpire, umpire.rules
        self.possible = possible_kinds(umpire)
        self.fixed = fixed_kinds(umpire, self.possible)
        carried = [kind.number for kind in self.rules.kinds if kind.is_resource or kind.ammo != NONE]
        carried += [effect.resource for effect in self.rules.effects] + [kind.ammo for kind in self.rules.kinds]
        self.carried = {number: i for i, number in enumerate(sorted(set(carried) - {NONE}))}
        self.stride = CARRIES + len(self.carried)
        self.first_kind = S_HEAD + len(self.rules.by_clock)
        self.first_slot = self.first_kind + K_STATE * len(self.rules.kinds)
        self.slots = umpire.most_sprites - sum(kind in self.fixed for kind, _, _ in umpire.level.sprites)
        self.hits_at = self.first_slot + self.slots * self.stride
        self.crowd_at = self.hits_at + self.slots + 4 * len(self.fixed)
        self.length = self.crowd_at + umpire.level.width * umpire.level.height
        self.problem = self._problem(actions, scale)
        self.problem.setflags(write=False)

    def _problem(self, actions: Sequence[int], scale: int) -> np.ndarray:
        level, rules = self.umpire.level, self.rules
        head = [0] * HEAD
        head[BLOCK], head[WIDTH], head[HEIGHT] = level.block, *self.umpire.screen
        head[COLUMNS], head[ROWS] = level.width, level.height
        head[TICKS], head[SCALE], head[STRIDE], head[CARRIED] = self.umpire.ticks, scale, self.stride, len(self.carried)
        head[FIRST_KIND], head[FIRST_SLOT], head[HITS_AT] = self.first_kind, self.first_slot, self.hits_at
        head[CROWD_AT] = self.crowd_at
        self.lists: list[int] = [0] * (HEAD + K_SIZE * len(rules.kinds))
        head[KINDS_AT] = HEAD
        for kind in rules.kinds:
            place = HEAD + K_SIZE * kind.number
            self.lists[place : place + K_SIZE] = self._kind(kind)
        moving = [number for number in rules.order if number in self.possible and number not in self.fixed]
        displaced = _displaced_kinds(rules)
        movers = [
            number
            for number in reversed(moving)
            if rules.kinds[number].own.does != AVATAR
            and (number in displaced or not _stays(rules.kinds[number]))  # where the rest stands, it always stood
        ]
        for at, n, numbers in (
            (ACTIONS_AT, ACTIONS_N, actions),
            (MOVERS_AT, MOVERS_N, movers),
            (UNDONE_AT, UNDONE_N, moving),
        ):
            head[at], head[n] = self._listed(numbers)
        for at, n, effects in (
            (CLOCK_AT, CLOCK_N, rules.by_clock),
            (EDGE_AT, EDGE_N, rules.at_edge),
            (PAIRS_AT, PAIRS_N, rules.in_pairs),
        ):
            head[at], head[n] = self._listed(self._effects(effects))[0], len(effects)
        endings = []
        for ending in rules.endings:
            kinds = [*ending.kinds, *[NONE] * (3 - len(ending.kinds))]
            endings += [ending.number, ending.limit, int(ending.win), len(ending.kinds), *kinds]
        head[ENDINGS_AT], head[ENDINGS_N] = self._listed(endings)[0], len(rules.endings)
        grid = [0] * (level.width * level.height)
        for number, x, y in level.sprites:
            if number in self.fixed:
                grid[y * level.width + x] |= 1 << self.fixed[number]
        head[GRID_AT] = self._listed(grid)[0]
        return np.array([*head, *self.lists[HEAD:]], np.int64)

    def _listed(self, numbers: Iterable[int]) -> tuple[int, int]:
        """Where a list begins, and how long it is."""
        place = len(self.lists)
        self.lists += numbers
        return place, len(self.lists) - place

    def _kind(self, kind: SpriteKind) -> list[int]:
        block, own = self.umpire.block, kind.own
        row = [0] * K_SIZE
        row[K_DOES] = own.does
        moves = kind.speed != 0 and kind.oriented
        row[K_MOVES_ON] = (2 if moves else 1) if own.moves_on else 0
        row[K_ON_PIXELS] = int((1.0 if kind.speed == -1 else kind.speed) * block)
        row[K_STRIDE], row[K_INT_SPEED] = self.umpire.stride(kind), int(kind.speed)
        row[K_PUSHES] = int(kind.speed * block) if kind.speed != 0 else NOT_SAID
        row[K_PUSHED] = int((1.0 if kind.speed <= 0 else kind.speed) * block)
        row[K_COOLDOWN], (row[K_RIGHT], row[K_DOWN]) = kind.cooldown, kind.orientation
        row[K_ORIENTED], row[K_ROTATES] = int(kind.oriented), int(kind.rotates and kind.oriented)
        row[K_HEALTH], row[K_HEALTH_LIMIT], row[K_CONS] = kind.health, kind.health_limit, kind.cons
        row[K_OTHER], row[K_EXIT], row[K_AMMO] = kind.other, kind.exit, self.carried.get(kind.ammo, NONE)
        row[K_CARRIED], row[K_IS_RESOURCE] = self.carried.get(kind.number, NONE), int(kind.is_resource)
        row[K_PROB], row[K_TOTAL], row[K_LIMIT] = threshold(kind.prob), kind.total, kind.limit
        row[K_VALUE], row[K_USE], row[K_TURNS] = kind.value, own.use, int(kind.class_name in TURNING)
        row[K_CAN] = sum(1 << action for action in own.actions)
        row[K_BIT] = 1 << self.fixed[kind.number] if kind.number in self.fixed else 0
        places = [
            pixels * self.umpire.block
            for number, x, y in self.umpire.level.sprites
            if number == kind.number and number in self.fixed
            for pixels in (x, y)
        ]
        row[K_PLACES_AT], row[K_PLACES_N] = self._listed(places)[0], len(places) // 2
        members = [member for member in kind.members if member in self.possible]
        row[K_MEMBERS_AT], row[K_MEMBERS_N] = self._listed(members)
        single = [above for above in kind.lineage if above in self.rules.singletons]
        row[K_SINGLE_AT], row[K_SINGLE_N] = self._listed(single)
        return row

    def _effects(self, effects: Iterable[GameEffect]) -> list[int]:
        rows = []
        for effect in effects:
            row = [0] * E_SIZE
            row[E_NUMBER], row[E_FIRST], row[E_SECOND] = effect.number, effect.first, effect.second
            row[E_SCORE], row[E_OTHER], row[E_SOURCE] = effect.score, effect.other, effect.source
            if effect.resource != NONE:
                resource = self.rules.kinds[effect.resource]
                row[E_CARRIED], row[E_MOST] = (
                    self.carried[effect.resource],
                    resource.limit if resource.is_resource else 0,
                )
            row[E_VALUE], row[E_LIMIT], row[E_SPEND] = effect.value, effect.limit, effect.spend
            row[E_PROB], row[E_IF_KILLED] = threshold(effect.prob), effect.score_if_killed
            row[E_KILLS_SECOND], row[E_KILLS_RESOURCE] = int(effect.kills_second), int(effect.kills_resource)
            row[E_PIXEL_PERFECT], row[E_FORCES] = int(effect.pixel_perfect), int(effect.forces_orientation)
            row[E_TIMER], row[E_REPEATING] = effect.timer, int(effect.repeating)
            if effect.second != NONE:
                members = self.rules.kinds[effect.second].members
                row[E_BITS] = sum(1 << self.fixed[member] for member in members if member in self.fixed)
            rows += row
        return rows

    def state(self, stage: Stage) -> np.ndarray:
        """A stage as the kernels have it."""
        state = np.zeros(self.length, np.int64)
        state[TICK], state[SCORE], state[STATUS] = stage.tick, stage.score, stage.status
        state[S_HEAD : S_HEAD + len(stage.due)] = stage.due
        slot, born = self.first_slot, 0
        for number, group in enumerate(stage.groups):
            own = self.first_kind + K_STATE * number
            state[own + COUNT] = len(group)
            if number in self.fixed:
                continue
            for sprite in group:
                born += 1
                state[own + TAIL_SLOT] = slot
                if state[own + HEAD_SLOT] == 0:
                    state[own + HEAD_SLOT] = slot
                else:
                    state[slot - self.stride + NEXT] = slot
                state[own + DISABLED] += sprite.is_disabled
                state[slot + KIND], state[slot + SERIAL], state[slot + HEALTH] = number, born, sprite.health
                state[slot + X], state[slot + Y] = sprite.x, sprite.y
                state[slot + LAST_X], state[slot + LAST_Y] = sprite.last_x, sprite.last_y
                state[slot + RESTED] = sprite.rested
                self._reach(state, slot)
                state[slot + RIGHT_], state[slot + DOWN_] = sprite.direction
                state[slot + FLAGS] = IS_NEW * sprite.is_new + IS_DISABLED * sprite.is_disabled
                does = sprite.kind.own.does
                if does in (RANDOM, CHASING, FLEEING):
                    previous = 0 if sprite.previous == NOWHERE else 1 + AROUND.index(sprite.previous)
                    state[slot + ONE], state[slot + TWO] = sprite.repeated, previous
                elif does in (SPAWNING, BOMBING):
                    state[slot + ONE], state[slot + TWO] = sprite.made, sprite.start
                elif does == FLICKERING:
                    state[slot + ONE] = sprite.age
                for resource, amount in sprite.carries.items():
                    state[slot + CARRIES + self.carried[resource]] = amount
                if sprite is stage.avatar:
                    state[AVATAR_SLOT] = slot
                slot += self.stride
        state[BORN] = born
        if slot < self.hits_at:
            following = np.arange(slot + self.stride, self.hits_at + 1, self.stride)
            following[-1] = 0
            state[slot + NEXT : self.hits_at : self.stride] = following
        state[FREE] = slot if slot < self.hits_at else 0
        return state

    def _reach(self, state: np.ndarray, slot: int) -> None:
        """The cells that a sprite reaches into."""
        level = self.umpire.level
        (left, right), (top, bottom) = (
            divmod(int(state[slot + X]), level.block),
            divmod(int(state[slot + Y]), level.block),
        )
        for y in range(top, top + 1 + (bottom > 0)):
            for x in range(left, left + 1 + (right > 0)):
                if 0 <= x < level.width and 0 <= y < level.height:
                    state[self.crowd_at + y * level.width + x] += 1
        state[slot + CELL] = top * level.width + left
        outside = left < 0 or top < 0 or left + (right > 0) >= level.width or top + (bottom > 0) >= level.height
        state[slot + SPAN] = RIGHT_TOO * (right > 0) + BELOW_TOO * (bottom > 0) + OUTSIDE * outside


def _stays(kind: SpriteKind) -> bool:
    """Whether it never moves by itself."""
    return kind.own.does == STILL or (kind.own.does == PASSIVE and not (kind.oriented and kind.speed != 0))


def _displaced_kinds(rules: GameRules) -> set[int]:
    """Those that an effect may move, or makes of what may have come from elsewhere."""
    pushed = {
        member
        for effect in rules.effects
        if effect.number in (BOUNCE_FORWARD, TURN_AROUND, WRAP_AROUND, TELEPORT_TO_EXIT)
        for member in rules.kinds[effect.first].members
    }
    return pushed | {effect.other for effect in rules.effects if effect.number in (TRANSFORM_TO, TRANSFORM_TO_ALL)}


def possible_kinds(umpire: Umpire) -> set[int]:
    return umpire.rules.made() | {number for number, _, _ in umpire.level.sprites}


def fixed_kinds(umpire: Umpire, possible: set[int]) -> dict[int, int]:
    """Kinds whose sprites never change, with a bit for each: nothing ever happens to them as a first, nor, by what
    kills or gives something to a second, or asks where it leads, as one; and no cell has two of them."""
    rules = umpire.rules
    changed = _changed_kinds(rules)
    twice = {number for (number, _, _), count in Counter(umpire.level.sprites).items() if count > 1}
    found = [
        kind.number
        for kind in rules.kinds
        if kind.number in possible - changed - twice
        and (kind.own.does == STILL or (kind.own.does == PASSIVE and not kind.oriented))
    ]
    return {number: bit for bit, number in enumerate(found[:MOST_FIXED])}


def _changed_kinds(rules: GameRules) -> set[int]:
    named = set()
    for effect in rules.effects:
        named.add(effect.first)
        if effect.source != NONE:
            named.add(effect.source)
        if effect.second != NONE and (
            effect.number in (KILL_BOTH, CHANGE_RESOURCE, COLLECT_RESOURCE, KILL_IF_OTHER_HAS_MORE, TELEPORT_TO_EXIT)
            or (effect.number in (TRANSFORM_TO, TRANSFORM_TO_ALL, ADD_HEALTH) and effect.kills_second)
        ):
            named.add(effect.second)
    return rules.made() | {member for number in named for member in rules.kinds[number].members}
