"""The journal of a campaign, or of matches: every pull or match in the order it was asked for. The journal *is* the
state; resume is replay.

The format, version 1
---------------------
`journal.jsonl` is ASCII text, one JSON array a line, no spaces, every line ended by one line feed. Equal content is
equal bytes: the order of the fields is fixed, integers are plain decimals and a reward is the shortest decimal that
reads back as the same float (Python's `repr`).

    ["mcsgrammar journal",1,"5f0c5f0c5f0c5f0c","36aee22e"]                line 1: format version, digest of the settings
    [17,0,0.4375,"59b98232"]                                              a pull: arm, t, reward
    [3,0,0.0,"failed","82d7d3a5"]                                         a pull that failed
    [0,12,0.3333333333333333,"e0458440"]
    ["batch",1,3,"b8e07d05264cd3025e96ee3eb6440e07","467ae6a9"]           a marker: batch, pulls so far, hash

*Checksum.* The last field of every line is the CRC-32 (zlib's) of the line's bytes before the comma in front of it, as
eight small hexadecimal digits. A CRC-32 changes with every single flipped bit and every burst of up to 32 bits; a flip
in the checksum's own digits, quotes or bracket is found because those bytes are compared, not interpreted; and without
its line feed a line is joined to the next, whose checksum then stands for other bytes. The header of any later format
ends in the same way, so that a newer version is told from a damaged one.

*Hash.* BLAKE2b (16 bytes, in hexadecimal) of the previous marker's hash (for batch 1: of the header line), the lines
of the batch, and the marker's own fields before the hash. The chain ties each batch to its place: lines and batches
cannot be swapped, repeated, removed or carried over from another journal, although each line's checksum stays right.

*Durable.* A batch and its marker are one write and one fsync; the next batch is written after that. A crash thus harms
the last batch only, and what is lost is run again: pulls are deterministic, so the same bytes come back.

What is repaired and what is refused
------------------------------------
Everything up to the last marker which the chain confirms is kept. What stands behind it is

* cut, and said, if a crash in the middle of one write explains it: whole pulls without a marker, a piece of a line,
  bytes at the end that are no line, or NUL bytes where a page of the last batch never reached the disk;
* refused otherwise, with the line named: a broken line with intact ones behind it, a marker whose lines are not those
  it was written for, or far more bytes than a batch has.

A last line which is complete but broken is cut, although a crash rarely explains it: nothing behind it shows that its
batch had ever been finished, cutting it costs no more than a torn write does, and the work goes on by itself.
"""

from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

from discovery.numbers import plural


@dataclass(frozen=True)
class JournalKind:
    """What a journal is of."""

    header_start: bytes
    work: str
    """that is resumed"""
    line: str
    lines: str
    """what its lines but for the markers are called"""
    doing: str
    """what a process does that writes it"""

    def counted(self, number: int) -> str:
        return plural(number, self.line, self.lines)


FORMAT = 1
MARKER_START = b'["batch",'
CHECKSUM_LENGTH = len(b',"01234567"]')


def checksum(body: bytes) -> bytes:
    return b',"%08x"]' % crc32(body)


def is_intact(line: bytes) -> bool:
    """Whether a line, without its line feed, ends in its own checksum."""
    return line[-CHECKSUM_LENGTH:] == checksum(line[:-CHECKSUM_LENGTH])


def header_line(settings_digest: str, kind: JournalKind) -> bytes:
    body = b'%b%d,"%b"' % (kind.header_start, FORMAT, settings_digest.encode("ascii"))
    return body + checksum(body) + b"\n"


def header_hash(line: bytes) -> bytes:
    return blake2b(line, digest_size=16).hexdigest().encode("ascii")


def marker_line(previous_hash: bytes, lines: bytes, number: int, pulls: int) -> tuple[bytes, bytes]:
    """The marker that closes a batch, and its hash."""
    fields = b"%b%d,%d" % (MARKER_START, number, pulls)
    own_hash = blake2b(previous_hash + lines + fields, digest_size=16).hexdigest().encode("ascii")
    body = b'%b,"%b"' % (fields, own_hash)
    return body + checksum(body) + b"\n", own_hash
