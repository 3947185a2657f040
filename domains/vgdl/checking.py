"""A description to rules: what every line means, and what is wrong with it."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domains.saying import suggestion
from domains.vgdl.reading import Description, GameLine, GameWord
from domains.vgdl.rules import AVATAR_KIND, NONE, WALL, Ending, GameEffect, GameRules, SpriteKind
from domains.vgdl.vocabulary import (
    AFTER,
    AVATAR,
    BOMBING,
    CHASING,
    CLOCK,
    CLOCK_SETTINGS,
    DIRECTION,
    DIRECTIONS,
    EDGE,
    EFFECT_SETTINGS,
    EFFECTS,
    ENDING_SETTINGS,
    ENDINGS,
    FLAG,
    FLEEING,
    GAME_LOOKS,
    GAME_SETTINGS,
    KIND,
    NUMBER,
    PLAIN,
    PROBABILITY,
    SETS,
    SPAWNING,
    SPRITE_LOOKS,
    SPRITE_SETTINGS,
    SPRITES,
    STILL,
    TRANSFORM_TO_ALL,
    WHOLE,
    EffectClass,
)

LARGEST = 1_000_000
"""Whole numbers are not beyond this, nor below its negative."""
MOST_KINDS = 200
ARROW = ">"

Effects = tuple[GameEffect, ...]
Given = dict[str, tuple[GameWord, str]]
"""Settings by name: the word, and the value in it."""


def check_description(description: Description) -> GameRules:
    """The rules. Raises `GameError` for what does not mean anything, or is not known here."""
    return _Reader(description).rules()


class _Reader:
    """One description on its way to rules."""

    def __init__(self, description: Description) -> None:
        self.text = description
        self.numbers: dict[str, int] = {"wall": WALL, "avatar": AVATAR_KIND}
        self.kinds: dict[int, SpriteKind | None] = {}
        self.lines: dict[int, tuple[GameLine, Given]] = {}
        self.lineages: dict[int, tuple[int, ...]] = {}
        self.members: dict[int, list[int]] = {}
        self.order = [WALL, AVATAR_KIND]
        self.singletons: set[int] = set()

    def rules(self) -> GameRules:
        top = self.text.top
        if top.first.text != "BasicGame":
            raise self.text.refusal("a game begins with the line BasicGame", top.first)
        size = self._settings(top.words[1:], GAME_SETTINGS, GAME_LOOKS, "BasicGame").get("square_size")
        square: int | None = self._value(*size, WHOLE) if size else None
        if size and square is not None and not 2 <= square <= 1000:
            raise self.text.refusal("square_size is from 2 to 1000 pixels", size[0])
        sets = self._sets(top)
        self._sprites(sets["SpriteSet"].below, "", {}, ())
        kinds = self._finished()
        by_clock, at_edge, in_pairs = self._interactions(sets["InteractionSet"].below)
        endings = tuple(self._ending(line) for line in sets["TerminationSet"].below)
        avatars = [kind for kind in kinds if kind.own.does == AVATAR]
        rules = GameRules(
            name=self.text.name,
            kinds=kinds,
            order=(*(number for number in self.order if number != AVATAR_KIND), AVATAR_KIND),
            singletons=frozenset(self.singletons),
            by_clock=by_clock,
            at_edge=at_edge,
            in_pairs=in_pairs,
            endings=endings,
            mapping=self._mapping(sets["LevelMapping"].below) if "LevelMapping" in sets else self._default_mapping(),
            square_size=square,
            hash=hashlib.blake2b(self.text.normal().encode("utf-8", "surrogatepass"), digest_size=8).hexdigest(),
            actions=tuple(sorted({action for kind in avatars for action in kind.own.actions})),
        )
        self._refuse_to_make_groups(rules)
        return replace(rules, scenery=_scenery(rules))

    def _refuse_to_make_groups(self, rules: GameRules) -> None:
        makers = (kind for kind in rules.kinds if kind.own.does in (SPAWNING, BOMBING, AVATAR))
        named = {effect.other for effect in rules.effects} | {kind.other for kind in makers}
        for number in sorted(named - {NONE}):
            if self.kinds[number] is None:
                line, _ = self.lines[number]
                what = f"{line.first.text} has no class, so none can be made; name a kind below it where it is made"
                raise self.text.refusal(what, line.first)

    def _sets(self, top: GameLine) -> dict[str, GameLine]:
        sets: dict[str, GameLine] = {}
        for line in top.below:
            name = line.first.text
            if name not in SETS:
                raise self.text.refusal(f"there is no {name}{suggestion(name, SETS)}", line.first)
            if len(line.words) > 1:
                raise self.text.refusal(f"{name} stands alone in its line", line.words[1])
            if name in sets:
                raise self.text.refusal(f"a game has one {name}, and this is another", line.first)
            sets[name] = line
        for name in ("SpriteSet", "InteractionSet", "TerminationSet"):
            if name not in sets:
                raise self.text.refusal(f"this game has no {name}", top.first)
        return sets

    # Sprites.

    def _sprites(self, lines: Iterable[GameLine], above: str, inherited: Given, lineage: tuple[int, ...]) -> list[int]:
        """The members that these lines give to the kind above them."""
        added: list[int] = []
        for line in lines:
            own_class, own = self._sprite_words(line)
            number = self._number_of(line.first)
            if number in lineage:
                what = f"{line.first.text} stands below itself; give one of the two another name"
                raise self.text.refusal(what, line.first)
            chosen = above or own_class
            given = {**inherited, **own}
            self.lineages[number] = (*lineage, number)
            self.members[number] = list(self.lineages[number])
            self.lines[number] = (line, given)
            self.kinds[number] = self._kind(number, line, chosen, given)
            if "singleton" in own and self._value(*own["singleton"], FLAG):
                self.singletons.add(number)
            if line.below:
                for member in self._sprites(line.below, own_class or above, given, self.lineages[number]):
                    if member not in self.members[number]:
                        self.members[number].append(member)
            else:
                if not chosen:
                    what = f"{line.first.text} has no class; write one after {ARROW}, such as Immovable"
                    raise self.text.refusal(what, line.first)
                if number in self.order:
                    self.order.remove(number)  # the last one counts
                self.order.append(number)
            added += self.members[number]
        return added

    def _number_of(self, word: GameWord) -> int:
        if word.text in (EDGE, CLOCK, ARROW) or "=" in word.text:
            raise self.text.refusal(f"a sprite cannot be called {word.text}", word)
        if len(self.numbers) == MOST_KINDS and word.text not in self.numbers:
            raise self.text.refusal(f"this is one kind of sprite too many; {MOST_KINDS} is the most", word)
        return self.numbers.setdefault(word.text, len(self.numbers))

    def _sprite_words(self, line: GameLine) -> tuple[str, Given]:
        name = line.first.text
        rest = line.words[1:]
        if not rest or rest[0].text != ARROW:
            what = f"a line about a sprite is NAME {ARROW} CLASS SETTING=VALUE …; {ARROW} is missing after {name}"
            raise self.text.refusal(what, line.first)
        classes = [word for word in rest[1:] if not word.setting()[0]]
        for word in classes[1:]:
            raise self.text.refusal(f"{name} has the class {classes[0].text} already; settings are NAME=VALUE", word)
        for word in classes:
            if word.text not in SPRITES:
                raise self.text.refusal(
                    f"the class {word.text} is not known here{suggestion(word.text, SPRITES)}", word
                )
        settings = self._settings(
            [word for word in rest[1:] if word not in classes], SPRITE_SETTINGS, SPRITE_LOOKS, "a sprite"
        )
        return classes[0].text if classes else "", settings

    def _kind(self, number: int, line: GameLine, class_name: str, given: Given) -> SpriteKind | None:
        """Without the kinds that it names, which may come later; None without a class."""
        values = {name: self._value(word, value, SPRITE_SETTINGS[name]) for name, (word, value) in given.items()
                  if SPRITE_SETTINGS[name] != KIND}  # fmt: skip
        if not class_name:
            return None
        own = SPRITES[class_name]
        orientation = values.get("orientation", own.orientation)
        default_limit = {"Flicker": 1, "OrientedFlicker": 1, "Resource": 2}.get(class_name, 0)
        return SpriteKind(
            number=number,
            name=line.first.text,
            class_name=class_name,
            lineage=self.lineages[number],
            members=(),
            speed=float(values.get("speed", own.speed)),
            cooldown=max(1, values.get("cooldown", 1)),
            orientation=orientation,
            oriented=own.oriented or orientation != (0, 0),
            rotates=values.get("rotateInPlace", own.rotates),
            health=values.get("healthPoints", 0),
            health_limit=values.get("limitHealthPoints", 1000),
            cons=values.get("cons", 0),
            prob=float(values.get("prob", 1.0)),
            total=values.get("total", 0),
            limit=values.get("limit", default_limit),
            value=values.get("value", 1),
            colour=values.get("color", ""),
        )

    def _finished(self) -> tuple[SpriteKind, ...]:
        """All kinds by number, with those that they name; those without a class are Immovable, and none is made."""
        for number, name, class_name in ((WALL, "wall", "Immovable"), (AVATAR_KIND, "avatar", "MovingAvatar")):
            if number not in self.kinds:
                own = SPRITES[class_name]
                self.lineages[number], self.members[number] = (number,), [number]
                self.kinds[number] = SpriteKind(number, name, class_name, (number,), (), own.speed)
        finished = []
        for name, number in self.numbers.items():
            kind = self.kinds[number] or SpriteKind(number, name, "Immovable", self.lineages[number], ())
            given = self.lines[number][1] if number in self.lines else {}
            needed = kind.own.does in (CHASING, FLEEING, SPAWNING, BOMBING) or kind.own.use != PLAIN
            is_leaf = number in self.order
            leads = needed or kind.class_name == "Portal"
            other = self._named(given, "stype") if leads and self.kinds[number] is not None else NONE
            if needed and is_leaf and other == NONE:
                what = f"{name} is a {kind.class_name}, which needs stype=, a kind of sprites"
                raise self.text.refusal(what, self.lines[number][0].first)
            ammo = self._named(given, "ammo") if kind.own.use != PLAIN else NONE
            finished.append(replace(kind, members=tuple(self.members[number]), other=other, ammo=ammo))
        return tuple(finished)

    def _named(self, given: Given, setting: str) -> int:
        if setting not in given:
            return NONE
        word, value = given[setting]
        return self._known(value, word)

    def _known(self, name: str, word: GameWord) -> int:
        if name not in self.numbers:
            raise self.text.refusal(f"there is no sprite {name}{suggestion(name, self.numbers)}", word)
        return self.numbers[name]

    # Settings.

    def _settings(self, words: Iterable[GameWord], known: Mapping[str, str], looks: Sequence[str], whose: str) -> Given:
        """Those that play a part."""
        found: Given = {}
        for word in words:
            name, value = word.setting()
            if not name:
                raise self.text.refusal(f"a setting of {whose} is NAME=VALUE", word)
            if not value:
                raise self.text.refusal(f"{name} has no value; write {name}=VALUE without spaces", word)
            if name in looks:
                continue
            if name not in known:
                what = f"the setting {name} of {whose} is not known here"
                raise self.text.refusal(
                    f"{what}{suggestion(name, known, 'it has ' + (', '.join(known) or 'none'))}", word
                )
            found[name] = word, value
        return found

    def _value(self, word: GameWord, text: str, kind: str) -> Any:
        name = word.setting()[0]
        if kind == FLAG:
            if text.lower() in ("true", "false"):
                return text.lower() == "true"
            raise self.text.refusal(f"{name} is {FLAG}", word)
        if kind == DIRECTION:
            if text in DIRECTIONS:
                return DIRECTIONS[text]
            raise self.text.refusal(f"{name} is one of {', '.join(DIRECTIONS)}", word)
        if kind in (WHOLE, NUMBER, PROBABILITY):
            try:
                number = int(text) if kind == WHOLE else float(text)
            except ValueError:
                raise self.text.refusal(f"{name} is {kind}", word) from None
            if kind == PROBABILITY and not 0 <= number <= 1:
                raise self.text.refusal(f"{name} is {PROBABILITY}", word)
            if not math.isfinite(number) or abs(number) > LARGEST:
                raise self.text.refusal(f"{name} is {kind} from -{LARGEST:,} to {LARGEST:,}", word)
            return number
        return text

    # Interactions.

    def _interactions(self, lines: Iterable[GameLine]) -> tuple[Effects, Effects, Effects]:
        """By the clock, at the edge, and in pairs: all effects of a pair happen where it is first named."""
        by_clock: list[GameEffect] = []
        edges: list[int] = []
        at_edge: dict[int, list[GameEffect]] = {}
        pairs: dict[tuple[int, int], list[GameEffect]] = {}
        for line in lines:
            for effect in self._effects(line):
                if effect.second == WITH_CLOCK:
                    by_clock.append(replace(effect, second=NONE))
                elif effect.second == WITH_EDGE:
                    edges.append(effect.first)
                    at_edge.setdefault(effect.first, []).append(replace(effect, second=NONE))
                else:
                    pairs.setdefault((effect.first, effect.second), []).append(effect)
        return (
            tuple(by_clock),
            tuple(effect for first in edges for effect in at_edge[first]),  # a kind that is named twice has all twice
            tuple(effect for effects in pairs.values() for effect in effects),
        )

    def _effects(self, line: GameLine) -> list[GameEffect]:
        words = [word.text for word in line.words]
        if line.below:
            raise self.text.refusal("nothing stands below an effect", line.below[0].first)
        if ARROW not in words or words.index(ARROW) < 2:
            what = f"a line about an effect is SPRITE SPRITE … {ARROW} EFFECT SETTING=VALUE …"
            raise self.text.refusal(what, line.words[min(words.index(ARROW), 1)] if ARROW in words else line.first)
        middle = words.index(ARROW)
        named = [word for word in line.words[middle + 1 :] if not word.setting()[0]]
        if len(named) != 1:
            what = f"an effect is named once after {ARROW}; settings are NAME=VALUE"
            raise self.text.refusal(what, named[1] if named else line.words[middle])
        name = named[0].text
        if name not in EFFECTS:
            raise self.text.refusal(f"the effect {name} is not known here{suggestion(name, EFFECTS)}", named[0])
        own = EFFECTS[name]
        first, *others = line.words[:middle]
        timed = CLOCK in words[:middle]
        known = {**own.settings, **EFFECT_SETTINGS, **(CLOCK_SETTINGS if timed else {})}
        settings = self._settings([word for word in line.words[middle + 1 :] if word not in named], known, (), name)
        for needed in own.needs:
            if needed not in settings:
                raise self.text.refusal(f"{name} needs {needed}=", named[0])
        common = self._effect(own, name, settings)
        if common.repeating and common.timer < 1:
            raise self.text.refusal("what is repeating needs timer=, a number of ticks from 1", named[0])
        found = []
        for second in others:
            one, other = (second, first) if first.text in (EDGE, CLOCK) else (first, second)
            partner = {EDGE: WITH_EDGE, CLOCK: WITH_CLOCK}.get(other.text)
            if partner is not None and own.needs_second:
                raise self.text.refusal(f"{name} is for two sprites, and {other.text} is none", other)
            if partner is None:
                partner = self._known(other.text, other)
            found.append(replace(common, first=self._known(one.text, one), second=partner))
        return found

    def _effect(self, own: EffectClass, name: str, settings: Given) -> GameEffect:
        def value(setting: str, otherwise: Any) -> Any:
            if setting not in settings:
                return otherwise
            word, text = settings[setting]
            kind = {**own.settings, **EFFECT_SETTINGS, **CLOCK_SETTINGS}[setting]
            return self._known(text, word) if kind == KIND else self._value(word, text, kind)

        return GameEffect(
            number=own.number,
            name=name,
            first=NONE,
            second=NONE,
            score=value("scoreChange", 0),
            other=value("stypeTo" if own.number == TRANSFORM_TO_ALL else "stype", NONE),
            source=value("stype", NONE) if own.number == TRANSFORM_TO_ALL else NONE,
            resource=value("resource", NONE),
            value=value("value", 1),
            limit=value("limit", 0),
            spend=value("spend", 0),
            prob=float(value("prob", 1.0)),
            score_if_killed=value("scoreChangeIfKilled", 0),
            kills_second=value("killSecond", False),
            kills_resource=value("killResource", name == "collectResource"),
            pixel_perfect=value("pixelPerfect", False),
            forces_orientation=value("forceOrientation", False),
            timer=value("timer", 0),
            repeating=value("repeating", False),
            next_tick=value("timer", 0) if "nextExecution" in settings else -1,
        )

    # Endings and the mapping.

    def _ending(self, line: GameLine) -> Ending:
        name = line.first.text
        if name not in ENDINGS:
            raise self.text.refusal(f"the ending {name} is not known here{suggestion(name, ENDINGS)}", line.first)
        number, own, needs = ENDINGS[name]
        settings = self._settings(line.words[1:], {**own, **ENDING_SETTINGS}, (), name)
        for needed in needs:
            if needed not in settings:
                raise self.text.refusal(f"{name} needs {needed}=", line.first)
        kinds = tuple(self._named(settings, setting) for setting in own if setting in settings)
        limit = self._value(*settings["limit"], WHOLE) if "limit" in settings else 0
        win = bool(self._value(*settings["win"], FLAG)) if "win" in settings else False
        return Ending(number, kinds if number != AFTER else (), limit, win)

    def _default_mapping(self) -> dict[str, tuple[int, ...]]:
        """Without a kind that has no class, as none can be placed."""
        signs = {"w": WALL, "A": AVATAR_KIND}
        return {sign: (number,) for sign, number in signs.items() if self.kinds[number] is not None}

    def _mapping(self, lines: Iterable[GameLine]) -> dict[str, tuple[int, ...]]:
        mapping = self._default_mapping()
        for line in lines:
            sign, *rest = line.words
            if len(sign.text) != 1 or not rest or rest[0].text != ARROW:
                raise self.text.refusal(f"a line of the mapping is CHARACTER {ARROW} SPRITE …", sign)
            mapping[sign.text] = tuple(self._known(word.text, word) for word in rest[1:])
            for word in rest[1:]:
                if self.kinds[self.numbers[word.text]] is None:
                    raise self.text.refusal(f"{word.text} has no class, so none can be placed", word)
        return mapping


WITH_EDGE, WITH_CLOCK = -2, -3


def _scenery(rules: GameRules) -> frozenset[int]:
    """Kinds that never move, and that no effect, ending, sprite or singleton asks about."""
    asked: set[int] = set(rules.singletons)
    for effect in rules.effects:
        asked |= {effect.first, effect.second, effect.other, effect.source, effect.resource}
    for ending in rules.endings:
        asked |= set(ending.kinds)
    asked |= {number for kind in rules.kinds for number in (kind.other, kind.ammo)}
    counted = {member for number in asked if number != NONE for member in rules.kinds[number].members}
    return frozenset(
        kind.number
        for kind in rules.kinds
        if kind.own.does == STILL and kind.number not in counted and not asked & set(kind.lineage)
    )
