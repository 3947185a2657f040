"""`--backend dask`: the same bytes from a cluster, here two workers on this machine."""

import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discovery.campaign.running import CampaignStopped, Progress, run
from tests.discovery.campaigns import Tiny, finished, journal_of, made, pulls_in, refusal, tiny
from tests.language.command import ENVIRONMENT

distributed: Any = pytest.importorskip("dask.distributed", reason="dask is not installed: pip install -e '.[cluster]'")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # dask's own


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with local_cluster() as cluster:
        yield cluster


def local_cluster(**options: Any) -> Any:
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": True, "dashboard_address": None} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return distributed.LocalCluster(**options)


def test_the_same_bytes(cluster: Any, domain: Tiny, tmp_path: Path) -> None:
    for policy in ("ucb1", "halving"):
        alone = finished(made(tmp_path / f"{policy}-alone", domain, policy=policy))
        folder = made(tmp_path / policy, domain, policy=policy)
        run(folder, backend="dask", address=cluster.scheduler_address, stop_after=1e-9)
        assert 0 < len(pulls_in(folder)) < 60
        assert finished(folder, backend="dask", address=cluster.scheduler_address) == alone


def test_failed_pulls(cluster: Any, domain: Tiny, tmp_path: Path) -> None:
    domain.trouble("raise", 1)
    alone = finished(made(tmp_path / "alone", domain))
    assert finished(made(tmp_path / "c", domain), backend="dask", address=cluster.scheduler_address) == alone
    assert (tmp_path / "c" / "failures.jsonl").read_bytes() == (tmp_path / "alone" / "failures.jsonl").read_bytes()


def test_a_pull_that_hangs(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a single thread, which it must not keep."""
    monkeypatch.setattr("discovery.pool.pools.SLACK_SECONDS", 1.0)
    whole = finished(made(tmp_path / "whole", domain, policy="uniform", pulls=16, batch=2))
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=16, batch=2)
    domain.trouble("hang", 1)
    with local_cluster(n_workers=1, threads_per_worker=1) as cluster:
        address = cluster.scheduler_address
        with pytest.raises(CampaignStopped) as caught:
            run(folder, backend="dask", address=address, timeout=5.0)  # its worker has to start within that, too
        assert str(caught.value).startswith("sim on training problem 1 took longer than 5 s, twice; ")
        assert len(pulls_in(folder)) == 4
        domain.mend()
        assert finished(folder, backend="dask", address=address) == whole


# Connections that fail, each in a process of its own: dask does not get over many of them in one.

IMPATIENT = """
from discovery.pool import pools
from mcsgrammar.cli import main

assert pools.CONNECTING_SECONDS == 10
pools.CONNECTING_SECONDS = 1
main()
"""


def resumed_at(address: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", IMPATIENT, "resume", str(folder), "--backend", "dask", "--address", address],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )


def test_nobody_at_the_address(domain: Tiny, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    folder = made(tmp_path / "c", domain)
    refused = resumed_at(address, folder)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.splitlines()[-1].startswith(f"mcsgrammar: no dask scheduler answers at {address}: ")
    assert "Traceback" not in refused.stderr
    assert pulls_in(folder) == []


@pytest.mark.parametrize("address", ["nonsense", "ftp://x:1"])
def test_no_address(address: str, domain: Tiny, tmp_path: Path) -> None:
    refused = resumed_at(address, made(tmp_path / "c", domain))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.splitlines()[-1].startswith(f"mcsgrammar: no dask scheduler answers at {address}: ")
    assert "Traceback" not in refused.stderr


def test_dask_that_is_not_installed(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    folder = made(tmp_path / "c", domain)
    assert refusal("resume", folder, "--backend", "dask", "--address", "tcp://127.0.0.1:1") == (
        "--backend dask needs dask: pip install 'mcsgrammar[cluster]'"
    )


def test_a_cluster_that_goes_away(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain, pulls=200)
    cluster = local_cluster(n_workers=1, processes=False)
    closing: list[threading.Thread] = []

    def on_batch(progress: Progress) -> None:
        if not closing:
            closing.append(threading.Thread(target=cluster.close))
            closing[0].start()

    with pytest.raises(CampaignStopped) as caught:
        run(folder, backend="dask", address=cluster.scheduler_address, on_batch=on_batch)
    closing[0].join()
    assert str(caught.value) == (
        f"the connection to the dask cluster at {cluster.scheduler_address} was lost; "
        "the campaign stopped before this batch and can be resumed"
    )
    assert 0 < len(pulls_in(folder)) < 200
    assert finished(folder).startswith(journal_of(folder)[:100])
