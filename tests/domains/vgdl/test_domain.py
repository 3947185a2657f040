"""`vgdl:FILE,level=FILE`: names, rewards, what is listed, drawings."""

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from domains.errors import UnknownDomain
from domains.protocol import Domain, drawn, pictured, replay
from domains.randomness import Random
from domains.registry import find_domain, found_from_anywhere
from domains.vgdl.domain import Vgdl
from domains.vgdl.levels import symbols
from domains.vgdl.stages import LOST, UNFINISHED, WON
from mcsgrammar.playing import play
from tests.domains.vgdl.games import OURS, game_text


def own(tmp_path: Path, options: str = "", text: str = "", level: str = "A w") -> Vgdl:
    (tmp_path / "g.txt").write_text(text or game_text("", "avatar wall > stepBack scoreChange=3"))
    (tmp_path / "g_lvl0.txt").write_text(level)
    domain = find_domain(f"vgdl:{tmp_path / 'g.txt'}{options}")
    assert isinstance(domain, Vgdl)
    return domain


def test_a_game_is_a_file_or_one_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "map").write_text("wAw")
    named = own(tmp_path, f",level={tmp_path / 'map'}")
    assert named.umpire.level.width == 3
    text = find_domain("vgdl:orchard").registered_text
    assert text == find_domain("vgdl:game=orchard,level=0").registered_text
    assert text != find_domain("vgdl:orchard,level=1").registered_text
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g_lvl0.txt").write_text("A w")
    assert found_from_anywhere("vgdl:g.txt,level=map") == f"vgdl:game={tmp_path / 'g.txt'},level={tmp_path / 'map'}"
    assert found_from_anywhere("vgdl:orchard") == "vgdl:game=orchard"
    there = find_domain("vgdl:g.txt")
    os.chdir("/")
    assert find_domain(str(there.registered_as)).registered_text == there.registered_text


def test_where_files_lie_and_what_they_say_besides_is_no_part_of_the_name(tmp_path: Path) -> None:
    one = own(tmp_path).registered_text
    other = tmp_path / "other"
    other.mkdir()
    assert own(other, text="# a game\n" + game_text("", "avatar wall > stepBack scoreChange=3")).registered_text == one
    assert own(other, ",ticks=99").registered_text != one != own(other, level="A  w").registered_text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "vgdl:none",
            "cannot read none: No such file or directory; vgdl:FILE,level=FILE: FILE is the path of a game, or one of "
            "those here: crates, meteors, orchard",
        ),
        ("vgdl", "vgdl needs the option game: write vgdl:game=…"),
        ("vgdl:orchard,ticks=0", "vgdl: ticks is 0; it is a whole number from 1 to 100000"),
        ("vgdl:orchard,scale=0", "vgdl: scale is 0; it is a whole number from 1 to 1000000"),
        ("vgdl:orchard,room=-1", "vgdl: room is -1; it is a whole number from 0 to 10000"),
        ("vgdl:orchard,wait=maybe", "wait of vgdl is yes or no, not 'maybe'"),
    ],
)
def test_what_is_refused(name: str, message: str) -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain(name)
    assert str(error.value) == message


def test_a_level_that_is_not_there() -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain("vgdl:orchard,level=7")
    assert str(error.value).endswith(
        "orchard_lvl7.txt: No such file or directory; a level is the path of a map, or the number in FILE_lvlN.txt"
    )


def test_rewards_lie_in_bands() -> None:
    domain = find_domain("vgdl:orchard,scale=4")
    state = domain.sample(Random(0))
    rewards = []
    for status in (LOST, UNFINISHED, WON):
        for score in (-1000, -4, 0, 4, 1000):
            state.status, state.score = status, score
            rewards.append(domain.reward(state))
    assert rewards == sorted(rewards) and len(set(rewards)) == 15
    assert rewards[1:4] == [0.25 / 3, 0.5 / 3, 0.75 / 3] and rewards[6:9] == [1.25 / 3, 1.5 / 3, 1.75 / 3]
    assert rewards[0] > 0 and rewards[4] < 1 / 3 < rewards[5] and rewards[9] < 2 / 3 < rewards[10] and rewards[14] < 1


def test_actions_are_those_of_all_avatars_and_waiting_if_told(tmp_path: Path) -> None:
    assert find_domain("vgdl:meteors").actions(find_domain("vgdl:meteors").sample(Random(0))) == [0, 1, 2, 3, 4]
    two = game_text("wall > Immovable\na > HorizontalAvatar\nb > FlakAvatar stype=wall", mapping="A > a")
    domain = own(tmp_path, ",wait=yes", two)
    state = domain.sample(Random(0))
    assert [domain.action_name(state, action) for action in domain.actions(state)] == (
        ["use", "left", "right", "down", "up", "wait"]
    )
    domain.play(state, 0)
    assert len(state.groups[0]) == 1  # this avatar cannot shoot
    assert own(tmp_path, "", two).actions(state) == [0, 1, 2, 3, 4]


def test_a_game_without_chance_is_a_problem_like_any_other() -> None:
    assert [find_domain(f"vgdl:{spec}").stochastic for spec in OURS] == [True, True, False, False, True, True]


def test_what_leaves_something_to_chance(tmp_path: Path) -> None:
    sprites = "door > Portal stype=exit\nexit > Immovable\nwall > Immovable"
    mapping = "d > door\ne > exit"

    def chance(effect: str, level: str) -> bool:
        return own(tmp_path, "", game_text(sprites, f"avatar door > {effect}", mapping=mapping), level).stochastic

    assert [chance("teleportToExit", level) for level in ("Ad", "Ade", "Adee")] == [False, False, True]
    assert chance("flipDirection", "Ad")
    assert [chance(f"spawn stype=exit prob={prob}", "Ad") for prob in ("0", "0.5", "1")] == [False, True, False]
    both = "spawn stype=exit\navatar wall > cloneSprite\navatar door > teleportToExit"
    assert chance(both, "Ad")  # there may be more than one exit in time


def test_a_game_without_chance_may_be_played_as_though_it_had_some(tmp_path: Path) -> None:
    effects = "avatar door > killSprite scoreChange=1"
    text = game_text(
        "door > Immovable\navatar > MovingAvatar", effects, "SpriteCounter stype=avatar win=True", "d > door"
    )
    searched = "step(select(sim(random(depth=1)), ucb1(c=0.5, norm=1)), visits)"

    def ticks(options: str) -> int:
        (game,) = play(own(tmp_path, f",ticks=20{options}", text, "  Ad"), searched, 40, engine="reference")
        assert game.record.reached_goal == (game.record.ticks < 20)
        return game.record.ticks

    assert ticks(",chance=yes") == 1 < ticks("")  # where it ends is seen once, and then no more
    assert str(own(tmp_path, ",chance=yes").registered_text).endswith(",room=200,chance=True")
    assert find_domain("vgdl:orchard,chance=yes").registered_text == find_domain("vgdl:orchard").registered_text


def keys(domain: Domain, names: str) -> list[int]:
    known = {domain.action_name(None, action): action for action in range(5)}
    return [known[name] for name in names.split()]


def test_crates_are_pushed() -> None:
    domain = find_domain("vgdl:crates,level=0")
    plan = keys(domain, "right down down up up right right down down")
    state = replay(domain, domain.sample(Random(0)), plan)
    assert state.score == 2 and not domain.is_final(state)
    state = replay(domain, state, keys(domain, "right down"))
    assert domain.reaches_goal(state) and state.score == 3 and domain.actions(state) == []


def test_drawings(tmp_path: Path) -> None:
    domain = find_domain("vgdl:crates,level=0")
    text = drawn(domain, domain.sample(Random(0)), keys(domain, "right down"))
    assert text == "wwwwwww\nw.....w\nw.A.c.w\nw.c...w\nw.o.odw\nwwwwwww\ntick 2: 0 points, not over"
    picture = pictured(domain, domain.sample(Random(0)), keys(domain, "right"))
    assert picture is not None
    titles = [element.text for element in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}title")]
    assert titles.count("crate") == 2 and titles.count("avatar") == 1 and titles[0] == "tick 1: 0 points, not over"
    text = game_text("ab > Door\nac > Door\nad > Door", mapping="x > ab\ny > ac ad")
    assert sorted(symbols(own(tmp_path, text=text).umpire.rules).values()) == ["A", "a", "d", "w", "x"]
