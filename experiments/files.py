"""The files that experiments read and write: whole, in folders that are made for them."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcsgrammar.writing import write_file


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content.encode() if isinstance(content, str) else content)


def figure(value: float) -> str:
    """As it is kept in tables: six digits, which are more than anything that is measured has."""
    return f"{value:.6g}"


def csv_text(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table with one line of names."""
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_csv(path: Path, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    write(path, csv_text(names, rows))


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_json(path: Path, document: Any) -> None:
    write(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def read_text_table(path: Path) -> list[dict[str, str]]:
    """The lines of all tables of a page in Markdown, by the names in their headers; none where there is no page."""
    rows: list[dict[str, str]] = []
    header: list[str] = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            header = []
        elif not header:
            header = cells
        elif not set(cells[0]) <= set("-: "):
            rows.append(dict(zip(header, cells, strict=True)))
    return rows
