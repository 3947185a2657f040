"""The pieces that exported programs are made of, and how they are filled: Jinja templates in the folder `pieces`.

Glossary
    piece   a file of that folder. A component or policy has one of its own, under the name that it has in the language;
            what has none cannot be exported.
            What stands for a number comes out as Python code has it: 10_000, 1e30, math.inf
    block   a part of such a piece that is asked for by its name. All but `method` and `outline` of a component, and
            `in_words` and `outline` of a playout policy, can be left out. Those of a playout policy may differ where
            it is `adapted`: inside an adapt

The blocks of a component
    outline           what it does, in words; `inside` is the outline of its sub-component, `around` the names of the
                      components around it
    changed_in_2013   what maes2013 changes of that; `components` are all of its kind
    method            what it becomes; `level` is its own, `below` that of its sub-component
    machinery         what the methods of all components of its kind call
    needs             what it asks of the problem besides the five methods, for the file's first lines
    skips_a_prefix    where it calls its sub-component further down than one action below itself; any text counts

of a playout policy
    outline, in_words  how it chooses: in the file's first lines, and where it does so
    draw               the method `draw`, if not all actions are alike, and what that calls. Where it gives every action
                       a probability, there is a method `odds` with the same arguments
    learn              the method `learn`, if it learns from every evaluation
    besides            what `draw` takes besides the legal actions
    memory             what it keeps for the whole run, if not simply means
    needs              what it asks of the problem besides the five methods

of a selection policy, whose piece fills those of `choose.jinja` besides
    outline         what it goes by, if not simply its own text
    memory          what it keeps for the whole run
    of_node         what it keeps at each node
    learn_run       what it makes of each evaluation
    learn_result    what it makes of what its select comes to
    looks_back      whether it looks at nodes above the one whose children it compares; any text counts
"""

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcsgrammar.language.components import Component
from mcsgrammar.language.parameters import value_text
from mcsgrammar.language.policies import PlayoutPolicy, SelectionPolicy

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent / "pieces"

Written = Component | PlayoutPolicy | SelectionPolicy
"""What has a piece of its own, if it can be exported."""


def piece_of(thing: Written) -> str:
    """The name of its piece, whether there is one or not."""
    kinds = {Component: "components", PlayoutPolicy: "playouts", SelectionPolicy: "selections"}
    (folder,) = (folder for kind, folder in kinds.items() if isinstance(thing, kind))
    return f"{folder}/{thing.name}.jinja"


def has_piece(thing: Written) -> bool:
    return (FOLDER / piece_of(thing)).is_file()


def fill(piece: str, **parts: Any) -> str:
    """The text of a piece, without a line break at its end."""
    return _environment().get_template(piece).render(parts).rstrip("\n")


def has_block(thing: Written, name: str) -> bool:
    """Whether the piece of a component or policy has this block."""
    return name in _environment().get_template(piece_of(thing)).blocks


def block(thing: Written, name: str, **parts: Any) -> str:
    """A block of the piece of a component or policy."""
    if not has_block(thing, name):
        return ""
    template = _environment().get_template(piece_of(thing))
    return "".join(template.blocks[name](template.new_context(parts))).rstrip("\n")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=as_code,
    )
    environment.globals.update(inf=math.inf, block=block, has_block=has_block, names_set_in=names_set_in)
    environment.filters |= {"text": value_text, "quoted": quoted}
    return environment


def as_code(value: Any) -> Any:
    """A number as Python code; anything else as it is."""
    if isinstance(value, int):
        return f"{value:_}" if value >= 10_000 else str(value)
    if isinstance(value, float):
        return repr(value).replace("e+", "e") if math.isfinite(value) else f"{'-' * (value < 0)}math.inf"
    return value


def quoted(text: str) -> str:
    """A text as Python code."""
    return json.dumps(text)


def names_set_in(method: str) -> str:
    """The attributes that a method sets, sorted, as the items of a tuple."""
    return ", ".join(f'"{name}"' for name in sorted(re.findall(r"self\.(\w+) =", method)))
