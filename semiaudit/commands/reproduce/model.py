"""Published numbers, those of this program, and whether they agree."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure

Basis = Literal["printed", "formula", "fitted", "checked"]
"""Where a published number is from: the source prints it; its formula or procedure gives it; its
formula gives it with parameters that were inferred from it; or the source has none, and it was
checked by other means for the erratum that is named."""

Difference = Literal["wrong", "looser", "incomparable"]
"""Why ours is what an erratum gives: the published value is wrong; it is a valid bound, and ours is
tighter; or the two are of different things, and neither is wrong."""

Verdict = Literal["equal", "wrong", "looser", "incomparable", "differs"]
"""Equal within the tolerance; different as an erratum says, and why; or different otherwise."""

EstimateKind = Literal["approximation", "simulated", "floating"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number of ours that is no bound, and no guarantee.

    Attributes:
        kind: an approximation, on no known side of what it approximates; the mean of a simulation
            with a fixed seed; or a formula evaluated in floating point.
        note: the method, and what is known against it.
    """

    value: float
    kind: EstimateKind
    note: str


Ours = Bound | Estimate | str
"""A certified number, another one, or a word."""


@dataclass(frozen=True, slots=True)
class Published:
    """One published result.

    Attributes:
        entry, name: which it is; together they are unique.
        what: what it is, in words. unit: of what, or empty.
        text: the number with its digits, or a word; as the source has it where it is printed.
        tolerance: how far ours may lie from it; half a unit of its last digit where it is printed.
        source, place: the document, and the section or theorem in it.
        erratum: why ours may differ, such as ``E2``; empty if it must not.
        corrected: what ours is then, with ``corrected_tolerance``; empty if it must not differ.
        difference: what that says of the published value; None if ours must not differ.
        origin, path: the spec or the call that ours is from, and where it is in its result
            (``results.py``).
        method: how ours is obtained, where the result does not say it.
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
    """A published result compared with ours."""

    published: Published
    ours: Ours
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ReproductionEntry:
    """The results of one table, figure or section.

    Attributes:
        figures: drawn from the published and our numbers.
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
    """The entries that were asked for, in their order.

    Attributes:
        complete: whether the time limit left none out.
    """

    entries: tuple[ReproductionEntry, ...]
    complete: bool = True

    @property
    def results(self) -> tuple[Reproduced, ...]:
        """The results of all entries."""
        return tuple(result for entry in self.entries for result in entry.results)

    @property
    def unexplained(self) -> tuple[Reproduced, ...]:
        """The results that differ, and not as an erratum says."""
        return tuple(result for result in self.results if result.verdict == "differs")
