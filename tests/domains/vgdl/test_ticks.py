"""What happens in a tick, by hand: the places at which it is easily got wrong."""

import pytest

from domains.randomness import Random
from domains.vgdl.stages import LOST, UNFINISHED, WON
from tests.domains.vgdl.games import KEYS, game_text, places, played, umpire_of


def test_what_was_killed_is_met_until_the_tick_ends() -> None:
    text = game_text(
        "a > Immovable\nb > Immovable", "a avatar > killSprite\nb a > killSprite scoreChange=3", mapping="x > a b"
    )
    state = played(umpire_of(text, "Ax"), "r")
    assert state.score == 3 and not places(umpire_of(text, "Ax"), state, "b")


def test_a_sprite_is_killed_once_by_one_effect() -> None:
    text = game_text("a > Immovable\nb > Immovable", "a b > killSprite scoreChange=1", mapping="x > a b b")
    assert played(umpire_of(text, "A x"), ".").score == 1


def test_what_is_drawn_last_moves_first() -> None:
    # The hunter on top steps left before its prey does, the one below after it.
    sprites = "{}prey > Missile orientation=LEFT cooldown=2\n{}"
    hunter = "hunter > Chaser stype=prey\n"
    for text, place in ((sprites.format("", hunter), (30, 0)), (sprites.format(hunter, ""), (30, 0))):
        umpire = umpire_of(game_text(text, mapping="h > hunter\np > prey"), "A   p h")
        assert places(umpire, played(umpire, ".."), "prey") == [place]
        assert places(umpire, played(umpire, ".."), "hunter") == [(40, 0)]
    # What is made by something on top moves in the same tick if it is drawn below, or else in the next.
    for order, moved in (("shot\ngun", 1), ("gun\nshot", 0)):
        lines = {"shot": "shot > Missile orientation=RIGHT", "gun": "gun > SpawnPoint stype=shot cooldown=50"}
        umpire = umpire_of(game_text("\n".join(lines[name] for name in order.split()), mapping="g > gun"), "Ag      ")
        assert places(umpire, played(umpire, ".."), "shot") == [(10 + 10 * moved, 0)]
        assert places(umpire, played(umpire, "..."), "shot") == [(20 + 10 * moved, 0)]


def test_a_missile_stays_in_its_first_tick() -> None:
    umpire = umpire_of(game_text("m > Missile orientation=RIGHT speed=0.25", mapping="m > m"), "Am   ")
    assert [places(umpire, played(umpire, "." * n), "m")[0][0] for n in range(4)] == [10, 10, 12, 14]


def test_places_are_pixels_and_steps_are_cut() -> None:
    text = game_text("avatar > MovingAvatar speed=0.37", top="")
    assert places(umpire_of(text, "A   "), played(umpire_of(text, "A   "), "rr"), "avatar") == [(6, 0)]
    umpire = umpire_of(game_text("avatar > MovingAvatar", top="key_handler=Pulse"), "A" + " " * 60)
    assert umpire.block == 800 // 61 and places(umpire, played(umpire, "r"), "avatar") == [(13, 0)]


def test_a_cooldown_counts_ticks_since_the_last_move() -> None:
    umpire = umpire_of(game_text("avatar > MovingAvatar cooldown=3"), "A      ")
    assert [places(umpire, played(umpire, "r" * n), "avatar")[0][0] for n in range(8)] == [
        0,
        0,
        0,
        10,
        10,
        10,
        20,
        20,
    ]


def test_all_effects_of_a_pair_happen_where_it_is_first_named() -> None:
    sprites = "a > Immovable\nb > Immovable\nc > Immovable"
    first = "a avatar > killSprite"
    second = "b avatar > killSprite scoreChange=1"
    third = "a avatar > transformTo stype=c"
    text = game_text(sprites, f"{first}\n{second}\n{third}", mapping="x > a b")
    umpire = umpire_of(text, "Ax")
    assert not places(umpire, played(umpire, "r"), "c")  # it was killed by the first effect of its pair
    text = game_text(sprites, f"{third}\n{second}\n{first}", mapping="x > a b")
    umpire = umpire_of(text, "Ax")
    assert places(umpire, played(umpire, "r"), "c") == [(10, 0)]


def test_effects_see_what_earlier_ones_moved() -> None:
    effects = "avatar wall > stepBack\navatar a > killSprite"
    text = game_text("a > Immovable\nwall > Immovable", effects, "SpriteCounter stype=avatar", "x > a wall")
    assert played(umpire_of(text, "Ax"), "r").status == UNFINISHED
    text = game_text(
        "a > Immovable\nwall > Immovable",
        "\n".join(reversed(effects.split("\n"))),
        "SpriteCounter stype=avatar",
        "x > a wall",
    )
    assert played(umpire_of(text, "Ax"), "r").status == LOST


def test_what_an_effect_makes_does_not_take_part_in_it() -> None:
    umpire = umpire_of(game_text("a > Immovable\nb > Immovable", "a b > cloneSprite", mapping="x > a b"), "Ax")
    assert [len(places(umpire, played(umpire, "." * n), "a")) for n in range(4)] == [1, 2, 4, 8]


def test_step_back_and_undo_go_to_the_beginning_of_the_tick() -> None:
    text = game_text(
        "box > Passive\nwall > Immovable", "box avatar > bounceForward\nbox wall > undoAll", mapping="b > box"
    )
    umpire = umpire_of(text, "A b w")
    state = played(umpire, "rr")
    assert places(umpire, state, "box") == [(30, 0)] and places(umpire, state, "avatar") == [(20, 0)]
    state = played(umpire, "rrr")
    assert places(umpire, state, "box") == [(30, 0)] and places(umpire, state, "avatar") == [(20, 0)]


def test_a_pixel_perfect_step_back_leaves_no_gap() -> None:
    text = game_text("wall > Immovable\navatar > MovingAvatar speed=0.7", "avatar wall > stepBack pixelPerfect=True")
    assert places(umpire_of(text, "A w"), played(umpire_of(text, "A w"), "rr"), "avatar") == [(10, 0)]
    assert places(umpire_of(text, "w A"), played(umpire_of(text, "w A"), "ll"), "avatar") == [(10, 0)]


def test_a_spawn_point_counts_twice_and_draws_in_every_tick() -> None:
    text = game_text("a > Immovable\ng > SpawnPoint stype=a cooldown=4 total=2", mapping="g > g")
    umpire, random = umpire_of(text, "Ag"), Random(5)
    state = umpire.initial()
    for tick, made in enumerate((1, 1, 1, 1, 2, 2)):
        umpire.play(state, 0, random)
        assert len(places(umpire, state, "a")) == made
        assert len(places(umpire, state, "g")) == (tick < 4)
    expected = Random(5)
    for _ in range(5):
        expected.next()
    assert random.state == expected.state


def test_a_spawn_point_that_begins_later_counts_from_there() -> None:
    # It is made in tick 1 and may make something when 1 + tick is a multiple of 3.
    text = game_text("g > SpawnPoint stype=a cooldown=3\na > Immovable\nh > Flicker limit=0",
                     "h avatar > transformTo stype=g", mapping="h > h")  # fmt: skip
    umpire = umpire_of(text, "Ah")
    assert [len(places(umpire, played(umpire, "r" + "." * n), "a")) for n in range(7)] == [0, 0, 1, 1, 1, 2, 2]


def test_a_shooter_turns_before_it_moves_and_shoots_ahead() -> None:
    text = game_text("avatar > ShootAvatar stype=shot\nshot > Missile")
    umpire = umpire_of(text, " A  \n    ")
    state = played(umpire, "d")
    assert places(umpire, state, "avatar") == [(10, 0)] and state.avatar.direction == (0, 1)
    assert places(umpire, played(umpire, "dd"), "avatar") == [(10, 10)]
    state = played(umpire, "ds")
    assert places(umpire, state, "shot") == [(10, 10)] and state.groups[2][0].direction == (0, 1)


def test_flak_drops_its_shot_where_it_is() -> None:
    text = game_text("shot > Missile orientation=UP singleton=True\navatar > FlakAvatar stype=shot")
    umpire = umpire_of(text, "   \n A ")
    assert places(umpire, played(umpire, "s"), "shot") == [(10, 10)]
    assert places(umpire, played(umpire, "ss"), "shot") == [(10, 0)]  # one at a time
    assert played(umpire, "u").avatar.y == 10


def test_a_transformed_avatar_keeps_score_health_and_where_it_was() -> None:
    text = game_text(
        "a > Immovable\navatar > MovingAvatar healthPoints=7\n    one >\n    two > healthPoints=3",
        "one a > transformTo stype=two scoreChange=5\ntwo a > stepBack",
        mapping="1 > one\na > a",
    )
    umpire = umpire_of(text, "1a")
    state = played(umpire, "r")
    assert state.avatar.kind.name == "two" and state.avatar.health == 7 and state.score == 5
    assert (state.avatar.x, state.avatar.y) == (0, 0)
    assert not places(umpire, state, "one")


def test_an_avatar_that_becomes_something_else_stays_and_does_nothing() -> None:
    text = game_text("a > Immovable\nb > Immovable", "avatar a > transformTo stype=b\nb avatar > cloneSprite",
                     "SpriteCounter stype=avatar win=True\nTimeout limit=0", "a > a")  # fmt: skip
    umpire = umpire_of(text, "Aa")
    state = played(umpire, "r")
    assert state.avatar.is_disabled and state.status == WON
    assert len(places(umpire, state, "b")) == 2 and places(umpire, state, "avatar") == [(10, 0)]


def test_all_of_a_kind_are_transformed_whatever_singletons_there_are() -> None:
    text = game_text(
        "bell > Immovable\nwall > Immovable\nm > Missile orientation=UP\nn > Missile singleton=True\n    o >\n",
        "bell avatar > transformToAll stype=m stypeTo=o killSecond=False forceOrientation=True scoreChange=3",
        mapping="b > bell\nm > m",
    )
    umpire = umpire_of(text, "Ab  \n  mm\n    ")
    state = played(umpire, "r")
    assert places(umpire, state, "o") == [(20, 10), (30, 10)] and not places(umpire, state, "m") and state.score == 3
    assert [sprite.direction for sprite in state.groups[5]] == [(0, -1)] * 2
    assert places(umpire, state, "bell") == [(10, 0)]  # what is met itself stays


def test_what_was_killed_is_transformed_with_all_of_its_kind() -> None:
    text = game_text(
        "a > Immovable\nb > Immovable",
        "a avatar > killSprite\navatar a > transformToAll stype=a stypeTo=b\n",
        mapping="a > a",
    )
    umpire = umpire_of(text, "Aa a")
    state = played(umpire, "r")
    assert places(umpire, state, "b") == [(10, 0), (30, 0)] and not places(umpire, state, "a")


def test_directions_are_drawn() -> None:
    text = game_text("m > Missile orientation=RIGHT", "m EOS > flipDirection", mapping="m > m")
    umpire = umpire_of(text, "A m\n   \n   ")
    for seed in range(8):
        state = played(umpire, "..", seed)  # the second tick takes it out of the screen
        assert state.groups[2][0].direction == ((0, -1), (-1, 0), (0, 1), (1, 0))[Random(seed).below(4)]


def after_draws(seed: int, draws: int) -> int:
    random = Random(seed)
    for _ in range(draws):
        random.next()
    return random.state


def test_something_is_spawned_where_another_one_is_and_luck_is_asked_always() -> None:
    text = game_text("a > Immovable\nb > Immovable", "avatar a > spawn stype=b scoreChange=2", mapping="a > a")
    umpire = umpire_of(text, "Aa")
    state = played(umpire, "r")
    assert places(umpire, state, "b") == [(10, 0)] and state.score == 2
    random, state = Random(5), umpire.initial()
    umpire.play(state, KEYS["r"], random)
    assert random.state == after_draws(5, 1)
    umpire = umpire_of(text.replace("stype=b", "stype=b prob=0"), "Aa")
    state = played(umpire, "r")
    assert not places(umpire, state, "b") and state.score == 2


PORTALS = "door > Portal stype=exit{}\nexit > Immovable{}\nwall > Immovable\navatar > OrientedAvatar"


def test_portals_lead_to_an_exit_drawn_among_all() -> None:
    text = game_text(PORTALS.format("", ""), "avatar door > teleportToExit scoreChange=1", mapping="d > door\ne > exit")
    umpire = umpire_of(text, "Ad e\ne  e")
    for seed in range(8):
        state = played(umpire, "r", seed)
        assert (state.avatar.x, state.avatar.y) == ((30, 0), (0, 10), (30, 10))[Random(seed).below(3)]
        assert (state.avatar.last_x, state.score) == (0, 1)
        assert state.avatar.direction == (1, 0)


def test_who_comes_out_looks_as_the_exit_does() -> None:
    sprites = PORTALS.format("", " orientation=UP")
    umpire = umpire_of(game_text(sprites, "avatar door > teleportToExit", mapping="d > door\ne > exit"), "Ad e")
    assert played(umpire, "r").avatar.direction == (0, -1)


def test_a_portal_without_an_exit_kills_and_one_that_leads_nowhere_does_nothing() -> None:
    text = game_text(PORTALS.format("", ""), "avatar door > teleportToExit scoreChange=1", mapping="d > door")
    state = played(umpire_of(text, "Ad "), "r")
    assert state.avatar.is_disabled and state.score == 1
    state = played(umpire_of(text.replace("Portal stype=exit", "Portal"), "Ad "), "r")
    assert (state.avatar.x, state.avatar.is_disabled, state.score) == (10, False, 1)


def test_a_singleton_blocks_through_the_kinds_above() -> None:
    sprites = (
        "group > Immovable singleton=True\n    a >\n    b >\n"
        "g > SpawnPoint cooldown=2\n    g1 > stype=a\n    g2 > stype=b"
    )
    umpire = umpire_of(game_text(sprites, mapping="1 > g1\n2 > g2"), "A12")
    state = played(umpire, "....")
    assert len(places(umpire, state, "b")) == 1 and not places(umpire, state, "a")


@pytest.mark.parametrize(
    ("ending", "tick"),
    [
        ("SpriteCounter stype=a limit=1", 2),
        ("SpriteCounter stype=a", 4),
        ("MultiSpriteCounter stype1=a stype2=b limit=2", 2),
        ("MultiSpriteCounter stype1=a stype2=b stype3=avatar limit=2", 4),
        ("MultiSpriteCounter stype1=a limit=3", None),
        ("Timeout limit=1", 2),
    ],
)
def test_endings(ending: str, tick: int | None) -> None:
    text = game_text("a > Immovable\nb > Immovable", "a avatar > killSprite", f"{ending} win=True", "a > a\nb > b")
    umpire = umpire_of(text, "A a ab")
    won = [n for n in range(6) if played(umpire, "rrrrr"[:n]).status == WON]
    assert (won[0] if won else None) == tick


def test_the_first_ending_that_holds_decides_and_time_runs_out() -> None:
    for first, status in (("win=True", WON), ("win=False", LOST), ("", LOST)):
        text = game_text("", endings=f"Timeout limit=0 {first}\nTimeout limit=0 win=True")
        assert played(umpire_of(text, "A"), ".").status == status
    assert [played(umpire_of(game_text(""), "A", ticks=2), "." * n).status for n in (1, 2)] == [UNFINISHED, LOST]


def test_what_is_carried_counts_only_up_to_the_limit() -> None:
    text = game_text(
        "gem > Resource limit=3 value=2\ndoor > Immovable\nwall > Immovable",
        "gem avatar > collectResource scoreChange=1\n"
        "door avatar > killIfOtherHasMore resource=gem limit=3 scoreChange=9",
        mapping="g > gem\nd > door",
    )
    umpire = umpire_of(text, "Agggd")
    state = played(umpire, "rrr")
    assert state.avatar.carries == {2: 3} and state.score == 2 and len(places(umpire, state, "gem")) == 1
    assert played(umpire, "rrrr").score == 11
    assert not places(umpire, played(umpire, "rrrr"), "door")


def test_ammunition_is_spent() -> None:
    text = game_text(
        "shot > Missile\nbullet > Resource limit=5\npack > Immovable\navatar > ShootAvatar stype=shot ammo=bullet",
        "avatar pack > changeResource resource=bullet value=2 killResource=True scoreChange=1",
        mapping="p > pack",
    )
    umpire = umpire_of(text, "Ap        ")
    assert not places(umpire, played(umpire, "s"), "shot")
    state = played(umpire, "rsss")
    assert len(places(umpire, state, "shot")) == 2 and state.avatar.carries == {3: 0} and state.score == 1


def test_health_is_lost_and_won() -> None:
    text = game_text(
        "avatar > MovingAvatar healthPoints=2 limitHealthPoints=4\nfood > Immovable\nfire > Immovable",
        "avatar food > addHealthPoints killSecond=True scoreChange=1\n"
        "avatar fire > subtractHealthPoints scoreChange=-1 scoreChangeIfKilled=-5",
        "SpriteCounter stype=avatar",
        "f > food\nx > fire",
    )
    umpire = umpire_of(text, "xAff")
    state = played(umpire, "rr")
    assert (state.avatar.health, state.score, places(umpire, state, "food")) == (3, 1, [(30, 0)])
    state = played(umpire, "l.")
    assert (state.avatar.health, state.score, state.status) == (0, -6, LOST)


def test_effects_by_the_clock() -> None:
    text = game_text(
        "avatar > MovingAvatar healthPoints=9",
        "avatar TIME > subtractHealthPoints timer=3 repeating=True scoreChange=-1",
    )
    assert [played(umpire_of(text, "A"), "." * n).avatar.health for n in range(6)] == [9, 8, 8, 8, 7, 7]
    text = game_text("", "TIME avatar > stepBack timer=2 nextExecution=5 scoreChange=1")
    assert [played(umpire_of(text, "A"), "." * n).score for n in range(6)] == [0, 0, 0, 1, 1, 1]


def test_the_edge_of_the_screen() -> None:
    text = game_text(
        "m > Missile orientation=RIGHT\nn > Missile orientation=DOWN speed=0.5",
        "m EOS > wrapAround scoreChange=1\nEOS n > reverseDirection\navatar EOS > stepBack",
        mapping="m > m\nn > n",
    )
    umpire = umpire_of(text, "Anm")
    assert played(umpire, "lu").avatar.x == played(umpire, "u").avatar.y == 0
    assert places(umpire, played(umpire, ".."), "m") == [(0, 0)] and played(umpire, "..").score == 1
    assert [places(umpire, played(umpire, "." * n), "n")[0][1] for n in range(1, 5)] == [0, 5, 0, -5]


def test_to_turn_around_is_two_steps_down_and_back() -> None:
    text = game_text("a > Bomber stype=b speed=0.8 cooldown=2\nb > Immovable", "a EOS > turnAround", mapping="a > a")
    umpire = umpire_of(text, "A a\n   \n   ")
    state = played(umpire, "...")
    assert places(umpire, state, "a") == [(20, 16)] and state.groups[2][0].direction == (-1, 0)


def test_a_random_walker_goes_on_as_before() -> None:
    umpire = umpire_of(game_text("n > RandomNPC cons=2", mapping="n > n"), "A  \n n \n   ")
    random, state, seen = Random(3), umpire.initial(), []
    for _ in range(9):
        before = random.state
        umpire.play(state, 0, random)
        seen.append((random.state != before, state.groups[2][0].x, state.groups[2][0].y))
    assert [drew for drew, _, _ in seen] == [False, False, True] * 3
    assert seen[1][1:] == (10, 10)


def test_chasers_count_each_of_the_nearest() -> None:
    text = game_text("c > Chaser stype=a\na > Immovable", mapping="c > c\na > a")
    umpire = umpire_of(text, "A  a\n  c \n  a ")
    ways = umpire._ways(umpire.initial(), umpire.initial().groups[2][0])
    assert ways == [(0, 1)]
    umpire = umpire_of(text, "A   \na c \n  a \n   a")
    sprite = umpire.initial().groups[2][0]
    assert umpire._ways(umpire.initial(), sprite) == [(0, 1)]
    umpire = umpire_of(text.replace("Chaser", "Fleeing"), "A   \n  c \na   \n")
    assert umpire._ways(umpire.initial(), umpire.initial().groups[2][0]) == [(0, -1), (1, 0)]


def test_where_there_is_no_room_nothing_is_made() -> None:
    text = game_text("a > Immovable\nb > Immovable", "a b > cloneSprite", mapping="x > a b")
    umpire = umpire_of(text, "Ax", room=4)
    assert [len(places(umpire, played(umpire, "." * n), "a")) for n in range(5)] == [1, 2, 4, 5, 5]


def test_one_avatar_plays() -> None:
    umpire = umpire_of(game_text("b > Immovable"), "AA")
    assert places(umpire, umpire.initial(), "avatar") == [(0, 0)]
