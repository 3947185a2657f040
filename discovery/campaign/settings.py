"""The settings of a campaign: all that decides what its journal will say, and nothing that does not.

`settings.json` in the campaign's folder holds them, `candidates.txt` beside it the expressions, one a line. The number
of workers, the progress display and the machine are not settings: they change nothing in the journal.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any, ClassVar

from discovery.arena.agents import Opposition
from discovery.campaign.family import FEWEST, Member, family_name
from discovery.documents import has_checksum
from discovery.keeping.folder import CANDIDATES_FILE, SETTINGS_FILE
from discovery.keeping.settings import (
    FORMAT,
    AcceptedDomain,
    checked_document,
    differences_between,
    is_of_matches,
    read_document_of,
    settings_digest,
)
from domains.errors import UserError
from mcsgrammar.engines.searching import EngineName, SemanticsName
from mcsgrammar.playing import Trees
from mcsgrammar.writing import write_text


@dataclass(frozen=True)
class Settings:
    """Everything needed to run a campaign again."""

    work: ClassVar[str] = "campaign"

    domain: str
    """as it was typed; how to find the domain"""
    canonical_domain: str
    """its identity: all options, files by the hash of what is in them"""
    domain_source: str | None
    """the hash of the file of a domain of one's own"""
    candidates: int
    candidates_digest: str
    budget: int | None
    seconds: float | None
    semantics: SemanticsName
    engine: EngineName
    max_nodes: int
    policy: str
    pulls: int
    batch: int
    seed: int
    versions: dict[str, str] = field(default_factory=dict)
    accepted_versions: tuple[dict[str, str], ...] = ()
    """versions that it was resumed with on purpose"""
    accepted_domains: tuple[AcceptedDomain, ...] = ()
    units: dict[str, Any] | None = None
    """what a report knows of the domain without running its code (`units_of`); older campaigns have none"""
    against: Opposition | None = None
    """whom the candidates play against; None where one role plays alone"""
    play: Trees | None = None
    """what becomes of trees between actions, where a pull is a whole game; None: it is a run"""
    family: tuple[Member, ...] | None = None
    """the domains that pulls go round; None where there is one. `domain`, `canonical_domain` and `domain_source` are
    joint then (`discovery.campaign.family`)"""

    def digest(self) -> str:
        """The name of these settings in the journal; versions are compared apart."""
        named = self
        if self.family is not None:
            named = replace(self, family=tuple(replace(member, domain="") for member in self.family))
        return settings_digest(named, (*NOT_IDENTITY, *self.left_out))

    @property
    def left_out(self) -> list[str]:
        """What is not said of pulls, so that campaigns of runs are what they were before there were others."""
        return [name for name in KINDS_OF_PULLS if getattr(self, name) is None]

    @property
    def typed_domains(self) -> tuple[str, ...]:
        return (self.domain,) if self.family is None else tuple(member.domain for member in self.family)

    @property
    def subject(self) -> str:
        """The domain, or the family, as people call it."""
        return self.canonical_domain if self.family is None else family_name(self.family)

    @property
    def thing(self) -> str:
        """What a pull is run on."""
        return "problem" if self.against is None else "block"

    @property
    def pool_labels(self) -> list[str]:
        """What the agents are called whom the candidates play against; none where there are none."""
        return [] if self.against is None else self.against.labels(self.budget, self.seconds)

    @property
    def has_controls(self) -> bool:
        """Whether runs by the clock are watched by others that count for nothing (`discovery.campaign.controls`)."""
        return self.seconds is not None and self.against is None

    def differences(self, other: "Settings") -> list[str]:
        """One line for each setting that differs, as 'name: this one, other one'."""
        return differences_between(self, other, NOT_IDENTITY)


NOT_IDENTITY = ("domain", "versions", "accepted_versions", "accepted_domains", "units")
"""`domain` may say another path to the same file."""
KINDS_OF_PULLS = ("play", "against", "family")
"""What says that a pull is something else than a run."""


def candidates_digest(texts: Sequence[str]) -> str:
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=16).hexdigest()


def write_settings(folder: Path, settings: Settings) -> None:
    document = {"format": FORMAT, **asdict(settings)}
    if not settings.accepted_domains:
        del document["accepted_domains"]  # which versions before this setting cannot read
    for name in settings.left_out:
        del document[name]
    write_text(folder / SETTINGS_FILE, json.dumps(document, indent=1, ensure_ascii=False) + "\n", durably=True)


def read_settings(folder: Path) -> Settings:
    """The settings of the campaign in `folder`; `UserError` if there is none that this version can read."""
    return read_document_of(folder, "campaign", _settings_of)


def _settings_of(path: Path, document: Any) -> Settings:
    """The settings that a document spells out. Raises `ValueError` with what is wrong."""
    if is_of_matches(document):
        shown = f"mcsgrammar status {quote(str(path.parent))} shows them"
        raise UserError(f"{path.parent} holds matches, not a campaign; {shown}")
    absent: dict[str, Any] = {"accepted_domains": [], "units": None, **dict.fromkeys(KINDS_OF_PULLS)}
    values = checked_document(path, document, Settings, absent)
    if values["units"] is not None and not has_checksum(values["units"]):
        raise ValueError("the setting 'units' has no checksum")
    if values["family"] is not None and len(values["family"]) < FEWEST:
        raise ValueError("the setting 'family' has less than two domains")
    return Settings(**values)


def candidates_text(texts: Sequence[str]) -> str:
    return "\n".join(texts) + "\n"


def write_candidates(folder: Path, texts: Sequence[str]) -> None:
    write_text(folder / CANDIDATES_FILE, candidates_text(texts), durably=True)


def read_candidates(folder: Path, settings: Settings) -> list[str]:
    """The expressions of a campaign, checked against its settings."""
    path = folder / CANDIDATES_FILE
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        texts = []  # which is not the list either
    if candidates_digest(texts) != settings.candidates_digest:
        raise UserError(f"{path} is not the list that this campaign began with; it was changed or damaged")
    return texts
