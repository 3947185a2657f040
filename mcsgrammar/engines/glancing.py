"""The rules of a domain that is not built in are looked at before its first search: a copy that shares its state, a
problem that is another one each time, and whatever else no search notices and makes all its figures worthless.
"""

from domains.errors import DomainError
from domains.protocol import Domain

_sound: set[str] = set()


def glance(domain: Domain, identity: str) -> None:
    """Raises `DomainError` with what is wrong. Once in a process for each identity that nothing is wrong with."""
    from domains.check.checking import misleading

    if identity in _sound:
        return
    finding = misleading(domain)
    if finding is not None:
        where = f"mcsgrammar check {domain.registered_as}" if domain.registered_as else "mg.check_domain(domain)"
        raise DomainError(
            f"no search of {type(domain).__name__} would mean anything: {finding.name}: {finding.message} "
            f"({where} looks further)"
        )
    _sound.add(identity)
