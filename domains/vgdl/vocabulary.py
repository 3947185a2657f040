"""What a description may say: classes of sprites, effects, endings, and the settings of each."""

from dataclasses import dataclass

WHOLE, NUMBER, PROBABILITY = "a whole number", "a number", "a probability, from 0 to 1"
FLAG, DIRECTION, KIND, WORD = "True or False", "", "a sprite", "a word"
DIRECTIONS = {"UP": (0, -1), "LEFT": (-1, 0), "DOWN": (0, 1), "RIGHT": (1, 0), "NONE": (0, 0)}
AROUND = ((0, -1), (-1, 0), (0, 1), (1, 0))
"""In the order in which chance chooses among them."""

USE, LEFT, RIGHT, DOWN, UP, WAIT = range(6)
ACTIONS = ("use", "left", "right", "down", "up", "wait")
"""What players can do, in the order in which it is listed."""
TOWARDS = {LEFT: (-1, 0), RIGHT: (1, 0), DOWN: (0, 1), UP: (0, -1)}

STILL, PASSIVE, RANDOM, CHASING, FLEEING, FLICKERING, SPAWNING, BOMBING, AVATAR = range(9)
"""What a sprite does by itself in a tick: nothing; move on if it has a direction; walk about; walk towards or away from
others; vanish; make others; walk about and make others; what the player says."""
PLAIN, SHOOTING, FLAK = range(3)
"""What an avatar does with `use`: nothing, shoot ahead, drop where it is."""


@dataclass(frozen=True)
class SpriteClass:
    """What sprites of a class are unless a description says otherwise."""

    does: int
    speed: float = 0.0
    oriented: bool = False
    orientation: tuple[int, int] = (0, 0)
    moves_on: bool = True
    """By itself, in its direction."""
    rotates: bool = False
    actions: tuple[int, ...] = ()
    use: int = PLAIN


EVERYWHERE = (LEFT, RIGHT, DOWN, UP)
SPRITES = {
    "Immovable": SpriteClass(STILL, moves_on=False),
    "Door": SpriteClass(STILL, moves_on=False),
    "Portal": SpriteClass(STILL, moves_on=False),
    "Passive": SpriteClass(PASSIVE),
    "Resource": SpriteClass(PASSIVE),
    "Missile": SpriteClass(PASSIVE, speed=1.0, oriented=True),
    "RandomNPC": SpriteClass(RANDOM, speed=1.0),
    "Chaser": SpriteClass(CHASING, speed=1.0),
    "Fleeing": SpriteClass(FLEEING, speed=1.0),
    "Flicker": SpriteClass(FLICKERING),
    "OrientedFlicker": SpriteClass(FLICKERING, oriented=True),
    "SpawnPoint": SpriteClass(SPAWNING, moves_on=False),
    "Bomber": SpriteClass(SPAWNING, oriented=True, orientation=(1, 0)),
    "RandomBomber": SpriteClass(BOMBING, speed=1.0, oriented=True, orientation=(1, 0)),
    "MovingAvatar": SpriteClass(AVATAR, speed=1.0, actions=EVERYWHERE),
    "HorizontalAvatar": SpriteClass(AVATAR, speed=1.0, actions=(LEFT, RIGHT)),
    "VerticalAvatar": SpriteClass(AVATAR, speed=1.0, actions=(DOWN, UP)),
    "FlakAvatar": SpriteClass(AVATAR, speed=1.0, actions=(USE, LEFT, RIGHT), use=FLAK),
    "OrientedAvatar": SpriteClass(AVATAR, 1.0, True, (1, 0), rotates=True, actions=EVERYWHERE),
    "ShootAvatar": SpriteClass(AVATAR, 1.0, True, (1, 0), rotates=True, actions=(USE, *EVERYWHERE), use=SHOOTING),
}
TURNING = ("OrientedAvatar", "ShootAvatar")
"""Avatars that look where they went."""

SPRITE_SETTINGS = {
    "speed": NUMBER,
    "cooldown": WHOLE,
    "orientation": DIRECTION,
    "singleton": FLAG,
    "rotateInPlace": FLAG,
    "healthPoints": WHOLE,
    "limitHealthPoints": WHOLE,
    "cons": WHOLE,
    "stype": KIND,
    "ammo": KIND,
    "prob": PROBABILITY,
    "total": WHOLE,
    "limit": WHOLE,
    "value": WHOLE,
    "color": WORD,
}
SPRITE_LOOKS = (
    *("img", "orientedImg", "frameRate", "shrinkfactor", "autotiling", "randomtiling", "draw_arrow", "portal"),
    *("hidden", "invisible"),
)
"""Settings that play no part in a game."""
GAME_SETTINGS = {"square_size": WHOLE}
GAME_LOOKS = ("key_handler",)

(
    STEP_BACK,
    KILL_SPRITE,
    KILL_BOTH,
    CLONE_SPRITE,
    TRANSFORM_TO,
    BOUNCE_FORWARD,
    UNDO_ALL,
    ADD_HEALTH,
    SUBTRACT_HEALTH,
    TURN_AROUND,
    REVERSE_DIRECTION,
    WRAP_AROUND,
    CHANGE_RESOURCE,
    SPAWN_IF_HAS_MORE,
    COLLECT_RESOURCE,
    KILL_IF_OTHER_HAS_MORE,
    TRANSFORM_TO_ALL,
    FLIP_DIRECTION,
    SPAWN,
    TELEPORT_TO_EXIT,
) = range(20)


@dataclass(frozen=True)
class EffectClass:
    """An effect, with its settings besides `scoreChange`; `needs` are those that must be said."""

    number: int
    settings: dict[str, str]
    needs: tuple[str, ...] = ()
    needs_second: bool = False
    """Whether it means nothing at the edge of the screen, nor by the clock."""


EFFECTS = {
    "stepBack": EffectClass(STEP_BACK, {"pixelPerfect": FLAG}),
    "killSprite": EffectClass(KILL_SPRITE, {}),
    "killBoth": EffectClass(KILL_BOTH, {}, needs_second=True),
    "cloneSprite": EffectClass(CLONE_SPRITE, {}),
    "transformTo": EffectClass(TRANSFORM_TO, {"stype": KIND, "killSecond": FLAG, "forceOrientation": FLAG}, ("stype",)),
    "bounceForward": EffectClass(BOUNCE_FORWARD, {}, needs_second=True),
    "undoAll": EffectClass(UNDO_ALL, {}),
    "addHealthPoints": EffectClass(ADD_HEALTH, {"value": WHOLE, "killSecond": FLAG}),
    "subtractHealthPoints": EffectClass(
        SUBTRACT_HEALTH, {"value": WHOLE, "limit": WHOLE, "scoreChangeIfKilled": WHOLE}
    ),
    "turnAround": EffectClass(TURN_AROUND, {}),
    "reverseDirection": EffectClass(REVERSE_DIRECTION, {}),
    "wrapAround": EffectClass(WRAP_AROUND, {}),
    "changeResource": EffectClass(
        CHANGE_RESOURCE, {"resource": KIND, "value": WHOLE, "killResource": FLAG}, ("resource",), needs_second=True
    ),
    "spawnIfHasMore": EffectClass(
        SPAWN_IF_HAS_MORE,
        {"resource": KIND, "stype": KIND, "limit": WHOLE, "spend": WHOLE, "prob": PROBABILITY},
        ("resource", "stype"),
    ),
    "collectResource": EffectClass(COLLECT_RESOURCE, {"killResource": FLAG}, needs_second=True),
    "killIfOtherHasMore": EffectClass(
        KILL_IF_OTHER_HAS_MORE, {"resource": KIND, "limit": WHOLE}, ("resource",), needs_second=True
    ),
    "transformToAll": EffectClass(
        TRANSFORM_TO_ALL,
        {"stype": KIND, "stypeTo": KIND, "killSecond": FLAG, "forceOrientation": FLAG},
        ("stype", "stypeTo"),
    ),
    "flipDirection": EffectClass(FLIP_DIRECTION, {}),
    "spawn": EffectClass(SPAWN, {"stype": KIND, "prob": PROBABILITY}, ("stype",)),
    "teleportToExit": EffectClass(TELEPORT_TO_EXIT, {}, needs_second=True),
}
EFFECT_SETTINGS = {"scoreChange": WHOLE}
CLOCK_SETTINGS = {"timer": WHOLE, "repeating": FLAG, "nextExecution": WHOLE}
EDGE, CLOCK = "EOS", "TIME"
"""Words in the place of a sprite: the edge of the screen, and time."""

AT_MOST, EXACTLY, AFTER = range(3)
ENDINGS = {
    "SpriteCounter": (AT_MOST, {"stype": KIND}, ("stype",)),
    "MultiSpriteCounter": (EXACTLY, {"stype1": KIND, "stype2": KIND, "stype3": KIND}, ("stype1",)),
    "Timeout": (AFTER, {}, ("limit",)),
}
ENDING_SETTINGS = {"limit": WHOLE, "win": FLAG}

SETS = ("SpriteSet", "InteractionSet", "LevelMapping", "TerminationSet")
