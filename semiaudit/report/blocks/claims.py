"""The guarantees that an effective one is compared with: as advertised, or of the noise alone."""

from __future__ import annotations

from semiaudit.frozen import dataclass
from semiaudit.model.mechanism import Composition, Mechanism, NoisePart


@dataclass(frozen=True, slots=True)
class Claim:
    """The words for the guarantee of a mechanism that leaves the invariants out of account.

    Attributes:
        it: behind "less than". of_it: behind a number.
        none: that it has no number. the_same: behind "protects". has_no: before a privacy measure.
        none_for_others: that there is none for datasets with other invariants.
    """

    it: str
    of_it: str
    none: str
    the_same: str
    has_no: str
    none_for_others: str

    def gives(self, number: str) -> str:
        """The number of this guarantee, as a clause."""
        if self is NOISE:
            return f"the noise alone gives {number}"
        return f"{number} is advertised"

    def only(self, number: str) -> str:
        """Return the number as a clause, for a release without an effective one."""
        return self.gives(number) if self is NOISE else f"only {self.gives(number)}"


ADVERTISED = Claim(
    "advertised",
    "advertised",
    "none is advertised",
    "as advertised",
    "advertises no",
    "it advertises no guarantee for other datasets",
)
NOISE = Claim(
    "its noise alone",
    "for the noise alone",
    "the noise alone gives none",
    "as its noise alone does",
    "has noise without a",
    "its noise gives no guarantee for other datasets",
)


def claim_of(mechanism: Mechanism) -> Claim:
    """A spec that only describes noise advertises nothing."""
    return NOISE if _is_noise(mechanism) else ADVERTISED


def _is_noise(mechanism: Mechanism) -> bool:
    if isinstance(mechanism, Composition):
        said = mechanism.allocation is not None
        return not said and all(_is_noise(part) for part, _ in mechanism.parts)
    return isinstance(mechanism, NoisePart)
