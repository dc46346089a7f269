"""What a start loads: no more than the spec at hand needs (docs/decisions/0027)."""

from __future__ import annotations

from tests.cli.test_invocations import CENSUS, modules_loaded_by

MOST_MODULES = 442
"""Modules of any origin that the census audit may load; today 438 on Python 3.11."""

MOST_OWN_MODULES = 170
"""Modules of the program, packages included, that the census audit may load; today 169."""

NOT_NEEDED = (
    "numpy",
    "scipy",
    "duckdb",
    "rich",
    "semiaudit.commands.batch",
    "semiaudit.commands.check.command",
    "semiaudit.data.connection",
    "semiaudit.data.query_interrupts",
    "semiaudit.gate",
    "semiaudit.library.spec_argument",
    "semiaudit.privacy.approximations",
    "semiaudit.mechanisms.swapping",
    "semiaudit.mechanisms.topdown",
    "semiaudit.privacy.loss.engine",
    "semiaudit.privacy.loss.pairs",
    "semiaudit.privacy.ordering.matching",
    "semiaudit.privacy.shuffling",
    "semiaudit.report.form.to_json",
    "semiaudit.spec.policy.budget_schema",
    "semiaudit.spec.data.data_schema",
    "semiaudit.spec.mechanism.finite_schema",
    "semiaudit.spec.data.published",
    "semiaudit.spec.mechanism.records_schema",
    "semiaudit.spec.mechanism.swapping_schema",
    "semiaudit.spec.mechanism.topdown_schema",
    "semiaudit.spec.policy.waiver_schema",
    "semiaudit.spec.policy.policy_reader",
    "semiaudit.universe.distance.integer_programs",
    "semiaudit.universe.distance.worst_start",
    "semiaudit.universe.hierarchy",
    "semiaudit.universe.sensitivity.bounds",
    "semiaudit.universe.sensitivity.listed_space",
    "semiaudit.universe.sensitivity.sensitivity_numbers",
    "semiaudit.checking",
)
"""Packages and modules that a margin, a declared guarantee and a text report do not need."""


def test_the_census_audit_loads_nothing_that_its_spec_does_not_need() -> None:
    loaded = modules_loaded_by("analyze", CENSUS)
    assert "semiaudit.auditing.run" in loaded
    assert not loaded & set(NOT_NEEDED)
    assert len(loaded) <= MOST_MODULES
    own = {name for name in loaded if name.partition(".")[0] == "semiaudit"}
    assert len(own) <= MOST_OWN_MODULES
