"""JSON documents that are read back, perhaps after a disk, a person or a stranger has changed them.

A checksum tells accidents, not intent: whoever writes a figure of their own can write its checksum too.
"""

import hashlib
import json
import math
from typing import Any

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


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large for a number")
    return number
