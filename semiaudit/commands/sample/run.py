"""Run a mechanism: the spec is read, refused and set up as for an audit."""

from __future__ import annotations

from semiaudit import progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.commands.sample.noise_release import NoiseRelease, noise
from semiaudit.commands.sample.swap import swap, swapping_of
from semiaudit.commands.sample.swapped import Swapped
from semiaudit.commands.sample.topdown_release import TopDownRelease, is_topdown, topdown
from semiaudit.commands.sample.utility import CurveQuestion
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.sampling.nonnegative import Fit
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.randomizers import Swapping
from semiaudit.spec.build import Loaded, loaded


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
) -> NoiseRelease | Swapped | TopDownRelease:
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
) -> NoiseRelease | Swapped | TopDownRelease:
    """Set up the mechanism of a spec that was read; otherwise like ``run_mechanism``."""
    with problems_of(loaded_spec.release.path):
        release = counted(loaded_spec.release, access)
        part = swapping_of(release)
        _check_options(part, draws, fit, curve)
        if part is not None:
            source = Randomness(seed)
            return swap(loaded_spec, release, part, data, source, curve, access, records=records)
        if is_topdown(release):
            return topdown(loaded_spec, release, data, Randomness(seed), draws, fit, access)
        return noise(loaded_spec, release, data, Randomness(seed), draws, fit, access)


def _check_options(
    part: Swapping | None, draws: int, fit: Fit | None, curve: CurveQuestion | None
) -> None:
    """Refuse options that are not for this kind of mechanism."""
    if part is None:
        if curve is not None:
            what, remedy = "--utility is for swapping", "remove it, or use a spec with swapping"
            raise RefusedError(Refusal(what, remedy, "mechanism"))
        return
    wrong = ["--draws"] * (draws > 1) + ["--nonnegative-integers"] * (fit is not None)
    if wrong:
        what = f"{' and '.join(wrong)}: not for swapping, which writes whole records once"
        raise RefusedError(Refusal(what, "remove it", "mechanism.swapping"))
