"""Errors that were reworded keep the words that their earlier fingerprints hash."""

from __future__ import annotations

import pytest

from semiaudit.auditing.findings import NOT_PROVEN
from semiaudit.frameworks import context
from semiaudit.mechanisms import subspace_noise, supports
from semiaudit.mechanisms.finite import finite_kind
from semiaudit.mechanisms.swapping import swapping_kind as swapping
from semiaudit.model.wording import Wording
from semiaudit.report.reworded.reworded_errors import first_words_of_error


@pytest.mark.parametrize(
    "refusal",
    [
        found
        for module in (context, finite_kind, subspace_noise, supports, swapping)
        for found in vars(module).values()
        if isinstance(found, Wording)
    ],
)
def test_an_error_that_gives_a_refusal_has_its_first_words(refusal: Wording) -> None:
    today = f"{NOT_PROVEN}: {refusal}; see the findings"
    assert (
        first_words_of_error(today) == f"semi_dp is not stated: {refusal.first}; see the findings"
    )


def test_an_error_that_gives_an_interval_has_its_first_words() -> None:
    today = (
        f"{NOT_PROVEN}: a(t) is not established: it is at least 2, and its only upper bound is the "
        "size of the datasets (60); see the findings"
    )
    assert first_words_of_error(today) == (
        "semi_dp is not stated: a(t) is not established: it is at least 2, and nothing but the "
        "size of the datasets bounds it from above (by 60); see the findings"
    )


@pytest.mark.parametrize(
    ("today", "first"),
    [
        (
            "data: have 7 records, but dataspace.size is 9; correct one",
            "data: hold 7 records and dataspace.size is 9; correct one",
        ),
        (
            "adjacency.distance: 5 is larger than every distance; the largest hamming distance of "
            "4 records is 4",
            "adjacency.distance: 5 is beyond the data; hamming distances of 4 records go to 4",
        ),
        (
            "data.margins: margin b sums to 4, but margin a sums to 3; correct the counts: they "
            "contradict each other",
            "data.margins: margin b sums to 4 and margin a to 3; correct the counts: they "
            "contradict each other",
        ),
        (
            "data.counts[1]: is a list of 2, but b has 3 levels; give one entry for each level, "
            "in order",
            "data.counts[1]: is a list of 2 where b has 3 levels; give one entry a level, in order",
        ),
        (
            "invariants[0].linear[0]: has 3 entries, but the table has 4 cells; give one entry for "
            "each cell, in the order of the attributes",
            "invariants[0].linear[0]: has 3 entries and the table 4 cells; give one entry a cell, "
            "in the order of the attributes",
        ),
        (
            "mechanism.gaussian.covariance: has 1 row, but the query has 2 coordinates; give a row "
            "for each coordinate",
            "mechanism.gaussian.covariance: has 1 row and 2 columns; give a row for each "
            "coordinate",
        ),
        (
            "mechanism.finite.rows[1]: has 1 entries, but the query has 2 coordinates; give one "
            "count for each coordinate",
            "mechanism.finite.rows[1]: has 1 entries and the query 2 coordinates; give one count a "
            "coordinate",
        ),
        (
            "mechanism: discrete_laplace noise is for whole numbers, but a shift is not a whole "
            "number; use whole numbers as shifts",
            "mechanism: discrete_laplace noise is for whole numbers, and a shift is none; give "
            "whole shifts",
        ),
        (
            "mechanism.swapping: swapping exchanges the values of attributes, but the dataspace "
            "has no attributes; describe the dataspace by attributes",
            "mechanism.swapping: swapping exchanges the values of attributes, and the dataspace "
            "has none; describe the dataspace by attributes",
        ),
        (
            "mechanism.swapping: the strata are not attributes, so the counts that swapping keeps "
            "are unknown; add stratify_by, or leave out dataspace.attributes",
            "mechanism.swapping: the strata are no attributes, so that what swapping keeps cannot "
            "be counted; add stratify_by, or leave out dataspace.attributes",
        ),
        (
            "mechanism.swapping.strata: names 7 strata, but stratify_by has 6 combinations of "
            "levels; correct one",
            "mechanism.swapping.strata: names 7 strata, and stratify_by has 6 levels; correct one",
        ),
        (
            "data.table: the engine has too little memory or disk space for it (OutOfMemory); "
            "read a smaller table",
            "data.table: the engine has no memory or disk space for it (OutOfMemory); read a "
            "smaller table",
        ),
        (
            "state: a value is not a level; check whether the column is the attribute; its levels "
            "are 0 to 2",
            "state: a value is no level; see whether the column is the attribute; its levels are "
            "0 to 2",
        ),
        (
            "invariants[1]: statistic max of value is not a count of a table; use count or "
            "linear, or an explicit dataspace",
            "invariants[1]: statistic max of value is no count of a table; use count or linear, "
            "or an explicit dataspace",
        ),
        (
            "mechanism.topdown.queries.x.where.a: does not distinguish any records: it names every "
            "level, so every record counts; leave it out, or correct it",
            "mechanism.topdown.queries.x.where.a: tells nothing apart: it names every level, so "
            "that every record counts; leave it out, or correct it",
        ),
        (
            "budgets[4]: distance is for group_privacy and invariant_dp only, which needs it; add "
            "or remove it",
            "budgets[4]: distance goes with group_privacy and invariant_dp, which needs it; add or "
            "remove it",
        ),
    ],
)
def test_an_error_with_parts_of_its_own_has_its_first_words(today: str, first: str) -> None:
    assert first_words_of_error(today) == first
