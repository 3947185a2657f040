"""The domain of a campaign, whose settings somebody else may have written: no code that they name is imported before it
is known to be what the campaign began with, and code that came along in the campaign's folder only with a word from the
user (`--trust`). `docs/trust.md` says what that is worth.
"""

from dataclasses import replace
from pathlib import Path

from discovery.settings import Settings
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text, file_of, find_domain
from domains.sources import hash_of_file, source_hash


def check_before_import(folder: Path, settings: Settings, *, trust: bool = False, accept_change: bool = False) -> None:
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
        _refuse_changed(folder, settings, replace(settings, domain_source=hash_of_file(file)))


def check_domain(folder: Path, settings: Settings, domain: Domain) -> None:
    """Raises `UserError` if it is not the one that the campaign began with."""
    now = replace(settings, canonical_domain=canonical_text(domain), domain_source=source_hash(domain))
    _refuse_changed(folder, settings, now)


def domain_of_campaign(folder: Path, settings: Settings, *, trust: bool = False, given: Domain | None = None) -> Domain:
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


def _refuse_changed(folder: Path, settings: Settings, now: Settings) -> None:
    differences = settings.differences(now)
    if differences:
        raise UserError(f"{folder}: the domain has changed since the campaign began\n  " + "\n  ".join(differences))
