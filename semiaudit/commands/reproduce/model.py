"""The result of `reproduce`: published numbers, recomputed numbers, and whether they agree."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure

Basis = Literal["printed", "formula", "fitted", "checked"]
"""The origin of a published number: the source prints it; its formula or procedure gives it; its
formula gives it with inferred parameters; or the source does not contain it, and the named erratum
verified it by other means."""

Difference = Literal["wrong", "looser", "incomparable"]
"""Why the recomputed number differs as an erratum says: the published value is wrong; it is a valid
but looser bound; or the two are different quantities, and neither is wrong."""

Verdict = Literal["equal", "wrong", "looser", "incomparable", "differs"]
"""The verdict: equal within the tolerance; different as an erratum says, with the reason; or
different."""

EstimateKind = Literal["approximation", "simulated", "floating"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A recomputed number that is neither a bound nor a guarantee.

    Attributes:
        kind: an approximation, with an error of unknown sign; the mean of a simulation with a fixed
            seed; or a formula evaluated in floating point.
        note: the method, and its known faults.
    """

    value: float
    kind: EstimateKind
    note: str


Ours = Bound | Estimate | str
"""A certified number, another number, or a word."""


@dataclass(frozen=True, slots=True)
class Published:
    """One published result.

    Attributes:
        entry, name: its entry and name; together they are unique.
        what: its description. unit: its unit, or empty.
        text: the number with its digits, or a word; as printed in the source, if it is printed.
        tolerance: the largest allowed difference; half a unit of the last digit of a printed
            number.
        source, place: the document, and the section or theorem in it.
        erratum: the erratum that allows a difference, such as ``E2``; empty if none is allowed.
        corrected: our number then, with ``corrected_tolerance``; empty if no difference is allowed.
        difference: the kind of difference; None if none is allowed.
        origin, path: the spec or the call of our number, and its place in the result
            (``results.py``).
        method: the method of our number, if the result does not have it.
    """

    entry: str
    name: str
    what: str
    text: str
    tolerance: Fraction
    unit: str
    basis: Basis
    source: str
    place: str
    erratum: str = ""
    corrected: str = ""
    corrected_tolerance: Fraction = Fraction(0)
    difference: Difference | None = None
    origin: str = ""
    path: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A published result compared with our number."""

    published: Published
    ours: Ours
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ReproductionEntry:
    """The results of one table, figure or section.

    Attributes:
        figures: figures of the published and our numbers.
        notes: sentences that belong to all results.
    """

    name: str
    title: str
    source: str
    results: tuple[Reproduced, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The requested entries, in order.

    Attributes:
        complete: whether the time limit omitted none.
    """

    entries: tuple[ReproductionEntry, ...]
    complete: bool = True

    @property
    def results(self) -> tuple[Reproduced, ...]:
        """Return the results of all entries."""
        return tuple(result for entry in self.entries for result in entry.results)

    @property
    def unexplained(self) -> tuple[Reproduced, ...]:
        """Return the results that differ, and not as an erratum says."""
        return tuple(result for result in self.results if result.verdict == "differs")
