"""`--backend dask`: the same bytes from a cluster, here two workers on this machine."""

import socket
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discovery import workers
from discovery.campaign import CampaignStopped, Progress, run
from domains.errors import UserError
from tests.discovery.campaigns import Tiny, finished, journal_of, made, pulls_in, refusal, tiny

distributed: Any = pytest.importorskip("dask.distributed", reason="dask is not installed: pip install -e '.[cluster]'")

pytestmark = pytest.mark.filterwarnings("default")  # dask's own


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


def test_a_pull_that_hangs(cluster: Any, domain: Tiny, tmp_path: Path) -> None:
    whole = finished(made(tmp_path / "whole", domain, policy="uniform", pulls=16, batch=4))
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=16, batch=4)
    domain.trouble("hang", 1)
    with pytest.raises(CampaignStopped) as caught:
        run(folder, backend="dask", address=cluster.scheduler_address, timeout=1.0)
    assert str(caught.value).startswith("sim on training problem 1 took longer than 1 s, twice; ")
    assert len(pulls_in(folder)) == 4
    domain.mend()
    assert finished(folder, backend="dask", address=cluster.scheduler_address) == whole


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


def test_nobody_at_the_address(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers.CONNECTING_SECONDS == 10
    monkeypatch.setattr(workers, "CONNECTING_SECONDS", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    folder = made(tmp_path / "c", domain)
    began = time.monotonic()
    said = refusal("resume", folder, "--backend", "dask", "--address", address)
    assert time.monotonic() - began < 8
    assert said.startswith(f"no dask scheduler answers at {address}: ")
    assert "\n" not in said
    assert pulls_in(folder) == []


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "ftp://x:1"])
def test_no_address(address: str, domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    with pytest.raises(UserError) as caught:
        run(folder, backend="dask", address=address)
    assert str(caught.value).startswith(f"no dask scheduler answers at {address}: ")
