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
        """The first point of the window."""

    @property
    def length(self) -> int:
        """How many points it has, a power of two."""

    @property
    def everywhere(self) -> bool:
        """Whether tails from every point of the window cost no more than one."""

    def discounted(self, first: int, x: float, step: float, tilt: float) -> tuple[float, float]:
        """The sum of w_p exp(-tilt x_p) (1 - exp(-x_p)) from a point on, and its error.

        Args:
            first: the point, at ``start`` or later.
            x: x_p at that point, positive; each later one is ``step`` more.
        """

    def tails(self, firsts: Integers, x: Floats, step: float, tilt: float) -> tuple[Floats, Floats]:
        """For each point the sum of w_p exp(-tilt x_p) from it to a common end, and its error.

        Args:
            firsts: points of the window, rising, shape (n,); neighbors, if tails are to be had
                everywhere. The common end is behind the last one, or the window's.
            x: x_p at these points, shape (n,), in the same steps.
        """

    def tails_at(self, firsts: Integers, step: float, tilt: float) -> tuple[Floats, Floats]:
        """For each point the sum of w_p exp(-tilt d_p) from it to the window's end, and its error.

        Args:
            firsts: points of the window that never fall, shape (n,). d_p is the distance of p.
        """

    def discounted_at(
        self, firsts: Integers, x: Floats, step: float, tilt: float
    ) -> tuple[Floats, Floats]:
        """What ``discounted`` returns at each of many points, at little more than the cost of one.

        Args:
            firsts: points of the window that never fall, shape (n,).
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
    """The law of the sum of each family of parts, all by the same way: the quickest for all.

    Args:
        families: tilted weights, with how often each occurs; and where its window starts.
        length: of all windows, a power of two.
        decay: tilt times step, which says what the laws are summed against.
        precision: relative error that the sums may have.
        most: the longest window whose points may all be listed.

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
