"""What happens in a tick, in plain Python: the definition for the kernels.

A tick has five parts.

1. The avatar does what the player says. Then all other sprites move, the kind that is drawn last first, and within a
   kind the oldest first. What is made meanwhile moves in the same tick if its kind comes later.
2. Effects by the clock, as they are due.
3. Effects at the edge of the screen: of sprites that are not wholly within it.
4. Effects in pairs, in their order. Of each, every sprite of the first kind meets those of the second that it touches
   when its turn comes, as long as it still touches them. An effect sees what earlier ones have moved.
5. What was killed is taken away; until then it could still be met as a second. Then the endings are asked, in order.

An avatar that is killed is not taken away: it no longer does anything and is not counted, and can still be met.
"""

from domains.randomness import Random
from domains.vgdl.effects import Meeting, happen
from domains.vgdl.levels import GameLevel, is_blocked
from domains.vgdl.rules import NONE, Ending, GameRules, SpriteKind
from domains.vgdl.stages import LOST, NOWHERE, WON, Direction, Sprite, Stage, looking, moved_by
from domains.vgdl.vocabulary import (
    AFTER,
    AROUND,
    AVATAR,
    BOMBING,
    CHASING,
    EXACTLY,
    FLEEING,
    FLICKERING,
    RANDOM,
    SHOOTING,
    SPAWNING,
    STILL,
    TOWARDS,
    TURNING,
    USE,
)


class Umpire:
    """The rules of one game on one level, which is lost after `ticks`; `room` more sprites have room than there are in
    the beginning, and where there is none left, nothing more is made."""

    def __init__(self, rules: GameRules, level: GameLevel, ticks: int, room: int) -> None:
        self.rules, self.level, self.ticks = rules, level, ticks
        self.most_sprites = len(level.sprites) + room
        self.block = level.block
        self.screen = (level.width * level.block, level.height * level.block)

    def initial(self) -> Stage:
        groups: list[list[Sprite]] = [[] for _ in self.rules.kinds]
        avatar = None
        for number, x, y in self.level.sprites:
            sprite = self._sprite(self.rules.kinds[number], x * self.block, y * self.block)
            groups[number].append(sprite)
            if sprite.kind.own.does == AVATAR:
                avatar = sprite
        assert avatar is not None
        return Stage(groups, avatar, [effect.next_tick for effect in self.rules.by_clock])

    def _sprite(self, kind: SpriteKind, x: int, y: int) -> Sprite:
        return Sprite(kind, x, y, x, y, kind.orientation, health=kind.health)

    def play(self, stage: Stage, action: int, random: Random) -> None:
        """One tick."""
        self._move_all(stage, action, random)
        self._by_clock(stage, random)
        self._at_edge(stage, random)
        self._in_pairs(stage, random)
        for group in stage.groups:
            group[:] = [sprite for sprite in group if not sprite.is_killed]
        stage.tick += 1
        self._end(stage)

    # Moving.

    def _move_all(self, stage: Stage, action: int, random: Random) -> None:
        if not stage.avatar.is_disabled:
            self._begin(stage.avatar)
            self._move_avatar(stage, stage.avatar, action)
        for number in reversed(self.rules.order):
            does = self.rules.kinds[number].own.does
            for sprite in list(stage.groups[number]) if does != AVATAR else ():
                self._begin(sprite)
                if does != STILL:
                    self._move(stage, sprite, random)

    def _begin(self, sprite: Sprite) -> None:
        sprite.last_x, sprite.last_y = sprite.x, sprite.y
        sprite.rested += 1

    def _move_avatar(self, stage: Stage, avatar: Sprite, action: int) -> None:
        own = avatar.kind.own
        if action not in own.actions:
            return
        if action in TOWARDS:
            moved = self.step(avatar, TOWARDS[action], self.stride(avatar.kind))
            if moved and avatar.kind.class_name in TURNING:
                avatar.direction = looking(avatar.x - avatar.last_x, avatar.y - avatar.last_y)
        elif action == USE:
            self._use(stage, avatar)

    def _use(self, stage: Stage, avatar: Sprite) -> None:
        kind = avatar.kind
        if kind.ammo != NONE and avatar.carries.get(kind.ammo, 0) <= 0:
            return
        x, y = avatar.x, avatar.y
        if kind.own.use == SHOOTING:
            x, y = moved_by(x, y, avatar.direction, self.block)
        shot = self.make(stage, kind.other, x, y)
        if shot is None:
            return
        if kind.own.use == SHOOTING and shot.kind.oriented:
            shot.direction = avatar.direction
        if kind.ammo != NONE:
            avatar.carries[kind.ammo] -= 1

    def _move(self, stage: Stage, sprite: Sprite, random: Random) -> None:
        does = sprite.kind.own.does
        if does == BOMBING:
            self.step(sprite, AROUND[random.below(4)], self.stride(sprite.kind))
        if does in (BOMBING, SPAWNING):
            self._spawn(stage, sprite, random)
        self._move_on(sprite)
        if does in (BOMBING, SPAWNING):
            if 0 < sprite.kind.total <= sprite.made:
                self.kill(sprite)
        elif does == RANDOM:
            self.step(sprite, self._random_walk(sprite, random), self.stride(sprite.kind))
        elif does in (CHASING, FLEEING):
            ways = self._ways(stage, sprite)
            way = ways[random.below(len(ways))] if ways else self._random_walk(sprite, random)
            self.step(sprite, way, self.stride(sprite.kind))
        elif does == FLICKERING:
            if sprite.age > sprite.kind.limit:
                self.kill(sprite)
            sprite.age += 1

    def _move_on(self, sprite: Sprite) -> None:
        """By itself, in its direction, but not in its first tick."""
        kind = sprite.kind
        if not kind.own.moves_on:
            return
        if sprite.is_new:
            sprite.is_new = False
        elif kind.speed != 0 and kind.oriented:
            speed = 1.0 if kind.speed == -1 else kind.speed
            self._shift(sprite, sprite.direction, int(speed * self.block))

    def stride(self, kind: SpriteKind) -> int:
        """Pixels of a step that it chooses itself."""
        return int((kind.speed if kind.speed != 0 else 1.0) * self.block)

    def step(self, sprite: Sprite, way: Direction, pixels: int) -> bool:
        """Turn or move; whether it moved."""
        if way == NOWHERE:
            return False
        if sprite.kind.rotates and sprite.kind.oriented and sprite.direction != way:
            sprite.direction = way
            return False
        return self._shift(sprite, way, pixels)

    def _shift(self, sprite: Sprite, way: Direction, pixels: int) -> bool:
        pixels = pixels or int(sprite.kind.speed)
        if pixels == 0 or way == NOWHERE or sprite.rested < sprite.kind.cooldown:
            return False
        sprite.x, sprite.y = moved_by(sprite.x, sprite.y, way, pixels)
        sprite.rested = 0
        return True

    def _random_walk(self, sprite: Sprite, random: Random) -> Direction:
        if sprite.repeated < sprite.kind.cons:
            sprite.repeated += 1
        else:
            sprite.previous = AROUND[random.below(4)]
            sprite.repeated = 0
        return sprite.previous

    def _ways(self, stage: Stage, sprite: Sprite) -> list[Direction]:
        """Directions that lead nearer to, or away from, the nearest others: one for each of these."""
        targets = stage.groups[sprite.kind.other]
        if not targets:
            targets = [one for member in self.rules.kinds[sprite.kind.other].members for one in stage.groups[member]]
        distances = [abs(one.x - sprite.x) + abs(one.y - sprite.y) for one in targets]
        nearest = min(distances, default=0)
        ways = []
        for one, distance in zip(targets, distances, strict=True):
            if distance != nearest:
                continue
            for way in AROUND:
                then = abs(one.x - sprite.x - way[0]) + abs(one.y - sprite.y - way[1])
                if then > distance if sprite.kind.own.does == FLEEING else then < distance:
                    ways.append(way)
        return ways

    def _spawn(self, stage: Stage, sprite: Sprite, random: Random) -> None:
        if sprite.start == NONE:
            sprite.start = stage.tick
        lucky = random.uniform01() < sprite.kind.prob
        if (sprite.start + stage.tick) % sprite.kind.cooldown == 0 and lucky:
            one = self.make(stage, sprite.kind.other, sprite.x, sprite.y)
            if one is not None:
                sprite.made += 1
                if one.direction == NOWHERE:
                    one.direction = sprite.direction

    # Making and killing.

    def make(self, stage: Stage, number: int, x: int, y: int, forced: bool = False) -> Sprite | None:
        """A new sprite; None where a singleton forbids it, unless it is forced, or where there is no room."""
        counts = [len(group) for group in stage.groups]
        if sum(counts) == self.most_sprites or (not forced and is_blocked(self.rules, counts, number)):
            return None
        sprite = self._sprite(self.rules.kinds[number], x, y)
        stage.groups[number].append(sprite)
        return sprite

    def kill(self, sprite: Sprite) -> None:
        if sprite.kind.own.does == AVATAR:
            sprite.is_disabled = True
        else:
            sprite.is_killed = True

    # Effects.

    def _by_clock(self, stage: Stage, random: Random) -> None:
        for i, effect in enumerate(self.rules.by_clock):
            if stage.due[i] > stage.tick:
                continue
            for member in self.rules.kinds[effect.first].members:
                for sprite in list(stage.groups[member]):
                    if not sprite.is_killed and not sprite.is_disabled:
                        happen(Meeting(self, stage, effect, sprite, None, random))
                        stage.score += effect.score
            stage.due[i] = stage.tick + effect.timer if effect.repeating else self.ticks

    def _at_edge(self, stage: Stage, random: Random) -> None:
        width, height = self.screen
        for effect in self.rules.at_edge:
            for member in self.rules.kinds[effect.first].members:
                for sprite in list(stage.groups[member]):
                    inside = 0 <= sprite.x <= width - self.block and 0 <= sprite.y <= height - self.block
                    if not inside and not sprite.is_killed and not sprite.is_disabled:
                        stage.score += happen(Meeting(self, stage, effect, sprite, None, random))

    def _in_pairs(self, stage: Stage, random: Random) -> None:
        for effect in self.rules.in_pairs:
            seconds = self._of(stage, effect.second)
            if not seconds:
                continue
            for one in self._of(stage, effect.first):
                for other in self._touched(one, seconds):
                    if not one.is_killed and self._touch(one, other):
                        stage.score += happen(Meeting(self, stage, effect, one, other, random))

    def _of(self, stage: Stage, number: int) -> list[Sprite]:
        return [sprite for member in self.rules.kinds[number].members for sprite in stage.groups[member]]

    def _touched(self, one: Sprite, others: list[Sprite]) -> list[Sprite]:
        """Those of the others that it touches."""
        left, right = one.x - self.block, one.x + self.block
        top, bottom = one.y - self.block, one.y + self.block
        return [other for other in others if left < other.x < right and top < other.y < bottom and other is not one]

    def _touch(self, one: Sprite, other: Sprite) -> bool:
        return abs(one.x - other.x) < self.block and abs(one.y - other.y) < self.block

    # Endings.

    def _end(self, stage: Stage) -> None:
        for ending in self.rules.endings:
            if self._is_over(stage, ending):
                stage.status = WON if ending.win else LOST
                return
        if stage.tick == self.ticks:
            stage.status = LOST

    def _is_over(self, stage: Stage, ending: Ending) -> bool:
        if ending.number == AFTER:
            return stage.tick - 1 >= ending.limit
        left = sum(self._left(stage, kind) for kind in ending.kinds)
        return left == ending.limit if ending.number == EXACTLY else left <= ending.limit

    def _left(self, stage: Stage, number: int) -> int:
        return sum(not sprite.is_disabled for sprite in self._of(stage, number))
