"""The domain of a campaign, whose settings somebody else may have written: no code that they name is imported before it
is known to be what the campaign began with, and code that came along in the campaign's folder only with a word from the
user (`--trust`). `docs/trust.md` says what that is worth.
"""

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from discovery.campaign.settings import AcceptedDomain, OfDomain, accepts
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text, file_of, find_domain
from domains.sources import hash_of_file, source_hash


def check_before_import(folder: Path, settings: OfDomain, *, trust: bool = False, accept_change: bool = False) -> None:
    """Raises `UserError` where the code of the domain must not be run."""
    file = file_of(settings.domain)
    if file is None or not file.exists():
        return
    if not trust and _came_along(file, folder):
        raise UserError(
            f"{folder} brings the code of its domain along ({file}), which was not run; "
            "look at what is in it, and add --trust to run it"
        )
    if not accept_change:
        source = hash_of_file(file)
        if source not in [settings.domain_source, *(accepted.domain_source for accepted in settings.accepted_domains)]:
            _refuse_changed(folder, settings, replace(_latest(settings), domain_source=source))


def check_domain(
    folder: Path, settings: OfDomain, domain: Domain, *, accept_change: bool = False
) -> AcceptedDomain | None:
    """What the domain has become, if that is new and accepted. Raises `UserError` if it is new and not accepted."""
    now = AcceptedDomain(canonical_text(domain), source_hash(domain), 0)
    if accepts(settings, now.canonical_domain, now.domain_source):
        return None
    if not accept_change:
        _refuse_changed(folder, settings, now)
    return now


def domain_of_campaign(folder: Path, settings: OfDomain, *, trust: bool = False, given: Domain | None = None) -> Domain:
    """The domain that the campaign in `folder` began with, which may be at hand. Raises `UserError`."""
    if given is None:
        check_before_import(folder, settings, trust=trust)
    domain = given if given is not None else find_domain(settings.domain)
    check_domain(folder, settings, domain)
    return domain


def _came_along(file: Path, folder: Path) -> bool:
    """Whether it lies in the campaign's folder, or may: `discover` writes no path that depends on where one is."""
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
        + f"\nundo that, or go on with: mcsgrammar resume {folder} --accept-domain "
        "(which is recorded; what was learned of the domain as it was still counts)"
    )
