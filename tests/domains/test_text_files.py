"""Text files that problems are read from."""

import os
from pathlib import Path

import pytest

from domains.errors import UnknownDomain
from domains.text_files import lines_of, rules_in


def test_a_pipe_is_refused_before_anybody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    why = "cannot be read as often as a problem is; write what it has to a file, and name that"
    with pytest.raises(UnknownDomain) as error:
        lines_of(tmp_path / "pipe", "regression")
    assert str(error.value) == f"{tmp_path}/pipe {why}"
    with pytest.raises(UnknownDomain) as error:
        rules_in(tmp_path / "pipe", "a sheet", 100)
    assert str(error.value) == f"{tmp_path}/pipe {why}"


def test_byte_order_marks_are_no_part_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    assert lines_of(tmp_path / "a", "x") == ["one", "two"]
    assert rules_in(tmp_path / "a", "x", 100) == "one\r\ntwo"
