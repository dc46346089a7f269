"""Mechanisms that act on records, against the metric and the size of the data."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.adjacency import Metric
from semiaudit.model.measure import GDP, ZCDP
from semiaudit.model.mechanism import (
    Composition,
    Declared,
    Mechanism,
    Noise,
    RandomizedResponse,
    Randomizer,
    Shuffled,
    SubsampledGaussian,
)
from semiaudit.spec.mechanism_schema import MechanismSection
from semiaudit.spec.yaml12 import Document, Path_

RANDOMIZERS = ("randomized_response", "subsampled_gaussian", "shuffled")


class RecordsReader:
    """Reads mechanisms that act on records.

    Args:
        metric: what one unit of distance does to the records.
        size: the number of records, where the spec fixes it.
    """

    def __init__(self, document: Document, metric: Metric, size: int | None) -> None:
        self.document, self.metric, self.size = document, metric, size

    def part(self, section: MechanismSection, path: Path_) -> Randomizer | None:
        """The mechanism; None for another kind, or with its problem in the document."""
        mark, where = self.document.mark(path), (*path, section.kind)
        if section.randomized_response is not None:
            if self.metric != "hamming":
                what = f"every record answers in its place, which {self.metric} does not know"
                self.document.report(where, what, "use the metric hamming", key=True)
                return None
            response = section.randomized_response
            return RandomizedResponse(response.epsilon, response.levels, mark)
        if section.subsampled_gaussian is not None:
            sampled = section.subsampled_gaussian
            square = sampled.noise_multiplier * sampled.noise_multiplier
            removals = 1 if self.metric == "symmetric_difference" else 2
            return SubsampledGaussian(square, sampled.sampling_rate, sampled.steps, removals, mark)
        if section.shuffled is not None:
            return self._shuffled(section, where)
        return None

    def _shuffled(self, section: MechanismSection, where: Path_) -> Shuffled | None:
        assert section.shuffled is not None
        found, mark = section.shuffled, self.document.mark(where[:-1])
        if self.metric == "symmetric_difference":
            what = "the number of reports is public, which symmetric_difference lets change"
            remedy = "use the metric hamming or multiset_hamming"
            self.document.report(where, what, remedy, key=True)
            return None
        if self.size is not None and found.reports != self.size:
            what = f"is not the number of records, {self.size}"
            self.document.report((*where, "reports"), what, "every record reports once")
            return None
        return Shuffled(found.epsilon0, found.reports, mark)


def check_total_rho(
    document: Document, composition: Composition, total: Fraction, path: Path_
) -> None:
    """Report an allocation whose parts do not add up to the rho that is stated."""
    found = _rho(composition)
    if found is None:
        what = "is checked for parts whose rho the spec alone tells"
        remedy = "use zcdp, gdp, and Gaussian noise with shifts, or leave it out"
        document.report(path, what, remedy)
    elif found != total:
        what = f"the parts add up to rho {found}, not to {total}"
        document.report(path, what, "correct the parts or the total")


def _rho(mechanism: Mechanism) -> Fraction | None:
    """rho at distance 1, where it follows from the spec without the sensitivity of a query."""
    if isinstance(mechanism, Composition):
        parts = [(_rho(part), repeat) for part, repeat in mechanism.parts]
        known = [rho * repeat for rho, repeat in parts if rho is not None]
        return sum(known, Fraction(0)) if len(known) == len(parts) else None
    if isinstance(mechanism, Declared):
        measure = mechanism.measure
        if isinstance(measure, GDP):
            return measure.mu_squared / 2
        return measure.rho if isinstance(measure, ZCDP) else None
    if mechanism.kind not in ("gaussian", "discrete_gaussian") or not isinstance(mechanism, Noise):
        return None
    if mechanism.query is not None:
        return None
    return sum((shift * shift for shift in mechanism.shifts), Fraction(0)) / (2 * mechanism.scale)
