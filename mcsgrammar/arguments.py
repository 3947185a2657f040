"""What a caller hands over: refused in words that say what it may be, else given back as what everything below expects.

NumPy's numbers are taken, and floats that are whole, such as 1e5.
"""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from domains.errors import UserError
from domains.saying import no_seconds, shown

LARGEST_WHOLE = 2**63 - 1


def whole(what: str, value: Any, least: int = 0, most: int = LARGEST_WHOLE) -> int:
    """A whole number between these."""
    number = _whole(value)
    if number is None or not least <= number <= most:
        end = "2^63 - 1" if most == LARGEST_WHOLE else f"{most:,}"
        raise UserError(f"{what} cannot be {shown(value)}; it is a whole number from {least} to {end}")
    return number


def at_least(least: int, what: str, value: Any) -> int:
    """A whole number, however large."""
    number = _whole(value)
    if number is None:
        raise UserError(f"{what} cannot be {shown(value)}; it is a whole number of at least {least}")
    if number < least:
        raise UserError(f"{what} cannot be {value}; it is at least {least}")
    return number


def numbered_from_0(what: str, value: Any) -> int:
    """The number of a problem."""
    number = _whole(value)
    if number is None or number < 0:
        raise UserError(f"{what} cannot be {shown(value)}; problems are numbered from 0")
    return number


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    if isinstance(value, Integral):
        return int(value)
    number = float(value)
    return int(number) if number.is_integer() else None


def as_list(value: Any) -> list[Any]:
    """Several, or one alone."""
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def real(value: Any) -> float:
    """A number, or what is no number: NaN."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan


def seconds_of(what: str, value: Any) -> float:
    """A time that clocks can count."""
    if wrong := no_seconds(value):
        raise UserError(f"{what} {wrong}")
    return float(value)


def check_choice(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UserError(f"{what} cannot be '{value}'; it is one of {', '.join(allowed)}")
