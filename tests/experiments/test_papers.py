"""What of the papers holds is worked out from what is stored, and changes with it."""

import shutil
from pathlib import Path

import pytest

from experiments.adaptive.running import FOLDER as ADAPTIVE
from experiments.arena.played import Played
from experiments.arena.running import FOLDER as ARENA
from experiments.files import csv_text, read_csv, read_text_table, write
from experiments.options import RESULTS
from experiments.papers.claims import NOTHING, Claim, Evidence, Finding, judged
from experiments.papers.decay import TAK, as_printed, like_printed
from experiments.papers.rendering import PAPERS, papers_text
from experiments.papers.tuning import GVGP
from experiments.play.question import FOLDER as PLAY

CLAIMS = [claim for paper in PAPERS for claim in paper.claims]


@pytest.fixture(scope="module")
def stored() -> Evidence:
    return Evidence(RESULTS)


def test_nothing_is_measured_where_nothing_is_stored(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    assert all(claim.finding(evidence) is None for claim in CLAIMS)
    assert f"| all | 0 | 0 | 0 | {len(CLAIMS)} |" in papers_text(tmp_path)


def test_what_is_stored_is_found(stored: Evidence) -> None:
    """A claim on a page other than that of the agents, whose cells are played one after the other, has a finding."""
    for claim in CLAIMS:
        finding = claim.finding(stored)
        if claim.judge is None:
            assert claim.why_not and not claim.page
        else:
            assert (RESULTS / claim.page.partition("#")[0]).exists(), claim
            assert finding is not None or claim.page == "arena.md", claim
            assert finding is None or finding.text.endswith("."), claim


def test_verdicts_of_the_first_paper(stored: Evidence) -> None:
    found = {claim.says: claim.finding(stored) for claim in PAPERS[0].claims}
    ten = found["On 5T each of the ten is clearly better than every generic one."]
    assert ten is not None and ten.verdict == "holds" and "5T 10 of 10" in ten.text
    uct = found["`uct` is far behind the rest on regression."]
    assert uct is not None and uct.verdict == "does not hold"
    printed = found["The scores on Sudoku(4)."]
    assert printed is not None and printed.verdict == "holds in part"


@pytest.mark.parametrize(
    ("good", "bad", "total", "verdict"),
    [
        (5, 0, 5, "holds"),
        (4, 0, 5, "holds in part"),
        (4, 1, 5, "holds in part"),
        (1, 4, 8, "does not hold"),
        (0, 0, 5, "does not hold"),
    ],
)
def test_verdicts(good: int, bad: int, total: int, verdict: str) -> None:
    assert judged(good, bad, total) == verdict


def played(game: str, value: float, half: float, column: str = "0.4", table: str = "S-IV") -> Played:
    return Played(table, game, column, 300, 100, value, half, 0.0, 1.0)


def test_cells_are_the_printed_way_round_or_not() -> None:
    """Printed are 91.3 for 3D tic-tac-toe, 76.6 for Quad, 53.4 ± 4.25 for Knightthrough, which is not clear."""
    own = [played("tictactoe3d", 80, 5), played("quad", 40, 5), played("knightthrough", 20, 5)]
    assert as_printed(own) == (1, 0, 1)
    assert as_printed([played("tictactoe3d", 52, 5)]) == (0, 1, 0)


def test_a_claim_on_agents_changes_with_their_cells(tmp_path: Path) -> None:
    rows = [row for row in read_csv(RESULTS / ARENA / "cells.csv") if row["table"] == "S-IV"][:1]
    claim = next(claim for claim in TAK.claims if claim.place == "Table IV")
    said = []
    for points in ("80", "20"):
        changed = [row | {"game": "quad", "column": "0.4", "points": points, "half": "5"} for row in rows]
        write(tmp_path / ARENA / "cells.csv", csv_text(list(rows[0]), changed))
        said.append(claim.finding(Evidence(tmp_path)))
    assert [finding and (finding.verdict, finding.limits) for finding in said] == [
        ("holds", "so far"),
        ("does not hold", "so far"),
    ]
    assert like_printed("S-II", ("0",)) is not None
    assert next(one for one in TAK.claims if one.place == "Table III").finding(Evidence(tmp_path)) is None


def test_video_games_count_where_there_are_any(tmp_path: Path) -> None:
    rows = read_csv(RESULTS / PLAY / "games.csv")
    claim = GVGP.claims[0]
    write(tmp_path / PLAY / "games.csv", csv_text(list(rows[0]), rows))
    before = claim.finding(Evidence(tmp_path))
    assert before is not None and before.limits == "on other games"
    better = [
        row | {"domain": "vgdl:any.txt", "gain": "0.3", "p_holm": "0.001"} for row in rows if row["agent"] == "ntbea"
    ]
    write(tmp_path / PLAY / "games.csv", csv_text(list(rows[0]), [*rows, *better]))
    after = claim.finding(Evidence(tmp_path))
    assert after is not None and (after.verdict, after.limits) == ("holds", "")
    assert after.text.startswith("On video games")


def test_one_missing_table_leaves_the_others(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / ADAPTIVE, tmp_path / ADAPTIVE)
    evidence = Evidence(tmp_path)
    found = [claim for claim in CLAIMS if claim.finding(evidence) is not None]
    assert found and {claim.page.partition("#")[0] for claim in found} <= {"adaptive.md", "arena.md"}


def test_a_finding_may_say_that_it_is_none() -> None:
    claim = Claim("Table X", "Anything.", "arena.md", lambda _: Finding(NOTHING, "Not on these games."))
    finding = claim.finding(Evidence(RESULTS))
    assert finding is not None and finding.verdict == NOTHING


def test_tables_of_a_page_are_read_by_name(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert read_text_table(page) == []
    page.write_text("# A\n\n| a | b |\n|---|---|\n| 1 | x |\n| 2 | - |\n\ntext\n\n| c |\n|---|\n| 3 |\n", "utf-8")
    assert read_text_table(page) == [{"a": "1", "b": "x"}, {"a": "2", "b": "-"}, {"c": "3"}]
