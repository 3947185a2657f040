"""Text files that problems are read from. What is wrong with one as a file is an `UnknownDomain` that says so."""

from pathlib import Path

from domains.errors import UnknownDomain


def refuse_pipe(path: Path) -> None:
    """Or a device: what is there, and is neither a file nor a folder. Who opened it might wait for ever."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        what = "cannot be read as often as a problem is; write what it has to a file, and name that"
        raise UnknownDomain(f"{path} {what}")


def lines_of(path: Path, domain: str) -> list[str]:
    """The lines of a problem of a domain."""
    try:
        refuse_pipe(path)
        return path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UnknownDomain(f"{domain}: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UnknownDomain(f"{domain}: {path} is not a text file in UTF-8") from None


def rules_in(path: Path, hint: str, most_bytes: int) -> str:
    """The text of a game, which may be older than UTF-8; `hint` says what was to be named instead of `path`."""
    try:
        refuse_pipe(path)
        raw = path.read_bytes()
    except OSError as error:
        raise UnknownDomain(f"cannot read {path}: {error.strerror}; {hint}") from error
    if len(raw) > most_bytes:
        raise UnknownDomain(f"{path} has {len(raw):,} bytes; {most_bytes:,} is the most")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")  # comments with names in them; no word of the languages needs more
