"""The specs of a run of `check`, and how they are audited."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from semiaudit.checking.discovery import Discovered, specs_under
from semiaudit.checking.gate import Audits, in_turn
from semiaudit.checking.interruption import Stop
from semiaudit.checking.parallel import in_processes
from semiaudit.cli.options import MEGABYTE, STANDARD_INPUT
from semiaudit.cli.output import skipped_text
from semiaudit.commands.check.staged import staged_specs, untracked_specs
from semiaudit.errors import listed
from semiaudit.model.data_source import Access


def specs_of_run(
    paths: tuple[str, ...], pattern: str | None, root: str, named: Sequence[str] | None
) -> Discovered | None:
    """Find the specs; None if no staged file concerns them.

    Args:
        named: the policy, waivers and baseline, for a git hook; None for any other run.
    """
    if paths == (STANDARD_INPUT,):
        return Discovered(paths, ())
    if named is None:
        return specs_under(paths, pattern, root)
    return staged_specs(paths, pattern, root, named)


def no_specs_text(
    paths: tuple[str, ...], pattern: str | None, discovery: Discovered, *, staged: bool
) -> str:
    """Say why there is nothing to audit."""
    where = ", ".join(paths)
    if staged and (names := untracked_specs(paths, pattern)):
        untracked = f"{len(names)} untracked: {listed(names)}"
        return f"git tracks no spec in {where} ({untracked}; `git add` it)"
    return f"nothing to audit: no spec in {where}{skipped_text(discovery)}"


def audits_of_run(
    jobs: int,
    time_limit: float,
    memory_limit: int | None,
    access: Access,
    stop: Stop,
    text: bytes | None,
) -> Audits:
    """Return how specs are audited; ``text`` is the one spec, if it came on standard input."""
    if jobs <= 1:
        return partial(in_turn, time_limit=time_limit, access=access, stop=stop, text=text)
    memory = memory_limit * MEGABYTE if memory_limit else None
    return partial(
        in_processes, jobs=jobs, time_limit=time_limit, memory=memory, access=access, stopped=stop
    )
