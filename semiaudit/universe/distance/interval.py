"""One definition of a(t) as an interval, with two tables over classes that prove its lower bound.

The model's ``Parameter`` is the same interval in a report: its witness names cells as the spec
does, and it names its method.
"""

from __future__ import annotations

from semiaudit.frozen import dataclass
from semiaudit.universe.system.classes_of_cells import Table


@dataclass(frozen=True, slots=True)
class ParameterInterval:
    """Bounds lower <= a(t) <= upper by one definition, over the given tables.

    Attributes:
        lower: 0 or more, proven.
        upper: None if no finite bound is proven, or none is known yet.
        start, end: tables of X and Y that prove the lower bound; None if none are known, or the
            lower bound is 0.
        classes: the classes of x and y; equal if x only changes inside its class.
    """

    lower: int
    upper: int | None = None
    start: Table | None = None
    end: Table | None = None
    classes: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Readings:
    """Both definitions of a(t), and Remark 14's values.

    Attributes:
        covering, definition_13: the two definitions.
        a_min, a_maxmin: the least and the largest distance of a dataset to the nearest other one;
            None for one dataset, and if they are not computed.
    """

    covering: ParameterInterval
    definition_13: ParameterInterval
    a_min: int | None = None
    a_maxmin: int | None = None
