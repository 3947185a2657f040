"""What happens to sprites that meet, in plain Python. Each returns what it is worth; None: what the effect says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domains.randomness import Random
from domains.vgdl.rules import NONE, GameEffect
from domains.vgdl.stages import NOWHERE, Sprite, Stage, looking
from domains.vgdl.vocabulary import AROUND, AVATAR, TOWARDS

if TYPE_CHECKING:
    from domains.vgdl.reference import Umpire


@dataclass(frozen=True, slots=True)
class Meeting:
    """One sprite meets another, or the edge of the screen, or the clock strikes for it."""

    umpire: "Umpire"
    stage: Stage
    effect: GameEffect
    one: Sprite
    other: Sprite | None
    random: Random

    @property
    def partner(self) -> Sprite:
        assert self.other is not None
        return self.other

    def kill_second(self) -> None:
        if self.effect.kills_second and self.other is not None:
            self.umpire.kill(self.other)


def happen(meeting: Meeting) -> int:
    """Do it, and say what it is worth."""
    score = _HAPPENS[meeting.effect.number](meeting)
    return meeting.effect.score if score is None else score


def _step_back(met: Meeting) -> None:
    one, block = met.one, met.umpire.block
    x, y = one.last_x, one.last_y
    way = looking(one.x - x, one.y - y)
    if met.effect.pixel_perfect and met.other is not None and way in TOWARDS.values():
        x = met.other.x - way[0] * block if way[0] else one.x
        y = met.other.y - way[1] * block if way[1] else one.y
    one.x, one.y = x, y


def _kill_sprite(met: Meeting) -> None:
    met.umpire.kill(met.one)


def _kill_both(met: Meeting) -> None:
    met.umpire.kill(met.one)
    met.umpire.kill(met.partner)


def _clone_sprite(met: Meeting) -> None:
    met.umpire.make(met.stage, met.one.kind.number, met.one.x, met.one.y)


def _transform_to(met: Meeting) -> None:
    if not met.one.is_disabled:
        _become(met, met.one, met.umpire.make(met.stage, met.effect.other, met.one.x, met.one.y))


def _transform_to_all(met: Meeting) -> None:
    """All of a kind, those that were killed in this tick, too, and whatever singletons there are."""
    for one in list(met.stage.groups[met.effect.source]):
        _become(met, one, met.umpire.make(met.stage, met.effect.other, one.x, one.y, forced=True))


def _become(met: Meeting, one: Sprite, new: Sprite | None) -> None:
    """The new one is as the old one was, which is killed."""
    if new is None:
        return
    if met.effect.forces_orientation or (new.kind.oriented and one.kind.oriented and new.direction == NOWHERE):
        new.direction = one.direction
    new.last_x, new.last_y = one.last_x, one.last_y
    new.carries = dict(one.carries)
    new.health = one.health
    if one.kind.own.does == AVATAR and new.kind.own.does == AVATAR:
        met.stage.avatar = new
        one.is_killed = True
    else:
        met.umpire.kill(one)
    met.kill_second()


def _bounce_forward(met: Meeting) -> None:
    one, other = met.one, met.partner
    right, down = other.x - other.last_x, other.y - other.last_y
    if right * other.direction[0] < 0:
        right = -right
    if down * other.direction[1] < 0:
        down = -down
    way = looking(right, down)
    speed = other.kind.speed
    if speed == 0:
        speed = 1.0 if one.kind.speed <= 0 else one.kind.speed
    met.umpire.step(one, way, int(speed * met.umpire.block))
    one.direction = way


def _undo_all(met: Meeting) -> None:
    for number in met.umpire.rules.order:
        for sprite in met.stage.groups[number]:
            sprite.x, sprite.y = sprite.last_x, sprite.last_y


def _add_health(met: Meeting) -> int:
    if met.one.health + met.effect.value >= met.one.kind.health_limit:
        return 0
    met.one.health += met.effect.value
    met.kill_second()
    return met.effect.score


def _subtract_health(met: Meeting) -> int:
    met.one.health -= met.effect.value
    if met.one.health > met.effect.limit:
        return met.effect.score
    met.umpire.kill(met.one)
    return met.effect.score_if_killed


def _turn_around(met: Meeting) -> None:
    one = met.one
    one.x, one.y = one.last_x, one.last_y
    for _ in range(2):
        one.rested = one.kind.cooldown
        met.umpire.step(one, (0, 1), met.umpire.stride(one.kind))
    _reverse_direction(met)


def _reverse_direction(met: Meeting) -> None:
    met.one.direction = (-met.one.direction[0], -met.one.direction[1])


def _flip_direction(met: Meeting) -> None:
    met.one.direction = AROUND[met.random.below(4)]


def _wrap_around(met: Meeting) -> None:
    right, down = met.one.direction
    width, height = met.umpire.screen
    if right:
        met.one.x = 0 if right > 0 else width - met.umpire.block
    elif down:
        met.one.y = 0 if down > 0 else height - met.umpire.block
    met.one.rested = 0


def _change_resource(met: Meeting) -> int:
    carries, resource = met.one.carries, met.umpire.rules.kinds[met.effect.resource]
    has = carries.get(resource.number, 0)
    if has + met.effect.value > (resource.limit if resource.is_resource else 0):
        return 0
    carries[resource.number] = max(0, has + met.effect.value)
    if met.effect.kills_resource:
        met.umpire.kill(met.partner)
    return met.effect.score


def _spawn_if_has_more(met: Meeting) -> int:
    lucky = met.random.uniform01() < met.effect.prob
    has = met.one.carries.get(met.effect.resource, 0)
    if not lucky or has < met.effect.limit:
        return 0
    met.umpire.make(met.stage, met.effect.other, met.one.x, met.one.y)
    met.one.carries[met.effect.resource] = max(0, has - met.effect.spend)
    return met.effect.score


def _spawn(met: Meeting) -> None:
    if met.random.uniform01() < met.effect.prob:
        met.umpire.make(met.stage, met.effect.other, met.one.x, met.one.y)


def _teleport_to_exit(met: Meeting) -> None:
    """To one of those that it leads to, of exactly that kind; where there is none, it kills."""
    one, leads_to = met.one, met.partner.kind.exit
    if leads_to == NONE:
        return
    exits = met.stage.groups[leads_to]
    if not exits:
        met.umpire.kill(one)
        return
    there = exits[met.random.below(len(exits))]
    one.x, one.y, one.rested = there.x, there.y, 0
    if there.kind.oriented:
        one.direction = there.direction


def _collect_resource(met: Meeting) -> int | None:
    resource, carries = met.one.kind, met.partner.carries
    if not resource.is_resource:
        return None
    has = carries.get(resource.number, 0)
    if has >= resource.limit:
        return 0
    carries[resource.number] = max(0, has + min(resource.value, resource.limit - has))
    if met.effect.kills_resource:
        met.umpire.kill(met.one)
    return None


def _kill_if_other_has_more(met: Meeting) -> int:
    if met.partner.carries.get(met.effect.resource, 0) < met.effect.limit:
        return 0
    met.umpire.kill(met.one)
    return met.effect.score


_HAPPENS: tuple[Callable[[Meeting], int | None], ...] = (
    _step_back,
    _kill_sprite,
    _kill_both,
    _clone_sprite,
    _transform_to,
    _bounce_forward,
    _undo_all,
    _add_health,
    _subtract_health,
    _turn_around,
    _reverse_direction,
    _wrap_around,
    _change_resource,
    _spawn_if_has_more,
    _collect_resource,
    _kill_if_other_has_more,
    _transform_to_all,
    _flip_direction,
    _spawn,
    _teleport_to_exit,
)
"""In the order of their numbers."""
