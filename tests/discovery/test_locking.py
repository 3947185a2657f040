"""Two processes on one campaign: the second is refused, and however the first ends, a third may go on."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from discovery.keeping import locking
from discovery.keeping.locking import FolderLock
from domains.errors import UserError

HOLD = """
import os, sys
from pathlib import Path
from discovery.keeping.locking import FolderLock
from domains.errors import UserError

try:
    with FolderLock(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.readline()
except UserError as error:
    print(error, flush=True)
"""

HOLD_AND_FORK = """
import os, sys
from pathlib import Path
from discovery.keeping.locking import FolderLock

with FolderLock(Path(sys.argv[1])):
    child = os.fork()
    if not child:
        print("forked", flush=True)
        sys.stdin.readline()
    else:
        os.waitpid(child, 0)
"""

FORK_AND_HOLD_ON = """
import os, sys
from pathlib import Path
from discovery.keeping.locking import FolderLock

with FolderLock(Path(sys.argv[1])):
    child = os.fork()
    if child:
        print(os.waitpid(child, 0)[1], flush=True)
        sys.stdin.readline()
"""


def running(program: str, folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", program, str(folder)]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root)


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline()


def refusal(folder: Path, pid: int) -> str:
    return f"{folder}: another process (pid {pid}) is working on this campaign; wait for it or stop it"


def test_a_second_process_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    with running(HOLD, tmp_path) as first:
        assert first_line(first) == "held\n"
        with running(HOLD, tmp_path) as second:
            assert first_line(second) == f"{refusal(tmp_path, first.pid)}\n"
        with pytest.raises(UserError) as error, FolderLock(tmp_path):
            pass
        assert str(error.value) == refusal(tmp_path, first.pid)
        first.communicate("\n")
    with running(HOLD, tmp_path) as third:
        assert first_line(third) == "held\n"


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_kill_9_lets_go(tmp_path: Path) -> None:
    for _ in range(2):
        with running(HOLD, tmp_path) as process:
            assert first_line(process) == "held\n"
            process.send_signal(signal.SIGKILL)
        assert (tmp_path / "lock").read_text() == f"{process.pid}\n"
    with FolderLock(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
def test_a_forked_worker_does_not_keep_the_lock_of_a_killed_parent(tmp_path: Path) -> None:
    with running(HOLD_AND_FORK, tmp_path) as process:
        assert first_line(process) == "forked\n"
        with pytest.raises(UserError) as error, FolderLock(tmp_path):
            pass
        assert str(error.value) == refusal(tmp_path, process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with FolderLock(tmp_path):
            pass
        assert process.stdin
        process.stdin.close()  # the child ends


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
def test_a_forked_worker_that_ends_does_not_let_go(tmp_path: Path) -> None:
    with running(FORK_AND_HOLD_ON, tmp_path) as process:
        assert first_line(process) == "0\n"
        with pytest.raises(UserError) as error, FolderLock(tmp_path):
            pass
        assert str(error.value) == refusal(tmp_path, process.pid)
        process.communicate("\n")


def test_the_same_process_is_refused_too(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    with lock:
        with pytest.raises(UserError) as error, FolderLock(tmp_path):
            pass
        assert str(error.value) == refusal(tmp_path, os.getpid())
    with lock:
        pass


def test_an_error_inside_lets_go(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), FolderLock(tmp_path):
        raise KeyboardInterrupt
    with FolderLock(tmp_path):
        pass
    assert (tmp_path / "lock").read_text() == ""


def test_a_holder_that_has_not_named_itself_yet(tmp_path: Path) -> None:
    with FolderLock(tmp_path):
        (tmp_path / "lock").write_text("")
        with pytest.raises(UserError) as error, FolderLock(tmp_path):
            pass
        assert str(error.value) == (f"{tmp_path}: another process is working on this campaign; wait for it or stop it")


def test_a_lock_file_left_behind_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("12345678901234567890\nold")
    with FolderLock(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error, FolderLock(tmp_path / "nowhere"):
        pass
    assert str(error.value) == f"{tmp_path / 'nowhere' / 'lock'} cannot be written: No such file or directory"


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locking, "_lock", fails)
    with pytest.raises(UserError) as error, FolderLock(tmp_path):
        pass
    assert str(error.value) == (
        f"{tmp_path / 'lock'} cannot be locked: No locks available; keep it on a disk of this machine"
    )


def test_a_full_disk_does_not_keep_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", full)
        with FolderLock(tmp_path), pytest.raises(UserError), FolderLock(tmp_path):
            pass
    with FolderLock(tmp_path):
        pass
