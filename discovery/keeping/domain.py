"""The domain of work whose settings somebody else may have written: no code that they name is imported before it is
known to be what the work began with, and code that came along in its folder only with a word from the user
(`--trust`). `docs/trust.md` says what that is worth.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import NoReturn

from discovery.keeping.identity import joined_sources, joint_source, joint_text, sources_in
from discovery.keeping.settings import AcceptedDomain, OfDomain, accepts
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import domain_names, file_of, find_domain
from domains.sources import hash_of_file


def check_before_import(folder: Path, settings: OfDomain, *, trust: bool = False, accept_change: bool = False) -> None:
    """Raises `UserError` where the code of the domain must not be run."""
    members = len(settings.typed_domains)
    files = [file_of(typed) for typed in settings.typed_domains]
    for file in files:
        if file is not None and file.exists() and not trust and _came_along(file, folder):
            raise UserError(
                f"{folder} brings the code of its domain along ({file}), which was not run; "
                "look at what is in it, and add --trust to run it"
            )
    if accept_change:
        return
    sources = [settings.domain_source, *(accepted.domain_source for accepted in settings.accepted_domains)]
    known = [sources_in(source, members) for source in sources]
    now = sources_in(_latest(settings).domain_source, members)
    is_new = False
    for place, file in enumerate(files):
        if file is not None and file.exists():
            now[place] = hash_of_file(file)
            is_new = is_new or now[place] not in [each[place] for each in known]
    if is_new:
        _refuse_changed(folder, settings, replace(_latest(settings), domain_source=joined_sources(now)))


def check_domain(
    folder: Path, settings: OfDomain, domains: Sequence[Domain], *, accept_change: bool = False
) -> AcceptedDomain | None:
    """What the domains, one or those of a family, have become, if that is new and accepted. Raises `UserError` if it is
    new and not accepted."""
    now = AcceptedDomain(joint_text(domains), joint_source(domains), 0)
    if accepts(settings, now.canonical_domain, now.domain_source):
        return None
    if not accept_change:
        _refuse_changed(folder, settings, now)
    return now


def domains_begun_with(
    folder: Path, settings: OfDomain, *, trust: bool = False, given: Domain | Sequence[Domain] | None = None
) -> Sequence[Domain]:
    """The domain that the work in `folder` began with, or those of its family, which may be at hand. Raises
    `UserError`."""
    if given is None:
        check_before_import(folder, settings, trust=trust)
    domains = found_domains(settings, given)
    check_domain(folder, settings, domains)
    return domains


def found_domains(settings: OfDomain, given: Domain | Sequence[Domain] | None = None) -> Sequence[Domain]:
    """Those that were handed over, or else those that the settings name."""
    if given is None:
        return [_found(typed) for typed in settings.typed_domains]
    return [given] if isinstance(given, Domain) else given


def _found(typed: str) -> Domain:
    name = typed.partition(":")[0]
    if file_of(typed) is None and name not in domain_names():
        raise UserError(
            f"there is no domain '{name}' here: if it is the class of an object that was handed over in Python, go on "
            "there (mg.discover or mg.match with that object and the same folder, mg.report with it as domain); if a "
            "package brought it, install that"
        )
    return find_domain(typed)


def _came_along(file: Path, folder: Path) -> bool:
    """Whether it lies in the folder, or may: `discover` writes no path that depends on where one is."""
    inside = folder.absolute() in file.absolute().parents or folder.resolve() in file.resolve().parents
    return inside or not file.is_absolute()


def _latest(settings: OfDomain) -> AcceptedDomain:
    """The domain as it was begun with, or accepted last."""
    begun_with = AcceptedDomain(settings.canonical_domain, settings.domain_source, 0)
    return (begun_with, *settings.accepted_domains)[-1]


def _refuse_changed(folder: Path, settings: OfDomain, now: AcceptedDomain) -> NoReturn:
    before = _latest(settings)
    differences = [
        f"  {name}: {getattr(before, name)!r}, now {getattr(now, name)!r}"
        for name in ("canonical_domain", "domain_source")
        if getattr(before, name) != getattr(now, name)
    ]
    raise UserError(
        "\n".join([f"{folder}: the domain has changed since the {settings.work} began", *differences])
        + f"\nundo that, or go on with: mcsgrammar resume {quote(str(folder))} --accept-domain "
        "(which is recorded; what was learned of the domain as it was still counts)"
    )
