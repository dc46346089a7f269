"""The interface of a composed law: sums over a window of points, each with a bound on its error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from semiaudit import deadline
from semiaudit.privacy.loss.laws.convolution import convolve
from semiaudit.privacy.loss.laws.few_frequencies import few_frequencies
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import Integers
from semiaudit.privacy.loss.sources.loss_source import Floats, TooLong


class FoldedLaw(Protocol):
    """The tilted law of a sum, folded onto ``length`` points from ``start`` on.

    Point p of the window has the weight w_p of all points congruent to it.
    """

    @property
    def start(self) -> int:
        """Return the first point of the window."""

    @property
    def length(self) -> int:
        """Return the number of points of the window, a power of two."""

    @property
    def everywhere(self) -> bool:
        """Return whether tails from every point of the window cost no more than one."""

    def discounted(self, first: int, x: float, step: float, tilt: float) -> tuple[float, float]:
        """Return the sum of w_p exp(-tilt x_p) (1 - exp(-x_p)) from a point on, and its error.

        Args:
            first: the point, at ``start`` or later.
            x: x_p at that point, positive; each later one is ``step`` more.
        """

    def tails(self, firsts: Integers, x: Floats, step: float, tilt: float) -> tuple[Floats, Floats]:
        """Return the sums of w_p exp(-tilt x_p) from each point to a common end, with errors.

        Args:
            firsts: increasing points of the window, shape (n,); neighboring points if
                ``everywhere`` holds. The common end is after the last one, or the end of the
                window.
            x: x_p at these points, shape (n,), in the same steps.
        """

    def tails_at(self, firsts: Integers, step: float, tilt: float) -> tuple[Floats, Floats]:
        """Return the sums of w_p exp(-tilt d_p) from each point to the window's end, with errors.

        Args:
            firsts: nondecreasing points of the window, shape (n,). d_p is the distance of p.
        """

    def discounted_at(
        self, firsts: Integers, x: Floats, step: float, tilt: float
    ) -> tuple[Floats, Floats]:
        """Return the results of ``discounted`` at many points, at little more than the cost of one.

        Args:
            firsts: nondecreasing points of the window, shape (n,).
            x: as in ``discounted``, shape (n,).
        """


def folded_laws(
    families: Sequence[tuple[Sequence[tuple[Tilted, int]], int]],
    length: int,
    *,
    decay: float,
    precision: float,
    most: int,
) -> list[FoldedLaw]:
    """Return the law of the sum of each family of parts, all by the method that is fastest for all.

    Args:
        families: tilted weights with their numbers of repetitions, and the start of the window.
        length: of all windows, a power of two.
        decay: tilt times step, the decay of the functions that the laws are summed against.
        precision: allowed relative error of the sums.
        most: the longest window whose points can all be listed.

    Raises:
        TooLong: the windows are longer, and too many frequencies matter.
        OutOfTimeError: the time limit was reached between two of them.
    """
    laws: list[FoldedLaw] = []
    for parts, start in families:
        deadline.check()
        law = few_frequencies(parts, start, length, decay, precision)
        if law is None:
            break
        laws.append(law)
    else:
        return laws
    if length > most:
        raise TooLong(length)
    return [convolve(parts, start, length) for parts, start in families]
