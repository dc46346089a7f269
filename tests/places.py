"""Where the tree stands that the tests read."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIGS = ROOT / "configs"
LENGTHY = frozenset(
    {
        "census2020_dhc_persons",
        "census2020_dhc_units",
        "census2020_persons_and_units",
        "census2020_pl94_persons",
        "census2020_pl94_production",
        "census2020_pl94_without_aian_areas",
    }
)
"""Shipped configs whose audits take several seconds each."""
SPECS = ROOT / "tests" / "specs"
LONGEST = tuple(
    f"tests/{name}.py"
    for name in (
        "test_docs",
        "commands/test_init",
        "extending/test_extending",
        "privacy/loss/test_curve",
        "checking/test_dask",
        "fuzz/test_fuzz",
        "checking/test_faults",
        "mutants/test_mutants",
        "universe/test_general",
        "auditing/test_loss_audits",
        "commands/test_batch",
        "report/html/test_pages",
        "commands/sample/test_sampled_swaps",
        "auditing/test_semantics_of_queries",
        "commands/calibrate/test_command",
        "commands/calibrate/test_run",
        "security/test_leaks",
        "checking/test_stop",
        "auditing/test_time_limit",
        "oracles/test_losses_oracle",
    )
)
"""Files whose tests take longest: workers begin with them, so that none is left alone with one."""


def commit_of_the_tree() -> str:
    """The short name of the last commit; "" where the tree is no repository."""
    command = ["git", "rev-parse", "--short=7", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
