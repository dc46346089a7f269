"""Errors of today in the words of 3cfefce, for the first version of fingerprints."""

from __future__ import annotations

import re

from semiaudit.model.wording import FIRST


def first_words_of_error(today: str) -> str:
    """What 3cfefce said of a spec that cannot be audited, where it is said in other words today."""
    for pattern, first in REWORDED_ERRORS:
        today = re.sub(rf"(?:^|(?<=[:;] ))(?:{pattern})(?=; |$)", first, today)
    return today


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
        "in every stratum, swapping keeps the counts of the exchanged attributes and those of the "
        "other attributes: its output always distinguishes datasets whose counts differ"
    ),
    "swapping_unpublished": (
        "the invariants do not include all counts that swapping keeps, so its output always "
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
    # Refusals of an audit.
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
    (
        r"add (largest_stratum, the data), or dataspace\.size",
        r"give \1 or dataspace.size",
    ),
    # Mechanisms.
    (
        r"finite has a row for each answer, but there are too many datasets to enumerate",
        "finite has a row for each answer, and the datasets are too many to be enumerated",
    ),
    (
        r"add dataspace\.size, or use fewer records or cells",
        "give dataspace.size, fewer records or fewer cells",
    ),
    (r"add a row for each one that can occur", "give every one its row"),
    (
        r"finite has rows for datasets, but the dataspace does not list its datasets",
        "finite has rows of datasets, and the dataspace lists none",
    ),
    (
        r"(\w+ noise is for whole numbers), but a shift is not a whole number",
        r"\1, and a shift is none",
    ),
    (r"use whole numbers as shifts", "give whole shifts"),
    (
        r"can be checked only if the spec alone determines the rho of every part",
        "is checked for parts whose rho the spec alone tells",
    ),
    (
        r"use (zcdp, gdp,) or (Gaussian noise with shifts, or) remove it",
        r"use \1 and \2 leave it out",
    ),
    (
        r"the sizes in strata differ from those of the data, which have (\d+) strata",
        r"strata are not those of the data, which have \1",
    ),
    (
        r"(largest_stratum is \d+), but the data have a larger stratum",
        r"\1, and the data have a larger one",
    ),
    (r"(correct the size or the data), or remove the size", r"\1, or leave the size out"),
    # The reader of data.
    (r"(an? (?:empty )?value) is not a level", r"\1 is no level"),
    (r"remove the space at the [^;]*; (its levels are [^;]*)", r"\1"),
    (r"a value is not a (count|whole number)", r"a value is no \1"),
    (
        r"add it, or name one of the (\d+) columns under data, such as `columns: [^;]*`",
        r"add it, or rename one of the \1 columns",
    ),
    (
        r"rename the attribute, or name the column of counts in data\.columns",
        "rename the attribute, or say in data.columns what holds the counts",
    ),
    (
        r"contains more than (\d+) different values that are not levels",
        r"holds more than \1 different values that are no levels",
    ),
    (r"fix the others first", "mend the others first"),
    (r"is not (?:a )?CSV( record)? \((.*)\)", r"is no CSV\1 (\2)"),
    (r"contains (NUL bytes, as UTF-16 and binary files do|text that is not UTF-8)", r"holds \1"),
    (r"the URL of (\w+) contains (options|credentials)", r"the URL of \1 holds \2"),
    (
        r"the engine is not a connection URL of a known engine",
        "the engine is no connection URL of a known engine",
    ),
    (r"is not a database file of (\w+)", r"is no database file of \1"),
    (
        r"is in WAL mode, in which reading writes other files",
        "is in WAL mode, in which reading writes files beside it",
    ),
    (
        r"was not closed: it still has a log of changes",
        "was not closed: a log of changes stands beside it",
    ),
    # The reader of specs, policies, and waivers.
    (
        r"is not an? (mapping(?: of margins)?|mechanism|value|row|first row|list of releases|"
        r"known version|name for an attribute|dataset(?: of the dataspace)?|probability|"
        r"number|whole number|pair of parent and level|order of the attributes|"
        r"heading(?: of an allocation)?|semiaudit_\w+ file|nested attribute|condition)",
        r"is no \1",
    ),
    (
        r"([^;]*) is not an? (attribute; give its name.*|number; write an int.*|"
        r"number of levels; give a number or a list|invariant; write total.*|query; .*|"
        r"list of names; give names of attributes|date; write it as .*|SHA-256; write the 64.*|"
        r"range of the levels 0 to \d+|probability)",
        r"\1 is no \2",
    ),
    (r"bins is not a mapping", "bins is no mapping"),
    (r"the bin ([^;]*) is not a pair", r"the bin \1 is no pair"),
    (r"(levels )?is neither a file nor a (list|mapping)( [^;]*)", r"\1is no file and no \2\3"),
    (r"contains a value that is not a (level|record)", r"holds what is no \1"),
    (
        r"contains a control character: the file is binary or damaged",
        "holds a control character: it is binary or damaged",
    ),
    (
        r"contains a control character or a line break; remove it",
        "holds a control character or a line break; leave it out",
    ),
    (
        r"is empty or contains control characters; write plain text",
        "is empty or holds control characters; mend it",
    ),
    (r"needs exactly one (kind|form|limit)", r"has not exactly one \1"),
    (
        r"lies within ([^;]*), which is not an attribute outside of it",
        r"lies within \1, which is no attribute outside of it",
    ),
    (r"no tradeoff function is above 1 - a", "no tradeoff function lies above 1 - a"),
    (r"([^;]*), so that it is not a covariance", r"\1, so that it is no covariance"),
    (r"has a key that is not a word", "has a key that is no word"),
    (r"do not determine ([^;]*)", r"do not tell \1"),
    (r"cannot be combined with (releases|mechanism)", r"stands beside \1"),
    (r"needs a dataspace of the release", "stands without a dataspace of the release"),
    (
        r"is for files of waivers, and this waiver is in a spec",
        "stands in a spec, and speaks of it alone",
    ),
    (
        r"describes columns, but there is no table and there are no records",
        "speaks of the columns of a table or of records",
    ),
    (
        r"is the column of ([^;]*), so that ([^;]*) has no column",
        r"stands for \1, so that nothing holds \2",
    ),
    (
        r"total_rho is only for compose; remove it",
        "total_rho stands beside compose only; leave it out",
    ),
    (r"does not specify noise that can be audited", "states no noise that could be audited"),
    (r"the strata are not attributes(, [^;]*)", r"the strata are no attributes\1"),
    (
        r"([^;]*) defines the strata, so that all records of a stratum agree on it",
        r"\1 tells the strata, so that all records of one agree on it",
    ),
    (
        r"does not distinguish any records: one group contains all of them",
        "tells nothing apart: one group holds everything",
    ),
    (r"((?:[^;]* )?)does not distinguish any records(: [^;]*)", r"\1tells nothing apart\2"),
    (
        r"([^;]*) uses the geography, which the levels distinguish",
        r"\1 looks at the geography, which the levels tell apart",
    ),
    (
        r"([^;]*) is geography, which the levels distinguish",
        r"\1 is geography, which the levels tell apart",
    ),
    (
        r"repeats the level and query of an earlier row",
        "stands for a level and query that a row before has",
    ),
    (r"add global_scale or rho", "give global_scale or rho beside it"),
    # The time limit.
    (r"the time limit was reached before it was done", "the time limit struck before it was done"),
)
"""Errors that changed since 3cfefce: a pattern of today's words, and what they were then.

A pattern covers whole clauses: what is wrong, or what to do. Most errors come from the reader of
YAML and of data as bare text, so that no ``Wording`` gets through. If you reword an error, add its
line here; the fixtures of 3cfefce fail until it is there.
"""
