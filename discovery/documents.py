"""JSON documents that are read back, perhaps after a disk, a person or a stranger has changed them.

A checksum tells accidents, not intent: whoever writes a figure of their own can write its checksum too.
"""

import hashlib
import json
import math
from typing import Any

import numpy as np

from domains.saying import shown

CHECKSUM = "checksum"


def read_document(text: str | bytes) -> Any:
    """What a JSON text holds. Raises `ValueError` with what is wrong: also for numbers that are none, and for brackets
    in brackets beyond what Python follows."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("its brackets are nested too deep") from None


def with_checksum(document: dict[str, Any]) -> dict[str, Any]:
    """The document with one more key, which is over all the others."""
    return {**document, CHECKSUM: checksum(document)}


def has_checksum(document: dict[str, Any]) -> bool:
    """Whether it has one; `ValueError` if that does not fit."""
    if CHECKSUM not in document:
        return False
    if document[CHECKSUM] != checksum(document):
        raise ValueError("it does not match its checksum")
    return True


def checksum(document: dict[str, Any]) -> str:
    """BLAKE2b, 16 bytes in hexadecimal digits, over all keys but the checksum: in order, without spaces, in ASCII."""
    rest = {key: value for key, value in document.items() if key != CHECKSUM}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def finite(value: Any) -> Any:
    """The same with null for numbers that JSON does not know."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


TUPLE = "tuple"


def as_json(value: Any) -> Any:
    """A document of it that `from_json` makes the same of, but for NumPy's numbers, which become Python's, equal ones.
    Raises `TypeError` for what cannot be given back, which it names."""
    if isinstance(value, dict):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_json(one) for one in value]
    if isinstance(value, tuple):
        return {TUPLE: [as_json(one) for one in value]}
    if isinstance(value, np.generic):
        return as_json(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        raise TypeError(f"{value}, which is no number of JSON,")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{shown(value)}, a {type(value).__name__},")


def from_json(document: Any) -> Any:
    if isinstance(document, dict):
        if document.keys() == {TUPLE}:
            return tuple(from_json(one) for one in document[TUPLE])
        return {key: from_json(one) for key, one in document.items()}
    return [from_json(one) for one in document] if isinstance(document, list) else document


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large for a number")
    return number
