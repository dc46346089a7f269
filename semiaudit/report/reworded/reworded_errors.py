"""Errors of today in the words of 3cfefce, for the first version of fingerprints."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from semiaudit.model.wording import FIRST
from semiaudit.report.reworded.reworded_spec_errors import REWORDED_SPEC_ERRORS


def first_words_of_error(today: str) -> str:
    """Return the words that commit 3cfefce used for an error of a spec, given those of today."""
    for pattern, first in REWORDED_ERRORS:
        today = re.sub(rf"(?:^|(?<=[:;] ))(?:{pattern})(?=; |$)", first, today)
    return today


def _as_ratios(found: re.Match[str]) -> str:
    """A range in ratios of whole numbers, each cut if it is long, as errors were before."""

    def ratio(word: str) -> str:
        text = word if word.endswith("...") else str(Fraction(word))
        return text if len(text) <= 40 else f"{text[:37]}..."

    return re.sub(r"(?<!\S)-?\d\S*", lambda number: ratio(number[0]), found[0])


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

REWORDED_ERRORS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
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
        r"rename it, or name one of the (\d+) columns under data: `columns: [^;]*`",
        r"add it, or rename one of the \1 columns",
    ),
    (r"the column is missing: the file has [^;]*", "the column is missing"),
    *(
        # What to write for a number, a list, or a file of another kind.
        (rf"write {number}", "give a number such as 2.56, 1e-10 or 1/3")
        for number in (
            r"\S+ with a decimal point",
            r"\S+ without separators",
            r"\S+ without separators, or \S+ with a decimal point",
        )
    ),
    (r"(known are [^;]*), or write \S+ with a decimal point", r"\1"),
    (r"write `\w+: \[[^;]*\]`", "correct it"),
    (r"write a spec for this CSV file with `[^;]*`", "begin with `semiaudit: 1`"),
    (r"give one, such as 500", "give one"),
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
    (
        r"has more than ([^;]*) datasets, the limit for enumeration",
        r"has more datasets than the \1 that are enumerated",
    ),
    (
        r"describe it by attributes, or use a smaller one",
        "describe it by attributes, or make it smaller",
    ),
    (
        r"publish their joint margin, or use fewer levels",
        "publish their joint margin, or describe them by fewer levels",
    ),
    (r"no table satisfies the public bounds", "the public bounds leave no table"),
    (
        r"add dataspace\.size, or add total to the invariants",
        "give dataspace.size, or add total to the invariants",
    ),
    (r"no dataset satisfies the public bounds", "the public bounds rule out every dataset"),
    (
        r"remove them: a spec cannot configure an engine",
        "write none: a spec may not set up an engine",
    ),
    (r"write host, port, and database", "write host, port and database"),
    (r"the environment names another server", "the caller names no such server"),
    (r"the environment names no server", "the caller names no server"),
    (r"name one, or use another engine", "name one, or another engine"),
    (
        r"close the programs that write to it, so that the log is written into the database",
        "close what writes to it, and let it write the log into the database",
    ),
    (
        r"the engine has too little memory or disk space for it([^;]*)",
        r"the engine has no memory or disk space for it\1",
    ),
    (r"rename it so that its name ends in \.parquet", "let its name end in .parquet"),
    (r"does not separate its columns by commas", "separates its columns by no comma"),
    (
        r"write them in the first line, separated by commas",
        "write them in the first line, between commas",
    ),
    (r"wait until no program changes it, and audit again", "let it rest, and audit again"),
    (
        r"put values that contain quotes in quotes, and double the quotes inside",
        "put values with quotes in quotes",
    ),
    (r"mixes different line endings", "mixes kinds of line ends"),
    (r"use the same line ending everywhere", "end every line with a line feed"),
    (
        r"add or remove values; values with commas need quotes",
        "give every column one value; values with commas need quotes",
    ),
    (
        r"has a type that can be neither a level nor a count",
        "has a type that no level and no count has",
    ),
    (
        r"its name does not end in \.csv or \.parquet",
        "its name ends neither in .csv nor in .parquet",
    ),
    (r"convert the data to CSV or Parquet", "convert the data to one of the two"),
    (r"add a header and rows", "give it a header and some data"),
    (r"check whether the file is complete", "see whether it is whole"),
    (
        r"the sum of the counts can be too large for 64 bits",
        "the counts may sum to more than 64 bits hold",
    ),
    (r"export the table to a file, and read that", "read the table from a file"),
    (r"check whether the engine can read it", "see whether the engine can"),
    (r"add rows", "give it some data"),
    (r"use a table that no program changes", "give a table that nobody writes to"),
    (
        r"have ([^;]*) records, but dataspace\.size is ([^;]*)",
        r"hold \1 records and dataspace.size is \2",
    ),
    (
        r"do not have the ([^;]*) records of dataspace\.size",
        r"do not hold the \1 records of dataspace.size",
    ),
    (
        r"(the attributes [^;]*) must be counted together, and they have too many cells([^;]*)",
        r"\1 hang together and have too many cells\2",
    ),
    (
        r"(\w+) compares datasets of equal size, but the spec does not fix the size",
        r"\1 compares datasets of one size, which nothing fixes",
    ),
    (r"(add dataspace\.attributes, or) use (shifts instead of a query)", r"\1 give \2"),
    (
        r"check whether the column is the attribute; (its levels are [^;]*)",
        r"see whether the column is the attribute; \1",
    ),
    (
        r"remove them, and set them in the variable (\w+)",
        r"write none: they are read from \1",
    ),
    # The reader of specs, policies, and waivers.
    (r"\S+ is out of range; give (?:above|at least) \S+ and (?:below|at most) \S+", _as_ratios),
    *REWORDED_SPEC_ERRORS,
    (r"write the value out, or quote a value that begins with \*", "write the value out"),
    (r"quote a value that begins with \*", "correct the syntax"),
    (r"name a file in it", "name a spec file in it"),
    # The time limit.
    (r"the time limit was reached before it was done", "the time limit struck before it was done"),
)
"""Errors that changed since 3cfefce: a pattern of today's words, and what they were then.

A pattern covers whole clauses: what is wrong, or what to do. Most errors come from the reader of
YAML and of data as bare text, so that no ``Wording`` gets through. If you reword an error, add its
line here; the fixtures of 3cfefce fail until it is there.
"""
