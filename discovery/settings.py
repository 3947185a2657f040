"""The settings of a campaign: all that decides what its journal will say, and nothing that does not.

`settings.json` in the campaign's folder holds them, `candidates.txt` beside it the expressions, one a line. The number
of workers, the progress display and the machine are not settings: they change nothing in the journal.
"""

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from domains.errors import UserError

FORMAT = 1
SETTINGS_FILE = "settings.json"
CANDIDATES_FILE = "candidates.txt"


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

    def digest(self) -> str:
        """The name of these settings in the journal; versions are compared apart."""
        identity = {key: value for key, value in asdict(self).items() if key not in NOT_IDENTITY}
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def differences(self, other: "Settings") -> list[str]:
        """One line for each setting that differs, as 'name: this one, other one'."""
        return [
            f"{f.name}: {getattr(self, f.name)!r}, now {getattr(other, f.name)!r}"
            for f in fields(self)
            if f.name not in NOT_IDENTITY and getattr(self, f.name) != getattr(other, f.name)
        ]


NOT_IDENTITY = ("domain", "versions", "accepted_versions")
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
    temporary = folder / (SETTINGS_FILE + ".tmp")
    temporary.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(folder / SETTINGS_FILE)


def read_settings(folder: Path) -> Settings:
    """The settings of the campaign in `folder`; `UserError` if there is none that this version can read."""
    path = folder / SETTINGS_FILE
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] > FORMAT:
            raise UserError(
                f"{path} was written by a newer mcsgrammar (format {document['format']}); "
                f"this one reads format {FORMAT}; upgrade"
            )
        known = {f.name for f in fields(Settings)}
        unknown = set(document) - known - {"format"}
        if unknown:
            raise UserError(f"{path} has settings that this version does not know: {', '.join(sorted(unknown))}")
        values = {key: value for key, value in document.items() if key in known}
        return replace(Settings(**values), accepted_versions=tuple(values.get("accepted_versions", ())))
    except FileNotFoundError:
        raise UserError(f"{folder} is no campaign: it has no {SETTINGS_FILE}") from None
    except NotADirectoryError:
        raise UserError(f"{folder} is no campaign: it is not a folder") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is damaged: {error}; it cannot be resumed") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def write_candidates(folder: Path, texts: Sequence[str]) -> None:
    (folder / CANDIDATES_FILE).write_text("\n".join(texts) + "\n", encoding="utf-8")


def read_candidates(folder: Path, settings: Settings) -> list[str]:
    """The expressions of a campaign, checked against its settings."""
    path = folder / CANDIDATES_FILE
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    if candidates_digest(texts) != settings.candidates_digest:
        raise UserError(f"{path} is not the list that this campaign began with; it was changed or damaged")
    return texts
