"""Workers that are lost: how often, how, and what is said of it.

A worker may end because of the pull it runs, or because somebody or the system ends it: nothing tells for certain. So a
pull is not accused before it was lost alone, several times, and what is said is what is known.
"""

import re
from concurrent.futures import BrokenExecutor
from typing import NoReturn

from discovery.pool.pools import CampaignStopped, is_timeout
from domains.protocol import Domain
from domains.registry import BUILT_IN
from mcsgrammar.wording import note, shortened

PAUSES_ALONE = (0.0, 1.0, 5.0)
"""Seconds before each time that a lost pull runs alone. Whoever ends processes from outside, such as a system that is
short of memory, often ends several within seconds; a pull that ends its worker does so every time."""
DOUBTFUL_LOSSES = 3
"""After so many in a row, with no pull finished between them, the rest of a batch runs alone, to find the culprit."""
LOSSES_IN_A_ROW = 10
"""So many, although everything runs alone: the workers end before they begin."""
LOSSES_IN_ALL = 100
"""Each costs the campaign some seconds, and its pulls; so many in one run need somebody who looks."""

EXIT_CODES = re.compile(r"exit codes of the workers are \{(.*?)\}")
EXIT_CODE = re.compile(r"(\w+)\((-?\d+)\)")


def is_loss(error: Exception) -> bool:
    """Whether the error says that a worker died or did not answer in time."""
    return is_timeout(error) or isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"  # dask's


def how_lost(error: Exception) -> str:
    """What is known of a worker's end: a signal, an exit status, or what loky or dask say."""
    codes = EXIT_CODES.search(str(error))
    ends = {
        name if name.startswith("SIG") else f"exit status {code}"
        for name, code in EXIT_CODE.findall(codes[1] if codes else "")
    }
    lines = str(error).splitlines() or [type(error).__name__]
    return " and ".join(sorted(ends)) or shortened(lines[0], 200)


def is_built_in(domain: str | Domain) -> bool:
    """Whether it is one of ours, which users need not mend."""
    if isinstance(domain, str):
        return domain.partition(":")[0] in BUILT_IN
    return type(domain).__module__.split(".")[0] == "domains"


class Losses:
    """Those of one run of a campaign."""

    def __init__(self, domain: str | Domain, timeout: float, stopped: str) -> None:
        self._timeout, self._stopped = timeout, stopped
        self._is_built_in = is_built_in(domain)
        self.in_all = 0
        self.in_a_row = 0
        """since a pull was finished"""

    def count(self, error: Exception) -> None:
        """One more. Raises `CampaignStopped` if that is too many."""
        self.in_all += 1
        self.in_a_row += 1
        what = f"a pull took longer than {self._timeout:g} s" if is_timeout(error) else "a worker was lost"
        if self.in_all == 1:
            how = "" if is_timeout(error) else f" ({how_lost(error)})"
            note(f"{what}{how}; what was under way is run again")
        if self.in_a_row >= LOSSES_IN_A_ROW:
            self._stop(f"{self.in_a_row} workers were lost one after the other, with no pull finished between", error)
        if self.in_all >= LOSSES_IN_ALL:
            self._stop(f"{self.in_all} workers were lost", error)

    def accuse(self, pull: str, error: Exception) -> NoReturn:
        """A pull was lost as often as it is to be tried."""
        if is_timeout(error):
            mend = "" if self._is_built_in else "; or, if it never ends, mend the domain and add --accept-domain"
            raise CampaignStopped(
                f"{pull} took longer than {self._timeout:g} s, twice; {self._stopped}: resume it with a larger "
                f"--timeout{mend}"
            ) from error
        self._stop(f"{pull} was lost with its worker all {len(PAUSES_ALONE)} times it ran alone", error)

    def _stop(self, what: str, error: Exception) -> NoReturn:
        mend = "if the domain ends its process, mend it and resume with --accept-domain; else "
        raise CampaignStopped(
            f"{what}, the last time by {how_lost(error)}; {self._stopped}\n"
            f"{'' if self._is_built_in else mend}"
            "see what ends processes here (too little memory? somebody who stops them?), then resume"
        ) from error
