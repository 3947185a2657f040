"""The settings of a campaign: all that decides what its journal will say, and nothing that does not.

`settings.json` in the campaign's folder holds them, `candidates.txt` beside it the expressions, one a line. The number
of workers, the progress display and the machine are not settings: they change nothing in the journal.
"""

import hashlib
import json
import platform
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from importlib.metadata import version
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Literal, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from discovery.arena.agents import Opposition
from discovery.campaign.family import FEWEST, Member, family_name
from discovery.campaign.folder import CANDIDATES_FILE, SETTINGS_FILE
from discovery.documents import has_checksum, read_document
from domains.errors import UserError
from mcsgrammar.playing import Trees
from mcsgrammar.writing import write_text

FORMAT = 1


@dataclass(frozen=True)
class AcceptedDomain:
    """What a domain had become when its campaign was resumed with it on purpose."""

    canonical_domain: str
    domain_source: str | None
    pulls: int
    """that were in the journal by then; those before are of the domain as it was"""


class OfDomain(Protocol):
    """Settings of whatever goes on for long with one domain."""

    @property
    def work(self) -> str:
        """What they are settings of."""

    @property
    def domain(self) -> str: ...
    @property
    def typed_domains(self) -> tuple[str, ...]:
        """As they were typed: one, or the members of a family."""

    @property
    def canonical_domain(self) -> str: ...
    @property
    def domain_source(self) -> str | None: ...
    @property
    def versions(self) -> dict[str, str]: ...
    @property
    def accepted_versions(self) -> tuple[dict[str, str], ...]: ...
    @property
    def accepted_domains(self) -> tuple[AcceptedDomain, ...]: ...

    def differences(self, other: Any) -> list[str]:
        """One line for each setting that differs, as 'name: this one, other one'."""


def accepts(settings: OfDomain, canonical_domain: str, domain_source: str | None) -> bool:
    """Whether the domain is as it was at the beginning, or as it was accepted since."""
    known: list[OfDomain | AcceptedDomain] = [settings, *settings.accepted_domains]
    return any((d.canonical_domain, d.domain_source) == (canonical_domain, domain_source) for d in known)


def refuse_differences(folder: Path, there: OfDomain, wanted: OfDomain, holds: str) -> None:
    """Raises `UserError` where a folder that holds `there` is not to be taken up with the settings `wanted`. Those of
    its domain as it was accepted since are its own."""
    as_begun = replace(cast(Any, wanted), canonical_domain=there.canonical_domain, domain_source=there.domain_source)
    is_accepted = accepts(there, wanted.canonical_domain, wanted.domain_source)
    differences = there.differences(as_begun if is_accepted else wanted)
    is_same = there.domain == wanted.domain or there.canonical_domain == wanted.canonical_domain
    if differences and is_same and not there.differences(as_begun):
        raise UserError(
            f"{folder}: the domain has changed since the {there.work} began\n  {differences[0]}\n"
            f"choose another --out, or go on with: mcsgrammar resume {folder} --accept-domain"
        )
    if differences:
        raise UserError(
            f"{folder} holds {holds} with other settings; choose another --out, or resume it as it is\n  "
            + "\n  ".join(differences)
        )


def settings_digest(settings: Any, not_identity: Collection[str]) -> str:
    """The name of settings in the journal, whatever the fields say that are not part of it."""
    identity = {key: value for key, value in asdict(settings).items() if key not in not_identity}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def differences_between(one: Any, other: Any, not_identity: Collection[str]) -> list[str]:
    """One line for each field that differs, as 'name: this one, other one'."""
    return [
        f"{f.name}: {getattr(one, f.name)!r}, now {getattr(other, f.name)!r}"
        for f in fields(one)
        if f.name not in not_identity and getattr(one, f.name) != getattr(other, f.name)
    ]


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

    def accepts(self, canonical_domain: str, domain_source: str | None) -> bool:
        """Whether the domain is as it was at the beginning, or as it was accepted since."""
        return accepts(self, canonical_domain, domain_source)

    def differences(self, other: "Settings") -> list[str]:
        """One line for each setting that differs, as 'name: this one, other one'."""
        return differences_between(self, other, NOT_IDENTITY)


NOT_IDENTITY = ("domain", "versions", "accepted_versions", "accepted_domains", "units")
"""`domain` may say another path to the same file."""
KINDS_OF_PULLS = ("play", "against", "family")
"""What says that a pull is something else than a run."""


def versions_now() -> dict[str, str]:
    """The versions of all that a result goes through."""
    return {
        "mcsgrammar": version("mcsgrammar"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def check_versions(folder: Path, settings: OfDomain, accept: bool) -> tuple[dict[str, str], ...]:
    """The versions that it may be run with beside the first, those of now among them. Raises `UserError`."""
    now = versions_now()
    if now in (settings.versions, *settings.accepted_versions):
        return settings.accepted_versions
    before = settings.accepted_versions[-1] if settings.accepted_versions else settings.versions
    differences = [f"{name} {before.get(name)}, now {now[name]}" for name in now if before.get(name) != now[name]]
    if not accept:
        raise UserError(
            f"{folder} was run with other versions ({'; '.join(differences)}), which may give other results; "
            f"go on with: mcsgrammar resume {folder} --accept-versions"
        )
    return (*settings.accepted_versions, now)


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


Read = TypeVar("Read")


def read_document_of(folder: Path, work: str, read: Callable[[Path, Any], Read]) -> Read:
    """What `read` makes of the settings in `folder`, which raises `ValueError` for what is wrong with them; `UserError`
    if there are none that this version can read."""
    path = folder / SETTINGS_FILE
    try:
        return read(path, read_document(path.read_text(encoding="utf-8", errors="surrogatepass")))
    except FileNotFoundError:
        why = f"it has no {SETTINGS_FILE}" if folder.is_dir() else "there is no such folder"
        raise UserError(f"{folder} is no {work}: {why}") from None
    except NotADirectoryError:
        raise UserError(f"{folder} is no {work}: it is not a folder") from None
    except ValueError as error:
        raise UserError(f"{path} is damaged: {error}; restore it from a copy") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def checked_document(path: Path, document: Any, settings: type, defaults: dict[str, Any]) -> dict[str, Any]:
    """The values of a document for a class of settings. Raises `ValueError` with what is wrong."""
    if not isinstance(document, dict) or type(document.get("format")) is not int:
        raise ValueError("it has no format")
    if document["format"] > FORMAT:
        raise UserError(
            f"{path} was written by a newer mcsgrammar (format {document['format']}); "
            f"this one reads format {FORMAT}; upgrade"
        )
    hints = get_type_hints(settings)
    kinds = {f.name: hints[f.name] for f in fields(settings)}
    unknown = sorted(document.keys() - kinds.keys() - {"format"})
    if unknown:
        raise ValueError(f"it has a setting '{unknown[0]}' that there is not")
    document = {**defaults, **document}
    for name in kinds:
        if name not in document:
            raise ValueError(f"the setting '{name}' is missing")
        if not _is_a(kinds[name], document[name]):
            raise ValueError(f"the setting '{name}' cannot be {json.dumps(document[name])[:60]}")
    return {name: _made(kinds[name], document[name]) for name in kinds}


def _settings_of(path: Path, document: Any) -> Settings:
    """The settings that a document spells out. Raises `ValueError` with what is wrong."""
    if is_of_matches(document):
        raise UserError(f"{path.parent} holds matches, not a campaign; mcsgrammar status {path.parent} shows them")
    absent: dict[str, Any] = {"accepted_domains": [], "units": None, **dict.fromkeys(KINDS_OF_PULLS)}
    values = checked_document(path, document, Settings, absent)
    if values["units"] is not None and not has_checksum(values["units"]):
        raise ValueError("the setting 'units' has no checksum")
    if values["family"] is not None and len(values["family"]) < FEWEST:
        raise ValueError("the setting 'family' has less than two domains")
    return Settings(**values)


def is_of_matches(document: Any) -> bool:
    """Whether the settings are those of matches (`discovery.arena.settings`)."""
    return isinstance(document, dict) and "agents" in document


def _is_a(kind: Any, value: Any) -> bool:
    """Whether JSON has given what a field's annotation says; a dataclass is an object with its fields there, a tuple a
    list, a float also a whole number."""
    parts = get_args(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return (
            isinstance(value, dict) and value.keys() == hints.keys() and all(_is_a(hints[k], value[k]) for k in hints)
        )
    if get_origin(kind) in (UnionType, Union):
        return any(_is_a(part, value) for part in parts)
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(_is_a(parts[0], item) for item in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(_is_a(parts[1], item) for item in value.values())
    if get_origin(kind) is Literal:
        return value in parts
    return kind is Any or type(value) is kind or (kind is float and type(value) is int)


def _made(kind: Any, value: Any) -> Any:
    """What a field's annotation says, made of what JSON has given for it."""
    if get_origin(kind) is UnionType:
        kind = next(part for part in get_args(kind) if _is_a(part, value))
    if is_dataclass(kind):
        return kind(**{name: _made(part, value[name]) for name, part in get_type_hints(kind).items()})  # type: ignore[operator]
    if get_origin(kind) is tuple:
        return tuple(_made(get_args(kind)[0], item) for item in value)
    return value


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
