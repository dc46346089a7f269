"""Swap rates that meet a target: the smallest and the largest, each audited as in a spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isinf
from typing import Any

from semiaudit import deadline, progress
from semiaudit.commands.calibrate.auditor import NO_NUMBER, TIGHT, CalibrationQuestion, met_of
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.frozen import dataclass
from semiaudit.library.spec import Spec
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.swapping.rates import (
    FARTHEST,
    best_log_odds,
    rate_of_log_odds,
    short_rate,
)
from semiaudit.mechanisms.swapping.strata import Strata, strata_of
from semiaudit.mechanisms.swapping.stratum_loss import unit_loss
from semiaudit.model.audit import Release
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.mechanism import Mechanism
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.design import SWAP_RATES, Design, SwapRate, limit_of, text_of
from semiaudit.numeric.rationals import decimal_text_up
from semiaudit.privacy.loss import Accuracy

_STEPS = 44
"""Bisection steps of an interval of ln o."""

_TOLD: dict[SwapRate, str] = {
    "smaller_swap_rate": "the smallest swap rate that meets the target: few records move",
    "larger_swap_rate": "the largest swap rate that meets the target: few records stay",
}
_SOURCE = "Bailie, Gong and Meng; docs/swapping.md"

NOTHING = "no record is ever exchanged, so the swap rate has no effect"
_NO_END: dict[SwapRate, str] = {
    "smaller_swap_rate": "a small swap rate: every smaller one, to 1e-59, meets the target too",
    "larger_swap_rate": "a large swap rate: every larger one, to 1 - 1e-59, meets the target too",
}
_NEAR = Fraction(1, 10**9)
"""A rate, or 1 minus a rate, that replaces a bound that is not found."""


def swapping_of(release: Release) -> Swapping:
    """Return the swapping if it is the whole mechanism.

    Raises:
        RefusedError: the mechanism does more.
    """
    parts = flattened(release.mechanism)
    if len(parts) == 1 and isinstance(parts[0][0], Swapping) and parts[0][1] == 1:
        return parts[0][0]
    mark = release.mechanism.mark
    what = "is more than one swapping, so the target does not determine the swap rate"
    remedy = "calibrate the swapping alone, and compose it afterward"
    raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))


@dataclass(frozen=True, slots=True)
class RateAuditor:
    """The search for swap rates, with their audits.

    Attributes:
        part: the swapping; if it has a rate, that is replaced.
    """

    question: CalibrationQuestion
    context: Context
    spec: Spec
    part: Swapping
    accuracy: Accuracy

    def designs(self) -> tuple[Design, ...]:
        """Return the smallest and the largest rate that meet the target, or why there is none.

        The loss decreases with the rate up to the optimal rate, and increases after.

        Raises:
            RefusedError: nothing is exchanged, so no target determines a rate.
        """
        progress.doing("the swap rate with the smallest loss")
        strata = strata_of(self.part, self.context.spaces.release)
        best = best_log_odds(self.part, strata.sizes)
        why = self._none_at(best, strata)
        if not why and not strata.largest:
            mark = self.part.mark
            remedy = (
                "exchange attributes that differ inside a stratum, or stratify by fewer attributes"
            )
            raise RefusedError(Refusal(NOTHING, remedy, "mechanism", mark.line, mark.column))
        if why:
            return tuple(replace(_blank(name), refused=why) for name in SWAP_RATES)
        return self._end("smaller_swap_rate", best), self._end("larger_swap_rate", best)

    def _none_at(self, best: float, strata: Strata) -> str:
        """Return why the optimal rate does not meet the target; empty if it does."""
        rate = rate_of_log_odds(best)
        guarantee = self._guarantee_at(rate)
        met = self._met(guarantee)
        if guarantee.refused or met is None or isinf(met.value):
            return guarantee.refused or NO_NUMBER
        if met.within(limit_of(self.question.target)):
            return ""
        least = decimal_text_up(Fraction(met.value), 6)
        at = text_of(short_rate(rate, up=False))
        why = f"the smallest number of any swap rate is {least}, at {at}"
        part = self.part
        own = unit_loss(rate, strata.sizes, part.variant, reselection=part.reselection)
        return why if own.attained and strata.all_differ else f"according to our bound, {why}"

    def _end(self, name: SwapRate, best: float) -> Design:
        progress.doing(name)
        outside = -FARTHEST if name == "smaller_swap_rate" else FARTHEST
        inside, blank = best, _blank(name)
        if inside == outside or self._meets(rate_of_log_odds(outside)):
            return self._open(name, outside)
        for _ in range(_STEPS):
            deadline.check()
            middle = (inside + outside) / 2
            if self._meets(rate_of_log_odds(middle)):
                inside = middle
            else:
                outside = middle
        rate = short_rate(rate_of_log_odds(inside), up=name == "smaller_swap_rate")
        return self._audited(blank, rate)

    def _open(self, name: SwapRate, outside: float) -> Design:
        blank = replace(_blank(name), told=f"{_NO_END[name]} ({_SOURCE})")
        near = self._audited(blank, _NEAR if outside < 0 else 1 - _NEAR)
        if near.meets:
            return near
        return self._audited(blank, short_rate(rate_of_log_odds(outside), up=outside < 0))

    def _audited(self, blank: Design, rate: Fraction) -> Design:
        section = section_of(self.part, rate)
        changed = self.spec.with_(design=None, mechanism=section)
        guarantee = self._of_mechanism(changed._release.mechanism)
        met, limit = self._met(guarantee), limit_of(self.question.target)
        meets = met is not None and met.within(limit)
        design = replace(blank, parameter="rate", scale=rate, met=met, meets=meets)
        if met is None or not meets:
            why = guarantee.refused or "its audit finds more than the target"
            return replace(design, refused=why)
        tight = Fraction(met.value) >= limit * (1 - TIGHT)
        return replace(design, mechanism=section, tight=tight)

    def _meets(self, rate: Fraction) -> bool:
        met = self._met(self._guarantee_at(rate))
        return met is not None and met.within(limit_of(self.question.target))

    def _guarantee_at(self, rate: Fraction) -> FrameworkGuarantee:
        return self._of_mechanism(replace(self.part, rate=rate))

    def _of_mechanism(self, mechanism: Mechanism) -> FrameworkGuarantee:
        context = replace(self.context, mechanism=mechanism)
        return FRAMEWORKS[self.question.framework](context)

    def _met(self, guarantee: FrameworkGuarantee) -> Bound | None:
        return met_of(self.question.target, guarantee, self.accuracy)


def section_of(part: Swapping, rate: Fraction) -> dict[str, Any]:
    """Return the spec section of a swapping at a rate."""
    inner: dict[str, Any] = {"rate": text_of(rate)}
    if not part.by_sizes:
        inner["stratify_by"] = list(part.stratify_by)
    if part.strata:
        inner["strata"] = list(part.strata)
    if part.largest_stratum is not None:
        inner["largest_stratum"] = part.largest_stratum
    if part.swap:
        inner["swap"] = list(part.swap)
    inner["variant"] = part.variant
    inner["reselection"] = part.reselection
    return {part.kind: inner}


def swapping_text(part: Swapping) -> str:
    """Describe what is exchanged."""
    names = ", ".join(part.swap) or "values"
    where = f"strata of {', '.join(part.stratify_by)}" if part.stratify_by else "strata"
    return f"{names} exchanged inside {where}"


def asked_of(designs: Sequence[Design], names: Sequence[str]) -> tuple[Design, ...]:
    """Return the designs with some names; all without names."""
    return tuple(design for design in designs if not names or design.name in names)


def _blank(name: SwapRate) -> Design:
    return Design(name, f"{_TOLD[name]} ({_SOURCE})")
