"""The parameters of components, policies and tuners: which values they take, and how these are written.

Glossary
    real      a float; `low` and `high` bound it, `inf` is a value only where it has a meaning
    count     a whole number
    open      not fixed in the text but chosen while the search runs, by the `tune` around it:
              `{0.1, 0.2}` (one of these) or `[0..1]` (anything between)
"""

import math
from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, ClassVar

from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.wording import printable, shortened, shown_object

COUNT_LIMIT = 2**63
"""Counts stay below this, so that both engines hold them in 64 bits."""

Number = int | float


def number_text(value: Number) -> str:
    """A text that reads back as the same number: the fewest digits that do, and an exponent where Python's repr has one
    (`1000`, but `1e20`)."""
    if isinstance(value, int):
        return str(value)
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(value).removesuffix(".0").partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}" if exponent else mantissa


@dataclass(frozen=True)
class Choice:
    """An open parameter that takes one of `values`: `{0.1, 0.2}`."""

    values: tuple[Number | str, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(value_text(value) for value in self.values) + "}"


@dataclass(frozen=True)
class Interval:
    """An open parameter that takes any real value from `low` to `high`: `[0..1]`."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{number_text(self.low)}..{number_text(self.high)}]"


Value = Number | str | Choice | Interval


@dataclass(frozen=True)
class OpenParameter:
    """A parameter that is to be chosen from `values`: the N of repeat, the eps of mast."""

    owner: str
    name: str
    values: Choice | Interval

    def __str__(self) -> str:
        return f"{self.name} of {self.owner}"


def value_text(value: Value) -> str:
    return number_text(value) if isinstance(value, int | float) else str(value)


def shown(value: object) -> str:
    """A value in a message: as it is written, but never long."""
    if not isinstance(value, int | float | str | Choice | Interval):
        return shown_object(value)
    try:
        return shortened(printable(value_text(value)))
    except ValueError:
        return shown_object(value)


@dataclass(frozen=True)
class Real:
    """A float from `low` to `high`; `positive` leaves zero out, `infinite` lets `inf` in."""

    low: float = 0.0
    high: float = math.inf
    positive: bool = False
    infinite: bool = False

    def allowed(self) -> str:
        if self.positive:
            bounded = math.isfinite(self.high)
            return f"a number above 0, at most {number_text(self.high)}" if bounded else "a finite number above 0"
        if math.isfinite(self.high):
            return f"a number from {number_text(self.low)} to {number_text(self.high)}"
        base = "a finite number" if self.low == -math.inf else f"a finite number of at least {number_text(self.low)}"
        return f"{base}, or inf" if self.infinite else base

    def check(self, value: object) -> Number | None:
        """The value as this parameter holds it, or None if it is not allowed."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            number = float(value)
        except OverflowError:
            return None
        if number == math.inf:
            return number if self.infinite else None
        if not math.isfinite(number) or number < self.low or number > self.high or (self.positive and number == 0):
            return None
        return number + 0.0  # turns -0.0 into 0.0


@dataclass(frozen=True)
class Count:
    """A whole number from `low` on; `infinite` lets `inf` in."""

    low: int = 1
    high: int = COUNT_LIMIT - 1
    infinite: bool = False

    def allowed(self) -> str:
        high = "2^63 - 1" if self.high == COUNT_LIMIT - 1 else str(self.high)
        return f"a whole number from {self.low} to {high}" + (", or inf" if self.infinite else "")

    def check(self, value: object) -> Number | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if value == math.inf:
            return math.inf if self.infinite else None
        if isinstance(value, float) and not value.is_integer():  # nor are nan and -inf
            return None
        whole = int(value)
        return whole if self.low <= whole <= self.high else None


@dataclass(frozen=True)
class Word:
    """One of a few names."""

    words: tuple[str, ...]

    def allowed(self) -> str:
        return "one of " + ", ".join(self.words)

    def check(self, value: object) -> str | None:
        return value if isinstance(value, str) and value in self.words else None


Kind = Real | Count | Word

REQUIRED = object()


@dataclass(frozen=True)
class Declaration:
    """What there is to know of a parameter, said once, where it is declared."""

    kind: Kind
    called: str = ""
    """in the text, where Python needs another name"""
    meaning: str = ""
    """for the manual"""
    unsaid: str = ""
    """what stands for it where neither of two parameters is given, for the manual"""
    values: tuple[Number, ...] = ()
    """what a tuner over lists chooses from when candidates are to tune themselves"""
    interval: tuple[float, float] | None = None
    """what a tuner over intervals does"""
    always_tuned: bool = False
    """even where the text does not name it"""


def parameter(kind: Kind, default: Any = REQUIRED, **declared: Any) -> Any:
    """A dataclass field that holds a parameter of the given kind; for `declared` see `Declaration`."""
    metadata = {"parameter": Declaration(kind, **declared)}
    return field(metadata=metadata) if default is REQUIRED else field(default=default, metadata=metadata)


def replaced(cls: type, name: str, default: Any, **declared: Any) -> Any:
    """A field of a base class, declared differently."""
    inherited = next(declaration(f) for f in parameters_of(cls) if f.name == name)
    return field(default=default, metadata={"parameter": replace(inherited, **declared)})


def parameters_of(thing: Any) -> Iterator[Field[Any]]:
    """The fields of a dataclass (or instance) that are parameters, in the order they are written."""
    return (f for f in fields(thing) if "parameter" in f.metadata)


def declaration(f: Field[Any]) -> Declaration:
    declared: Declaration = f.metadata["parameter"]
    return declared


def written_name(f: Field[Any]) -> str:
    """The name a parameter has in the text: `lambda`, where Python needs `lambda_`."""
    return declaration(f).called or f.name


def checked(owner: str, name: str, kind: Kind, value: object, may_be_open: bool = True) -> Value:
    """The value as the parameter holds it; `InvalidExpression` says what is allowed."""
    if isinstance(value, Choice | Interval):
        if not may_be_open:
            raise _refusal(owner, name, f"cannot be open; it takes {kind.allowed()}")
        check = _checked_choice if isinstance(value, Choice) else _checked_interval
        return check(owner, name, kind, value)  # type: ignore[arg-type]
    held = kind.check(value)
    if held is None:
        raise _refusal(owner, name, f"cannot be {shown(value)}; it takes {kind.allowed()}")
    return held


def _checked_choice(owner: str, name: str, kind: Kind, choice: Choice) -> Choice:
    if not choice.values:
        raise _refusal(owner, name, "is an empty set; list at least one value")
    values: dict[Number | str, None] = {}
    for given in choice.values:
        value = checked(owner, name, kind, given, may_be_open=False)
        assert not isinstance(value, Choice | Interval)
        if value in values:
            raise _refusal(owner, name, f"lists {shown(value)} twice")
        values[value] = None
    return Choice(tuple(values))


def _checked_interval(owner: str, name: str, kind: Kind, interval: Interval) -> Interval:
    if not isinstance(kind, Real):
        raise _refusal(owner, name, f"takes {kind.allowed()}, so list its values: {{…, …}}")
    low, high = kind.check(interval.low), kind.check(interval.high)
    if low is None or high is None or not low < high < math.inf:
        raise _refusal(
            owner,
            name,
            f"cannot lie in {shown(interval)}; an interval [a..b] needs a < b, both finite, "
            f"and {name} takes {kind.allowed()}",
        )
    return Interval(float(low), float(high))


def _refusal(owner: str, name: str, why: str) -> InvalidExpression:
    return InvalidExpression(f"{name} of {owner} {why}", argument=name)


class Parametrised:
    """A policy or tuner: a name and parameters, written `name(parameter=value, …)` with the defaults left out."""

    name: ClassVar[str]
    may_be_open: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for f in parameters_of(self):
            value = getattr(self, f.name)
            if value is None and f.default is None:
                continue
            held = checked(self.name, written_name(f), declaration(f).kind, value, self.may_be_open)
            object.__setattr__(self, f.name, held)

    def parameters(self) -> dict[str, Any]:
        """All parameters and their values, by the names they are written with."""
        return {written_name(f): getattr(self, f.name) for f in parameters_of(self)}

    def written(self) -> list[tuple[str, Value]]:
        """The parameters that the canonical text names, with their values."""
        return [
            (written_name(f), getattr(self, f.name)) for f in parameters_of(self) if getattr(self, f.name) != f.default
        ]

    def open_parameters(self) -> list[OpenParameter]:
        return [
            OpenParameter(self.name, name, value)
            for name, value in self.parameters().items()
            if isinstance(value, Choice | Interval)
        ]

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={value_text(value)}" for name, value in self.written())
        return f"{self.name}({arguments})" if arguments else self.name
