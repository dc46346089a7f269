"""How long the semantics of the census's hierarchies take, in how much memory.

    python -m tests.benchmarks.topdown [NAME ...]

One process for each config of ``configs/census2020_NAME.yaml``: reading it, every kind of secret
with epsilon at the deltas of the config, and the whole audit. Seconds are of the clock and of the
processor; the memory is the most that the process held.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from semiaudit import deadline
from semiaudit.auditing.run import audit_release, options_of
from semiaudit.auditing.semantics import semantics_with_numbers
from semiaudit.frameworks.context import Context
from semiaudit.privacy.loss import Accuracy
from semiaudit.spec.build import load_release
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.places import CONFIGS, ROOT

NAMES = ("pl94_persons", "dhc_persons", "dhc_units")
ONE = "--one"


def measured(name: str) -> None:
    """Print the figures of one config, in a process of its own."""
    clock, processor = time.perf_counter(), time.process_time()
    release = load_release(CONFIGS / f"census2020_{name}.yaml")
    with deadline.running(600):
        spaces = SensitivitySpaces(release)
        context = Context(universe_of(release), release.adjacency, release.mechanism, spaces)
        found = semantics_with_numbers(context, options_of(release), Accuracy(1e-6, 60.0))
    seconds = time.perf_counter() - clock, time.process_time() - processor
    width = max(
        float(point.epsilon) / float(point.epsilon_lower) - 1
        for semantic in found
        for point in semantic.approx_dp
        if point.epsilon_lower
    )
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name}: {len(found)} secrets in {seconds[0]:.1f} s of the clock, {seconds[1]:.1f} s of "
        f"the processor, {held:.0f} MB; widest bracket {width:.1e}"
    )
    clock, processor = time.perf_counter(), time.process_time()
    audit_release(release)
    seconds = time.perf_counter() - clock, time.process_time() - processor
    print(f"{name}: the whole audit after that {seconds[0]:.1f} s, {seconds[1]:.1f} s")


def main() -> None:
    """All configs, or those that are named."""
    if sys.argv[1:2] == [ONE]:
        measured(sys.argv[2])
        return
    for name in sys.argv[1:] or NAMES:
        command = [sys.executable, "-m", "tests.benchmarks.topdown", ONE, name]
        subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
