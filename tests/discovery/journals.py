"""Small journals for the tests, and a program that appends to one: `python -m tests.discovery.journals PATH LAST`."""

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

from discovery.campaign.journal import Contents, Journal, read_journal
from discovery.keeping.journal_reading import JournalError
from discovery.keeping.locking import FolderLock

DIGEST = "5f0c" * 4


@dataclass(frozen=True)
class Batch:
    arms: list[int]
    t: list[int]
    rewards: list[float]
    failed: list[bool]


GOLDEN_BATCHES = [
    Batch([17, 3, 0], [0, 0, 12], [0.4375, 0.0, 1 / 3], [False, True, False]),
    Batch([24690], [99], [1.0], [False]),
    Batch([5, 5], [1, 2], [-0.0, 1e308], [False, False]),
]
GOLDEN_LINES = [
    '["mcsgrammar journal",1,"5f0c5f0c5f0c5f0c","36aee22e"]',
    '[17,0,0.4375,"59b98232"]',
    '[3,0,0.0,"failed","82d7d3a5"]',
    '[0,12,0.3333333333333333,"e0458440"]',
    '["batch",1,3,"b8e07d05264cd3025e96ee3eb6440e07","467ae6a9"]',
    '[24690,99,1.0,"86eef005"]',
    '["batch",2,4,"71c21c184d5add33a84bb624ffa208f4","f560a611"]',
    '[5,1,-0.0,"43c4780a"]',
    '[5,2,1e+308,"2d5c0501"]',
    '["batch",3,6,"af18d48e0c9b29fca033077d25d0afa2","640e6555"]',
]
GOLDEN = "".join(f"{line}\n" for line in GOLDEN_LINES).encode("ascii")
LINES = GOLDEN.splitlines(keepends=True)
HEADER = LINES[0]
FIRST, SECOND, THIRD = LINES[1:5], LINES[5:7], LINES[7:10]
SIZES = [len(b"".join(LINES[:end])) for end in (1, 5, 7, 10)]  # after each marker, the header first


def batch(number: int) -> Batch:
    """Always the same pulls for the same number."""
    random = Random(number)
    size = random.randint(1, 5)
    return Batch(
        [random.randrange(25_000) for _ in range(size)],
        [random.randrange(1_000) for _ in range(size)],
        [random.random() for _ in range(size)],
        [random.random() < 0.2 for _ in range(size)],
    )


def put(path: Path, data: bytes) -> None:
    """Fill the file in place: emptying it first costs a flush on some file systems, thousands of times here."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(data)
        file.truncate()


def append(journal: Journal, pulls: Batch) -> None:
    journal.append(pulls.arms, pulls.t, pulls.rewards, pulls.failed)


def written(path: Path, batches: list[Batch], digest: str = DIGEST) -> bytes:
    """The bytes of a journal of these batches, which is left at `path`."""
    with Journal.create(path, digest) as journal:
        for pulls in batches:
            append(journal, pulls)
    return path.read_bytes()


def is_said_by(contents: Contents, batches: list[Batch]) -> bool:
    """Whether the contents are exactly these batches, bit for bit."""
    ends = [sum(len(pulls.arms) for pulls in batches[: i + 1]) for i in range(len(batches))]
    return (
        contents.settings_digest == DIGEST
        and contents.batch_ends.tolist() == ends
        and contents.arms.tolist() == [arm for pulls in batches for arm in pulls.arms]
        and contents.t.tolist() == [t for pulls in batches for t in pulls.t]
        and [reward.hex() for reward in contents.rewards.tolist()]
        == [float(reward).hex() for pulls in batches for reward in pulls.rewards]
        and contents.failed.tolist() == [failed for pulls in batches for failed in pulls.failed]
    )


def reading(path: Path, data: bytes) -> int | str:
    """How many of the golden batches are read from `data`, or the message of the refusal, without the file's name."""
    put(path, data)
    try:
        contents = read_journal(path)
    except JournalError as error:
        assert path.read_bytes() == data
        return str(error).removeprefix(str(path))
    batches = len(contents.batch_ends)
    assert is_said_by(contents, GOLDEN_BATCHES[:batches])
    assert contents.valid_bytes == SIZES[batches]
    assert (contents.cut is None) == (len(data) == contents.valid_bytes)
    return batches


def keep(lines: int) -> str:
    """The end of a refusal whose first so many lines are right."""
    return (
        f"restore the file from a copy, or keep its first {lines} lines only (the pulls behind them are then run again)"
    )


def work_on(path: Path, last: int) -> None:
    with FolderLock(path.parent):
        if not path.exists():
            Journal.create(path, DIGEST).close()
        journal, contents = Journal.open(path)
        print("ready", flush=True)
        with journal:
            for number in range(len(contents.batch_ends), last):
                append(journal, batch(number))


if __name__ == "__main__":
    if len(sys.argv) > 3:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
    try:
        work_on(Path(sys.argv[1]), int(sys.argv[2]))
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        os._exit(1)
