"""The result of `reproduce`: published numbers, recomputed numbers, and whether they agree."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

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
        text: as printed in the source, if it is printed.
        tolerance: the largest allowed difference; half a unit of the last digit of a printed
            number.
        erratum: the erratum that allows a difference, such as ``E2``; empty if none is allowed.
        corrected: our number then, with ``corrected_tolerance``; empty if no difference is allowed.
        difference: the kind of difference; None if none is allowed.
        origin, path: the spec or the call of our number, and its place in the result
            (``results.py``).
        method: the method of our number, if the result does not have it.
    """

    entry: str
    name: Annotated[str, "the name of the result, unique in its entry"]
    what: Annotated[str, "a description of the result"]
    text: Annotated[str, "the number with the digits that are published, or a word"]
    tolerance: Fraction
    unit: Annotated[str, "the unit of the number; empty for none"]
    basis: Annotated[
        Basis,
        "printed: the source prints it; formula: its formula or procedure gives it; "
        "fitted: with parameters that were inferred from it; checked: the source has none",
    ]
    source: Annotated[str, "the document"]
    place: Annotated[str, "the section or theorem of the document"]
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
    verdict: Annotated[
        Verdict,
        "equal: equal to the published digits; wrong: an erratum shows that the published "
        "value is wrong; looser: the published value is valid, but looser; incomparable: the "
        "two are of different things; differs: different, and no erratum explains it",
    ]


@dataclass(frozen=True, slots=True)
class ReproductionEntry:
    """The results of one table, figure or section.

    Attributes:
        figures: figures of the published and our numbers.
    """

    name: Annotated[str, "the name of the entry"]
    title: Annotated[str, "the title of the entry"]
    source: Annotated[str, "the document"]
    results: Annotated[tuple[Reproduced, ...], "every published result, with the recomputed one"]
    figures: tuple[Figure, ...] = ()
    notes: Annotated[tuple[str, ...], "notes on all results of the entry"] = ()


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The requested entries, in order.

    Attributes:
        complete: whether the time limit omitted none.
    """

    entries: Annotated[tuple[ReproductionEntry, ...], "the requested tables, figures, and sections"]
    complete: Annotated[bool, "whether all requested entries were computed"] = True

    @property
    def results(self) -> tuple[Reproduced, ...]:
        """Return the results of all entries."""
        return tuple(result for entry in self.entries for result in entry.results)

    @property
    def unexplained(self) -> tuple[Reproduced, ...]:
        """Return the results that differ, and not as an erratum says."""
        return tuple(result for result in self.results if result.verdict == "differs")
