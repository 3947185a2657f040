"""States as text and as pictures."""

from html import escape

from domains.svg import document
from domains.vgdl.levels import symbols
from domains.vgdl.reference import Umpire
from domains.vgdl.rules import SpriteKind
from domains.vgdl.stages import Stage
from domains.vgdl.vocabulary import AVATAR, CHASING, FLEEING, RANDOM, STILL

COLOURS = {
    "RED": "#c80000",
    "GREEN": "#00a800",
    "BLUE": "#2850c8",
    "GRAY": "#5a5a5a",
    "WHITE": "#fafafa",
    "BROWN": "#8c7864",
    "BLACK": "#101010",
    "ORANGE": "#f09a20",
    "YELLOW": "#e8d800",
    "PINK": "#fac8c8",
    "GOLD": "#e0b000",
    "LIGHTRED": "#fa5050",
    "LIGHTORANGE": "#fac864",
    "LIGHTBLUE": "#5a8cfa",
    "LIGHTGREEN": "#a8dc9c",
    "DARKGREEN": "#23751d",
    "LIGHTYELLOW": "#fffa80",
    "LIGHTGRAY": "#dcdcdc",
    "DARKGRAY": "#3c3c3c",
    "DARKBLUE": "#141464",
    "PURPLE": "#8040a0",
}
SIDE, MARGIN = 24, 8
STYLE = "text { font-size: 13px; }"


def _colour(kind: SpriteKind) -> str:
    by_class = {STILL: "GRAY", AVATAR: "BLUE", RANDOM: "PURPLE", CHASING: "ORANGE", FLEEING: "GREEN"}
    return COLOURS.get(kind.colour) or COLOURS[by_class.get(kind.own.does, "RED")]


def drawn(umpire: Umpire, state: Stage) -> str:
    """The map, in each cell what is drawn last there; a sprite between cells is in that of its middle."""
    level, signs = umpire.level, symbols(umpire.rules)
    cells = {(x, y): "." for y in range(level.height) for x in range(level.width)}
    for number in umpire.rules.order:
        for sprite in state.groups[number]:
            if not sprite.is_disabled:
                half = level.block // 2
                cells[(sprite.x + half) // level.block, (sprite.y + half) // level.block] = signs[number]
    return "\n".join("".join(cells[x, y] for x in range(level.width)) for y in range(level.height))


def picture(umpire: Umpire, state: Stage, title: str) -> str:
    """The same as an SVG document, with every sprite where it is to the pixel."""
    level, kinds = umpire.level, umpire.rules.kinds
    places = [(number, x * level.block, y * level.block) for number, x, y in level.scenery]
    places += [
        (number, sprite.x, sprite.y)
        for number in umpire.rules.order
        for sprite in state.groups[number]
        if not sprite.is_disabled
    ]
    body = []
    for number, x, y in places:
        across, down = MARGIN + x * SIDE / level.block, MARGIN + y * SIDE / level.block
        kind, colour = kinds[number], _colour(kinds[number])
        if kind.own.does == STILL:
            shape = f'<rect x="{across:g}" y="{down:g}" width="{SIDE}" height="{SIDE}" fill="{colour}">'
        else:
            middle = f'cx="{across + SIDE / 2:g}" cy="{down + SIDE / 2:g}"'
            shape = f'<circle {middle} r="{SIDE * 0.42:g}" fill="{colour}" stroke="#ffffff">'
        tag = shape[1 : shape.index(" ")]
        body.append(f"{shape}<title>{escape(kind.name)}</title></{tag}>")
    width, height = level.width * SIDE + 2 * MARGIN, level.height * SIDE + 2 * MARGIN
    body.append(f'<text x="{MARGIN}" y="{height + 10}">{escape(title)}</text>')
    return document(max(width, 200), height + 20, title, body, STYLE)
