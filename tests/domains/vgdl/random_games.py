"""Games of everything that the vocabulary has, drawn at random."""

from hypothesis import strategies as st

from domains.vgdl.vocabulary import EFFECTS, SPRITES

SIGNS = "abcdefgh"
EVERYTHING = sorted(SPRITES)
AVATARS = [name for name in EVERYTHING if name.endswith("Avatar")]
OTHERS = [name for name in EVERYTHING if not name.endswith("Avatar")]


@st.composite
def settings_of(draw: st.DrawFn, names: list[str]) -> str:
    """Of a sprite."""
    chosen = {
        "speed": draw(st.sampled_from(["0", "0.05", "0.3", "0.5", "1", "1", "1.7", "-1", "-0.5", "2"])),
        "cooldown": draw(st.sampled_from(["1", "2", "3"])),
        "orientation": draw(st.sampled_from(["UP", "LEFT", "DOWN", "RIGHT", "NONE"])),
        "rotateInPlace": draw(st.sampled_from(["True", "False"])),
        "singleton": "True",
        "healthPoints": draw(st.sampled_from(["1", "3"])),
        "limitHealthPoints": draw(st.sampled_from(["2", "9"])),
        "cons": draw(st.sampled_from(["1", "2"])),
        "ammo": draw(st.sampled_from(names)),
        "prob": draw(st.sampled_from(["0", "0.3", "1"])),
        "total": draw(st.sampled_from(["1", "3"])),
        "limit": draw(st.sampled_from(["0", "1", "4"])),
        "value": draw(st.sampled_from(["1", "2"])),
    }
    said = draw(st.lists(st.sampled_from(sorted(chosen)), unique=True, max_size=5))
    return " ".join([f"stype={draw(st.sampled_from(names))}", *(f"{name}={chosen[name]}" for name in said)])


@st.composite
def an_effect(draw: st.DrawFn, names: list[str], all_names: list[str]) -> str:
    name = draw(st.sampled_from(sorted(EFFECTS)))
    first = draw(st.sampled_from(all_names))
    seconds = draw(st.lists(st.sampled_from(all_names), min_size=1, max_size=2))
    alone = not EFFECTS[name].needs_second
    words = [first, *seconds]
    timing = ""
    if alone and draw(st.integers(0, 3)) == 0:
        words.append("EOS")
    elif alone and draw(st.integers(0, 7)) == 0:
        words = [first, "TIME"]
        timing = draw(st.sampled_from([" timer=2 repeating=True", " timer=3 nextExecution=3", ""]))
    values = {
        "stype": draw(st.sampled_from(names)),
        "stypeTo": draw(st.sampled_from(names)),
        "resource": draw(st.sampled_from(names)),
        "value": draw(st.sampled_from(["1", "2", "-1"])),
        "limit": draw(st.sampled_from(["0", "1", "2"])),
        "spend": draw(st.sampled_from(["0", "1"])),
        "prob": draw(st.sampled_from(["0.5", "1"])),
        "scoreChangeIfKilled": "7",
        "pixelPerfect": "True",
        "killSecond": "True",
        "killResource": draw(st.sampled_from(["True", "False"])),
        "forceOrientation": "True",
    }
    optional = sorted(set(EFFECTS[name].settings) - set(EFFECTS[name].needs))
    said = [*EFFECTS[name].needs, *(word for word in optional if draw(st.booleans()))]
    settings = " ".join([*(f"{word}={values[word]}" for word in said), f"scoreChange={draw(st.integers(-2, 3))}"])
    return f"{' '.join(words)} > {name} {settings}{timing}"


@st.composite
def random_game(draw: st.DrawFn) -> tuple[str, str]:
    """A description and a level."""
    names = [f"k{i}" for i in range(draw(st.integers(2, 6)))]
    avatars = [f"p{i}" for i in range(draw(st.integers(1, 2)))]
    leaves = [*names, *avatars]
    grouped = draw(st.booleans())
    lines = []
    for name in names:
        indent = "    " if grouped and name != names[0] else ""
        if grouped and name == names[1]:
            lines.append(f"group > {draw(st.sampled_from(['', 'singleton=True', 'speed=0.5']))}")
        lines.append(f"{indent}{name} > {draw(st.sampled_from(OTHERS))} {draw(settings_of(leaves))}")
    lines.append("avatar >")
    lines += [f"    {name} > {draw(st.sampled_from(AVATARS))} {draw(settings_of(leaves))}" for name in avatars]
    lines = draw(st.permutations([lines])).copy()[0]
    everything = [*leaves, "avatar", *(["group"] if grouped else [])]
    effects = [draw(an_effect(leaves, everything)) for _ in range(draw(st.integers(1, 8)))]
    endings = draw(
        st.lists(
            st.sampled_from(
                [
                    "SpriteCounter stype=avatar win=False",
                    f"SpriteCounter stype={names[0]} win=True",
                    f"MultiSpriteCounter stype1={names[0]} stype2={names[1]} limit=2 win=True",
                    "Timeout limit=12 win=True",
                ]
            ),
            max_size=2,
            unique=True,
        )
    )
    mapping = [f"{sign} > {name}" for sign, name in zip(SIGNS, names, strict=False)]
    mapping += [f"m > {names[0]} {names[1]}", f"A > {avatars[0]}"]
    block = draw(st.sampled_from([2, 7, 10]))

    def indented(each: list[str]) -> str:
        return "".join(f"    {line}\n" for line in each)

    text = (
        f"BasicGame square_size={block}\n  SpriteSet\n{indented(lines)}  InteractionSet\n{indented(effects)}"
        f"  TerminationSet\n{indented(endings)}  LevelMapping\n{indented(mapping)}"
    )
    width, height = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    cells = [draw(st.sampled_from([*SIGNS[: len(names)], "m", " ", " "])) for _ in range(width * height)]
    cells[draw(st.integers(0, width * height - 1))] = "A"
    return text, "\n".join("".join(cells[y * width : (y + 1) * width]) for y in range(height))
