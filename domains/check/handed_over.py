"""What a domain hands over for the compiled engine: whether its kernels are some, and whether its faster way to an
encoded problem is another way to the same."""

from typing import Any

import numpy as np

from domains.check.probing import Broken, Probe
from domains.kernels import wrong_kernels
from domains.problems import encoded_problem
from domains.protocol import Domain, kernels_method


def kernels_of(probe: Probe) -> Any:
    """Those of a problem or a game; None where there are none."""
    method = kernels_method(probe.domain)
    found = probe.ask(probe.name, method)
    if found is not None and (wrong := wrong_kernels(found, method)):
        raise Broken("kernels", f"{probe.name}.{method} {wrong}")
    return found


def check_sample_encoded(probe: Probe, k: int) -> None:
    if probe.domain.instances is not None or type(probe.domain).sample_encoded is Domain.sample_encoded:
        return
    where = f"problem {k}"
    arrays = probe.guard(where, "sample_encoded", encoded_problem, probe.domain, k)
    own = probe.ask(where, "encode", probe.initial(k))
    for name, fast, slow in zip(("problem", "state"), arrays, own, strict=True):
        if not np.array_equal(fast, slow) or np.asarray(fast).dtype != np.asarray(slow).dtype:
            raise Broken(
                "sample-encoded",
                f"{where}: the {name} array of sample_encoded is not that of encode(sample(random)); make the same of "
                "the same draws, or leave sample_encoded out",
            )
