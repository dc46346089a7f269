"""Errors that changed since commit 3cfefce, for the fingerprints of that time.

Most errors come from the reader of YAML and of data as bare text, so that no ``Wording`` gets
through. Whoever rewords one adds its line here; the fixtures of 3cfefce fail until it is there.
"""

from __future__ import annotations

import re

from semiaudit.model.wording import FIRST

_REFUSALS = {
    "one_dataset": (
        "Dₜ has only one dataset: the invariants disclose it completely, and nothing is protected"
    ),
    "no_paths": (
        "the metric is not an adjacency metric on this dataspace (Definition 1: some "
        "datasets are not linked by steps of distance 1), so nothing follows for "
        "distances above 1"
    ),
    "no_null_space": (
        "the invariants are not linear in the query, so there is no null space for its noise"
    ),
    "keeps": (
        "its noise keeps the invariants, so the output alone always distinguishes "
        "datasets whose invariants differ, and no number is finite"
    ),
    "made_inside": (
        "its noise is designed for datasets that agree on the invariants; for others, no "
        "number is proven"
    ),
    "no_distance": "the distance that the support of its noise is designed for is not known",
    "parts": (
        "Dₜ is not connected at the distance: the support of its noise reveals in which "
        "part a dataset is, which no number here covers (erratum E9); use support: "
        "null_space"
    ),
    "maybe_parts": (
        "Dₜ is not shown to be connected at the distance; if it is not, the support of "
        "its noise reveals in which part a dataset is (erratum E9); use support: "
        "null_space"
    ),
    "leaves": (
        "the change of one record, projected on the null space of the invariants, leaves "
        "the support of its noise: an attacker can always distinguish such neighboring "
        "datasets"
    ),
    "unlisted": "the changes of its query are too many to list, so no number follows",
    "step_outside": (
        "its noise does not cover some change of one record: an attacker can always "
        "distinguish such neighboring datasets"
    ),
    "pair_outside": (
        "its noise does not cover the difference of some two datasets of Dₜ within the "
        "distance: an attacker can always distinguish them"
    ),
    "output_shows": (
        "every output is possible in one universe only: it reveals the invariants, so an "
        "attacker can always distinguish datasets whose invariants differ"
    ),
    "swapping_shows": (
        "swapping keeps the counts of every stratum by what is exchanged, and by the "
        "rest: its output always distinguishes datasets whose counts differ"
    ),
    "swapping_unpublished": (
        "the invariants lack counts that swapping keeps, so its output always "
        "distinguishes datasets whose counts differ"
    ),
    "single_strata": (
        "no stratum has two records: what swapping keeps reveals every record "
        "completely, and nothing is protected"
    ),
    "no_rate": "the swap rate is not calibrated yet",
}
"""By the name of the first sentence, why there may be no effective guarantee, as errors say it."""

_NO_GUARANTEE = "no effective guarantee is proven: "
_NOT_STATED = "semi_dp is not stated: "
_REMEDY = "(; .*)?"

REWORDED_ERRORS: tuple[tuple[str, str], ...] = (
    *(
        (re.escape(_NO_GUARANTEE + today) + _REMEDY, _NOT_STATED + FIRST[first] + r"\1")
        for first, today in _REFUSALS.items()
    ),
    (
        re.escape(_NO_GUARANTEE) + r"a\(t\) is not established: it is at least (\d+), and its only "
        r"upper bound is the size of the datasets \((\d+)\)(.*)",
        _NOT_STATED + FIRST["no_established_a"].format(lower=r"\1", upper=r"\2") + r"\3",
    ),
    (re.escape(_NO_GUARANTEE) + "(.*)", _NOT_STATED + r"\1"),
)
"""A pattern of today's message, and what it was at 3cfefce; the first that fits counts."""


def first_words_of_error(today: str) -> str:
    """What 3cfefce said of a spec that cannot be audited, where it is said in other words today."""
    for pattern, first in REWORDED_ERRORS:
        match = re.fullmatch(pattern, today)
        if match is not None:
            return match.expand(first)
    return today
