"""The rules of a domain that is not built in are looked at before its first search: problems that are not the same each
time, copies that share their state, and whatever else no search notices and makes all its figures worthless.
"""

import shlex
from weakref import WeakKeyDictionary

from domains.errors import DomainError
from domains.protocol import Domain
from domains.registry import canonical_text, typed_text
from mcsgrammar.wording import is_worker, note

_sound: "WeakKeyDictionary[type[Domain], set[str]]" = WeakKeyDictionary()
"""Of each class the texts of those that nothing is wrong with. A cell of a notebook that is run again makes another."""


def glance(domain: Domain) -> None:
    """Raises `DomainError` with what is wrong, once a process for each domain that it finds nothing wrong with. Of
    rewards outside their range there is a note."""
    from domains.check.glance import misleading, out_of_range

    sound, text = _sound.setdefault(type(domain), set()), canonical_text(domain)
    if text in sound:
        return
    finding = misleading(domain)
    typed = shlex.quote(typed_text(domain))
    further = f"({f'mcsgrammar check {typed}' if domain.registered_as else 'mg.check_domain(domain)'} looks further)"
    if finding is not None:
        raise DomainError(
            f"no search of {type(domain).__name__} would mean anything: {finding.name}: {finding.message} {further}"
        )
    beyond = None if is_worker() else out_of_range(domain)
    if beyond is not None:
        note(f"trees, policies and tuners will not tell such results apart: {beyond.name}: {beyond.message} {further}")
    sound.add(text)
