"""One campaign over several domains: pulls go round them, the journal is like any other, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import mcsgrammar as mg
from discovery.campaign.family import Member, family_name, labels_of
from discovery.campaign.foretelling import runs_to_measure
from discovery.campaign.ranking import read_standing
from discovery.campaign.running import run
from discovery.campaign.settings import read_settings
from discovery.keeping.identity import sources_in
from discovery.pool.chunks import PullSetup, time_pulls
from discovery.pool.families import FamilySetup
from discovery.pool.pulls import run_pull
from domains.errors import UserError
from domains.queens import Queens
from domains.registry import find_domain
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import prepared
from tests.discovery.campaigns import (
    TINY,
    change_settings,
    finished,
    made,
    on_disk,
    pulls_in,
    refusal,
    refused,
    step,
    tiny,
)

FAMILY = ["queens", "knights", "sudoku:2"]
CANDIDATES = ("sim", "step(sim)", "uct(0.5)", "select(sim, 0.5)", "step(repeat(sim, 2))")
OF_REFERENCE = ("--engine", "reference", "--budget", "6", "--depth", "2", "--jobs", "1")


def campaign(folder: Path, **settings: object) -> Path:
    return made(folder, FAMILY, CANDIDATES, **{"engine": "reference", "seed": 5, **settings})  # type: ignore[arg-type]


def test_pulls_go_round_the_domains(tmp_path: Path) -> None:
    """Pull t is pull t // 3 of a campaign over domain t % 3 alone."""
    folder = campaign(tmp_path)
    finished(folder)
    domains, limits = [find_domain(name) for name in FAMILY], Limits(6)
    met = set()
    for arm, t, reward, failed in pulls_in(folder):
        domain = domains[t % 3]
        expression = prepared(parse(CANDIDATES[arm]), domain, limits, None)
        own = run_pull(domain, expression, t // 3, 5, limits, "standard", "reference")
        assert reward == own.reward and not failed
        met.add(t % 3)
    assert met == {0, 1, 2}


def test_workers_and_resumption_change_nothing(tmp_path: Path) -> None:
    whole = finished(campaign(tmp_path / "whole"))
    parts = campaign(tmp_path / "parts")
    step(parts)
    assert len(pulls_in(parts)) == 7
    assert finished(parts) == whole
    assert finished(campaign(tmp_path / "threads"), jobs=2, backend="threading") == whole


def test_settings_name_the_family_only_where_there_is_one(tmp_path: Path) -> None:
    alone = made(tmp_path / "alone", "queens")
    assert "family" not in json.loads((alone / "settings.json").read_text())
    settings = read_settings(campaign(tmp_path / "family"))
    members = tuple(Member(name, name) for name in FAMILY)
    assert settings.family == members
    assert settings.canonical_domain == settings.domain == "queens + knights + sudoku:2"
    assert settings.digest() != replace(settings, family=None).digest()
    moved = replace(settings, family=tuple(replace(one, domain=f"elsewhere/{one.domain}") for one in members))
    assert settings.digest() == moved.digest() and settings.differences(moved) == []
    other = replace(settings, family=members[::-1])
    assert settings.digest() != other.digest() and len(settings.differences(other)) == 1


def test_a_tried_candidate_has_as_many_pulls_on_each_domain_as_alone(tmp_path: Path) -> None:
    policies = {"sampled-halving": "each=12", "sampled-halving(each=5)": "each=5", "uniform": "uniform"}
    for number, (typed, text) in enumerate(policies.items()):
        assert text in read_settings(campaign(tmp_path / str(number), policy=typed)).policy


def test_a_unit_that_all_share_is_the_familys(tmp_path: Path) -> None:
    units = read_settings(made(tmp_path / "shared", ["queens", "knights"])).units
    assert units is not None and (units["unit"], units["per_reward"]) == ("points", 100.0)
    units = read_settings(campaign(tmp_path / "unlike")).units
    assert units is not None and (units["unit"], units["per_reward"]) == ("reward", 1.0)


def test_files_are_told_apart_by_as_few_folders_as_can_be() -> None:
    def labels(*typed: str) -> list[str]:
        return labels_of([Member(one, f"canonical {i}") for i, one in enumerate(typed)])

    assert labels("queens", "gdl:path=/a/b/peg.kif,length=9", "x/y.py:Z") == [
        "queens",
        "gdl:peg.kif,length=9",
        "y.py:Z",
    ]
    assert labels("gdl:path=/a/easy/sudoku.kif", "gdl:path=/a/hard/sudoku.kif") == [
        "gdl:easy/sudoku.kif",
        "gdl:hard/sudoku.kif",
    ]
    assert labels("/a/x/t.py:T", "/b/x/t.py:T") == ["canonical 0", "canonical 1"]
    assert family_name([Member(one, one) for one in "abcde"]) == "5 domains: a, b, c, d, …"


def test_more_domains_than_a_process_keeps_engines_for(tmp_path: Path) -> None:
    """Each member keeps its own, or every pull would make one anew."""
    typed = tuple(f"sudoku:{order}" for order in (2, 3))
    members = tuple(PullSetup("many", typed[i % 2], 0, Limits(1), "standard", "reference") for i in range(9))
    world = FamilySetup("many", members).world()
    kept = world.worlds[0].runners
    assert kept is not None and len(kept) == 9
    runners = list(kept.values())
    for t in range(18):
        world.pull("sim", t)
    assert list(kept.values()) == runners


def test_the_time_of_pulls_is_foretold() -> None:
    members = tuple(PullSetup("foretold", name, 0, Limits(6), "standard", "reference") for name in FAMILY)
    seconds = time_pulls(FamilySetup("foretold", members), ["sim", "step(sim)", "sim"])
    assert seconds is not None and seconds > 0
    timed = tuple(replace(one, limits=Limits(None, 0.25)) for one in members)
    assert time_pulls(FamilySetup("foretold by seconds", timed), ["sim"]) == 0.25


def test_measuring_is_foretold_for_every_domain(tmp_path: Path) -> None:
    alone = runs_to_measure(read_settings(made(tmp_path / "alone", "queens")), 10, 4)
    settings = read_settings(campaign(tmp_path / "family"))
    assert runs_to_measure(settings, 10, 4) == 3 * (alone + 10 * 3)  # and a choice for each domain that is left out


# What somebody else wrote.


def test_a_failed_pull_is_said_with_its_domain(tmp_path: Path) -> None:
    own = tiny(tmp_path)
    setup = FamilySetup("said", tuple(PullSetup("", name, 0, Limits(1), "standard", "reference") for name in FAMILY))
    assert setup.spoken("sim", 7) == "sim on training problem 2 of knights"
    assert setup.domain == "queens"
    with_own = replace(setup, members=(*setup.members, replace(setup.members[0], domain=own.name)))
    assert with_own.domain == own.name
    assert with_own.stopped == "the campaign stopped before this batch"


def test_a_changed_member_is_refused_and_can_be_accepted(tmp_path: Path) -> None:
    own = tiny(tmp_path)
    folder = made(tmp_path / "c", ["queens", own.name], engine="reference")
    step(folder)
    before = read_settings(folder).domain_source
    assert before is not None and before.startswith("- + ")
    (tmp_path / "tiny.py").write_text(f"{TINY}\nPath(__file__).with_name('was_run').touch()\n")
    message = refused(tmp_path, "resume", folder, "--jobs", "1")
    assert message.startswith(
        f"c: the domain has changed since the campaign began\n  domain_source: '{before}', now '- "
    )
    assert not (tmp_path / "was_run").exists()
    run(folder, accept_domain=True, stop_after=1e-9)
    (accepted,) = read_settings(folder).accepted_domains
    assert (accepted.canonical_domain, accepted.pulls) == ("queens + tiny.py:Tiny", 7)
    assert accepted.domain_source != before
    finished(folder)


def test_code_that_came_along_is_not_run(tmp_path: Path) -> None:
    own = tiny(tmp_path)
    folder = made(tmp_path / "c", ["queens", own.name], engine="reference")
    evil = (tmp_path / "tiny.py").rename(folder / "tiny.py")
    members = [{"domain": name, "canonical_domain": name} for name in ("queens", f"{evil}:Tiny")]
    change_settings(folder, family=members)
    assert refused(tmp_path, "resume", folder) == (
        "c brings the code of its domain along (c/tiny.py), which was not run; "
        "look at what is in it, and add --trust to run it"
    )


def test_settings_of_no_family(tmp_path: Path) -> None:
    folder = campaign(tmp_path)
    change_settings(folder, family=[{"domain": "queens", "canonical_domain": "queens"}])
    assert refused(folder, "status", folder) == (
        "settings.json is damaged: the setting 'family' has less than two domains; restore it from a copy"
    )
    assert sources_in("a", 2) == [None, None] and sources_in("a + -", 2) == ["a", None]


# What is refused, and then nothing is written.

ROLES = (
    "connect4 has 2 roles, and the members of a family have one; agents for it are found alone: "
    "mcsgrammar discover connect4 --against 'select(sim, 0.4)'"
)
CHANCE = (
    "cliff:width=6,height=4,slip=0.2,steps=30 is stochastic, so it would have to be played, and a family is not; leave "
    "it out, or find its algorithm alone: mcsgrammar discover cliff --play"
)
FEATURES = (
    "sim(guided(distance=-4)) cannot run on queens, and candidates run on all of a family: sim(guided(distance=-4)) "
    "goes by features of actions, and Queens names none; give it features and a feature(state, action) method (see "
    "docs/tutorial.md), or use another playout policy"
)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "say what for: name a DOMAIN, such as sudoku:4, or several by --on DOMAIN --on DOMAIN"),
        (
            "queens --on knights",
            "give one DOMAIN or several by --on; for one algorithm for all of them write --on queens, too",
        ),
        (
            "--on queens",
            "a family has two domains or more; add another by --on, or name the one without it: "
            "mcsgrammar discover queens",
        ),
        (
            "--on sudoku:2 --on queens --on sudoku:order=2",
            "sudoku:order=2 is the same domain as sudoku:2; name each member of a family once, or it counts twice",
        ),
        ("--on queens --on connect4", ROLES),
        ("--on queens --on cliff", CHANCE),
        (
            "--on queens --on knights --play",
            "--on finds an algorithm for several domains by runs, --play by games; leave one out",
        ),
        (
            "--on queens --on connect4 --against",
            "--on is for domains with one role, and --against for games of several; leave one out",
        ),
        (
            "--on queens --on knights --start 2",
            "--start is for agents, which play against others; add --against",
        ),
        ("--on tsptw --on queens --sim guided(distance=-4) --depth 1", FEATURES),
    ],
)
def test_what_is_no_family(words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal("discover", *words.split()) == message
    assert on_disk(tmp_path) == {}


def test_a_family_is_not_another_campaign(tmp_path: Path) -> None:
    folder = made(tmp_path, FAMILY, engine="reference", budget=6)
    words = ("--on", "queens", "--on", "knights", "--engine", "reference", "--budget", "6", "--depth", "1")
    assert "holds a campaign with other settings" in refused(folder, "discover", *words, "--out", folder)


# From Python.


def test_python_finds_an_algorithm_for_several_domains(tmp_path: Path) -> None:
    how = {"candidates": ["sim", "step(sim)"], "budget": 6, "pulls": 40, "engine": "reference", "test_problems": 5}
    found = mg.discover(on=["sudoku:2", Queens()], out=tmp_path / "c", **how)  # type: ignore[arg-type]
    assert repr(found).startswith(f"<Campaign {tmp_path / 'c'}: 2 domains: sudoku:2, queens, 40 of 40 pulls; best ")
    assert found.complete and len(found.tested) > 10
    assert str(mg.report(tmp_path / "c")).count("On a domain it was not chosen on") == 2
    assert mg.status(tmp_path / "c")["family"][1] == {"domain": "queens", "canonical_domain": "queens"}
    assert read_standing(tmp_path / "c").pulls_done == 40


def test_what_python_refuses() -> None:
    for arguments in ({}, {"domain": "queens", "on": ["queens", "knights"]}):
        with pytest.raises(UserError) as error:
            mg.discover(**arguments)  # type: ignore[arg-type]
        assert str(error.value) == "give a domain, or several by on=[…], one of the two"
    for name, value in (("against", "sim"), ("play", "new")):
        with pytest.raises(UserError) as error:
            mg.discover(on=["queens", "knights"], **{name: value})  # type: ignore[arg-type]
        assert str(error.value) == (
            f"a family is searched by runs of one role; {name} is for one domain alone, leave it out"
        )
    alone = "a family has two domains or more; add another by --on, or name the one without it"
    for on, named in (([], ""), ("queens", ": mcsgrammar discover queens")):
        with pytest.raises(UserError) as error:
            mg.discover(on=on)  # type: ignore[arg-type]
        assert str(error.value) == f"{alone}{named}"
    with pytest.raises(InvalidExpression) as invalid:
        mg.discover(on=["queens", "tsptw"], candidates=["sim", "sim(guided(distance=-4))"])
    assert str(invalid.value) == FEATURES
