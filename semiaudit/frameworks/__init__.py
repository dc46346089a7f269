"""The compared notions of privacy, a file each, in the order of the report."""

from __future__ import annotations

from collections.abc import Callable

from semiaudit.frameworks.context import Context
from semiaudit.frameworks.group_privacy import group_privacy
from semiaudit.frameworks.invariant_dp import invariant_dp
from semiaudit.frameworks.nominal import nominal_dp
from semiaudit.frameworks.semi_dp import semi_dp
from semiaudit.frameworks.subspace_dp import subspace_dp
from semiaudit.model.guarantee import Guarantee

FRAMEWORKS: dict[str, Callable[[Context], Guarantee]] = {
    "nominal_dp": nominal_dp,
    "group_privacy": group_privacy,
    "semi_dp": semi_dp,
    "subspace_dp": subspace_dp,
    "invariant_dp": invariant_dp,
}
