"""Games that were made from sheets, kept in the cache folder: grounding a large one takes seconds.

A file is called by the hash of the sheet's rules, and of the programs here that make a network of them; a change in
either is another file. It begins with a checksum; what is not whole is made again. Why a sheet is refused, which can
take longest, is kept as well, by the hash of all its text and its name, as the message quotes them.
"""

import hashlib
import io
import json
import os
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from domains.cache_folder import cache_folder, distrust, make_own
from domains.gdl.bounding import longest_game
from domains.gdl.checking import check_sheet
from domains.gdl.grounding import TooSlow, ground
from domains.gdl.layout import problem_array
from domains.gdl.network import Network, RuleBlock, build_network
from domains.gdl.reading import Form, Sheet, SheetError, Symbol, read_text, text_in
from domains.gdl.terms import Rules
from domains.saying import said

FOLDER = "sheets"
CHECKSUM = 32
"""Bytes at the beginning of a file."""
LONGEST_BOUND = 10_000
"""A bound on the length of games is looked for up to here."""


def load_game(path: Path) -> tuple[str, Network]:
    """The hash of the rules in a file, and their game. Raises `SheetError` if they cannot be played."""
    return _loaded(text_in(path), path.name)


def load_game_once(path: Path) -> tuple[str, Network]:
    """The same; the game that this process asked for last is at hand. A command asks for its domain several times."""
    global _last
    sheet = text_in(path), path.name
    if _last is None or _last[0] != sheet:
        _last = sheet, _loaded(*sheet)
    return _last[1]


_last: tuple[tuple[str, str], tuple[str, Network]] | None = None
"""The text and the name of a sheet, and its game."""


def _loaded(text: str, name: str) -> tuple[str, Network]:
    try:
        return _compiled(text, name)
    except (RecursionError, SyntaxError) as error:  # of Python, as which rules are run
        raise SheetError(f"{name}: a rule of it has too many conditions to be compiled ({said(error)})") from None


def _compiled(text: str, name: str) -> tuple[str, Network]:
    sheet = read_text(text, name)
    rules = check_sheet(sheet)
    identity = hash_of(sheet)
    arrays = _kept(identity)
    if arrays is not None:
        network = _network(arrays)
    else:
        network = _made(rules)
        _keep(identity, _arrays(network))
    network.warnings = list(rules.warnings)
    return identity, network


def _made(rules: Rules) -> Network:
    """A network, or the refusal of it, as it was the first time."""
    text = f"{rules.sheet.name}\0{rules.sheet.text}".encode("utf-8", "surrogatepass")
    name = f"refused-{hashlib.blake2b(text, digest_size=8).hexdigest()}"
    refusal = _kept(name)
    if refusal is not None:
        raise SheetError(refusal["message"].tobytes().decode())
    try:
        network = build_network(ground(rules))
    except TooSlow:
        raise  # another time, or another machine, may be faster
    except SheetError as refused:
        _keep(name, {"message": np.frombuffer(str(refused).encode("utf-8", "replace"), np.uint8)})
        raise
    network.facts["longest"] = longest_game(network, LONGEST_BOUND)
    return network


def hash_of(sheet: Sheet) -> str:
    """16 hexadecimal digits over the rules, without comments, spaces and the case of letters."""
    digest = hashlib.blake2b(digest_size=8)
    waiting: list[Form | str] = [*reversed(sheet.forms)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            digest.update(one.encode())
        elif isinstance(one, Symbol):
            digest.update(f" {one.text}".encode("utf-8", "surrogatepass"))
        else:
            waiting += [" )", *reversed(one.parts), " ("]
    return digest.hexdigest()


@cache
def version() -> str:
    """16 hexadecimal digits over the programs that make networks."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(files(__package__).iterdir(), key=lambda file: file.name):
        if file.name.endswith((".py", ".lark")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _file(name: str) -> Path | None:
    """Where a game is kept; None if the folder is not the user's alone."""
    folder = cache_folder()
    if distrust(folder) is not None or distrust(folder / FOLDER) is not None:
        return None
    return folder / FOLDER / f"{name}-{version()}.game"


def _kept(name: str) -> dict[str, np.ndarray] | None:
    file = _file(name)
    try:
        raw = b"" if file is None else file.read_bytes()
    except OSError:
        return None
    checksum, body = raw[:CHECKSUM], raw[CHECKSUM:]
    if hashlib.blake2b(body, digest_size=CHECKSUM).digest() != checksum:
        return None
    with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
        return dict(arrays)


def _keep(name: str, arrays: dict[str, np.ndarray]) -> None:
    """As well as can be: a full disk is no reason not to play."""
    file = _file(name)
    if file is None:
        return
    written = io.BytesIO()
    named: dict[str, Any] = dict(arrays)
    np.savez_compressed(written, **named)
    body = written.getvalue()
    try:
        make_own(file.parent)
        handle, unfinished = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(hashlib.blake2b(body, digest_size=CHECKSUM).digest() + body)
        os.replace(unfinished, file)
    except OSError:
        return


def _arrays(network: Network) -> dict[str, np.ndarray]:
    words = {
        "roles": network.roles,
        "bases": network.bases,
        "moves": network.moves,
        "facts": network.facts,
        "main": network.main,
        "terminal": network.terminal,
        "turns": network.turns,
        "goals": network.goals,
        "blocks": [[block.first, block.count, block.rules] for block in network.blocks],
    }
    return {
        "words": np.frombuffer(json.dumps(words).encode(), np.uint8),
        "initial": np.array(network.initial, np.bool_),
        "places": np.cumsum([0, *map(len, network.nodes)]),
        "inputs": np.array([signal for inputs in network.nodes for signal in inputs], np.int64),
        "following": np.array(network.following, np.int64),
        "legal": np.array(network.legal, np.int64),
        "needs_turn": np.array(network.needs_turn, np.bool_),
        "problem": problem_array(network),
    }


def _network(arrays: dict[str, np.ndarray]) -> Network:
    words: dict[str, Any] = json.loads(arrays["words"].tobytes())
    arrays["problem"].setflags(write=False)
    places, inputs = arrays["places"].tolist(), arrays["inputs"].tolist()
    return Network(
        roles=words["roles"],
        bases=words["bases"],
        moves=words["moves"],
        initial=arrays["initial"].tolist(),
        nodes=[tuple(inputs[places[i] : places[i + 1]]) for i in range(len(places) - 1)],
        main=words["main"],
        blocks=[
            RuleBlock(first, count, tuple((node, tuple(signals)) for node, signals in rules))
            for first, count, rules in words["blocks"]
        ],
        following=arrays["following"].tolist(),
        legal=arrays["legal"].tolist(),
        needs_turn=arrays["needs_turn"].tolist(),
        turns=words["turns"],
        terminal=words["terminal"],
        goals=[(role, value, signal) for role, value, signal in words["goals"]],
        facts=words["facts"],
        problem=arrays["problem"],
    )
