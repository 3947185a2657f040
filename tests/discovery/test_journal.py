"""What is written is read again, and equal content is equal bytes. Damage has a file of its own."""

import os
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.campaign.journal import Journal, read_journal
from discovery.keeping import journal_format
from discovery.keeping.journal_reading import JournalError
from tests.discovery.journals import DIGEST, GOLDEN, GOLDEN_BATCHES, GOLDEN_LINES, Batch, append, is_said_by, written

counts = st.integers(0, 2**63 - 1)
pulls = st.tuples(counts, counts, st.floats(allow_nan=False, allow_infinity=False), st.booleans())
batches = st.lists(
    st.lists(pulls, min_size=1, max_size=5).map(
        lambda rows: Batch(*(list(column) for column in zip(*rows, strict=True)))
    )
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def test_golden_bytes(path: Path) -> None:
    assert written(path, GOLDEN_BATCHES) == GOLDEN
    assert is_said_by(read_journal(path), GOLDEN_BATCHES)


def test_the_example_in_the_documentation_of_the_format_is_a_journal() -> None:
    example = [line.strip() for line in (journal_format.__doc__ or "").splitlines() if line.startswith("    [")]
    assert len(example) == 5
    for documented, golden in zip(example, GOLDEN_LINES, strict=False):
        assert documented.startswith(golden)


def test_checksums_and_hashes_are_those_the_documentation_names() -> None:
    previous = blake2b(f"{GOLDEN_LINES[0]}\n".encode(), digest_size=16).hexdigest()
    lines = ""
    for line in GOLDEN_LINES:
        body, checksum = line[:-2].rsplit(',"', 1)
        assert checksum == f"{crc32(body.encode()):08x}"
        if line.startswith('["batch"'):
            fields, own_hash = body[:-1].rsplit(',"', 1)
            assert own_hash == blake2b(f"{previous}{lines}{fields}".encode(), digest_size=16).hexdigest()
            previous, lines = own_hash, ""
        elif line != GOLDEN_LINES[0]:
            lines += f"{line}\n"


@settings(deadline=None, max_examples=100)
@given(batches)
def test_round_trip(all_batches: list[Batch]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as fast:
        fast.setattr(os, "fsync", lambda descriptor: None)
        path = Path(folder) / "journal.jsonl"
        data = written(path, all_batches)
        contents = read_journal(path)
        assert is_said_by(contents, all_batches)
        assert (contents.valid_bytes, contents.cut) == (len(data), None)


@pytest.mark.parametrize("reward", [5e-324, -5e-324, -0.0, 0.1, 1 / 3, -1.5, 1e308, 1e22, 1e-7, 123456789.0])
def test_rewards_keep_every_bit(path: Path, reward: float) -> None:
    written(path, [Batch([0], [0], [reward], [False])])
    assert read_journal(path).rewards.tobytes() == np.array([reward]).tobytes()


def test_contents_are_arrays(path: Path) -> None:
    written(path, GOLDEN_BATCHES)
    contents = read_journal(path)
    columns = (contents.arms, contents.t, contents.rewards, contents.failed, contents.batch_ends)
    assert [str(column.dtype) for column in columns] == ["int64", "int64", "float64", "bool", "int64"]


def test_arrays_and_lists_are_the_same_bytes(path: Path, tmp_path: Path) -> None:
    with Journal.create(tmp_path / "arrays.jsonl", DIGEST) as journal:
        for one in GOLDEN_BATCHES:
            journal.append(
                np.array(one.arms, np.int32),
                np.array(one.t, np.uint16),
                np.array(one.rewards),
                np.array(one.failed),
            )
    assert (tmp_path / "arrays.jsonl").read_bytes() == GOLDEN


def test_a_new_journal_is_its_header(path: Path) -> None:
    Journal.create(path, DIGEST).close()
    assert path.read_bytes() == GOLDEN[: GOLDEN.index(b"\n") + 1]
    assert is_said_by(read_journal(path), [])
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_going_on_gives_the_same_bytes(path: Path) -> None:
    Journal.create(path, DIGEST).close()
    for number, one in enumerate(GOLDEN_BATCHES):
        journal, contents = Journal.open(path)
        with journal:
            assert is_said_by(contents, GOLDEN_BATCHES[:number])
            assert contents.cut is None
            append(journal, one)
            assert journal.pulls == sum(len(earlier.arms) for earlier in GOLDEN_BATCHES[: number + 1])
    assert path.read_bytes() == GOLDEN


def test_an_existing_journal_is_never_replaced(path: Path) -> None:
    written(path, GOLDEN_BATCHES)
    with pytest.raises(JournalError) as error:
        Journal.create(path, DIGEST)
    assert str(error.value) == f"{path} exists; resume its campaign, or choose another folder"
    assert path.read_bytes() == GOLDEN


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([], [], [], []), "a batch without pulls"),
        (([0, 1], [0], [0.0], [False]), "zip() argument 2 is shorter than argument 1"),
        (([-1], [0], [0.0], [False]), "arms and t must lie in 0 … 2⁶³ - 1"),
        (([0], [2**63], [0.0], [False]), "arms and t must lie in 0 … 2⁶³ - 1"),
        (([0.5], [0], [0.0], [False]), "arms and t must be sequences of integers"),
        (([True], [0], [0.0], [False]), "arms and t must be sequences of integers"),
        (([0], [0], [float("nan")], [True]), "a reward is not finite; a failed pull has reward 0"),
        (([0], [0], [float("inf")], [False]), "a reward is not finite; a failed pull has reward 0"),
    ],
)
def test_a_batch_that_makes_no_sense_is_our_own_bug(path: Path, columns: tuple[Any, ...], message: str) -> None:
    with Journal.create(path, DIGEST) as journal:
        with pytest.raises(ValueError, match=r".") as error:
            journal.append(*columns)
        assert str(error.value) == message
        append(journal, GOLDEN_BATCHES[0])
    assert is_said_by(read_journal(path), GOLDEN_BATCHES[:1])


@pytest.mark.parametrize("digest", ["", 'a"b', "a\nb", "é", "a" * 257])
def test_a_digest_that_is_none_is_our_own_bug(path: Path, digest: str) -> None:
    with pytest.raises(ValueError, match="not a digest") as error:
        Journal.create(path, digest)
    assert str(error.value) == f"not a digest: {digest!r}"
    assert not path.exists()
