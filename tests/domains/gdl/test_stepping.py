"""The referee that goes from one state to the next says what the reference says, which begins anew each time."""

import pickle
from pathlib import Path
from threading import Thread

import pytest

from domains.errors import DomainError
from domains.gdl.domain import Gdl
from domains.gdl.network import Network, build_network
from domains.gdl.reference import Referee, State
from domains.gdl.stepping import SteppingReferee, _Stands
from domains.protocol import advance_all
from domains.randomness import Random
from tests.domains.gdl.games import FOR_SEVERAL, NAMES, SHEETS, SMALL, grounding_of
from tests.domains.gdl.test_agreement import built_of, walk

CAVES = """
(role p) (role q)
(cave 1) (cave 2) (cave 3) (cave 4) (cave 5)
(init (dark 1)) (init (way 1 2)) (init (way 2 3)) (init (way 3 1)) (init (way 4 5)) (init (way 5 4)) (init (left 9))
(less 9 8) (less 8 7) (less 7 6) (less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(<= (reached ?x) (true (dark ?x)))
(<= (reached ?y) (reached ?x) (true (way ?x ?y)))
(<= (worth ?y) (true (way 4 ?y)))
(<= (worth ?y) (worth ?x) (true (way ?x ?y)))
(<= (legal p (dig ?x ?y)) (reached ?x) (cave ?y) (distinct ?x ?y))
(<= (legal q (fill ?x ?y)) (true (way ?x ?y)))
(<= (legal q wait) (true (dark 1)))
(<= (next (way ?x ?y)) (does p (dig ?x ?y)))
(<= (next (way ?x ?y)) (true (way ?x ?y)) (not (does q (fill ?x ?y))))
(<= (next (dark 1)) (true (dark 1)))
(<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
(<= terminal (true (left 0)))
(<= (goal p 100) (reached 5))
(<= (goal p 20) (not (reached 5)))
(<= (goal q 80) (worth 3))
(<= (goal q 10) (not (worth 3)))
"""
"""Rules that go in circles: one for what is legal, one for a goal alone."""


def network_of(name: str) -> Network:
    return build_network(grounding_of(CAVES)) if name == "caves" else built_of(name)


def same(stepping: Referee, reference: Referee, state: State, joint: list[int]) -> bool:
    return (
        stepping.look(state) == reference.look(state)
        and stepping.goals(state) == reference.goals(state)
        and (not joint or stepping.following(state, joint) == reference.following(state, joint))
    )


@pytest.mark.parametrize("name", [*NAMES, "wide", "caves"])
def test_it_says_what_the_reference_says(name: str) -> None:
    built = network_of(name)
    stepping, reference = SteppingReferee(built), Referee(built)
    places = [place for seed in range(3) for place in walk(built, seed, 25)]
    assert all(same(stepping, reference, *place) for place in places)
    random = Random(7)
    for _ in range(20):  # from anywhere to anywhere else
        assert same(stepping, reference, *places[random.below(len(places))])


def test_the_circles_are_there() -> None:
    built = network_of("caves")
    for_goals = _Stands(Referee(built)).goal_nodes
    assert [block.first in for_goals for block in built.blocks] == [False, True]


def test_what_was_interrupted_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    built = network_of("caves")
    stepping, reference = SteppingReferee(built), Referee(built)
    (before, joint), (after, _) = walk(built, 1, 5)[:2]
    stepping.look(before)
    turn, turned = _Stands.turn, []

    def interrupted(self: _Stands, variable: int, waiting: list[int]) -> None:
        turned.append(variable)
        if len(turned) == 3:
            raise KeyboardInterrupt
        turn(self, variable, waiting)

    with monkeypatch.context() as patched:
        patched.setattr(_Stands, "turn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            stepping.following(before, joint)
    assert len(turned) == 3
    assert same(stepping, reference, after, []) and same(stepping, reference, before, joint)


def test_threads_share_one() -> None:
    built = network_of("tictactoe")
    stepping, reference = SteppingReferee(built), Referee(built)
    wrong: list[State] = []

    def play(seed: int) -> None:
        wrong.extend(state for state, joint in walk(built, seed) if not same(stepping, reference, state, joint))

    threads = [Thread(target=play, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_copy_in_another_process_begins_anew() -> None:
    sheet = Gdl(SHEETS / "ring.kif")
    places = walk(sheet.network, 2)
    sheet.referee.look(places[-1][0])
    copy = pickle.loads(pickle.dumps(sheet))
    assert all(same(copy.referee, Referee(sheet.network), *place) for place in places)


@pytest.mark.parametrize("name", FOR_SEVERAL)
def test_a_match_that_is_drawn_step_by_step(name: str) -> None:
    sheet, anew = Gdl(SHEETS / f"{name}.kif"), Gdl(SHEETS / f"{name}.kif")
    matches = []
    for seed in (1, 2):
        random, state, joints = Random(seed), sheet.sample(Random(0)), []
        while not sheet.is_final(state) and len(joints) < 8:
            joints.append(tuple(own[random.below(len(own))] for own in map_actions(sheet, state)))
            state = advance_all(sheet, state, joints[-1])
        matches.append(joints)
    initial = sheet.sample(Random(0))
    for joints in (*matches, matches[0]):
        for steps in (*range(len(joints) + 1), 2, 0, 1):
            anew._drawn = None
            assert sheet.draw(initial, joints[:steps]) == anew.draw(initial, joints[:steps])


def map_actions(sheet: Gdl, state: State) -> list[list[int]]:
    return [sheet.actions_of(state, role) for role in range(len(sheet.roles))]


def test_drawing_step_by_step_plays_each_step_once_or_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Gdl(SHEETS / "hopping.kif")
    initial = sheet.sample(Random(0))
    joints: list[tuple[int, ...]] = []
    state = initial
    while not sheet.is_final(state):
        joints.append(tuple(own[-1] for own in map_actions(sheet, state)))
        state = advance_all(sheet, state, joints[-1])
    played: list[int] = []
    play_all = Gdl.play_all
    monkeypatch.setattr(Gdl, "play_all", lambda *of: [played.append(1), play_all(*of)][1])
    for steps in range(len(joints) + 1):
        sheet.draw(initial, joints[:steps])
    assert len(joints) > 5 and len(played) <= 3 * len(joints)


def test_an_illegal_step_is_named_by_its_number() -> None:
    sheet = Gdl(SHEETS / "tictactoe.kif")
    initial = sheet.sample(Random(0))
    first = (sheet.names.index("mark 1 3"), -1)
    sheet.draw(initial, [first])
    sheet.draw(initial, [first, (-1, sheet.actions_of(advance_all(sheet, initial, first), 1)[0])])
    for joints in ([first, first], [first, first, first]):
        with pytest.raises(DomainError) as error:
            sheet.draw(initial, joints)
        assert str(error.value) == f"step 2 of the match: {first[0]} is not legal there for x"


def test_a_sheet_is_read_once_by_a_process(tmp_path: Path) -> None:
    path = tmp_path / "small.kif"
    path.write_text(SMALL)
    first, second = Gdl(path), Gdl(path)
    assert second.network is first.network
    path.write_text(SMALL.replace("(goal p 0)", "(goal p 5)"))
    third = Gdl(path)
    assert third.network is not first.network and third.hash != first.hash
