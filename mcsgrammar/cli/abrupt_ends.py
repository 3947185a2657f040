"""A domain does not end a command behind its back."""

import os
from typing import NoReturn

leave = os._exit
"""Ends this process at once, whoever asks."""


def raise_where_code_leaves() -> None:
    """From here on `os._exit`, which ends a process without a word, raises in this one what `sys.exit` raises: the
    domain that called it is named, like one that makes any other mistake. Processes forked from here may leave."""
    ours = os.getpid()

    def leave_or_raise(status: int) -> NoReturn:
        if os.getpid() != ours:
            leave(status)
        raise SystemExit(f"os._exit({status})")

    os._exit = leave_or_raise
