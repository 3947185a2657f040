"""Domains by name: `sudoku:4`, `regression:length=21`, `path/to/file.py:ClassName`, and what packages add.

A name is followed by the options of the domain's constructor, `NAME[:value or key=value, …]`. The canonical text of a
domain has all options filled in, files by the hash of what is in them; it is the domain's identity in seeds and
journals, so it does not say where a file lies.
"""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from domains.errors import DomainError, UnknownDomain, UserError
from domains.protocol import Domain
from domains.saying import said, suggestion
from domains.siblings import FromSource, make_room_for_siblings
from domains.sources import module_name, source_hash
from domains.text_files import refuse_pipe

ENTRY_POINT_GROUP = "mcsgrammar.domains"

BUILT_IN = {
    "sudoku": "domains.sudoku:Sudoku",
    "regression": "domains.regression:Regression",
    "morpion": "domains.morpion:Morpion",
    "sudoku_simple": "domains.sudoku_simple:SudokuSimple",
    "statespace": "domains.statespace:StateSpace",
    "queens": "domains.queens:Queens",
    "pancakes": "domains.pancakes:Pancakes",
    "knights": "domains.knights:Knights",
    "frogs": "domains.frogs:Frogs",
    "tsptw": "domains.tsptw:Tsptw",
    "samegame": "domains.samegame:SameGame",
    "gdl": "domains.gdl.domain:Gdl",
    "cliff": "domains.cliff:Cliff",
    "stock": "domains.stock:Stock",
    "lift": "domains.lift:Lift",
    "gym": "domains.gym:Gym",
    "vgdl": "domains.vgdl.domain:Vgdl",
}
GAMES = {
    "tictactoe": "domains.games.tictactoe:TicTacToe",
    "connect4": "domains.games.connect4:Connect4",
    "tictactoe3d": "domains.games.tictactoe3d:TicTacToe3D",
    "connect5": "domains.games.connect5:Connect5",
    "quad": "domains.games.quad:Quad",
    "breakthrough": "domains.games.breakthrough:Breakthrough",
    "knightthrough": "domains.games.knightthrough:KnightThrough",
    "chinook": "domains.games.chinook:Chinook",
    "battle": "domains.games.battle:Battle",
    "chinesecheckers": "domains.games.chinesecheckers:ChineseCheckers3",
}
"""Those with several roles."""


def _ours() -> dict[str, str]:
    return BUILT_IN | GAMES


def find_domain(text: str) -> Domain:
    """The domain that `text` names. Raises `UnknownDomain` with what there is, or what is wrong with an option."""
    path, rest = _file_and_rest(text)
    if path is not None:
        class_name, _, options = rest.partition(":")
        domain = _construct(_class_in_file(path, class_name), f"{path.name}:{class_name}", options)
        domain.registered_file = path.absolute()
    else:
        name, _, options = text.partition(":")
        domain = _construct(domain_class(name), name, options)
    domain.registered_as = found_from_anywhere(text)
    return domain


def file_of(text: str) -> Path | None:
    """The file that a name leads to, `path/to/file.py:ClassName`; None for a name without a path."""
    return _file_and_rest(text)[0]


def found_from_anywhere(text: str) -> str:
    """The same name for a process with another working directory; `text` is known to be one."""
    path, rest = _file_and_rest(text)
    if path is not None:
        return f"{path.absolute()}:{rest}"
    name, colon, options = text.partition(":")
    if not colon or not options.strip():
        return text
    given = _read_options(domain_class(name), name, options)
    if not any(isinstance(value, Path) for value in given.values()):
        return text
    written = {  # a path that leads nowhere is the name of something that comes with the program
        key: value.absolute() if isinstance(value, Path) and value.exists() else value for key, value in given.items()
    }
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in written.items())


def _file_and_rest(text: str) -> tuple[Path | None, str]:
    marker = text.find(".py:")
    if marker >= 0:
        return Path(text[: marker + 3]), text[marker + 4 :]
    return (Path(text), "") if text.endswith(".py") else (None, text)


def domain_of(given: Domain | str) -> Domain:
    """The domain that somebody handed over, as it is or by its name."""
    if isinstance(given, str):
        return find_domain(given)
    if isinstance(given, Domain):
        return given
    if isinstance(given, type):
        needed = [key for key, parameter in _parameters(given).items() if parameter.default is parameter.empty]
        raise UserError(f"{given.__name__} is a class; pass {given.__name__}({', '.join(needed)})")
    raise UserError(
        f"an object of the class {type(given).__name__} is no domain; pass the name of one, such as 'sudoku:4', or an "
        "object of a class that derives from mcsgrammar.Domain"
    )


def domain_names() -> list[str]:
    """All that can be named without a path: problems for one built in, what installed packages add, games."""
    return [*problem_names(), *GAMES]


def problem_names() -> list[str]:
    """The same without our games."""
    ours = _ours()
    return [*BUILT_IN, *(name for name in _added() if name not in ours)]


def canonical_text(domain: Domain) -> str:
    """The name and all options of a domain; the same text, the same problems."""
    if domain.registered_text is not None:
        return domain.registered_text
    name = domain.registered_name or _built_in_name(type(domain)) or type(domain).__name__
    options = domain.identity()
    if options is None:
        options = {key: getattr(domain, key) for key in _parameters(type(domain)) if hasattr(domain, key)}
    shown = {key: _option_text(value) for key, value in options.items() if value is not None}
    if not shown:
        return name
    if len(shown) == 1 and len(_parameters(type(domain))) == 1:
        return f"{name}:{next(iter(shown.values()))}"
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in shown.items())


def typed_text(domain: Domain) -> str:
    """What to type for a domain that was found by its name; the canonical text of another."""
    return domain.registered_as or canonical_text(domain)


def refuse_namesakes(domains: Iterable[Domain]) -> None:
    """Raises `UserError` where two of them go by one name: by it problems are drawn and results are kept."""
    named: dict[str, Domain] = {}
    for domain in domains:
        other = named.setdefault(canonical_text(domain), domain)
        if source_hash(other) != source_hash(domain):
            raise UserError(
                f"{typed_text(other)} and {typed_text(domain)} are two domains of one name, {canonical_text(domain)}, "
                "by which problems are drawn and results are kept; rename one of the files"
            )


def _built_in_name(cls: type[Domain]) -> str | None:
    """So that `Sudoku(4)`, made in Python, has the same problems as `sudoku:4`."""
    return next((name for name, place in _ours().items() if place == f"{cls.__module__}:{cls.__qualname__}"), None)


def option_help(cls: type[Domain]) -> dict[str, Any]:
    """The options of a domain with their defaults."""
    return {name: parameter.default for name, parameter in _parameters(cls).items()}


@cache
def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def domain_class(name: str) -> type[Domain]:
    """The class behind one of `domain_names()`."""
    if place := _ours().get(name):
        module, _, attribute = place.partition(":")
        return _as_domain(getattr(importlib.import_module(module), attribute))
    if name in _added():
        try:
            return _as_domain(_added()[name].load())
        except (Exception, SystemExit) as error:
            raise DomainError(f"the domain '{name}' of an installed package does not import: {said(error)}") from error
    hint = suggestion(name, domain_names(), f"there are {', '.join(domain_names())}.")
    raise UnknownDomain(f"there is no domain '{name}'{hint} One of your own is path/to/file.py:ClassName")


def module_in_file(path: Path) -> types.ModuleType:
    """The module that a file is, newly imported."""
    if not path.is_file():
        raise UnknownDomain(f"there is no file {path}")
    name = module_name(path)
    file = str(path.absolute())
    spec = importlib.util.spec_from_file_location(name, file, loader=FromSource(name, file))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    make_room_for_siblings(path.resolve())
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise DomainError(f"{path} does not import: {said(error)}") from error
    return module


def _class_in_file(path: Path, class_name: str) -> type[Domain]:
    module = module_in_file(path)
    classes = [
        key
        for key, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and not key.startswith("_")
    ]
    if not class_name:
        likely = next((key for key in classes if hasattr(getattr(module, key), "actions")), "ClassName")
        raise UnknownDomain(f"say which class of {path} is the domain: {path}:{likely}")
    if class_name not in classes:
        raise UnknownDomain(f"{path} has no class {class_name}; it has {', '.join(classes) or 'none'}")
    return _as_domain(getattr(module, class_name))


def _as_domain(cls: Any) -> type[Domain]:
    """The class itself, or with the defaults of `Domain` below it."""
    if not isinstance(cls, type):
        raise DomainError(f"{cls!r} is not a class")
    if issubclass(cls, Domain):
        return cls
    return types.new_class(cls.__name__, (cls, Domain), {}, lambda body: body.update(__module__=cls.__module__))


def _construct(cls: type[Domain], name: str, options: str) -> Domain:
    arguments = _read_options(cls, name, options)
    try:
        domain = cls(**arguments)
    except UnknownDomain:
        raise
    except (Exception, SystemExit) as error:
        raise DomainError(f"{name} cannot be made: {said(error)}") from error
    if domain.identity() is None:
        for option in arguments:
            if not hasattr(domain, option):
                raise DomainError(not_kept(type(domain).__name__, option))
    domain.registered_name = name
    domain.registered_text = canonical_text(domain)  # once: files are hashed for it
    return domain


def not_kept(name: str, option: str) -> str:
    """What is wrong where the canonical text cannot have an option."""
    return (
        f"{name} does not keep its option {option}, so that nothing tells problems with different {option} apart; set "
        f"self.{option} in __init__, or give the options in identity()"
    )


def _parameters(cls: type) -> dict[str, inspect.Parameter]:
    if cls.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]  # type: ignore[misc]
    return {p.name: p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def _read_options(cls: type[Domain], name: str, text: str) -> dict[str, Any]:
    parameters = _parameters(cls)
    given: dict[str, Any] = {}
    if parameters and (joined := re.sub(rf":\s*({'|'.join(parameters)})\s*=", r",\1=", text)) != text:
        raise UnknownDomain(f"the options of {name} stand apart by commas: write {name}:{joined}")
    for position, item in enumerate(text.split(",") if text.strip() else []):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals and position == 0 and parameters:
            key, value = next(iter(parameters)), key
        if key not in parameters and not (equals and _takes_more(cls)):
            known = (
                ", ".join(k if p.default is p.empty else f"{k}={p.default}" for k, p in parameters.items()) or "none"
            )
            raise UnknownDomain(f"{name} has no option '{item.strip()}'; its options and their defaults: {known}")
        if key in given:
            raise UnknownDomain(f"{name} is given {key} twice")
        given[key] = _option_value(cls, name, key, value)
    missing = [k for k, p in parameters.items() if p.default is p.empty and k not in given]
    if missing:
        raise UnknownDomain(f"{name} needs the option {missing[0]}: write {name}:{missing[0]}=…")
    return given


def _takes_more(cls: type) -> bool:
    """Whether there are options that only what the domain stands for knows."""
    if cls.__init__ is object.__init__:  # type: ignore[misc]
        return False  # whose signature says that it takes anything
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(cls.__init__).parameters.values())  # type: ignore[misc]


def _option_value(cls: type[Domain], name: str, key: str, text: str) -> Any:
    parameter = _parameters(cls).get(key)
    if parameter is None:
        return text
    try:
        hints = typing.get_type_hints(cls.__init__)
    except Exception:  # a hint that only a type checker can read
        hints = {}
    hint = hints.get(key, type(parameter.default))
    kinds = [kind for kind in typing.get_args(hint) or (hint,) if kind is not type(None)]
    if bool in kinds:
        if text.lower() in ("true", "yes", "1", "false", "no", "0"):
            return text.lower() in ("true", "yes", "1")
        raise UnknownDomain(f"{key} of {name} is yes or no, not '{text}'")
    readings = [(kind, spoken) for kind, spoken in READINGS.items() if kind in kinds]
    for kind, _ in readings:
        try:
            return kind(text)
        except ValueError:
            pass
    if readings and str not in kinds:
        raise UnknownDomain(f"{key} of {name} is {readings[-1][1]}, not '{text}'")
    return text


READINGS: dict[type, str] = {int: "a whole number", float: "a number", Path: "a path"}
"""How options are read, the narrowest kind first."""


def _option_text(value: Any) -> str:
    if isinstance(value, Path):
        return content_hash(value)
    return repr(float(value)).removesuffix(".0") if isinstance(value, float) else str(value)


def _is_hidden(path: Path, folder: Path) -> bool:
    """As what file managers and editors leave behind."""
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def content_hash(path: Path) -> str:
    """16 hexadecimal digits over a file, or over the names and contents of the files in a folder."""
    digest = hashlib.blake2b(digest_size=8)
    try:
        below = path.rglob("*") if path.is_dir() else [path]
        files = [file for file in below if file == path or (file.is_file() and not _is_hidden(file, path))]
        for file in sorted(files, key=lambda file: file.parts):  # paths themselves sort without case on Windows
            if path.is_dir():
                digest.update(file.relative_to(path).as_posix().encode() + b"\0")
            refuse_pipe(file)
            digest.update(file.read_bytes())
    except OSError as error:
        raise UnknownDomain(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()
