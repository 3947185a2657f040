"""Numba's cache of what it has compiled, for machines: what is not there or cannot be read is compiled again."""

from contextlib import suppress
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache


class _BesideTheCopy(CompileResultCacheImpl):
    """In the machine's own folder, at which `cache_trust` has looked, whatever NUMBA_CACHE_DIR says."""

    _locator_classes = [  # noqa: RUF012 - as Numba has it
        one for one in CompileResultCacheImpl._locator_classes if "InTree" in one.__name__
    ]


class MachineCache(FunctionCache):
    _impl_class = _BesideTheCopy

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """None for what a power cut has left in pieces; it is forgotten, or nothing could be kept any more."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except OSError:
            return None
        except Exception:
            with suppress(Exception):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Where the disk is full, nothing is kept."""
        with suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
