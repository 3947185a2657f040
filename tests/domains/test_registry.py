"""How domains are named: options, files, what packages add, and the canonical text."""

import importlib
import importlib.util
import json
import os
import pickle
import py_compile
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from domains.errors import DomainError, UnknownDomain, UserError
from domains.morpion import Morpion
from domains.protocol import Domain
from domains.registry import BUILT_IN, canonical_text, content_hash, domain_names, find_domain, refuse_namesakes
from domains.registry import GAMES as OUR_GAMES
from domains.siblings import FromSource
from domains.sources import hash_of_file, source_hash
from domains.sudoku import Sudoku
from mcsgrammar.cli.listing import OWN, command

ROOT = Path(__file__).resolve().parents[2]

GAMES = """
from dataclasses import dataclass
from pathlib import Path
from domains.protocol import Domain

@dataclass
class State:
    numbers: list

class Coins(Domain):
    '''Coins in a row.'''
    horizon = 3
    def __init__(
        self, sides: int = 2, bias: float = 0.5, fair: bool = True, name: str = "coin", most: int | None = None
    ):
        self.sides, self.bias, self.fair, self.name, self.most = sides, bias, fair, name, most
    def sample(self, random): return State([])
    def actions(self, state): return list(range(self.sides)) if len(state.numbers) < 3 else []
    def play(self, state, action): state.numbers.append(action)
    def reward(self, state): return sum(state.numbers) / (3 * self.sides - 3)

class Bare:
    horizon = 3
    sample, actions, play, reward = (vars(Coins)[name] for name in ("sample", "actions", "play", "reward"))
    sides = 2

class Tables(Coins):
    def __init__(self, folder: Path, scale: "int | float" = 1):
        super().__init__()
        self.folder, self.scale = folder, scale

class Picky(Coins):
    def __init__(self, folder: Path = Path("days")):
        raise RuntimeError("only on Sundays")

class Hinted(Coins):
    def __init__(self, size: "Unimportable" = 3):
        super().__init__()
        self.size = size
"""


@pytest.fixture(autouse=True)
def keep_path() -> Iterator[None]:
    """A domain in a file puts its folder on the path; each test starts without."""
    path, modules = sys.path[:], set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.startswith("mcsgrammar_file_"):
            del sys.modules[name]


@pytest.fixture
def games(tmp_path: Path) -> Path:
    file = tmp_path / "games.py"
    file.write_text(GAMES)
    return file


def complaint(text: str, kind: type[UserError] = UnknownDomain) -> str:
    with pytest.raises(UserError) as error:
        find_domain(text)
    assert type(error.value) is kind
    return str(error.value)


# Ours.


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("sudoku", "sudoku:4"),
        ("sudoku:4", "sudoku:4"),
        ("sudoku:", "sudoku:4"),
        ("sudoku:order=5", "sudoku:5"),
        ("sudoku: order = 3 ", "sudoku:3"),
        ("morpion", "morpion:5T"),
        ("morpion:4d", "morpion:4D"),
        ("regression", "regression:length=11,set=train"),
        ("regression:21", "regression:length=21,set=train"),
        ("regression:length=21", "regression:length=21,set=train"),
        ("regression:set=robustness,length=1", "regression:length=1,set=robustness"),
        ("samegame", "samegame:width=15,height=15,colours=5"),
        ("samegame:8,colours=3", "samegame:width=8,height=15,colours=3"),
    ],
)
def test_the_canonical_text_has_all_options(text: str, canonical: str) -> None:
    assert canonical_text(find_domain(text)) == canonical
    assert canonical_text(find_domain(canonical)) == canonical


def test_made_in_python_or_found_by_name_it_is_the_same_domain() -> None:
    assert canonical_text(Sudoku(3)) == canonical_text(find_domain("sudoku:3")) == "sudoku:3"
    assert canonical_text(Morpion()) == canonical_text(find_domain("morpion")) == "morpion:5T"


def test_the_names_of_ours() -> None:
    assert domain_names()[:3] == ["sudoku", "regression", "morpion"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sudku:4",
            "there is no domain 'sudku'; did you mean 'sudoku'? One of your own is path/to/file.py:ClassName",
        ),
        (
            "chess",
            "there is no domain 'chess'; there are sudoku, regression, morpion, sudoku_simple, statespace, queens, "
            "pancakes, knights, frogs, tsptw, samegame, gdl, cliff, stock, lift, gym, vgdl, tictactoe, "
            "connect4, tictactoe3d, connect5, quad, breakthrough, knightthrough, chinook, battle, chinesecheckers. "
            "One of your own is path/to/file.py:ClassName",
        ),
        (
            "",
            "there is no domain ''; there are sudoku, regression, morpion, sudoku_simple, statespace, queens, "
            "pancakes, knights, frogs, tsptw, samegame, gdl, cliff, stock, lift, gym, vgdl, tictactoe, "
            "connect4, tictactoe3d, connect5, quad, breakthrough, knightthrough, chinook, battle, chinesecheckers. "
            "One of your own is path/to/file.py:ClassName",
        ),
        (
            "regression:size=4",
            "regression has no option 'size=4'; its options and their defaults: length=11, set=train, data=None",
        ),
        (
            "regression:4,robustness",
            "regression has no option 'robustness'; its options and their defaults: length=11, set=train, data=None",
        ),
        ("regression:length=4,length=5", "regression is given length twice"),
        ("regression:4,length=5", "regression is given length twice"),
        ("regression:length=four", "length of regression is a whole number, not 'four'"),
        ("sudoku:4.0", "order of sudoku is a whole number, not '4.0'"),
        ("sudoku:order=", "order of sudoku is a whole number, not ''"),
    ],
)
def test_what_is_wrong_with_a_name(text: str, message: str) -> None:
    assert complaint(text) == message


# Files.


def test_a_class_in_a_file(games: Path) -> None:
    assert canonical_text(find_domain(f"{games}:Coins")) == ("games.py:Coins:sides=2,bias=0.5,fair=True,name=coin")


def test_the_options_of_a_class_in_a_file(games: Path) -> None:
    domain: Any = find_domain(f"{games}:Coins:6,bias=1e-3,fair=no,name=die,most=7")
    assert (domain.sides, domain.bias, domain.fair, domain.name, domain.most) == (6, 0.001, False, "die", 7)
    canonical = canonical_text(domain)
    assert canonical == "games.py:Coins:sides=6,bias=0.001,fair=False,name=die,most=7"
    assert canonical_text(find_domain(canonical.replace("games.py", str(games)))) == canonical


def test_floats_that_differ_have_names_that_differ(games: Path) -> None:
    texts = [canonical_text(find_domain(f"{games}:Coins:bias={bias}")) for bias in ("0.12345678", "0.12345679", "3")]
    assert texts == [
        f"games.py:Coins:sides=2,bias={bias},fair=True,name=coin" for bias in ("0.12345678", "0.12345679", "3")
    ]


def test_a_class_that_does_not_inherit_domain(games: Path) -> None:
    domain = find_domain(f"{games}:Bare")
    assert isinstance(domain, Domain)
    assert (type(domain).__name__, canonical_text(domain)) == ("Bare", "games.py:Bare")
    state = domain.sample(None)  # type: ignore[arg-type]
    assert domain.copy(state) is not state
    assert not domain.is_final(state)


@pytest.mark.parametrize(
    ("name", "option", "content"),
    [("samegame", "path", "1 2\n1 1\n"), ("regression", "data", "0,1\n1,2\n")],
)
def test_paths_in_options_are_found_from_anywhere(
    name: str, option: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.txt").write_text(content)
    monkeypatch.chdir(tmp_path)
    domain = find_domain(f"{name}: {option} = data.txt")
    assert domain.registered_as == f"{name}:{option}={tmp_path}/data.txt"
    monkeypatch.chdir("/")
    assert canonical_text(find_domain(domain.registered_as)) == canonical_text(domain)


def test_options_without_a_path_stay_as_they_are() -> None:
    assert find_domain("samegame:8,colours=3").registered_as == "samegame:8,colours=3"


def test_moving_a_file_does_not_change_its_name(games: Path, tmp_path: Path) -> None:
    before = canonical_text(find_domain(f"{games}:Coins"))
    (tmp_path / "elsewhere").mkdir()
    moved = games.rename(tmp_path / "elsewhere" / "games.py")
    assert canonical_text(find_domain(f"{moved}:Coins")) == before


def test_what_lies_beside_a_file_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "beside_coins.py").write_text(GAMES)
    (tmp_path / "importing.py").write_text("import beside_coins\nclass Own(beside_coins.Coins): pass\n")
    assert find_domain(f"{tmp_path}/importing.py:Own").horizon == 3
    del sys.modules["beside_coins"]


def test_what_lies_beside_is_read_again_when_it_was_changed(tmp_path: Path) -> None:
    """As its hash says, which goes into journals."""
    (tmp_path / "rules_beside.py").write_text("LENGTH = 3\nSEEN = []\n")
    (tmp_path / "asking.py").write_text(
        GAMES + "\nimport rules_beside\nclass Own(Coins): horizon = rules_beside.LENGTH\n"
    )
    first = find_domain(f"{tmp_path}/asking.py:Own")
    kept = sys.modules["rules_beside"]
    find_domain(f"{tmp_path}/asking.py:Own")
    assert sys.modules["rules_beside"] is kept
    (tmp_path / "rules_beside.py").write_text("LENGTH = 5\nSEEN = []\n")  # as long as before, and as old
    second = find_domain(f"{tmp_path}/asking.py:Own")
    assert (first.horizon, second.horizon) == (3, 5)
    assert source_hash(second) == hash_of_file(tmp_path / "asking.py")
    del sys.modules["rules_beside"]


def test_what_a_domain_does_not_import_is_left_alone(tmp_path: Path) -> None:
    """A virtual environment may lie below its folder, or its folder be the home of everything."""
    place = tmp_path / ".venv" / "lib" / "site-packages"
    place.mkdir(parents=True)
    (place / "installed_thing.py").write_text("STATE = []\n")
    (tmp_path / "changing.py").write_text("A = 1\n")
    (tmp_path / "beside_venv.py").write_text(GAMES + "\nimport changing\nclass Own(Coins): horizon = changing.A\n")
    sys.path.append(str(place))
    try:
        assert find_domain(f"{tmp_path}/beside_venv.py:Own").horizon == 1
        thing = importlib.import_module("installed_thing")
        assert not isinstance(thing.__loader__, FromSource)
        (tmp_path / "changing.py").write_text("A = 2\n")
        assert find_domain(f"{tmp_path}/beside_venv.py:Own").horizon == 2
        assert sys.modules["installed_thing"] is thing
    finally:
        sys.path.remove(str(place))
        for name in ("installed_thing", "changing"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize("beside", ["main", "sibling", "package"])
def test_bytecode_beside_a_file_is_not_run(beside: str, tmp_path: Path) -> None:
    """What is run is what is hashed, and what people read."""
    (tmp_path / "laden").mkdir()
    files = {"main": "laden_game.py", "sibling": "laden_rules.py", "package": "laden/more.py"}
    texts = {
        "main": GAMES + "\nimport laden_rules, laden.more\nclass Own(Coins): horizon = laden_rules.A + laden.more.B\n",
        "sibling": "A = 1\n",
        "package": "B = 2\n",
    }
    for name, file in files.items():
        (tmp_path / file).write_text(texts[name])
    (tmp_path / "laden" / "__init__.py").write_text("")
    source = tmp_path / files[beside]
    evil = tmp_path / "evil.py"
    evil.write_text(texts[beside] + "raise RuntimeError('bytecode')\n")
    compiled = importlib.util.cache_from_source(str(source))
    Path(compiled).parent.mkdir(exist_ok=True)
    py_compile.compile(str(evil), compiled, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert find_domain(f"{tmp_path}/laden_game.py:Own").horizon == 3
    for name in ("laden_rules", "laden", "laden.more"):
        del sys.modules[name]


def test_a_hint_that_cannot_be_read_is_no_hindrance(games: Path) -> None:
    domain: Any = find_domain(f"{games}:Hinted:5")
    assert domain.size == 5


def test_paths_are_known_by_what_they_hold(games: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("1,2\n")

    def canonical(path: Path) -> str:
        return canonical_text(find_domain(f"{games}:Tables:{path}"))

    first = canonical(table)
    assert first == f"games.py:Tables:folder={content_hash(table)},scale=1"
    assert canonical(table.rename(tmp_path / "renamed.csv")) == first
    (tmp_path / "renamed.csv").write_text("1,3\n")
    assert canonical(tmp_path / "renamed.csv") != first


def test_folders_are_known_by_their_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "one.txt").write_text("1")
    first = content_hash(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    assert content_hash(tmp_path / "b") == first
    (tmp_path / "b" / "deep" / "one.txt").rename(tmp_path / "b" / "deep" / "two.txt")
    assert content_hash(tmp_path / "b") != first


def test_what_editors_leave_behind_is_no_part_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    before = content_hash(tmp_path)
    (tmp_path / ".a.swp").write_text("b")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("c")
    assert content_hash(tmp_path) == before
    (tmp_path / "b").write_text("b")
    assert content_hash(tmp_path) != before


def test_a_path_that_cannot_be_read(games: Path, tmp_path: Path) -> None:
    message = complaint(f"{games}:Tables:{tmp_path}/none.csv")
    assert message == f"cannot read {tmp_path}/none.csv: No such file or directory"


def test_a_whole_number_or_a_float(games: Path, tmp_path: Path) -> None:
    whole: Any = find_domain(f"{games}:Tables:{tmp_path},scale=2")
    half: Any = find_domain(f"{games}:Tables:{tmp_path},scale=0.5")
    assert (whole.scale, half.scale) == (2, 0.5)
    assert complaint(f"{games}:Tables:{tmp_path},scale=x") == "scale of games.py:Tables is a number, not 'x'"


def test_what_is_wrong_with_a_file(games: Path, tmp_path: Path) -> None:
    assert complaint("no/such/file.py:Coins") == "there is no file no/such/file.py"
    assert complaint(f"{games}") == f"say which class of {games} is the domain: {games}:Coins"
    assert (
        complaint(f"{games}:Cards") == f"{games} has no class Cards; it has State, Coins, Bare, Tables, Picky, Hinted"
    )
    assert (
        complaint(f"{games}:Domain") == f"{games} has no class Domain; it has State, Coins, Bare, Tables, Picky, Hinted"
    )
    assert complaint(f"{games}:Tables") == "games.py:Tables needs the option folder: write games.py:Tables:folder=…"
    assert complaint(f"{games}:Tables:size=1") == (
        "games.py:Tables has no option 'size=1'; its options and their defaults: folder, scale=1"
    )
    assert complaint(f"{games}:Coins:fair=perhaps") == "fair of games.py:Coins is yes or no, not 'perhaps'"
    assert complaint(f"{games}:Bare:3") == "games.py:Bare has no option '3'; its options and their defaults: none"
    assert complaint(f"{games}:Picky", DomainError) == "games.py:Picky cannot be made: RuntimeError: only on Sundays"
    empty = tmp_path / "empty.py"
    empty.write_text("")
    assert complaint(f"{empty}") == f"say which class of {empty} is the domain: {empty}:ClassName"
    assert complaint(f"{empty}:Coins") == f"{empty} has no class Coins; it has none"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit('bye')", "SystemExit: bye"),
        ("raise KeyError", "KeyError"),
    ],
)
def test_a_file_that_does_not_import(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "unimportable.py"
    file.write_text(text)
    assert complaint(f"{file}:Coins", DomainError) == f"{file} does not import: {said}"


def test_a_file_that_is_no_python(tmp_path: Path) -> None:
    file = tmp_path / "unreadable.py"
    file.write_text("class Coins\n")
    assert complaint(f"{file}:Coins", DomainError).startswith(f"{file} does not import: SyntaxError: ")


# Packages.


def test_packages_add_domains(games: Path, tmp_path: Path) -> None:
    """In a process of its own, which finds the entry points of a package made up here."""
    info = tmp_path / "gambling-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gambling\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[mcsgrammar.domains]\ncoins = games:Coins\ntables = games:Tables\nlost = games:Lost\nsudoku = games:Coins\n"
        "picky = games:Picky\n"
    )
    script = """
import json
from click.testing import CliRunner
from domains.errors import UserError
from domains.registry import canonical_text, domain_names, find_domain
from mcsgrammar.cli.listing import command

try:
    find_domain("lost")
except UserError as error:
    lost = f"{type(error).__name__}: {error}"
print(json.dumps({
    "names": domain_names(),
    "coins": canonical_text(find_domain("coins:3")),
    "sudoku": canonical_text(find_domain("sudoku")),
    "lost": lost,
    "listed": CliRunner().invoke(command).output,
    "rows": json.loads(CliRunner().invoke(command, ["--json"]).output)["domains"],
}))
"""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.stderr == ""
    said = json.loads(done.stdout)
    names = said["names"]
    assert names[:3] == ["sudoku", "regression", "morpion"]
    assert sorted(names[len(BUILT_IN) : -len(OUR_GAMES)]) == ["coins", "lost", "picky", "tables"]
    assert names[-len(OUR_GAMES) :] == list(OUR_GAMES)
    assert said["coins"] == "coins:sides=3,bias=0.5,fair=True,name=coin"
    assert said["sudoku"] == "sudoku:4"
    reason = "AttributeError: module 'games' has no attribute 'Lost'"
    assert said["lost"] == f"DomainError: the domain 'lost' of an installed package does not import: {reason}"

    rows = {row["name"]: row for row in said["rows"]}
    assert list(rows) == names[: -len(OUR_GAMES)]
    assert rows["coins"] == {
        "name": "coins",
        "description": "Coins in a row.",
        "options": {"sides": 2, "bias": 0.5, "fair": True, "name": "coin", "most": None},
        "horizon": 3,
        "unit": "reward",
        "compiled": False,
        "stochastic": False,
        "features": [],
        "error": None,
    }
    assert rows["tsptw"]["features"] == ["distance", "opens", "closes", "wait", "late"]
    assert rows["tables"]["options"] == {"folder": None, "scale": 1}
    assert (rows["tables"]["horizon"], rows["tables"]["error"]) == (None, None)
    assert rows["lost"]["error"] == f"the domain 'lost' of an installed package does not import: {reason}"
    assert rows["picky"]["options"] == {"folder": "days"}
    assert rows["picky"]["error"] == "picky cannot be made: RuntimeError: only on Sundays"
    lines = said["listed"].splitlines()
    assert f"lost             broken: {rows['lost']['error']}" in lines
    assert (
        "coins            sides=2, bias=0.5, fair=True, name=coin, most=… · horizon 3 · unit: reward · "
        "reference engine only" in lines
    )


def test_the_list_of_ours() -> None:
    lines = CliRunner().invoke(command).output.splitlines()
    assert lines[0] == "sudoku           order=4 · horizon 256 · unit: filled cells · compiled"
    assert "regression       length=11, set=train, data=… · horizon 11 · unit: mae · compiled" in lines
    assert "morpion          variant=5T · horizon 100 · unit: lines · compiled" in lines
    assert (
        "cliff            width=6, height=4, slip=0.2, steps=30 · horizon 30 · unit: reward · compiled · "
        "stochastic: to be played"
    ) in lines
    assert (
        "samegame         width=15, height=15, colours=5, path=… · horizon 64 · unit: points · compiled · "
        "features: size, commonest, height"
    ) in lines
    games = lines[2 * len(BUILT_IN) :]
    assert games[:3] == ["", "Games, which several play:", ""]
    assert games[3] == "tictactoe        crosses, noughts · in turns · horizon 8 · compiled"
    assert "chinook          white, black · at the same time · horizon 29 · compiled" in games
    assert games[3 + 2 * len(OUR_GAMES) :] == ["", *OWN.splitlines()]


def test_the_list_of_games_for_programs() -> None:
    games = json.loads(CliRunner().invoke(command, ["--json"]).output)["games"]
    assert [game["name"] for game in games] == list(OUR_GAMES)
    assert games[-1] == {
        "name": "chinesecheckers",
        "description": "Three roles with three pieces each cross a star of 37 cells.",
        "options": {},
        "horizon": 54,
        "unit": "reward",
        "compiled": True,
        "stochastic": False,
        "features": [],
        "error": None,
        "roles": ["red", "green", "blue"],
        "turns": True,
    }


def test_two_files_of_one_name(games: Path, tmp_path: Path) -> None:
    """Each domain says its own file, whichever was read last; and they are not taken together."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "games.py").write_text(GAMES + "\n# another\n")
    one, other = (find_domain(f"{folder}/games.py:Coins") for folder in (tmp_path, tmp_path / "other"))
    assert canonical_text(one) == canonical_text(other)
    assert source_hash(one) == hash_of_file(games) != source_hash(other)
    with pytest.raises(UserError) as error:
        refuse_namesakes([one, find_domain("queens"), other])
    assert str(error.value) == (
        f"{games}:Coins and {tmp_path}/other/games.py:Coins are two domains of one name, {canonical_text(one)}, by "
        "which problems are drawn and results are kept; rename one of the files"
    )
    refuse_namesakes([one, find_domain(f"{games}:Coins")])


def test_what_was_found_in_a_file_can_be_pickled(games: Path, tmp_path: Path) -> None:
    """Also when the file has been read again, and for a process that never has."""
    one = find_domain(f"{games}:Coins")
    one.noted = [3]  # type: ignore[attr-defined]
    find_domain(f"{games}:Coins")
    (tmp_path / "pickled").write_bytes(pickle.dumps(one))
    again = pickle.loads((tmp_path / "pickled").read_bytes())
    assert (canonical_text(again), again.noted, type(again).__name__) == (canonical_text(one), [3], "Coins")
    code = "import pickle, sys; print(repr(pickle.load(open(sys.argv[1], 'rb'))))"
    elsewhere = [sys.executable, "-c", code, str(tmp_path / "pickled")]
    assert subprocess.run(elsewhere, cwd=ROOT, capture_output=True, text=True, check=True).stdout == f"{one!r}\n"


def test_an_option_that_is_not_kept_is_refused_where_it_is_typed(tmp_path: Path) -> None:
    """Nothing would tell one problem from the other, and a campaign would go on with pulls of both."""
    path = tmp_path / "forgetful.py"
    path.write_text(GAMES + "\n\nclass Forgetful(Coins):\n    def __init__(self, k: int = 2):\n        self._k = k\n")
    find_domain(f"{path}:Forgetful")
    with pytest.raises(DomainError) as error:
        find_domain(f"{path}:Forgetful:k=11")
    assert str(error.value) == (
        "Forgetful does not keep its option k, so that nothing tells problems with different k apart; set self.k in "
        "__init__, or give the options in identity()"
    )
