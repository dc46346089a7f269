"""Run a mechanism: the spec is read, refused and set up as for an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from semiaudit import progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.commands.sample.noise_release import NoiseRelease, noise
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.kind import Deferred
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.sampling.nonnegative import Fit
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.audit import Release
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.sample import CurveQuestion
from semiaudit.model.topdown import TopDown
from semiaudit.spec.build import Loaded, loaded

if TYPE_CHECKING:
    from semiaudit.commands.sample.swapped import Swapped
    from semiaudit.commands.sample.topdown_release import TopDownRelease

_SWAP = Deferred("semiaudit.commands.sample.swap", "swap")
_TOPDOWN = Deferred("semiaudit.commands.sample.topdown_release", "topdown")
"""The runners of mechanisms that are not noise; each is loaded if a spec needs it."""

Ready: TypeAlias = "NoiseRelease | Swapped | TopDownRelease"
"""A mechanism that is set up, or the records that it swapped."""


def run_mechanism(
    path: str,
    data: str | None,
    seed: int | None,
    draws: int,
    fit: Fit | None,
    access: Access = CONFINED,
    text: bytes | None = None,
    *,
    curve: CurveQuestion | None = None,
    records: bool = True,
) -> Ready:
    """Set up a mechanism, or swap; the deadline in force covers all of it.

    Args:
        path: the path of the spec.
        data: a table or microdata for the answers; by default, those of the spec, if it has any.
        seed: None takes randomness from the operating system.
        draws: the number of independent runs.
        fit: the norm in which answers are replaced by the nearest nonnegative integers; None for no
            replacement.
        text: the spec itself, if it is not a file.
        curve: the requested curve of a table's error by swap rate; None for no curve.
        records: run the swap at the spec's rate; otherwise only its curve is computed.

    Raises:
        SpecError: the spec or the data cannot be read or disagree, or the mechanism cannot be
            sampled.
    """
    with problems_of(path):
        progress.doing("reading the spec")
        loaded_spec = loaded(path, access, examples=True, text=text)
    return run_loaded(loaded_spec, data, seed, draws, fit, access, curve=curve, records=records)


def run_loaded(
    loaded_spec: Loaded,
    data: str | None,
    seed: int | None,
    draws: int,
    fit: Fit | None,
    access: Access,
    *,
    curve: CurveQuestion | None = None,
    records: bool = True,
) -> Ready:
    """Set up the mechanism of a spec that was read; otherwise like ``run_mechanism``."""
    with problems_of(loaded_spec.release.path):
        release = counted(loaded_spec.release, access)
        part = _swapping_of(release)
        _check_options(part, draws, fit, curve)
        ready: Ready
        if part is not None:
            source = Randomness(seed)
            ready = _SWAP(loaded_spec, release, part, data, source, curve, access, records=records)
        elif _is_topdown(release):
            ready = _TOPDOWN(loaded_spec, release, data, Randomness(seed), draws, fit, access)
        else:
            ready = noise(loaded_spec, release, data, Randomness(seed), draws, fit, access)
        return ready


def _check_options(
    part: Swapping | None, draws: int, fit: Fit | None, curve: CurveQuestion | None
) -> None:
    if part is None:
        if curve is not None:
            what, remedy = "--utility is for swapping", "remove it, or use a spec with swapping"
            raise RefusedError(Refusal(what, remedy, "mechanism"))
        return
    wrong = ["--draws"] * (draws > 1) + ["--nonnegative-integers"] * (fit is not None)
    if wrong:
        what = f"{' and '.join(wrong)}: not for swapping, which writes whole records once"
        raise RefusedError(Refusal(what, "remove it", "mechanism.swapping"))


def _swapping_of(release: Release) -> Swapping | None:
    """Return the swapping of a release; refuse other parts, and several runs."""
    parts = flattened(release.mechanism)
    for part, runs in parts:
        if isinstance(part, Swapping):
            if len(parts) > 1 or runs > 1:
                what = "swapping can run only alone and once, but the mechanism is a composition"
                mark, remedy = part.mark, "use a spec with the swapping alone"
                raise RefusedError(
                    Refusal(what, remedy, "mechanism.swapping", mark.line, mark.column)
                )
            return part
    return None


def _is_topdown(release: Release) -> bool:
    parts = flattened(release.mechanism)
    return len(parts) == 1 and isinstance(parts[0][0], TopDown) and parts[0][1] == 1
