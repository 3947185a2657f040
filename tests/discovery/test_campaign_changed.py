"""A campaign whose files, domain or versions are not what they were: refused in the words that a user reads."""

import json
import math
from pathlib import Path

import pytest

from discovery.campaign.journal import PULLS
from discovery.campaign.settings import read_settings
from discovery.keeping.journal_format import checksum, header_line
from discovery.keeping.settings import AcceptedDomain, versions_now
from discovery.report.report import make_report
from discovery.report.tables import settings_table
from domains.errors import UserError
from domains.sources import hash_of_file
from mcsgrammar.cli import cli
from tests.discovery.campaigns import (
    CANDIDATES,
    JOURNAL,
    SETTINGS,
    TINY,
    Tiny,
    change_settings,
    finished,
    journal_of,
    made,
    on_disk,
    pulls_in,
    refused,
    step,
    tiny,
)


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


@pytest.fixture
def begun(domain: Tiny, tmp_path: Path) -> Path:
    folder = made(tmp_path / "c", domain)
    step(folder)
    return folder


def test_no_campaign(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in ("resume", "status"):
        assert refused(tmp_path, command, tmp_path / "none") == "none is no campaign: there is no such folder"
        assert refused(tmp_path, command, tmp_path / "file") == "file is no campaign: it is not a folder"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ('{"format": 1,', "Expecting property name enclosed in double quotes: line 1 column 14 (char 13)"),
        ("[]", "it has no format"),
        ("{}", "it has no format"),
        ('{"format": "1"}', "it has no format"),
        ('{"format": 1}', "the setting 'domain' is missing"),
        pytest.param("[" * 100_000, "its brackets are nested too deep", id="nested"),
        ('{"format": 1, "pulls": 1e999}', "1e999 is too large for a number"),
        ("\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ],
)
def test_damaged_settings(text: str, wrong: str, begun: Path, tmp_path: Path) -> None:
    (begun / SETTINGS).write_bytes(text.encode("latin-1"))
    for command in ("resume", "status"):
        message = f"c/settings.json is damaged: {wrong}; restore it from a copy"
        assert refused(tmp_path, command, begun) == message


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"pulls": "many"}, """the setting 'pulls' cannot be "many\""""),
        ({"pulls": 1.5}, "the setting 'pulls' cannot be 1.5"),
        ({"batch": True}, "the setting 'batch' cannot be true"),
        ({"policy": None}, "the setting 'policy' cannot be null"),
        ({"versions": ["3.11"]}, """the setting 'versions' cannot be ["3.11"]"""),
        ({"accepted_versions": {}}, "the setting 'accepted_versions' cannot be {}"),
        ({"accepted_versions": [1]}, "the setting 'accepted_versions' cannot be [1]"),
        ({"units": "km"}, """the setting 'units' cannot be "km\""""),
        ({"units": {"unit": "km"}}, "the setting 'units' has no checksum"),
        ({"units": {"unit": "km", "checksum": "00"}}, "it does not match its checksum"),
        ({"pulls": math.inf}, "Infinity is no number of JSON"),
        ({"accepted_domains": [{}]}, "the setting 'accepted_domains' cannot be [{}]"),
        (
            {"accepted_domains": [{"canonical_domain": "a", "domain_source": 1, "pulls": 1}]},
            """the setting 'accepted_domains' cannot be [{"canonical_domain": "a", "domain_source": 1, "pulls": 1}]""",
        ),
        ({"workers": 3}, "it has a setting 'workers' that there is not"),
    ],
)
def test_settings_that_cannot_be(changes: dict[str, object], wrong: str, begun: Path, tmp_path: Path) -> None:
    change_settings(begun, **changes)
    assert refused(tmp_path, "resume", begun) == f"c/settings.json is damaged: {wrong}; restore it from a copy"


@pytest.mark.parametrize("changes", [{"pulls": 61}, {"seed": 1}, {"policy": "halving"}])
def test_settings_that_were_changed_by_hand(changes: dict[str, object], begun: Path, tmp_path: Path) -> None:
    change_settings(begun, **changes)
    message = "c: settings.json and journal.jsonl do not belong together; one of them was changed by hand"
    for command in ("resume", "status"):
        assert refused(tmp_path, command, begun) == message


def test_newer_formats(begun: Path, tmp_path: Path) -> None:
    newer = "was written by a newer mcsgrammar (format 2); this one reads format 1; upgrade"
    change_settings(begun, format=2, colour="blue")
    assert refused(tmp_path, "resume", begun) == f"c/settings.json {newer}"
    document = json.loads((begun / SETTINGS).read_text())
    document.pop("colour")
    (begun / SETTINGS).write_text(json.dumps(document | {"format": 1}))
    header = header_line(read_settings(begun).digest(), PULLS).replace(b",1,", b",2,")[:-13]
    rest = journal_of(begun).split(b"\n", 1)[1]
    (begun / JOURNAL).write_bytes(header + checksum(header) + b"\n" + rest)
    for command in ("resume", "status"):
        assert refused(tmp_path, command, begun) == f"c/journal.jsonl: {newer.removeprefix('was ')}"


def test_a_damaged_journal(begun: Path, tmp_path: Path) -> None:
    step(begun)
    lines = journal_of(begun).splitlines(keepends=True)
    lines[2] = lines[2].replace(b"[1,", b"[2,")
    (begun / JOURNAL).write_bytes(b"".join(lines))
    assert refused(tmp_path, "resume", begun) == (
        "c/journal.jsonl, line 3: does not match its checksum; restore the file from a copy, "
        "or keep its first 1 lines only (the pulls behind them are then run again)"
    )


@pytest.mark.parametrize("content", [b"sim\n", b"", b"\xff", "\n".join(reversed(CANDIDATES)).encode()])
def test_candidates_that_were_changed(content: bytes, begun: Path, tmp_path: Path) -> None:
    (begun / "candidates.txt").write_bytes(content)
    for command in ("resume", "status"):
        assert refused(tmp_path, command, begun) == (
            "c/candidates.txt is not the list that this campaign began with; it was changed or damaged"
        )


def test_candidates_that_are_gone(begun: Path, tmp_path: Path) -> None:
    (begun / "candidates.txt").unlink()
    assert refused(tmp_path, "resume", begun) == "c/candidates.txt cannot be read: No such file or directory"


def test_a_domain_that_was_changed(begun: Path, tmp_path: Path) -> None:
    before = read_settings(begun).domain_source
    (tmp_path / "tiny.py").write_text(TINY + "\n# better\n")
    said = refused(tmp_path, "resume", begun)
    assert said.startswith(f"c: the domain has changed since the campaign began\n  domain_source: '{before}', now '")
    (tmp_path / "tiny.py").write_text(TINY)
    finished(begun)


def test_a_file_that_the_domain_imports_was_changed(domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text("from tiny_rules import MOVES\n" + TINY)
    (tmp_path / "tiny_rules.py").write_text("MOVES = 4\n")
    campaign = made(tmp_path / "c", domain)
    step(campaign)
    (tmp_path / "tiny_rules.py").write_text("MOVES = 5\n")
    said = refused(tmp_path, "resume", campaign)
    assert said.startswith("c: the domain has changed since the campaign began\n  domain_source: '")
    (tmp_path / "tiny_rules.py").write_text("MOVES = 4\n")
    finished(campaign)


def test_a_domain_that_was_changed_on_purpose(
    begun: Path, domain: Tiny, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = read_settings(begun)
    whole = finished(made(tmp_path / "whole", domain))
    (tmp_path / "tiny.py").write_text(TINY + "\n# better\n")
    now = hash_of_file(tmp_path / "tiny.py")
    difference = f"domain_source: '{before.domain_source}', now '{now}'"
    for arguments in (["resume", begun], ["resume", begun, "--accept-versions"]):
        assert refused(tmp_path, *arguments) == (
            f"c: the domain has changed since the campaign began\n  {difference}\n"
            f"undo that, or go on with: mcsgrammar resume {begun} --accept-domain "
            "(which is recorded; what was learned of the domain as it was still counts)"
        ).replace(f"{tmp_path}/", "")
    with pytest.raises(UserError) as caught:
        made(begun, domain)
    assert str(caught.value) == (
        f"{begun}: the domain has changed since the campaign began\n  {difference}\n"
        f"choose another --out, or go on with: mcsgrammar resume {begun} --accept-domain"
    )
    assert step(begun, accept_domain=True).pulls_now == 7
    assert read_settings(begun).accepted_domains == (AcceptedDomain("tiny.py:Tiny", now, 7),)
    assert read_settings(begun).digest() == before.digest()
    step(made(begun, domain))  # accepted once for all
    step(begun, accept_domain=True)
    assert len(read_settings(begun).accepted_domains) == 1
    capsys.readouterr()
    cli.main(["status", str(begun)], standalone_mode=False)
    note = "note: the domain has changed after 7 pulls (resumed with --accept-domain)\n"
    assert capsys.readouterr().out.startswith(note)
    cli.main(["status", str(begun), "--json"], standalone_mode=False)
    accepted = [{"canonical_domain": "tiny.py:Tiny", "domain_source": now, "pulls": 7}]
    assert json.loads(capsys.readouterr().out)["accepted_domains"] == accepted
    rows = settings_table(make_report(begun, problems=0)).rows
    assert rows[-1] == ("went on with another domain", f"after 7 pulls (hash {now})")
    (tmp_path / "tiny.py").write_text(TINY + "\n# even better\n")
    assert f"domain_source: '{now}', now '" in refused(tmp_path, "resume", begun)
    assert finished(begun, accept_domain=True) == whole  # comments change nothing else
    assert [accepted.pulls for accepted in read_settings(begun).accepted_domains] == [7, 28]


def test_data_that_was_changed_on_purpose(tmp_path: Path) -> None:
    """The domain's name says what is in its file: after `--accept-domain` that, too, is taken up again."""
    board = tmp_path / "board.txt"
    board.write_text("1 2\n1 1\n")
    name = f"samegame:path={board}"
    begun = made(tmp_path / "c", name)
    step(begun)
    board.write_text("1 2\n2 1\n")
    with pytest.raises(UserError) as caught:
        made(begun, name)
    said = str(caught.value)
    assert said.startswith(f"{begun}: the domain has changed since the campaign began\n  canonical_domain: ")
    assert said.endswith(f"go on with: mcsgrammar resume {begun} --accept-domain")
    step(begun, accept_domain=True)
    step(made(begun, name))
    with pytest.raises(UserError, match="holds a campaign with other settings"):
        made(begun, "samegame:3,height=2")


def test_a_changed_comment_in_an_imported_file_may_be_accepted(domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text("from tiny_rules import MOVES\n" + TINY)
    (tmp_path / "tiny_rules.py").write_text("MOVES = 4\n")
    campaign = made(tmp_path / "c", domain)
    step(campaign)
    (tmp_path / "tiny_rules.py").write_text("MOVES = 4  # in all\n")
    assert "--accept-domain" in refused(tmp_path, "resume", campaign)
    finished(campaign, accept_domain=True)


def test_workers_run_the_domain_as_it_is_now(domain: Tiny, tmp_path: Path) -> None:
    """Those of the same process have run it as it was."""
    campaign = made(tmp_path / "c", domain, policy="uniform", pulls=20, batch=10)
    step(campaign, jobs=2)
    (tmp_path / "tiny.py").write_text(TINY.replace("return sum(", "return 7 + sum("))
    finished(campaign, jobs=2, accept_domain=True)
    assert [reward >= 7 for _, _, reward, _ in pulls_in(campaign)] == [False] * 10 + [True] * 10


def test_settings_of_versions_that_accepted_no_domain(begun: Path) -> None:
    """The setting is written only where there is something to say, so that those versions can read others' too."""
    assert "accepted_domains" not in json.loads((begun / SETTINGS).read_text())
    finished(begun)


def test_a_domain_that_is_gone(begun: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").unlink()
    assert refused(tmp_path, "resume", begun) == "there is no file tiny.py"


def test_other_versions(begun: Path, tmp_path: Path) -> None:
    now = versions_now()
    change_settings(begun, versions=now | {"numba": "0.1", "python": "2.7"})
    assert refused(tmp_path, "resume", begun, "--test-problems", "0") == (
        f"c was run with other versions (python 2.7, now {now['python']}; numba 0.1, now {now['numba']}), "
        "which may give other results; go on with: mcsgrammar resume c --accept-versions"
    )
    before = on_disk(begun)
    (tmp_path / "tiny.py").write_text(TINY + "\n# better\n")
    refused(tmp_path, "resume", begun, "--accept-versions")  # for the domain, before versions are recorded
    (tmp_path / "tiny.py").write_text(TINY)
    assert on_disk(begun) == before
    assert step(begun, accept_versions=True).pulls_now == 7
    assert read_settings(begun).accepted_versions == (now,)
    assert read_settings(begun).versions["python"] == "2.7"
    finished(begun)  # accepted once for all


def test_other_versions_than_those_accepted(begun: Path, tmp_path: Path) -> None:
    now = versions_now()
    change_settings(begun, versions=now | {"python": "2.7"}, accepted_versions=[now | {"python": "3.0"}])
    assert refused(tmp_path, "resume", begun, "--test-problems", "0").startswith(
        f"c was run with other versions (python 3.0, now {now['python']}), "
    )


def test_wrong_ways_to_resume(begun: Path, tmp_path: Path) -> None:
    assert refused(tmp_path, "resume", begun, "--jobs", "0") == "the number of jobs cannot be 0; it is at least 1"
    assert refused(tmp_path, "status", begun, "--top", "0") == "--top cannot be 0; it is at least 1"
