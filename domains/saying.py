"""What a domain did wrong, in words that a search and a check share.

Nothing that a domain hands over, not even the text of its exceptions, makes a message fail or grow without bound.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from numbers import Real
from typing import Any

SHOWN_ACTIONS = 12
SHOWN_LENGTH = 80
LONGEST_WORD = 40
"""That may be a known one mistyped."""
LONGEST_TEXT = 300
"""Of an exception. Enough to say what is wrong; a campaign writes one down for every pull that fails."""
FEATURE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NO_FEATURES = ("depth", "inf", "nan")
"""What means something else than a feature of that name in `guided(…)`: a parameter, and numbers."""


def said(error: BaseException) -> str:
    """Type and text of an exception."""
    text = text_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def text_of(error: BaseException, limit: int = LONGEST_TEXT) -> str:
    """The text of an exception on one line, cut where it is long."""
    try:
        text = str(error)
    except (Exception, SystemExit):
        return "its text cannot be read"
    return cut(printable(" ".join(text[: 2 * limit].split())), limit)


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 2] + " …"


def printable(text: str) -> str:
    r"""The text with an escape such as \x00 for every character that cannot be shown."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def suggestion(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """How a message about an unknown word ends; `otherwise` says more than what there is."""
    known = list(known)
    close = difflib.get_close_matches(word[:LONGEST_WORD].lower(), known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; {otherwise or 'there are ' + ', '.join(known)}"


MOST_SECONDS = 10**9
"""Thirty years; twice as many, and alarms and waits overflow."""


def no_seconds(value: object) -> str:
    """What is wrong with a time that clocks are to count; empty where nothing is."""
    if isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) <= MOST_SECONDS:
        return ""
    return f"cannot be {shown(value)}; it is a number of seconds above 0, {MOST_SECONDS:,} at most"


def in_order(given: object) -> bool:
    """Whether it is several things, one after the other, as rewards of roles are."""
    return isinstance(given, Iterable) and not isinstance(given, Mapping | Set | str | bytes)


def no_state(state: object, following: object) -> str:
    """What is wrong with what `play` returned; empty where nothing is. Of states we know nothing, but where they are no
    numbers, none is one: it was meant to be a reward, or to say that the game is over."""
    if isinstance(following, int | float) and not isinstance(state, int | float):
        return (
            f"returned {shown(following)}, which is no state; it returns the one that follows, or nothing where it "
            "changed the one it was given"
        )
    return ""


def shown(value: Any, write: Callable[[Any], str] = repr) -> str:
    """A value in a message, cut where it is long."""
    try:
        text = " ".join(write(value).split())
    except Exception:
        text = f"a {type(value).__name__}"
    return cut(text, SHOWN_LENGTH)


def listed(actions: Sequence[Any]) -> str:
    """A sequence in a message, cut where it is long."""
    more = f", … ({len(actions)} actions)" if len(actions) > SHOWN_ACTIONS else ""
    return ", ".join(map(shown, actions[:SHOWN_ACTIONS])) + more


def no_list(actions: Any) -> str:
    """Why what `actions` returned is no list of moves, and what to do; empty if it is one."""
    if actions is None:
        return "nothing; is a return missing?"
    kind = type(actions).__name__
    if hasattr(actions, "__len__") and hasattr(actions, "__getitem__") and not isinstance(actions, dict):
        return ""
    if isinstance(actions, (set, frozenset)):
        return f"a {kind}, which has no order of its own; return sorted(…)"
    if hasattr(actions, "__iter__"):
        return f"a {kind}; return list(…)"
    return f"a {kind}; return a list or a tuple"


def number(value: Any) -> float:
    """A reward or a cost as a number; NaN for what is none, or too large for one."""
    try:
        return float(value)
    except (Exception, SystemExit):
        return math.nan


def are_numbers(pair: Any) -> bool:
    """Whether a declared pair of bounds is two numbers, the lower one first."""
    return (
        isinstance(pair, (tuple, list))
        and len(pair) == 2
        and all(isinstance(bound, Real) and not isinstance(bound, bool) for bound in pair)
        and bool(pair[0] < pair[1])
    )


def wrong_feature_name(name: Any) -> str:
    """Why `guided(…)` could not name a feature so, and what to do; empty if it can."""
    if not isinstance(name, str) or not FEATURE_NAME.fullmatch(name):
        return "a name is made of letters from a to z, digits and _, and does not begin with a digit"
    if name in NO_FEATURES:
        return "that means something else in guided(…); find another name"
    return ""


def wrong_features(name: str, features: Any) -> str:
    """What is wrong with the names of features as a whole; empty if nothing is."""
    if isinstance(features, (tuple, list)):
        return ""
    return f'{name}.features is {shown(features)}; write a tuple of names, as in ("distance", "slack")'


def wrong_minimise(name: str, bounds: Any) -> str:
    """What is wrong with the bounds of a cost; empty if nothing is."""
    if bounds is None or (are_numbers(bounds) and -math.inf < bounds[0] and bounds[1] < math.inf):
        return ""
    return f"{name}.minimise is {shown(bounds)}; write two finite numbers, (lowest cost, highest cost)"
