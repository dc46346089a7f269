"""The compared privacy definitions: names and properties, in the order of the report.

The grammar of budgets, the columns of summaries, and all other code take the names from here. The
module of the same name in ``frameworks`` computes the guarantee of a definition.
"""

from __future__ import annotations

from typing import Literal, get_args

from semiaudit.frozen import dataclass

FrameworkName = Literal["nominal_dp", "group_privacy", "semi_dp", "subspace_dp", "invariant_dp"]
UniverseName = Literal["D", "D_t"]


@dataclass(frozen=True, slots=True)
class Framework:
    """One compared notion.

    Attributes:
        universe: where the datasets of its pairs lie: all of D, or only the datasets D_t that
            agree with the published invariants.
        budgetable: a budget can limit its numbers.
        per_distance: it states a loss per unit of distance, so that a budget names the distance.
        up_to_a_t: its pairs are those up to the semi-adjacent distance, so that its numbers
            depend on where in its interval a(t) lies.
        of_the_output: it covers the output itself, and so is ordered against the others; else it
            covers the output's projection on the null space of the invariants alone.
    """

    universe: UniverseName
    budgetable: bool = True
    per_distance: bool = False
    up_to_a_t: bool = False
    of_the_output: bool = True


FRAMEWORKS: dict[FrameworkName, Framework] = {
    "nominal_dp": Framework("D"),
    "group_privacy": Framework("D", up_to_a_t=True),
    "semi_dp": Framework("D_t", up_to_a_t=True),
    "subspace_dp": Framework("D", of_the_output=False),
    "invariant_dp": Framework("D_t", per_distance=True),
}

NAMES: tuple[FrameworkName, ...] = get_args(FrameworkName)
BUDGETABLE = tuple(name for name, framework in FRAMEWORKS.items() if framework.budgetable)
PER_DISTANCE = tuple(name for name, framework in FRAMEWORKS.items() if framework.per_distance)
INSIDE_D_T = tuple(name for name, framework in FRAMEWORKS.items() if framework.universe == "D_t")

ADVERTISED: FrameworkName = "nominal_dp"
"""The notion that a mechanism is advertised by."""
LEADING: FrameworkName = "semi_dp"
"""The notion that an audit is made for: where it is refused, nothing is audited. a(t) is its."""
