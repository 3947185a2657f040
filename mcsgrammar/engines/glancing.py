"""The rules of a domain that is not built in are looked at before its first search: problems that are not the same each
time, copies that share their state, and whatever else no search notices and makes all its figures worthless.
"""

import shlex
from weakref import WeakKeyDictionary

from domains.errors import DomainError
from domains.protocol import Domain
from domains.registry import canonical_text, typed_text

_sound: "WeakKeyDictionary[type[Domain], set[str]]" = WeakKeyDictionary()
"""Of each class the texts of those that nothing is wrong with. A cell of a notebook that is run again makes another."""


def glance(domain: Domain) -> None:
    """Raises `DomainError` with what is wrong, once a process for each domain that it finds nothing wrong with."""
    from domains.check.glance import misleading

    sound, text = _sound.setdefault(type(domain), set()), canonical_text(domain)
    if text in sound:
        return
    finding = misleading(domain)
    if finding is not None:
        typed = shlex.quote(typed_text(domain))
        where = f"mcsgrammar check {typed}" if domain.registered_as else "mg.check_domain(domain)"
        raise DomainError(
            f"no search of {type(domain).__name__} would mean anything: {finding.name}: {finding.message} "
            f"({where} looks further)"
        )
    sound.add(text)
