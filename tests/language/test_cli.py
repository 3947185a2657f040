"""What the command prints, where, and with which status."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import version

import pytest
from click.testing import CliRunner

from mcsgrammar.cli.options import read_count
from mcsgrammar.cli.showing import command as show
from tests.language.command import ENVIRONMENT, run, shell
from tests.language.complaints import COUNT, FINITE

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="redirections are tested with bash")

SHOWN_UCT = """\
step(repeat(select(sim, 0.5), 100))
depth 4, size 4

step           then commit the next action of the best sequence so far, and again, until the end
└─ repeat      100 times from the same state
   └─ select   from a leaf of a growing tree, found by UCB1 with C = 0.5
      └─ sim   one random playout to the end
"""

SHOWN_TUNE = """\
step(repeat(tune(select(sim(mast(eps={0, 0.4})), grave(c={0.1, 0.2})), ntbea), 100), max)
depth 4, size 5

step              then commit the action with the highest reward in the tree, and again, until the end
└─ repeat         100 times from the same state
   └─ tune        with c in {0.1, 0.2}, eps in {0, 0.4}, chosen each time by ntbea
      └─ select   from a leaf of a growing tree, found by grave(c={0.1, 0.2})
         └─ sim   one playout to the end, its actions chosen by mast(eps={0, 0.4})
"""

BY_DEPTH = """\
depth  candidates  cumulative
    1           1           1
    2           6           7
    3          44          51
    4         360         411
    5        2744        3155
"""

RULES = """\
all expressions   11111  up to depth 5
repeat-at-root     4444  a run repeats its outermost component until the budget is spent anyway
                         kept step(sim), pruned repeat(step(sim), 10)
select-in-select   2704  the inner select is called once for each leaf of the outer one, so it never meets a state again
                         kept select(sim, 0.5), pruned select(select(sim, 1), 0.5)
repeat-in-repeat    808  nested repeats are one repeat of their product, which becomes a constant of its own
                         kept step(repeat(sim, 10)), pruned step(repeat(repeat(sim, 5), 2))
candidates         3155
"""

DEPTH_2 = ["sim", "lookahead(sim)", "step(sim)", "select(sim, 0.5)", "select(sim, grave(c=0.2, ref=100))"]
WITH_GRAVE = ("--depth", "2", "--select", "0.5, grave(c=0.2, ref=100)")

FEW_AGENTS = ("--agents", "tictactoe", "--depth", "4", "--sim", "random", "--select", "0.4", "--repeat", "5")
AGENTS = [
    f"step({tree}, {rule})"
    for tree in ("select(sim, 0.4)", "select(repeat(sim, 5), 0.4)")
    for rule in ("mean", "visits")
]


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["enumerate", "--count"], "3155\n"),
        (["enumerate", "--count", "--depth", "7"], "191755\n"),
        (["enumerate", *WITH_GRAVE], "\n".join(DEPTH_2) + "\n"),
        (["enumerate", "--depth", "1", "--sim", "mast(eps=0.3, depth=5),random"], "sim(mast(eps=0.3, depth=5))\nsim\n"),
        (["enumerate", "--by-depth"], BY_DEPTH),
        (["enumerate", "--rules"], RULES),
        (["show", "uct(0.5, 100)"], SHOWN_UCT),
        (["show", "uct(0.5)", "--horizon", "10", "--budget", "1000"], SHOWN_UCT),
        (
            ["show", "step(max, repeat(100, tune(ntbea, select(sim(mast(eps={0, .4})), grave(c={.1, .2})))))"],
            SHOWN_TUNE,
        ),
        (["--version"], f"mcsgrammar, version {version('mcsgrammar')}\n"),
    ],
)
def test_output(arguments: list[str], output: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_show_says_that_uct_waits_for_its_n() -> None:
    done = run("show", "uct(0.5)")
    assert done.returncode == 0
    assert done.stdout.startswith("uct(0.5)\ndepth 4, size 4\nuct(C) is step(repeat(select(sim, C), N)) with N = ")


@pytest.mark.parametrize(
    ("arguments", "document"),
    [
        (["enumerate", *WITH_GRAVE, "--json"], DEPTH_2),
        (["enumerate", "--depth", "3", "--count", "--json"], {"depth": 3, "count": 51}),
        (
            ["enumerate", "--depth", "2", "--by-depth", "--json"],
            [{"depth": 1, "candidates": 1, "cumulative": 1}, {"depth": 2, "candidates": 6, "cumulative": 7}],
        ),
        (
            ["show", "repeat(3, is)", "--json"],
            {
                "text": "repeat(sim, 3)",
                "depth": 2,
                "size": 2,
                "components": [
                    {"name": "repeat", "meaning": "3 times from the same state"},
                    {"name": "sim", "meaning": "one random playout to the end"},
                ],
            },
        ),
    ],
)
def test_json_is_one_document_and_nothing_else(arguments: list[str], document: object) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == document


@pytest.mark.parametrize(
    ("arguments", "output", "left_out"),
    [
        (FEW_AGENTS, "\n".join(AGENTS) + "\n", "13 of 15"),
        ((*FEW_AGENTS, "--count"), "4\n", "13 of 15"),
        (("--agents", "tictactoe", "--count"), "324\n", "2,916 of 3,078"),
    ],
)
def test_enumerate_agents(arguments: tuple[str, ...], output: str, left_out: str) -> None:
    done = run("enumerate", *arguments)
    note = (
        f"note: {left_out} expressions are left out by the rule no-tree: an agent is one select around sim, with "
        "repeat and tune; the others need not follow a best sequence\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, output, note)


def test_enumerate_json_is_the_list_of_lines() -> None:
    listed = json.loads(run("enumerate", "--depth", "4", "--json").stdout)
    assert listed == run("enumerate", "--depth", "4").stdout.splitlines()
    assert len(listed) == 411


def test_rules_json() -> None:
    document = json.loads(run("enumerate", "--rules", "--json").stdout)
    assert (document["expressions"], document["candidates"]) == (11111, 3155)
    assert [(rule["rule"], rule["pruned"]) for rule in document["rules"]] == [
        ("repeat-at-root", 4444),
        ("select-in-select", 2704),
        ("repeat-in-repeat", 808),
    ]
    assert all(set(rule) == {"rule", "pruned", "reason", "kept", "example"} for rule in document["rules"])


@pytest.mark.parametrize("text", ["40", "4e1", "4E+1", "0.4e2", "400e-1"])
def test_whole_numbers_may_have_an_exponent(text: str) -> None:
    shown = CliRunner().invoke(show, ["uct(0.5)", "--horizon", "2", "--budget", text])
    assert shown.output.startswith("step(repeat(select(sim, 0.5), 20))\n")


@pytest.mark.parametrize("text", ["1.5", "1e-1", "many", "", "1e", "inf", "nan", "1e41", "1e999999999999", "9" * 5000])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(ValueError):
        read_count(text)


SEE_ENUMERATE = "(see 'mcsgrammar enumerate --help')"
SEE_SHOW = "(see 'mcsgrammar show --help')"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["shw"], "there is no command 'shw'; did you mean 'show'?"),
        (["frobnicate"], "there is no command 'frobnicate'; 'mcsgrammar --help' lists the commands"),
        (["--nope"], "No such option '--nope' (see 'mcsgrammar --help')"),
        (["show"], f"Missing argument 'EXPRESSION' {SEE_SHOW}"),
        (["show", "sim", "sim"], f"Got unexpected extra argument (sim) {SEE_SHOW}"),
        (["show", "uct(1)", "--horizon", "10"], f"--horizon and --budget go together {SEE_SHOW}"),
        (
            ["show", "uct(1)", "--horizon", "0", "--budget", "1"],
            f"Invalid value for '--horizon': 0 is not in the range x>=1 {SEE_SHOW}",
        ),
        (
            ["show", "repeat(sim, 0)"],
            f"N of repeat cannot be 0; {COUNT}\n  repeat(sim, 0)\n              ^",
        ),
        (
            ["show", "step(simm)"],
            "there is no component called 'simm'; did you mean 'sim'?\n  step(simm)\n       ^^^^",
        ),
        (
            ["show", "(" * 120_000],
            "the expression is 120000 characters long; at most 100000 are read",
        ),
        (["enumerate", "--depth", "0"], "the depth cannot be 0; it is a whole number from 1 to 64"),
        (
            ["enumerate", "--agents", "queens"],
            "queens has one role, so its candidates are no agents; leave --agents out",
        ),
        (
            ["enumerate", "--agents", "tictactoe", "--rules"],
            f"--by-depth and --rules count expressions, and not the agents among them; leave one out {SEE_ENUMERATE}",
        ),
        (
            ["enumerate", "--depth", "deep"],
            f"Invalid value for '--depth': 'deep' is not a whole number such as 250 or 1e6 {SEE_ENUMERATE}",
        ),
        (["enumerate", "--repeat", "2,2"], "the constants of repeat list 2 twice"),
        (["enumerate", "--repeat", "2,0"], f"--repeat: N of repeat cannot be 0; {COUNT}\n  0\n  ^"),
        (["enumerate", "--repeat", "2;5"], "--repeat: the number is complete before this\n  2;5\n   ^"),
        (
            ["enumerate", "--repeat", "1_0"],
            "--repeat: '1_0' is not a number; write one such as 10, 0.5 or 1e-3\n  1_0\n  ^^^",
        ),
        (["enumerate", "--repeat", "١"], "--repeat: unexpected '١'; expected a number\n  ١\n  ^"),
        (
            ["enumerate", "--select", "0.5,grve"],
            "--select: there is no selection policy called 'grve'; did you mean 'grave'?\n  grve\n  ^^^^",
        ),
        (["enumerate", "--select=-1"], f"--select: C of select cannot be -1; {FINITE}\n  -1\n  ^^"),
        (["enumerate", "--select", "0.5)"], "--select: the selection policy is complete before this\n  0.5)\n     ^"),
        (["enumerate", "--select", "0.5,,1"], "--select: item 2 of '0.5,,1' is empty"),
        (["enumerate", "--repeat", "2,"], "--repeat: item 2 of '2,' is empty"),
        (["enumerate", "--select", "0.5,0.50"], "the constants of select list 0.5 twice"),
        (
            ["enumerate", "--sim", ""],
            "no constant is listed for sim; list at least one playout policy, such as random",
        ),
        (["enumerate", "--count", "--rules"], f"give one of --count, --by-depth, --rules {SEE_ENUMERATE}"),
        (
            ["enumerate", "--sim", "mast(eps=)"],
            "--sim: unexpected ')'; expected a number, '{' or '['\n  mast(eps=)\n           ^",
        ),
        (
            ["enumerate", "--select", "{0, 1}"],
            "--select: {0, 1} has an open parameter; candidates take fixed values",
        ),
    ],
)
def test_wrong_input(arguments: list[str], complaint: str) -> None:
    """Status 2, a line or two on standard error with a caret for syntax, nothing on standard output."""
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mcsgrammar: {complaint}\n")


@pytest.mark.parametrize("expression", [b"step(\xff)", b"\xc3\x28", b"\x1b[2J", "日本".encode(), b"sim\xed\xa0\x80"])
def test_any_bytes_as_an_expression(expression: bytes) -> None:
    done = run("show", expression)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mcsgrammar: unexpected '")
    assert all(line.isprintable() for line in done.stderr.split("\n"))


def test_output_that_the_terminal_cannot_show_is_escaped() -> None:
    done = run("show", "nmc(1)", PYTHONIOENCODING="latin-1", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "\\u2514\\u2500 lookahead" in done.stdout


def test_documents_can_be_read_whatever_the_encoding() -> None:
    done = run("domains", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    descriptions = {domain["name"]: domain["description"] for domain in json.loads(done.stdout)["domains"]}
    assert descriptions["sudoku"].startswith("Sudoku on an order² × order² grid")


def test_it_runs_as_a_module_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mcsgrammar", "enumerate", "--count"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "3155\n", "")


@needs_bash
@pytest.mark.parametrize("reader", ["head -1", "head -c 1", "true"])
def test_a_reader_that_has_seen_enough_is_no_failure(reader: str) -> None:
    done = shell(f"$mcsgrammar enumerate --depth 7 | {reader}")
    assert done.returncode == 0
    assert done.stderr == ""


@needs_bash
def test_head_gets_its_line_without_a_traceback() -> None:
    done = shell("$mcsgrammar enumerate --depth 7 | head -1")
    assert (done.stdout, done.stderr) == ("sim\n", "")


@needs_bash
@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
@pytest.mark.parametrize("arguments", ["enumerate --count", "enumerate --depth 7", "show sim", "--help"])
@pytest.mark.parametrize(("redirection", "why"), [(">/dev/full", "No space left on device"), (">&-", "it is closed")])
def test_output_that_cannot_be_written(arguments: str, redirection: str, why: str) -> None:
    done = shell(f"$mcsgrammar {arguments} {redirection}")
    assert (done.returncode, done.stderr) == (1, f"mcsgrammar: the output cannot be written: {why}\n")


@needs_bash
@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
def test_a_complaint_that_cannot_be_written() -> None:
    assert shell("$mcsgrammar show foo 2>/dev/full").returncode == 2
    assert shell("$mcsgrammar show sim >/dev/full 2>/dev/full").returncode == 1


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_nothing_is_printed_before_a_depth_is_refused(form: list[str]) -> None:
    done = run("enumerate", "--depth", "20", *form)
    assert (done.returncode, done.stdout) == (2, "")


def test_rules_of_a_large_depth() -> None:
    assert run("enumerate", "--depth", "40", "--repeat", "2", "--rules").returncode == 0


@pytest.mark.parametrize(("count", "written"), [("1e3", "1000"), ("2.0", "2")])
def test_counts_are_written_as_in_the_language(count: str, written: str) -> None:
    done = run("enumerate", "--depth", "3", "--select", "", "--repeat", count)
    assert done.returncode == 0
    assert f"step(repeat(sim, {written}))" in done.stdout.splitlines()


def test_what_was_typed_is_never_repeated_at_length() -> None:
    for arguments in (["enumerate", "--depth", "9x" * 10_000], ["x" * 10_000], ["enumerate", "--repeat", "," * 10_000]):
        done = run(*arguments)
        assert done.returncode == 2
        assert len(done.stderr) < 500


def test_a_complaint_shows_no_control_characters() -> None:
    done = run("enumerate", "--\x1b[2J")
    assert done.stderr == f"mcsgrammar: No such option '--\\x1b[2J' {SEE_ENUMERATE}\n"
