"""How the tests are run: side by side on all cores, but a few named files in this process, where that is faster."""

import pytest

FEW_FILES = 3


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """No workers for a few files or single tests; otherwise what `-n auto` comes to."""
    named = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    few = 0 < len(named) <= FEW_FILES and all(".py" in name for name in named)
    return 0 if few else None


@pytest.fixture
def uncompiled_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain functions count as kernels, as where Numba is switched off: nothing needs compiling."""
    monkeypatch.setattr("domains.kernels.INTERPRETED", True)
