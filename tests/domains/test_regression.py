"""Symbolic regression in plain Python, against naive twins written another way."""

import cmath
import math
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest

from domains.errors import UnknownDomain
from domains.protocol import replay
from domains.randomness import Random
from domains.regression import NAMES, SETS, TABLE_VI, TABLE_VII, Regression, State, Target, evaluate
from domains.regression_drawing import infix

STOP = NAMES.index("stop")
PERFT = {1: 2, 2: 10, 3: 58, 4: 378, 5: 2682, 6: 20090}


def actions_of(text: str) -> list[int]:
    return [NAMES.index(name) for name in text.split()]


def start(domain: Regression, target: int = 0) -> State:
    return State(domain.targets[target], domain.horizon, 0, [])


def value_by_recursion(symbols: list[int], x: float) -> complex | None:
    """A naive twin of `evaluate`: from the end, in complex numbers, with the functions of the C library.

    None where a number is met that is not finite, or so large that rounding errors could show."""
    rest = list(symbols)

    def value() -> complex:
        name = NAMES[rest.pop()]
        if name in "x1":
            return x if name == "x" else 1.0
        if name in "+-*/":
            right, left = value(), value()
            found = {"+": left + right, "-": left - right, "*": left * right}.get(name)
            found = left / right if found is None else found
        else:
            found = complex(getattr(cmath, name)(value()))
        if abs(found) > 30.0:
            raise OverflowError
        if found.imag:
            raise ValueError
        return found.real

    try:
        return value()
    except (ZeroDivisionError, OverflowError, ValueError):
        return None


def is_formula(symbols: tuple[int, ...]) -> bool:
    """Whether a sequence leaves exactly one value, by taking its last symbol apart again and again."""
    waiting = 1
    for symbol in reversed(symbols):
        if waiting == 0:
            return False
        waiting += {0: -1, 1: -1, 2: 1, 3: 1, 4: 1, 5: 1}.get(symbol, 0)
    return waiting == 0


def complete_sequences(length: int) -> list[tuple[int, ...]]:
    """All sequences of actions to a final state, by trying all words."""
    found = []
    for symbols in range(1, length + 1):
        words = filter(is_formula, product(range(STOP), repeat=symbols))
        found += [word if symbols == length else (*word, STOP) for word in words]
    return found


def perft(domain: Regression, state: State) -> int:
    count = 0
    for action in domain.actions(state):
        following = domain.copy(state)
        domain.play(following, action)
        count += perft(domain, following)
    return count or 1


@pytest.mark.parametrize("length", PERFT)
def test_perft(length: int) -> None:
    assert len(complete_sequences(length)) == PERFT[length]
    assert perft(Regression(length), start(Regression(length))) == PERFT[length]


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_legal_is_what_can_still_be_completed(length: int) -> None:
    domain = Regression(length)
    following: dict[tuple[int, ...], set[int]] = {}
    for sequence in complete_sequences(length):
        for i, action in enumerate(sequence):
            following.setdefault(sequence[:i], set()).add(action)
        assert domain.is_final(replay(domain, start(domain), sequence))
    for played, legal in following.items():
        state = replay(domain, start(domain), played)
        assert domain.actions(state) == sorted(legal)
        assert not domain.is_final(state)


def random_sequence(domain: Regression, random: Random, target: int = 0) -> State:
    state = start(domain, target)
    while legal := domain.actions(state):
        domain.play(state, legal[random.below(len(legal))])
    return state


def test_values_are_those_of_the_naive_twin() -> None:
    domain, random, compared = Regression(), Random(5), 0
    for _ in range(3000):
        symbols = random_sequence(domain, random).symbols
        for x in (-0.7, 0.3, 1.9):
            naive = value_by_recursion(symbols, x)
            if naive is not None:
                assert evaluate(symbols, x) == pytest.approx(naive, abs=1e-6), infix(symbols)
                compared += 1
    assert compared > 4000


@pytest.mark.parametrize(
    ("targets", "number", "sequence"),
    [
        ("train", 0, "x x 1 + * 1 + x * stop"),
        ("train", 1, "x x x 1 + * 1 + * 1 + x * stop"),
        ("train", 2, "x x x x 1 + * 1 + * 1 + * 1 + x * stop"),
        ("train", 3, "x x x x x 1 + * 1 + * 1 + * 1 + * 1 + x *"),
        ("train", 4, "x x * sin x cos * 1 - stop"),
        ("train", 5, "x sin x x x * + sin + stop"),
        ("train", 6, "x 1 + log x x * 1 + log + stop"),
        ("robustness", 0, "x x 1 - * 1 - x * stop"),
        ("robustness", 1, "x x x 1 - * 1 - * 1 - x * stop"),
        ("robustness", 2, "x x * x * x * x sin + stop"),
        ("robustness", 3, "x x * x * cos x 1 + sin + stop"),
        ("robustness", 5, "x x * x * x x * x * * 1 + stop"),
        ("robustness", 6, "x x * x 1 + * sin stop"),
        ("robustness", 7, "x x * x * 1 + log x + stop"),
    ],
)
def test_the_formula_itself_has_an_error_of_zero(targets: str, number: int, sequence: str) -> None:
    domain = Regression(21, set=targets)
    state = replay(domain, start(domain, number), actions_of(sequence))
    assert domain.is_final(state)
    assert domain.score(state) == 0.0
    assert domain.reward(state) == 1.0


def test_the_square_root_within_rounding() -> None:
    domain = Regression()
    state = replay(domain, start(domain, 7), actions_of("x log 1 1 + / exp stop"))
    assert 0.0 < domain.score(state) < 1e-15


def test_the_tables_of_the_paper() -> None:
    """Each target again, as the paper writes it."""
    powers = {n: [sum(x**k for k in range(1, n + 1)) for x in TABLE_VI[0].xs] for n in (3, 4, 5, 6)}
    for target, n in zip(TABLE_VI, (3, 4, 5, 6), strict=False):
        assert target.ys == pytest.approx(powers[n])
    written: dict[str, Callable[[float], float]] = {
        "sin(x^2) * cos(x) - 1": lambda x: math.sin(x**2) * math.cos(x) - 1,
        "sin(x) + sin(x + x^2)": lambda x: math.sin(x) + math.sin(x + x**2),
        "log(x + 1) + log(x^2 + 1)": lambda x: math.log(x + 1) + math.log(x**2 + 1),
        "sqrt(x)": lambda x: x**0.5,
        "x^3 - x^2 - x": lambda x: x**3 - x**2 - x,
        "x^4 - x^3 - x^2 - x": lambda x: x**4 - x**3 - x**2 - x,
        "x^4 + sin(x)": lambda x: x**4 + math.sin(x),
        "cos(x^3) + sin(x + 1)": lambda x: math.cos(x**3) + math.sin(x + 1),
        "sqrt(x) + x^2": lambda x: x**0.5 + x**2,
        "x^6 + 1": lambda x: x**6 + 1,
        "sin(x^3 + x^2)": lambda x: math.sin(x**3 + x**2),
        "log(x^3 + 1) + x": lambda x: math.log(x**3 + 1) + x,
    }
    assert [target.name for target in (*TABLE_VI[4:], *TABLE_VII)] == list(written)
    for target in (*TABLE_VI[4:], *TABLE_VII):
        assert target.ys == pytest.approx([written[target.name](x) for x in target.xs], abs=1e-14)
    assert [(t.xs[0], t.xs[-1]) for t in TABLE_VI] == [(-1.0, 1.0)] * 6 + [(0.0, 2.0), (0.0, 4.0)]
    assert [(t.xs[0], t.xs[-1]) for t in TABLE_VII] == [*[(-1.0, 1.0)] * 4, (0.0, 4.0), *[(-1.0, 1.0)] * 2, (0.0, 2.0)]
    for target in (*TABLE_VI, *TABLE_VII):
        assert len(target.xs) == 20
        steps = [b - a for a, b in pairwise(target.xs)]
        assert steps == pytest.approx([(target.xs[-1] - target.xs[0]) / 19] * 19)


def test_what_is_not_finite_counts_as_zero() -> None:
    domain = Regression()
    one_by_zero = replay(domain, start(domain), actions_of("1 x x - / stop"))
    assert domain.score(one_by_zero) == pytest.approx(sum(map(abs, TABLE_VI[0].ys)) / 20)
    nan_everywhere = replay(domain, start(domain), actions_of("x x - x x - / stop"))
    assert domain.score(nan_everywhere) == domain.score(one_by_zero)


def test_the_reward_is_finite_even_where_a_mean_would_not_be() -> None:
    target = Target("far", (700.0,) * 3, (-1e308,) * 3)
    domain = Regression()
    state = replay(domain, State(target, 11, 0, []), actions_of("x exp 1 exp exp exp * stop"))
    assert domain.score(state) == pytest.approx(1e308)
    assert domain.reward(state) == -domain.score(state)


def test_random_play() -> None:
    domain, random = Regression(), Random(42)
    rewards = [max(0.0, domain.reward(random_sequence(domain, random, i % 8))) for i in range(2000)]
    assert sum(rewards) / 2000 == pytest.approx(0.110835960571104, abs=1e-12)


def test_sampling_draws_once_and_uniformly() -> None:
    domain = Regression()
    random, twin = Random(9), Random(9)
    drawn = [domain.sample(random).target for _ in range(4000)]
    assert drawn == [TABLE_VI[twin.below(8)] for _ in range(4000)]
    assert all(430 < drawn.count(target) < 570 for target in TABLE_VI)
    assert {Regression(set="robustness").sample(random).target for _ in range(200)} == set(TABLE_VII)


def test_copies_are_independent() -> None:
    domain = Regression()
    state = replay(domain, start(domain), actions_of("x"))
    other = domain.copy(state)
    domain.play(other, NAMES.index("sin"))
    assert (state.symbols, state.remaining, state.depth) == ([0], 10, 1)
    assert (other.symbols, other.remaining, other.depth) == ([0, 6], 9, 1)


def test_what_the_domain_declares() -> None:
    domain = Regression(21)
    assert (domain.horizon, domain.length_bound, domain.max_actions, domain.unit) == (21, 21, 11, "mae")
    assert domain.reward_range == (-math.inf, 1.0)
    assert not domain.values_unfinished
    assert [domain.action_name(start(domain), action) for action in range(11)] == list(NAMES)
    assert domain.data_digest is None
    assert set(SETS) == {"train", "robustness"}


def test_the_points_of_a_file(tmp_path: Path) -> None:
    points = tmp_path / "sales.csv"
    points.write_text("\ufeffmonth, sales\n1, 2.5\n\n2,4.5\n3,1e1\n", encoding="utf-8")
    domain = Regression(data=str(points))
    target = domain.sample(Random(1)).target
    assert target == domain.sample(Random(2)).target
    assert (target.name, target.xs, target.ys) == ("sales.csv", (1.0, 2.0, 3.0), (2.5, 4.5, 10.0))
    points.write_text("1,2.5\n2.0,4.5\n3,10", encoding="utf-8")
    assert Regression(data=str(points)).data_digest == domain.data_digest == "70312e1cf20a230a"
    points.write_text("1,2.5\n2.0,4.5\n3,11", encoding="utf-8")
    assert Regression(data=str(points)).data_digest != domain.data_digest


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "regression: FILE has no points; write one 'x,y' a line"),
        (b"x,y\n", "regression: FILE has no points; write one 'x,y' a line"),
        (b"x,y\n1,2\n3\n", "regression: FILE, line 3: expected two finite numbers 'x,y', found '3'"),
        (b"1,2\nx,y\n", "regression: FILE, line 2: expected two finite numbers 'x,y', found 'x,y'"),
        (b"1,2,3\n", "regression: FILE, line 1: expected two finite numbers 'x,y', found '1,2,3'"),
        (b"\nx,1\n", "regression: FILE, line 2: expected two finite numbers 'x,y', found 'x,1'"),
        (b"1,nan\n", "regression: FILE, line 1: expected two finite numbers 'x,y', found '1,nan'"),
        (b"1,2\n-inf,2\n", "regression: FILE, line 2: expected two finite numbers 'x,y', found '-inf,2'"),
        (b"\xff\xfe1\x00", "regression: FILE is not a text file in UTF-8"),
        (None, "regression: FILE cannot be read: No such file or directory"),
    ],
)
def test_files_that_hold_no_points(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "points.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnknownDomain) as error:
        Regression(data=str(path))
    assert str(error.value) == message.replace("FILE", str(path))


def test_options_that_do_not_fit() -> None:
    with pytest.raises(UnknownDomain) as error:
        Regression(length=0)
    assert str(error.value) == "regression: length is 0; it must be from 1 to 511"
    with pytest.raises(UnknownDomain) as error:
        Regression(set="test")
    assert str(error.value) == "regression: there is no set 'test'; there are train and robustness"


def test_the_plain_domain_needs_no_numba() -> None:
    code = "import sys, domains.regression; print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


def test_a_set_is_refused_beside_data(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("0,1\n1,2\n")
    with pytest.raises(UnknownDomain) as error:
        Regression(set="robustness", data=tmp_path / "data.csv")
    assert str(error.value) == "regression: with data there is no other set; leave set out"
