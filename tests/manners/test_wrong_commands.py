"""What people get wrong on the command line, command by command: status 2, one message, nothing on standard output."""

import io
import os
import sys
from pathlib import Path

import pytest

from mcsgrammar.cli import COMMANDS, main

LONG = "x" * 300
AT_LEAST_1 = "it is at least 1"
SECONDS_OF = "it is a number of seconds above 0, 1,000,000,000 at most"

MISTAKES: list[tuple[str, str]] = [
    ("enumerate --tuner foo", "--tuner: there is no tuner called 'foo'; there are random, mab, nmc, lsi, ea, ntbea, …"),
    ("enumerate --count --rules", "give one of --count, --by-depth, --rules (see 'mcsgrammar enumerate --help')"),
    ("show uct(1) --budget 5", "--horizon and --budget go together (see 'mcsgrammar show --help')"),
    ("show", "Missing argument 'EXPRESSION' (see 'mcsgrammar show --help')"),
    ("domains all", "Got unexpected extra argument (all) (see 'mcsgrammar domains --help')"),
    ("check nosuch.py:X", "there is no file nosuch.py"),
    (
        "check sudoku:2 --problems 0",
        "Invalid value for '--problems': 0 is not in the range x>=1 (see 'mcsgrammar check --help')",
    ),
    ("solve sudoko:4 sim", "there is no domain 'sudoko'; did you mean 'sudoku'? One of your own is path/to/file.py:…"),
    (
        "solve sudoku:99 sim",
        "there is no sudoku of order 99: the order is the side of a box and may be 2, 3, 4 or 5 (sudoku:4 is a grid …",
    ),
    (
        "solve regression:length=11:set=robustness sim",
        "the options of regression stand apart by commas: write regression:length=11,set=robustness",
    ),
    (
        "solve sudoku:2 sim --budget 1.5",
        "Invalid value for '--budget': '1.5' is not a whole number such as 250 or 1e6 (see 'mcsgrammar solve …",
    ),
    (
        "solve sudoku:2 sim --budget 1e99999999999",
        "Invalid value for '--budget': '1e99999999999' is not a whole number such as 250 or 1e6 (see 'mcsgrammar …",
    ),
    (f"solve sudoku:2 sim --svg {LONG}", f"'{LONG[:39]}…' cannot be used: File name too long"),
    (f"solve {LONG}.py:X sim", f"'{LONG[:39]}…' cannot be used: File name too long"),
    ("solve sudoku:2 sim --budget 5 --seconds 1", "give a budget in evaluations or in seconds, one of the two"),
    ("solve sudoku:2 sim --budget -1", "the budget cannot be -1; it is a whole number from 0 to 2^63 - 1"),
    ("solve sudoku:2 sim --seconds 0", "the budget cannot be 0.0 seconds; it is a finite number above 0"),
    ("solve sudoku:2 sim --runs 0", f"the number of runs cannot be 0; {AT_LEAST_1}"),
    ("solve sudoku:2 sim --runs -1 --journal j", f"the number of runs cannot be -1; {AT_LEAST_1}"),
    ("solve sudoku:2 sim --jobs -1", f"the number of jobs cannot be -1; {AT_LEAST_1}"),
    ("solve queens:size=1 sim", "queens has no option 'size=1'; its options and their defaults: none"),
    ("solve sudoku:2 sim --svg pipe --force", "pipe is no regular file, and would be replaced by one; name another"),
    ("check sudoku:2 --seconds nan", f"the time of a check cannot be nan; {SECONDS_OF}"),
    ("check sudoku:2 --seconds 1e10", f"the time of a check cannot be 10000000000.0; {SECONDS_OF}"),
    ("record sudoku:2 --depth 1 --out r --seed -1", "the seed cannot be -1; it is a whole number from 0 to 2^63 - 1"),
    ("solve sudoku:2 sim --problem -1", "the problem cannot be -1; problems are numbered from 0"),
    ("solve sudoku:2 sim --max-nodes 0", "max_nodes cannot be 0; it is a whole number from 1 to 2,147,483,647"),
    ("solve sudoku:2 sim --svg no/such/x.svg", "there is no folder no/such to write x.svg into"),
    ("solve sudoku:2 sim --svg taken.svg", "taken.svg exists; choose another name, or add --force to overwrite it"),
    (
        "solve frogs sim(random(depth=3))",
        "sim(random(depth=3)) cuts playouts off, and Frogs does not value unfinished states; leave depth out, or …",
    ),
    ("play cliff sim --budget 5 --ms 1", "give --budget or --ms, one of the two (see 'mcsgrammar play --help')"),
    ("play cliff sim --ms 0", "--ms cannot be 0; it is a finite number above 0 (see 'mcsgrammar play --help')"),
    ("play cliff sim --budget 0", "the budget of a tick cannot be 0; a search needs at least 1 evaluation to choose …"),
    ("play cliff select(sim,1) --games 0", f"the number of games cannot be 0; {AT_LEAST_1}"),
    ("play cliff uct(1) --ms 5", "uct(1) needs a budget in evaluations to know its N; with a budget in seconds …"),
    ("solve cliff sim", "cliff is stochastic: chance decides where an action …"),
    ("export sim --domain cliff", "cliff is stochastic: chance decides where …"),
    ("evaluate cliff sim", "cliff is stochastic: chance decides where an action …"),
    ("discover cliff --depth 1", "cliff is stochastic: chance decides where an …"),
    ("export select(sim,ucb1(norm=1))", "export cannot write norm=1 of ucb1 in select(sim, ucb1(norm=1))"),
    ("export sim -o folder", "folder is a folder; name a file"),
    (
        "export tune(select(sim,{0,1}),ntbea)",
        "export cannot write the tuner ntbea in tune(select(sim, {0, 1}), ntbea); write the expression without …",
    ),
    ("discover sudoku:2 --for 10x", "--for cannot be '10x'; write a time such as 90s, 10m or 1h"),
    ("discover sudoku:2 --jobs 0", f"the number of jobs cannot be 0; {AT_LEAST_1}"),
    ("discover sudoku:2 --timeout 0", f"the timeout cannot be 0.0; {SECONDS_OF}"),
    ("discover sudoku:2 --timeout inf", f"the timeout cannot be inf; {SECONDS_OF}"),
    (
        "discover sudoku:2 --budget 0",
        "with a budget of 0 there is nothing to compare; give --budget at least 1",
    ),
    ("discover sudoku:2 --top 0", f"--top cannot be 0; {AT_LEAST_1}"),
    ("discover sudoku:2 --test-problems -1", "--test-problems cannot be -1; it is at least 0"),
    ("discover sudoku:2 --pulls-per-candidate 0", "--pulls-per-candidate cannot be 0; it is a number above 0"),
    ("discover sudoku:2 --pulls 9 --pulls-per-candidate 9", "give --pulls or --pulls-per-candidate, one of the two"),
    (f"discover sudoku:2 --candidates {LONG}", f"{LONG} cannot be read: File name too long"),
    (
        "discover sudoku:2 --candidates nofile --depth 3",
        "--candidates names all candidates; leave --depth out (see 'mcsgrammar discover --help')",
    ),
    (
        "record sudoku:2 --candidates nofile --sim mast --out r",
        "--candidates names all candidates; leave --sim out (see 'mcsgrammar record --help')",
    ),
    ("discover sudoku:2 --candidates nofile", "nofile cannot be read: No such file or directory"),
    ("discover sudoku:2 --candidates bytes.txt", "bytes.txt is not a text file (UTF-8)"),
    (
        "discover sudoku:2 --depth 2 --policy foo",
        "there is no bandit policy 'foo'; there are ucb1, greedy, thompson, halving, sampled-halving, uniform",
    ),
    ("resume nowhere", "nowhere is no campaign: there is no such folder"),
    ("status nowhere", "nowhere is no campaign: there is no such folder"),
    ("status nowhere --top 0", f"--top cannot be 0; {AT_LEAST_1}"),
    ("report nowhere", "nowhere is no campaign: there is no such folder"),
    (
        "report nowhere --csv a --md a",
        "two of the files are the same; give each its own name (see 'mcsgrammar report --help')",
    ),
    (
        "evaluate",
        "say on which problems: name a DOMAIN, such as sudoku:4, or add --on DOMAIN@BUDGET (see 'mcsgrammar evaluate …",
    ),
    (
        "evaluate sudoku:2",
        "there is nothing to evaluate: name expressions, or add --from DIR or --generic (see 'mcsgrammar evaluate …",
    ),
    ("null-check sudoku:2 --top 200", "the best 200 of 100 candidates cannot be selected; select fewer (--top)"),
    ("record sudoku:2 --out .", "'.' names no record; write a file's name such as sudoku4"),
    ("record sudoku:2 --out ..", "'..' names no record; write a file's name such as sudoku4"),
    ("record sudoku:2 --out x --jobs 0", f"the number of jobs cannot be 0; {AT_LEAST_1}"),
    ("record sudoku:2 --out x --pulls-per-candidate 0", f"the number of pulls cannot be 0; {AT_LEAST_1}"),
    (
        "solve tictactoe sim",
        "tictactoe has 2 roles, crosses and noughts; this runs problems with one. Let agents play it: mcsgrammar match "
        "tictactoe AGENT AGENT",
    ),
    *(
        (
            f"{command}",
            "tictactoe has 2 roles, crosses and noughts; this runs problems with one. Let agents play it: mcsgrammar "
            "match tictactoe AGENT AGENT",
        )
        for command in ("export sim --domain tictactoe", "null-check tictactoe", "record tictactoe --out x")
    ),
    ("match connect5 sim sim sim", "connect5 has 2 roles: give 2 agents, not 3"),
    ("match chinesecheckers sim", "chinesecheckers has 3 roles: give 2 or 3 agents, not 1"),
    ("match sudoku:2 sim sim", "sudoku:2 has one role; solve it: mcsgrammar solve sudoku:2 EXPR"),
    ("match cliff sim sim", "cliff has one role; play it: mcsgrammar play cliff EXPR"),
    ("match tictacto sim sim", "there is no domain 'tictacto'; did you mean 'tictactoe'? One of your own is path/…"),
    (
        "match tictactoe select(sim,0.4) uct(0.5)",
        "uct(0.5) commits by its best sequence; as an agent write select(sim, 0.5)",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1)@many",
        "'many' is no budget; write a number of simulations behind the agent, as in 'select(sim, 0.4)@5000', or of CPU "
        "seconds, as in 'select(sim, 0.4)@0.5s'",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1)@1.5",
        "'1.5' is no budget; write a number of simulations behind the agent, as in 'select(sim, 0.4)@5000', or of CPU "
        "seconds, as in 'select(sim, 0.4)@0.5s'",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1)@0s",
        "the budget cannot be 0.0 seconds; it is a finite number above 0",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1) --budget 5 --seconds 1",
        "give a budget in simulations or in seconds, one of the two",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1) --budget 0 --out campaign",
        "a search needs a budget of at least 1 simulation; give more",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1) --games 0 --out campaign",
        "the number of games cannot be 0; it is a whole number from 1 to 1,000,000",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1) --start -1",
        "the searches before the first step cannot be -1; it is at least 0",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1) --seed -1",
        "the seed cannot be -1; it is a whole number from 0 to 2^63 - 1",
    ),
    (
        "match tictactoe select(sim,0.4) select(sim,1) --jobs 0 --out campaign",
        f"the number of jobs cannot be 0; {AT_LEAST_1}",
    ),
    ("match tictactoe select(sim,0.4) select(sim,1) --show -1", "--show cannot be -1; it is at least 0"),
    ("play cliff select(sim,0.4) --games 3 --show -1", "--show cannot be -1; it is at least 0"),
    (
        "match tictactoe select(sim,0.4) select(sim,1) --think sometimes",
        "Invalid value for '--think': 'sometimes' is not one of 'always', 'own' (see 'mcsgrammar match --help')",
    ),
    ("tournament tictactoe sim", "a tournament is of 2 agents or more, not 1"),
    ("tournament sudoku:2 sim sim", "sudoku:2 has one role; solve it: mcsgrammar solve sudoku:2 EXPR"),
    ("replay /", "'/' names no record; write a file's name such as sudoku4"),
    (f"replay {LONG}", f"'{LONG[:39]}…' cannot be used: File name too long"),
    ("replay nowhere", "there is no record nowhere: nowhere.json is missing; 'mcsgrammar record' makes one"),
    ("bench --seconds -1", "the seconds of a row cannot be -1; they are a finite number above 0"),
    ("doctor --fast", "No such option '--fast' (see 'mcsgrammar doctor --help')"),
    (
        "completion tcsh",
        "Invalid value for 'bash|zsh|fish': 'tcsh' is not one of 'bash', 'zsh', 'fish' (see 'mcsgrammar …",
    ),
    (
        "completion",
        "Missing argument 'bash|zsh|fish'. Choose from: bash, zsh, fish (see 'mcsgrammar completion --help')",
    ),
]
"""A command, split at spaces, and what it is told; `…` stands for the rest."""


@pytest.mark.parametrize(("line", "text"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_mistake(line: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.svg").write_text("a picture")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "argv", ["mcsgrammar", *line.split()])
    monkeypatch.setattr(sys.modules["__main__"], "__package__", "")  # also when run by `python -m pytest`
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 2
    assert out.getvalue() == ""
    said = err.getvalue().partition("\n")[0]
    expected = f"mcsgrammar: {text}"
    if text.endswith("…"):
        said = said[: len(expected) - 1] + "…"
    assert said == expected
    assert sorted(tmp_path.iterdir()) == before  # nothing is left behind


def test_every_command_has_a_mistake() -> None:
    assert {line.split()[0] for line, _ in MISTAKES} == set(COMMANDS)
