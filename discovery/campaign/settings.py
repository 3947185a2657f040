"""The settings of a campaign: all that decides what its journal will say, and nothing that does not.

`settings.json` in the campaign's folder holds them, `candidates.txt` beside it the expressions, one a line. The number
of workers, the progress display and the machine are not settings: they change nothing in the journal.
"""

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from importlib.metadata import version
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from discovery.campaign.folder import CANDIDATES_FILE, SETTINGS_FILE
from discovery.documents import has_checksum, read_document
from domains.errors import UserError
from mcsgrammar.writing import write_text

FORMAT = 1


@dataclass(frozen=True)
class AcceptedDomain:
    """What a domain had become when its campaign was resumed with it on purpose."""

    canonical_domain: str
    domain_source: str | None
    pulls: int
    """that were in the journal by then; those before are of the domain as it was"""


@dataclass(frozen=True)
class Settings:
    """Everything needed to run a campaign again."""

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
    semantics: str
    engine: str
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

    def digest(self) -> str:
        """The name of these settings in the journal; versions are compared apart."""
        identity = {key: value for key, value in asdict(self).items() if key not in NOT_IDENTITY}
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def accepts(self, canonical_domain: str, domain_source: str | None) -> bool:
        """Whether the domain is as it was at the beginning, or as it was accepted since."""
        known: list[Settings | AcceptedDomain] = [self, *self.accepted_domains]
        return any((d.canonical_domain, d.domain_source) == (canonical_domain, domain_source) for d in known)

    def differences(self, other: "Settings") -> list[str]:
        """One line for each setting that differs, as 'name: this one, other one'."""
        return [
            f"{f.name}: {getattr(self, f.name)!r}, now {getattr(other, f.name)!r}"
            for f in fields(self)
            if f.name not in NOT_IDENTITY and getattr(self, f.name) != getattr(other, f.name)
        ]


NOT_IDENTITY = ("domain", "versions", "accepted_versions", "accepted_domains", "units")
"""`domain` may say another path to the same file."""


def versions_now() -> dict[str, str]:
    """The versions of all that a result goes through."""
    return {
        "mcsgrammar": version("mcsgrammar"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def candidates_digest(texts: Sequence[str]) -> str:
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=16).hexdigest()


def write_settings(folder: Path, settings: Settings) -> None:
    document = {"format": FORMAT, **asdict(settings)}
    if not settings.accepted_domains:
        del document["accepted_domains"]  # which versions before this setting cannot read
    write_text(folder / SETTINGS_FILE, json.dumps(document, indent=1, ensure_ascii=False) + "\n", durably=True)


def read_settings(folder: Path) -> Settings:
    """The settings of the campaign in `folder`; `UserError` if there is none that this version can read."""
    path = folder / SETTINGS_FILE
    try:
        return _settings_of(path, read_document(path.read_text(encoding="utf-8", errors="surrogatepass")))
    except FileNotFoundError:
        why = f"it has no {SETTINGS_FILE}" if folder.is_dir() else "there is no such folder"
        raise UserError(f"{folder} is no campaign: {why}") from None
    except NotADirectoryError:
        raise UserError(f"{folder} is no campaign: it is not a folder") from None
    except ValueError as error:
        raise UserError(f"{path} is damaged: {error}; restore it from a copy") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def _settings_of(path: Path, document: Any) -> Settings:
    """The settings that a document spells out. Raises `ValueError` with what is wrong."""
    if not isinstance(document, dict) or type(document.get("format")) is not int:
        raise ValueError("it has no format")
    if document["format"] > FORMAT:
        raise UserError(
            f"{path} was written by a newer mcsgrammar (format {document['format']}); "
            f"this one reads format {FORMAT}; upgrade"
        )
    kinds = get_type_hints(Settings)
    unknown = sorted(document.keys() - kinds.keys() - {"format"})
    if unknown:
        raise ValueError(f"it has a setting '{unknown[0]}' that there is not")
    document = {"accepted_domains": [], "units": None, **document}
    for name in kinds:
        if name not in document:
            raise ValueError(f"the setting '{name}' is missing")
        if not _is_a(kinds[name], document[name]):
            raise ValueError(f"the setting '{name}' cannot be {json.dumps(document[name])[:60]}")
    if document["units"] is not None and not has_checksum(document["units"]):
        raise ValueError("the setting 'units' has no checksum")
    values = {name: document[name] for name in kinds}
    values["accepted_versions"] = tuple(values["accepted_versions"])
    values["accepted_domains"] = tuple(AcceptedDomain(**accepted) for accepted in values["accepted_domains"])
    return Settings(**values)


def _is_a(kind: Any, value: Any) -> bool:
    """Whether JSON has given what a field's annotation says; a dataclass is an object with its fields there, a tuple a
    list, a float also a whole number."""
    parts = get_args(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return (
            isinstance(value, dict) and value.keys() == hints.keys() and all(_is_a(hints[k], value[k]) for k in hints)
        )
    if get_origin(kind) is UnionType:
        return any(_is_a(part, value) for part in parts)
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(_is_a(parts[0], item) for item in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(_is_a(parts[1], item) for item in value.values())
    return kind is Any or type(value) is kind or (kind is float and type(value) is int)


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
