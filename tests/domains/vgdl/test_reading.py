"""Descriptions and levels to rules, and every complaint with the line and the caret."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.errors import UnknownDomain
from domains.vgdl.checking import check_description
from domains.vgdl.levels import read_level
from domains.vgdl.reading import LONGEST_TEXT, GameError, GameLine, Text, file_text, read_description
from domains.vgdl.rules import GameRules
from domains.vgdl.vocabulary import EFFECTS, ENDINGS, SPRITES
from tests.domains.vgdl.games import game_text, public_games


def shape(line: GameLine) -> object:
    return [" ".join(word.text for word in line.words), *(shape(lower) for lower in line.below)]


def rules_of(text: str) -> GameRules:
    return check_description(read_description(text, "g.txt"))


def test_what_is_indented_is_below() -> None:
    text = "# a\n\nBasicGame a=b # c\n  X\n   # d\n\n   y > Z\t=\n\t\t\t\tq\n  W\r\n# e"
    description = read_description(text.replace("\r\n", "\n"), "g.txt")
    assert shape(description.top) == ["BasicGame a=b", ["X", ["y > Z =", ["q"]]], ["W"]]


def test_nothing_stands_below_an_effect() -> None:
    with pytest.raises(GameError) as error:
        rules_of(game_text("", "avatar wall > stepBack\n  wall avatar > stepBack"))
    assert str(error.value).startswith("g.txt:5:11: nothing stands below an effect\n")


def test_there_may_be_so_many_kinds() -> None:
    with pytest.raises(GameError) as error:
        rules_of(game_text("\n".join(f"k{i} > Door" for i in range(199))))
    assert str(error.value) == (
        "g.txt:201:9: this is one kind of sprite too many; 200 is the most\n          k198 > Door\n          ^^^^"
    )


def test_a_tab_is_one_column() -> None:
    assert shape(read_description("A\n  B\n \tC\n   D", "g.txt").top) == ["A", ["B"], ["C", ["D"]]]


LINES = {
    "": "g.txt: there is nothing in it; a game begins with the line BasicGame",
    "#\n  BasicGame": (
        "g.txt:2:3: this line is indented, and no line is above it; the first line begins at the margin\n"
        "    BasicGame\n    ^^^^^^^^^"
    ),
    "BasicGame\n    A\n  B": (
        "g.txt:3:3: this line is indented by 2, those above it by 0 and 4; make it one of these\n    B\n    ^"
    ),
    "BasicGame\nSpriteSet": (
        "g.txt:2:1: a game is one block; indent this line and those after it\n  SpriteSet\n  ^^^^^^^^^"
    ),
    "Basicgame": "g.txt:1:1: a game begins with the line BasicGame\n  Basicgame\n  ^^^^^^^^^",
    "BasicGame\n  SpriteSet": "g.txt:1:1: this game has no InteractionSet\n  BasicGame\n  ^^^^^^^^^",
    "BasicGame\n  SpritSet": ("g.txt:2:3: there is no SpritSet; did you mean 'SpriteSet'?\n    SpritSet\n    ^^^^^^^^"),
    "BasicGame\n  SpriteSet\n  SpriteSet": (
        "g.txt:3:3: a game has one SpriteSet, and this is another\n    SpriteSet\n    ^^^^^^^^^"
    ),
    "BasicGame\n  SpriteSet x": "g.txt:2:13: SpriteSet stands alone in its line\n    SpriteSet x\n              ^",
    "BasicGame square_size=1": (
        "g.txt:1:11: square_size is from 2 to 1000 pixels\n  BasicGame square_size=1\n            ^^^^^^^^^^^^^"
    ),
}


@pytest.mark.parametrize("text", LINES)
def test_complaints_about_lines(text: str) -> None:
    with pytest.raises(GameError) as error:
        rules_of(text)
    assert str(error.value) == LINES[text]


def listed(known: object) -> str:
    return f"there are {', '.join(known)}"  # type: ignore[arg-type]


SPRITE_LINES = {
    "x": "a line about a sprite is NAME > CLASS SETTING=VALUE …; > is missing after x|x",
    "x >": "x has no class; write one after >, such as Immovable|x",
    "x > Qqqqqqqq": f"the class Qqqqqqqq is not known here; {listed(SPRITES)}|Qqqqqqqq",
    "x > Misile": "the class Misile is not known here; did you mean 'Missile'?|Misile",
    "x > Door Missile": "x has the class Door already; settings are NAME=VALUE|Missile",
    "EOS > Door": "a sprite cannot be called EOS|EOS",
    "x > Door speeed=1": "the setting speeed of a sprite is not known here; did you mean 'speed'?|speeed=1",
    "x > Door speed=": "speed has no value; write speed=VALUE without spaces|speed=",
    "x > Door speed=fast": "speed is a number|speed=fast",
    "x > Door speed=inf": "speed is a number from -1,000,000 to 1,000,000|speed=inf",
    "x > Door cooldown=1.5": "cooldown is a whole number|cooldown=1.5",
    "x > Door singleton=yes": "singleton is True or False|singleton=yes",
    "x > Missile orientation=NORTH": "orientation is one of UP, LEFT, DOWN, RIGHT, NONE|orientation=NORTH",
    "x > SpawnPoint prob=2 stype=x": "prob is a probability, from 0 to 1|prob=2",
    "x > Chaser": "x is a Chaser, which needs stype=, a kind of sprites|x",
    "x > Chaser stype=avata": "there is no sprite avata; did you mean 'avatar'?|stype=avata",
}
EFFECT_LINES = {
    "avatar > killSprite": "a line about an effect is SPRITE SPRITE … > EFFECT SETTING=VALUE …|>",
    "avatar wall": "a line about an effect is SPRITE SPRITE … > EFFECT SETTING=VALUE …|avatar",
    "avatar wall >": "an effect is named once after >; settings are NAME=VALUE|>",
    "avatar wall > stepBack killBoth": "an effect is named once after >; settings are NAME=VALUE|killBoth",
    "avatar wall > stepBak": "the effect stepBak is not known here; did you mean 'stepBack'?|stepBak",
    "avatar wall > qqqqqqqq": f"the effect qqqqqqqq is not known here; {listed(EFFECTS)}|qqqqqqqq",
    "avatar wal > stepBack": "there is no sprite wal; did you mean 'wall'?|wal",
    "avatar EOS > killBoth": "killBoth is for two sprites, and EOS is none|EOS",
    "avatar wall > transformTo": "transformTo needs stype=|transformTo",
    "avatar wall > stepBack scoreChange=1,2": "scoreChange is a whole number|scoreChange=1,2",
    "avatar wall > stepBack value=2": (
        "the setting value of stepBack is not known here; it has pixelPerfect, scoreChange|value=2"
    ),
    "avatar x > spawn stype=x prob=5000": "prob is a probability, from 0 to 1|prob=5000",
    "avatar x > spawn stype=x prob=nan": "prob is a probability, from 0 to 1|prob=nan",
    "avatar x > spawnIfHasMore stype=x resource=x prob=-0.5": "prob is a probability, from 0 to 1|prob=-0.5",
    "avatar TIME > killSprite repeating=True": ("what is repeating needs timer=, a number of ticks from 1|killSprite"),
}
ENDING_LINES = {
    "Timeout": "Timeout needs limit=|Timeout",
    "SpriteCount stype=wall": "the ending SpriteCount is not known here; did you mean 'SpriteCounter'?|SpriteCount",
    "Qqqqqqqqqqqq": f"the ending Qqqqqqqqqqqq is not known here; {listed(ENDINGS)}|Qqqqqqqqqqqq",
    "SpriteCounter stype=wal": "there is no sprite wal; did you mean 'wall'?|stype=wal",
    "Timeout limit=3 wins=True": "the setting wins of Timeout is not known here; did you mean 'win'?|wins=True",
    "Timeout 3": "a setting of Timeout is NAME=VALUE|3",
}
MAPPING_LINES = {
    "ab > wall": "a line of the mapping is CHARACTER > SPRITE …|ab",
    "a wall": "a line of the mapping is CHARACTER > SPRITE …|a",
    "a > group": "group has no class, so none can be placed|group",
    "a > wal": "there is no sprite wal; did you mean 'wall'?|wal",
}


@pytest.mark.parametrize(
    ("place", "line", "complaint"),
    [
        (place, line, complaint)
        for place, lines in enumerate((SPRITE_LINES, EFFECT_LINES, ENDING_LINES, MAPPING_LINES))
        for line, complaint in lines.items()
    ],
)
def test_complaints_about_what_a_line_means(place: int, line: str, complaint: str) -> None:
    sets = ["" if place == 0 else "group >\n    x > Door", "", "Timeout limit=9", ""]
    sets[place] = line
    text = game_text(*sets)
    with pytest.raises(GameError) as error:
        rules_of(text)
    what, _, word = complaint.rpartition("|")
    number = text.split("\n").index(f"        {line}") + 1
    column = 8 + f"{line} ".index(f"{word} ")
    shown = f"g.txt:{number}:{column + 1}: {what}\n  {' ' * 8}{line}\n  {' ' * column}{'^' * len(word)}"
    assert str(error.value) == shown


MAKERS = (
    ("nest > SpawnPoint stype=group", ""),
    ("", "avatar x > transformTo stype=group"),
    ("", "avatar x > spawn stype=group"),
    ("", "avatar TIME > transformToAll timer=3 stype=x stypeTo=group"),
)


@pytest.mark.parametrize(("sprite", "effect"), MAKERS)
def test_what_has_no_class_is_not_made(sprite: str, effect: str) -> None:
    with pytest.raises(GameError) as error:
        rules_of(game_text(f"group >\n    x > Door\n{sprite}".rstrip(), effect, "Timeout limit=9"))
    assert str(error.value) == (
        "g.txt:3:9: group has no class, so none can be made; name a kind below it where it is made\n"
        "          group >\n          ^^^^^"
    )


def test_no_kind_stands_below_itself() -> None:
    with pytest.raises(GameError) as error:
        rules_of(game_text("coin >\n    gold >\n        coin > Immovable"))
    assert str(error.value) == (
        "g.txt:5:17: coin stands below itself; give one of the two another name\n"
        "                  coin > Immovable\n                  ^^^^"
    )


LEVELS = {
    "\nwA": "l.txt: its first row is empty, and says how wide the level is; delete it",
    "": "l.txt: there is nothing in it; a level is a map, row by row",
    "ww\nww": "l.txt has no avatar, so there is nobody to play",
    "wA\nw?": "l.txt:2:2: ? is not in the LevelMapping of g.txt; it has w A\n  w?\n   ^",
    "A" * 401: "l.txt is 401 by 1 cells; 400 is the most",
}


@pytest.mark.parametrize("text", LEVELS)
def test_complaints_about_levels(text: str) -> None:
    with pytest.raises(GameError) as error:
        read_level(rules_of(game_text("")), Text("l.txt", text))
    assert str(error.value) == LEVELS[text]


def test_what_has_no_class_is_not_placed_by_the_letters_that_need_no_mapping() -> None:
    rules = rules_of(game_text("avatar >\n    one > MovingAvatar\nwall >\n    brick > Immovable", mapping="B > one"))
    assert [(kind.name, x) for k, x, _ in read_level(rules, Text("l", "B ")).sprites for kind in [rules.kinds[k]]] == [
        ("one", 0)
    ]
    for sign in "Aw":
        with pytest.raises(GameError) as error:
            read_level(rules, Text("l.txt", f"B{sign}"))
        assert str(error.value).startswith(f"l.txt:1:2: {sign} is not in the LevelMapping of g.txt; it has B\n")


def test_rows_are_as_long_as_the_first() -> None:
    level = read_level(rules_of(game_text("")), Text("l.txt", "wwA\nw\nwwwww\n\n"))
    assert (level.width, level.height) == (3, 3)
    assert [(x, y) for kind, x, y in level.sprites if kind == 0] == []
    assert [(x, y) for kind, x, y in level.scenery] == [(0, 0), (1, 0), (0, 1), (0, 2), (1, 2), (2, 2)]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownDomain, match=r"^cannot read .*none.txt: No such file or directory; so$"):
        file_text(tmp_path / "none.txt", "so")
    (tmp_path / "long.txt").write_text("a" * (LONGEST_TEXT + 1))
    with pytest.raises(UnknownDomain, match=r"has 1,000,001 bytes; 1,000,000 is the most$"):
        file_text(tmp_path / "long.txt", "so")
    (tmp_path / "old.txt").write_bytes(b"# caf\xe9\r\nBasicGame")
    assert file_text(tmp_path / "old.txt", "so") == "# café\nBasicGame"
    for space in "\xa0\x0c\x0b\u2003":
        (tmp_path / "web.txt").write_text(f"A\n  B\n {space}C", encoding="utf-8")
        assert shape(read_description(file_text(tmp_path / "web.txt", "so"), "web.txt").top) == ["A", ["B"], ["C"]]


def test_lines_deep_below_each_other() -> None:
    deepest = "\n".join(" " * depth + "x > Door" for depth in range(100))
    assert read_description(deepest, "g.txt").top.below
    with pytest.raises(GameError) as error:
        read_description(f"{deepest}\n{' ' * 1_000}x > Door", "g.txt")
    assert str(error.value).startswith("g.txt:101:1001: this line stands below 100 others; 99 is the most\n")
    with pytest.raises(GameError, match="this line stands below 100 others"):
        read_description("\n".join(" " * depth + "x" for depth in range(2_000)), "g.txt")


def test_kinds_take_class_and_settings_from_above() -> None:
    rules = rules_of(
        game_text(
            "a > Missile speed=2\n    b >\n        c > speed=3 orientation=UP\n    d > Door cooldown=4\n"
            "wall > Immovable",
            endings="SpriteCounter stype=c",
        )
    )
    kinds = {kind.name: kind for kind in rules.kinds}
    assert (kinds["c"].class_name, kinds["c"].speed, kinds["c"].orientation) == ("Missile", 3.0, (0, -1))
    assert (kinds["d"].class_name, kinds["d"].speed, kinds["d"].cooldown) == ("Missile", 2.0, 4)
    assert [rules.kinds[number].name for number in kinds["a"].members] == ["a", "b", "c", "d"]
    assert [rules.kinds[number].name for number in kinds["c"].members] == ["a", "b", "c"]
    assert [rules.kinds[number].name for number in rules.order] == ["c", "d", "wall", "avatar"]


def test_indentation_and_comments_are_no_part_of_what_a_game_is() -> None:
    one = "BasicGame\n  SpriteSet\n    a > Door\n  InteractionSet\n  TerminationSet\n"
    other = "# x\nBasicGame\n\tSpriteSet # y\n\n\t      a   > Door\n\tInteractionSet\n\tTerminationSet"
    assert rules_of(one).hash == rules_of(other).hash != rules_of(one.replace("Door", "Passive")).hash


@given(st.text(alphabet="BasicGme >=\n\t#SprtelvIno w", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        rules_of(text)
    except GameError as error:
        assert str(error).startswith("g.txt")


@pytest.mark.parametrize("path", public_games(), ids=lambda path: path.stem)
def test_public_games_are_read_or_refused_with_a_place(path: Path) -> None:
    try:
        rules_of(file_text(path, ""))
    except GameError as error:
        assert str(error).count("\n") == 2 and str(error).endswith("^")
