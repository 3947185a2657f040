"""What the settings of all long work have in common, of campaigns and of matches: they name it in its journal, are
compared with those in a folder, and are read back from `settings.json`, which somebody may have changed.
"""

import hashlib
import json
import platform
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from types import UnionType
from typing import Any, Literal, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from discovery.documents import read_document
from discovery.keeping.folder import SETTINGS_FILE
from domains.errors import UserError

FORMAT = 1


@dataclass(frozen=True)
class AcceptedDomain:
    """What a domain had become when its work was resumed with it on purpose."""

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
            f"choose another --out, or go on with: mcsgrammar resume {quote(str(folder))} --accept-domain"
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


def versions_now() -> dict[str, str]:
    """The versions of all that a result goes through."""
    return {
        "mcsgrammar": version("mcsgrammar"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def other_versions(before: Mapping[str, Any]) -> str:
    """How they differ from those of now; empty if they do not."""
    now = versions_now()
    return "; ".join(f"{name} {before.get(name)}, now {now[name]}" for name in now if before.get(name) != now[name])


def check_versions(folder: Path, settings: OfDomain, accept: bool) -> tuple[dict[str, str], ...]:
    """The versions that it may be run with beside the first, those of now among them. Raises `UserError`."""
    now = versions_now()
    if now in (settings.versions, *settings.accepted_versions):
        return settings.accepted_versions
    before = settings.accepted_versions[-1] if settings.accepted_versions else settings.versions
    if not accept:
        raise UserError(
            f"{folder} was run with other versions ({other_versions(before)}), which may give other results; "
            f"go on with: mcsgrammar resume {quote(str(folder))} --accept-versions"
        )
    return (*settings.accepted_versions, now)


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
