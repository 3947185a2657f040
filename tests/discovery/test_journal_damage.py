"""Whatever happens to a journal's bytes: a torn tail is cut and said, the rest is refused by line, none is misread."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from discovery.campaign.journal import PULLS, Journal, read_journal
from discovery.keeping.journal_format import checksum, header_hash, header_line, marker_line
from tests.discovery.journals import (
    FIRST,
    GOLDEN,
    GOLDEN_BATCHES,
    HEADER,
    SECOND,
    SIZES,
    THIRD,
    append,
    keep,
    put,
    reading,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.fixture(autouse=True)
def fsync_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


# ---------------------------------------------------------------------------------------------------------------------
# One fault at a time, everywhere


def test_truncation_at_every_byte_loses_at_most_the_last_batch(path: Path) -> None:
    for length in range(1, len(GOLDEN) + 1):
        result = reading(path, GOLDEN[:length])
        if length < len(HEADER):
            assert result == ", line 1: the header is incomplete; delete the file, nothing is recorded in it"
        else:
            assert result == sum(size <= length for size in SIZES) - 1


def test_going_on_from_every_truncation_gives_the_uninterrupted_bytes(path: Path) -> None:
    for length in range(len(HEADER), len(GOLDEN) + 1):
        put(path, GOLDEN[:length])
        journal, contents = Journal.open(path)
        with journal:
            assert path.stat().st_size == contents.valid_bytes
            for pulls in GOLDEN_BATCHES[len(contents.batch_ends) :]:
                append(journal, pulls)
        assert path.read_bytes() == GOLDEN


def test_every_single_bit_flip_is_refused_by_line_or_costs_the_last_batch(path: Path) -> None:
    repaired = set()
    for position in range(len(GOLDEN)):
        line = GOLDEN.count(b"\n", 0, position) + 1
        for bit in range(8):
            damaged = bytearray(GOLDEN)
            damaged[position] ^= 1 << bit
            result = reading(path, bytes(damaged))
            if isinstance(result, str):
                assert result.startswith(f", line {line}: ")
            else:
                assert result == len(GOLDEN_BATCHES) - 1
                repaired.add(line)
    assert repaired == {9, 10}  # the last marker, and the line feed before it


def test_no_crash_damages_all_lines_of_two_batches(path: Path) -> None:
    """Those of the last one may be: nothing of it need have reached the disk. But it was begun after the one before."""

    def damaged(lines: list[bytes]) -> bytes:
        return b"".join(line[:-4] + b'x"]\n' for line in lines)

    assert reading(path, GOLDEN[: SIZES[2]] + damaged(THIRD)) == 2
    assert reading(path, GOLDEN[: SIZES[1]] + damaged(SECOND + THIRD)) == (
        ", line 6: does not match its checksum; restore the file from a copy, or keep its first 5 lines only (the "
        "pulls behind them are then run again)"
    )


@pytest.mark.parametrize("batches", [0, 1])
def test_every_single_bit_flip_of_the_smallest_journals(path: Path, batches: int) -> None:
    data = GOLDEN[: SIZES[batches]]
    for position in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[position] ^= 1 << bit
            result = reading(path, bytes(damaged))
            assert result == 0 or isinstance(result, str)
            assert isinstance(result, str) or position >= len(HEADER)


# ---------------------------------------------------------------------------------------------------------------------
# More faults, at random


def overwritten(random: Random, data: bytes, start: int, stop: int) -> bytes:
    return data[:start] + random.randbytes(stop - start) + data[stop:]


def zeroed(random: Random, data: bytes, start: int, stop: int) -> bytes:
    return data[:start] + bytes(stop - start) + data[stop:]


def deleted(random: Random, data: bytes, start: int, stop: int) -> bytes:
    return data[:start] + data[stop:]


def inserted(random: Random, data: bytes, start: int, stop: int) -> bytes:
    return data[:start] + random.randbytes(stop - start) + data[start:]


def repeated(random: Random, data: bytes, start: int, stop: int) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + data[start:stop] + data[place:]


def digits_changed(random: Random, data: bytes, start: int, stop: int) -> bytes:
    return re.sub(rb"[0-9]", lambda _: b"%d" % random.randrange(10), data[start:stop]).join([data[:start], data[stop:]])


def lines_shuffled(random: Random, data: bytes, start: int, stop: int) -> bytes:
    lines = data.splitlines(keepends=True)
    here, there = random.randrange(len(lines)), random.randrange(len(lines))
    lines[here], lines[there] = lines[there], lines[here]
    return b"".join(lines)


@pytest.mark.parametrize(
    "damage",
    [overwritten, zeroed, deleted, inserted, repeated, digits_changed, lines_shuffled],
    ids=lambda f: f.__name__,
)
def test_random_damage_is_never_misread(path: Path, damage: Callable[[Random, bytes, int, int], bytes]) -> None:
    random = Random(damage.__name__)
    refused = 0
    for _ in range(400):
        start = random.randrange(len(GOLDEN))
        stop = min(len(GOLDEN), start + random.choice([1, 2, 8, 64, 300]))
        data = damage(random, GOLDEN, start, stop)
        if random.random() < 0.3:
            data = damage(random, data, start // 2, start // 2 + 5)
        refused += isinstance(reading(path, data), str)
    assert refused > 50


# ---------------------------------------------------------------------------------------------------------------------
# Lines that are right each by itself


def rearranged(*batches: list[bytes]) -> bytes:
    return HEADER + b"".join(line for lines in batches for line in lines)


MOVED = "this marker was not written for the {} lines before it: some were moved, added or removed; "


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (rearranged(SECOND, FIRST, THIRD), f", line 3: {MOVED.format(1)}{keep(1)}"),
        (rearranged(FIRST, THIRD, SECOND), f", line 8: {MOVED.format(2)}{keep(5)}"),
        (rearranged(SECOND, THIRD), f", line 3: {MOVED.format(1)}{keep(1)}"),
        (rearranged(FIRST, THIRD), f", line 8: {MOVED.format(2)}{keep(5)}"),
        (rearranged(FIRST, FIRST, SECOND, THIRD), f", line 9: {MOVED.format(3)}{keep(5)}"),
        (rearranged(FIRST, SECOND, SECOND), f", line 9: {MOVED.format(1)}{keep(7)}"),
        (rearranged([*FIRST[:2], *FIRST[3:]], SECOND, THIRD), f", line 4: {MOVED.format(2)}{keep(1)}"),
        (rearranged(FIRST, [SECOND[0], *SECOND], THIRD), f", line 8: {MOVED.format(2)}{keep(5)}"),
        (rearranged([FIRST[1], FIRST[0], *FIRST[2:]], SECOND), f", line 5: {MOVED.format(3)}{keep(1)}"),
        (rearranged([*FIRST[:2], FIRST[3]], [FIRST[2], *SECOND]), f", line 4: {MOVED.format(2)}{keep(1)}"),
        (rearranged(FIRST, SECOND[:1], THIRD), f", line 9: {MOVED.format(3)}{keep(5)}"),
        (rearranged(FIRST, SECOND[1:]), f", line 6: {MOVED.format(0)}{keep(5)}"),
    ],
)
def test_the_chain_tells_lines_in_the_wrong_place(path: Path, data: bytes, message: str) -> None:
    assert reading(path, data) == message


def test_batches_of_another_campaign_are_refused(path: Path) -> None:
    data = header_line("another", PULLS) + b"".join(FIRST)
    assert reading(path, data) == f", line 5: {MOVED.format(3)}{keep(1)}"


def test_a_hand_made_batch_with_the_right_hash_must_still_hold_pulls(path: Path) -> None:
    for body in (b"[1,2", b'[1,2,"3"', b"[1,2,3.0", b"{", b"[1.5,2,3.0", b"[99999999999999999999,2,3.0"):
        line = body + checksum(body) + b"\n"
        data = HEADER + line + marker_line(header_hash(HEADER), line, 1, 1)[0]
        if body == b"[1,2,3.0":
            put(path, data)
            assert read_journal(path).rewards.tolist() == [3.0]
        else:
            assert reading(path, data) == f", line 2: the lines of this batch are not pulls; {keep(1)}"
