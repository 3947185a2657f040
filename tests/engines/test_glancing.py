"""Rules that would make every figure of a search worthless are refused before it, in words; sound ones pass."""

import re
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

import mcsgrammar as mg
from domains.check.glance import misleading, out_of_range
from domains.check.probing import MISLEADING
from domains.errors import DomainError
from domains.games.tictactoe import TicTacToe
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.engines import glancing
from mcsgrammar.engines.compiled import vetting
from tests.domains.mistaken_domains import MISTAKES, Arrays, Cards, Cost, Sum, Tuples
from tests.language.test_facade import ROOT

LEFT_TO_OTHERS = {
    "SeldomDrawn": "a glance is too short for it",
    **dict.fromkeys(("OneForAll", "Forgetful"), "engines begin with a copy of the initial state"),
    "Tokens": "actions that are unequal to themselves suit many searches; others say so",
    **dict.fromkeys(("Popping", "Valuing", "Scoring", "Naming", "DrawnOn"), "searches do not call what does it"),
}


def named(cls: type[Domain]) -> str:
    return (cls.__doc__ or "").partition(":")[0]


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glancing, "_sound", WeakKeyDictionary())


MISLED = [cls for cls in MISTAKES if named(cls) in MISLEADING and cls.__name__ not in LEFT_TO_OTHERS]


@pytest.mark.parametrize("cls", MISLED, ids=lambda cls: str(cls.__name__))
def test_a_glance_finds_what_misleads(cls: type[Domain]) -> None:
    finding = misleading(cls())
    assert finding is not None and finding.name == named(cls)


@pytest.mark.parametrize("cls", [cls for cls in MISTAKES if cls not in MISLED], ids=lambda cls: str(cls.__name__))
def test_what_a_search_says_itself_is_left_to_it(cls: type[Domain]) -> None:
    assert misleading(cls()) is None


@pytest.mark.parametrize(
    "domain", [Sum(), Tuples(), Cost(), Cards(), Arrays()], ids=lambda domain: type(domain).__name__
)
def test_sound_ones_pass(domain: Domain) -> None:
    assert misleading(domain) is None


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # of SplitMix64, with NUMBA_DISABLE_JIT=1
@pytest.mark.parametrize("text", ["sudoku:2", "morpion:5D", "tictactoe", "cliff", "vgdl:orchard"])
def test_so_do_ours_which_nobody_looks_at(text: str) -> None:
    assert misleading(find_domain(text)) is None


TOUR = (ROOT / "README.md").read_text(encoding="utf-8").partition("# tour.py\n")[2].partition("```")[0]
KEPT, SHARED = "return state[0], state[1][:]", "return state"


@pytest.fixture
def shared(tmp_path: Path) -> str:
    """The README's problem with a `copy` that is none."""
    assert KEPT in TOUR
    path = tmp_path / "tour.py"
    path.write_text(TOUR.replace(KEPT, SHARED), encoding="utf-8")
    return f"{path}:Tour:cities=4"


def searches(domain: str, folder: Path) -> dict[str, Any]:
    return {
        "solve": lambda: mg.solve(domain, "step(lookahead(sim))", budget=10),
        "evaluate": lambda: mg.evaluate(domain, ["sim"], budgets=10, problems=2),
        "discover": lambda: mg.discover(domain, candidates=["sim"], budget=10, pulls=2, out=folder),
        "play": lambda: mg.play(domain, "sim", budget=10),
    }


@pytest.mark.parametrize("how", ["solve", "evaluate", "discover", "play"])
def test_no_search_begins_with_one(how: str, shared: str, tmp_path: Path) -> None:
    with pytest.raises(DomainError) as caught:
        searches(shared, tmp_path / "c")[how]()
    assert str(caught.value) == (
        "no search of Tour would mean anything: copy-shares: problem 0, after 1: playing 2, 3 on a copy changes the "
        "original (is_final from False to True; actions from [2, 3] to []; reward from None to 0.9389078411606805); "
        "copy the lists inside the state too, or leave out the method copy: the one you inherit "
        f"copies all (mcsgrammar check {shared} looks further)"
    )
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("length", [10, 150, 1_000])
def test_however_long_playouts_are(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domains.check.glance.monotonic", lambda: 0.0)

    class Long(Sum):
        horizon = length

        def actions(self, state: Any) -> list[int]:
            return [1, 2, 3] if len(state[1]) < length else []

    class Shared(Long):
        def copy(self, state: Any) -> Any:
            return list(state)

    finding = misleading(Shared())
    assert finding is not None and finding.name == "copy-shares"
    assert misleading(Long()) is None


class Bare:
    """An action that is like no other, not even like itself in a copy."""


OTHER_MISTAKES: dict[str, dict[str, Any]] = {
    "unhashable": {
        "actions": lambda self, state: [[1], [2]] if len(state[1]) < 4 else [],
        "reward": lambda self, state: 1,
    },
    "names": {"action_name": lambda self, state, action: 1 / 0},
    "features": {"features": ("a",), "feature": lambda self, state, action: []},
    "bounds": {"reward_range": (1, 0)},
    "score": {"score": lambda self, state: float("nan")},
}


@pytest.mark.parametrize("other", OTHER_MISTAKES)
def test_other_mistakes_hide_nothing(other: str) -> None:
    sound = type("Tour", (Sum,), OTHER_MISTAKES[other])
    assert misleading(sound()) is None
    shared = type("Tour", (Sum,), {**OTHER_MISTAKES[other], "copy": lambda self, state: state})
    finding = misleading(shared())
    assert finding is not None and finding.name == "copy-shares"


def test_what_suits_a_search_is_not_refused() -> None:
    """Objects as actions, a beginning that is handed out again and again, a mover that is a bool."""

    class Objects(Sum):
        def sample(self, random: Any) -> Any:
            return [[Bare() for _ in range(3)], []]

        def actions(self, state: Any) -> Any:
            return [one for one in state[0] if one not in state[1]]

        def copy(self, state: Any) -> Any:
            return [state[0], state[1][:]]

        def reward(self, state: Any) -> float:
            return float(state[0].index(state[1][0]) / 2)

    class Start(Sum):
        start: tuple[int, list[int]] = (3, [])

        def sample(self, random: Any) -> Any:
            return self.start

        def copy(self, state: Any) -> Any:
            return state[0], state[1][:]

    class Turns(TicTacToe):
        def mover(self, state: Any) -> Any:
            mover = super().mover(state)
            return mover if mover is None else bool(mover)

    for domain in (Objects(), Start(), Turns()):
        assert misleading(domain) is None
    assert Start.start == (3, [])
    for domain in (Objects(), Start()):
        assert mg.solve(domain, "step(lookahead(sim))", 60)[0].reward == 1.0


def test_it_takes_no_longer_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes a second a look."""
    ticks = count()
    monkeypatch.setattr("domains.check.glance.monotonic", lambda: float(next(ticks)))
    asked: list[int] = []

    class Slow(Sum):
        def reward(self, state: Any) -> Any:
            asked.append(0)
            return super().reward(state)

    assert misleading(Slow()) is None
    assert len(asked) <= 1


def test_a_class_that_was_changed_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook, where both go by one name and have no file."""
    monkeypatch.setattr(vetting, "source_hash", lambda domain: None)
    before = type("Tour", (Sum,), {})
    after = type("Tour", (Sum,), {"copy": lambda self, state: state})
    mg.solve(before(), "sim", budget=1)
    with pytest.raises(DomainError, match=r"copy-shares.*\(mg.check_domain\(domain\) looks further\)$"):
        mg.solve(after(), "sim", budget=1)


def test_one_glance_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Domain] = []
    monkeypatch.setattr("domains.check.glance.misleading", looks.append)
    domain = Sum()
    for _ in range(3):
        mg.solve(domain, "sim", budget=1)
    assert looks == [domain]


class Quarrelsome:
    def __repr__(self) -> str:
        return "Quarrelsome()"

    def __eq__(self, other: object) -> bool:
        raise ValueError("apples and pears")

    def __hash__(self) -> int:
        return 0


@pytest.mark.parametrize(
    "action, said",
    [
        (Quarrelsome(), "comparing the action Quarrelsome() with itself raises ValueError: apples and pears; "),
        (np.array([1, 2]), "comparing the action array([1, 2]) with itself raises ValueError: The truth value of "),
    ],
)
def test_actions_that_cannot_be_compared(action: Any, said: str) -> None:
    class Tour(Sum):
        def actions(self, state: Any) -> Any:
            return [action] if len(state[1]) < 4 else []

    message = f"^no search of Tour would mean anything: action-unequal: problem 0, initial state: {re.escape(said)}"
    for expression in ("sim", "step(repeat(select(sim, 0.3), 5))"):
        with pytest.raises(DomainError, match=message):
            mg.solve(Tour(), expression, budget=10)


def test_actions_of_a_role_that_cannot_be_compared() -> None:
    class Turns(TicTacToe):
        def actions_of(self, state: Any, role: int) -> Any:
            return [Quarrelsome()]

    finding = misleading(Turns())
    assert finding is not None and finding.name == "action-unequal"


@pytest.mark.parametrize(
    "declared, said",
    [
        ({"reward": lambda self, state: -9}, "the reward -9 is outside reward_range = (0, 1); scale the reward, or "),
        (
            {"cost": lambda self, state: 9, "reward": Domain.reward, "minimise": (0, 8)},
            "the cost 9 is outside minimise = (0, 8); widen these bounds ",
        ),
    ],
)
def test_rewards_outside_their_range_are_told(
    declared: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = type("Tour", (Sum,), declared)()
    for _ in range(2):
        mg.solve(domain, "sim", budget=1)
    noted = [line for line in capsys.readouterr().err.splitlines() if "tell such results apart" in line]
    assert len(noted) == 1
    assert noted[0].startswith("note: trees, policies and tuners will not tell such results apart: ")
    assert said in noted[0] and noted[0].endswith(" (mg.check_domain(domain) looks further)")


def test_rewards_of_roles_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Goals(TicTacToe):
        """As rule sheets write them."""

        def rewards(self, state: Any) -> tuple[float, ...]:
            return tuple(100 * reward for reward in super().rewards(state))

    finding = out_of_range(Goals())
    assert finding is not None and finding.name == "reward-range"
    assert out_of_range(TicTacToe()) is None
    mg.match(Goals(), ["select(sim, 0.4)", "select(sim, 1)"], games=2, budget=2, engine="reference")
    assert "will not tell such results apart: reward-range: problem 0, after " in capsys.readouterr().err
    monkeypatch.setattr(glancing, "is_worker", lambda: True)
    monkeypatch.setattr(glancing, "_sound", WeakKeyDictionary())
    mg.match(Goals(), ["select(sim, 0.4)", "select(sim, 1)"], games=2, budget=2, engine="reference")
    assert "reward-range" not in capsys.readouterr().err  # who starts workers has said it


def test_rewards_in_the_range_that_is_declared_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    declared = {"reward": lambda self, state: -9, "reward_range": (-9, 0)}
    for domain in (Sum(), type("Tour", (Sum,), declared)()):
        mg.solve(domain, "sim", budget=1)
    assert "tell such results apart" not in capsys.readouterr().err


def test_one_name_of_a_feature_is_no_list_of_them() -> None:
    class Tour(Sum):
        features = "weight"  # type: ignore[assignment]

    with pytest.raises(DomainError) as caught:
        mg.solve(Tour(), "sim(guided(weight=1))", budget=1)
    assert str(caught.value) == ("""Tour.features is 'weight'; write a tuple of names, as in ("distance", "slack")""")
