"""The journal of a campaign: every pull in the order it was asked for (`discovery.keeping.journal_format`)."""

from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from discovery.keeping.journal import BatchJournal
from discovery.keeping.journal_format import JournalKind
from discovery.keeping.journal_reading import Chain, read_chain

PULLS = JournalKind(b'["mcsgrammar journal",', "campaign", "pull", "pulls", "working on this campaign")
LARGEST_INTEGER = 2**63 - 1


@dataclass(frozen=True)
class Contents:
    settings_digest: str
    arms: npt.NDArray[np.int64]
    t: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    failed: npt.NDArray[np.bool_]
    batch_ends: npt.NDArray[np.int64]  # pulls after each batch
    valid_bytes: int
    cut: str | None  # what stands behind the last complete batch, as a sentence for people

    def __repr__(self) -> str:
        return f"<Contents of a journal: {len(self.arms):,} pulls in {len(self.batch_ends):,} batches>"


def read_journal(path: Path) -> Contents:
    """Everything up to the last complete batch. Changes nothing. Raises `JournalError` for damage."""
    return read_pulls(path)[0]


def read_pulls(path: Path) -> tuple[Contents, Chain]:
    arms, t, rewards, failed = array("q"), array("q"), array("d"), bytearray()

    def take(rows: list[Any]) -> None:
        arms.extend([row[0] for row in rows])
        t.extend([row[1] for row in rows])
        rewards.extend([row[2] for row in rows])
        failed.extend([len(row) == 5 for row in rows])

    chain = read_chain(path, PULLS, take)
    contents = Contents(
        chain.settings_digest,
        np.frombuffer(arms, np.int64),
        np.frombuffer(t, np.int64),
        np.frombuffer(rewards, np.float64),
        np.frombuffer(failed, np.bool_),
        chain.batch_ends,
        chain.valid_bytes,
        chain.cut,
    )
    return contents, chain


class Journal(BatchJournal[Contents]):
    """That of a campaign."""

    kind = PULLS

    @classmethod
    def read(cls, path: Path) -> tuple[Contents, Chain]:
        return read_pulls(path)

    @property
    def pulls(self) -> int:
        return self.count

    def append(self, arms: npt.ArrayLike, t: npt.ArrayLike, rewards: npt.ArrayLike, failed: npt.ArrayLike) -> None:
        """One batch, on disk when this returns. After an error the journal ends with the batch before."""
        self.append_lines(
            pull_lines(_counts(arms), _counts(t), _finite(rewards), np.asarray(failed, np.bool_).tolist())
        )


def pull_lines(arms: list[int], t: list[int], rewards: list[float], failed: list[bool]) -> bytes:
    lines = []
    for arm, problem, reward, has_failed in zip(arms, t, rewards, failed, strict=True):
        fields = f'[{arm},{problem},{reward!r},"failed"' if has_failed else f"[{arm},{problem},{reward!r}"
        body = fields.encode("ascii")
        lines.append(b'%b,"%08x"]\n' % (body, crc32(body)))
    return b"".join(lines)


def _counts(values: npt.ArrayLike) -> list[int]:
    numbers = np.asarray(values)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise ValueError("arms and t must be sequences of integers")
    if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) <= LARGEST_INTEGER:
        raise ValueError("arms and t must lie in 0 … 2⁶³ - 1")
    counts: list[int] = numbers.tolist()
    return counts


def _finite(values: npt.ArrayLike) -> list[float]:
    rewards = np.asarray(values, np.float64)
    if not np.isfinite(rewards).all():
        raise ValueError("a reward is not finite; a failed pull has reward 0")
    finite: list[float] = rewards.tolist()
    return finite
