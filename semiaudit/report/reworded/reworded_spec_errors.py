"""Errors in specs, policies, and waivers in the words of 3cfefce, as in ``reworded_errors``."""

from __future__ import annotations

REWORDED_SPEC_ERRORS: tuple[tuple[str, str], ...] = (
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
        r"([^;]*) defines the strata, so all records of a stratum agree on it",
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
    (r"delta is for a limit on epsilon only; remove it", "delta goes with epsilon; remove it"),
    (r"tpr and fpr need each other; give both", "tpr and fpr go together; give both"),
    (
        r"lists its datasets, but other records need a table over attributes",
        "lists its datasets, and other records are those of a table",
    ),
    (
        r"the largest ([^;]*) distance of ([^;]*) records is ([^;]*)",
        r"\1 distances of \2 records go to \3",
    ),
    (r"(\d+) is larger than every distance", r"\1 is beyond the data"),
    (r"repeats the level ([^;]*) of ([^;]*)", r"is the level \1 of \2 again"),
    (
        r"put each number in one bin only: a bin includes both of its ends",
        "let no number be in two bins; ends are included",
    ),
    (
        r"contains ([^;]*), which is another level of ([^;]*)",
        r"holds \1, which is another level of \2",
    ),
    (r"end the bin before it", "let the bin end before it"),
    (r"give each level a bin, or name the levels", "give every level its bin, or name the levels"),
    (r"the type I errors do not increase", "the type I errors do not rise"),
    (r"the type II errors do not decrease", "the type II errors do not fall"),
    (
        r"has neither a query nor an explicit dataspace, so the dataset of each row is unknown",
        "has neither a query nor an explicit dataspace, so that no row is anyone's",
    ),
    (
        r"list the dataset or answer of each row of probabilities",
        "list what each row of probabilities is of",
    ),
    (
        r"has ([^;]*) entries, but the query has ([^;]*) coordinates",
        r"has \1 entries and the query \2 coordinates",
    ),
    (r"give one count for each coordinate", "give one count a coordinate"),
    (r"give a row for each dataset", "give every dataset its row"),
    (
        r"is missing; with a query, each row is for an answer",
        "is missing; with a query every row is that of an answer",
    ),
    (r"needs the dataset of each of its rows", "needs the datasets that its rows are of"),
    (r"has ([^;]*) entries, but the first row has ([^;]*)", r"has \1 entries and the first row \2"),
    (r"give one entry for each outcome in every row", "give every row one entry for each outcome"),
    (
        r"has ([^;]*) rows, but the dataspace has ([^;]*) datasets",
        r"has \1 rows, and the dataspace \2 datasets",
    ),
    (r"has ([^;]*) entries, but values has ([^;]*)", r"has \1 entries and values \2"),
    (r"give a probability for each value", "give every value its probability"),
    (
        r"is for counts, but the matrix has negative entries",
        "is of counts, and the matrix has negative entries",
    ),
    (r"use entries of 0 or more", "use rows of 0 and more"),
    (
        r"a first row with count and the values, and a row for each count from 0",
        "a row: count, then the values; and a row for each count from 0 on",
    ),
    (r"has ([^;]*) entries, but the first row has ([^;]*)", r"has \1 entries and the first row \2"),
    (r"is beyond the largest number of rows", "is one row too many"),
    (r"give a row for each count from 0", "give a row for each count from 0 on"),
    (r"is ([^;]*), but the table has ([^;]*) counts", r"is \1, and the table has \2 counts"),
    (
        r"use at most the number of counts: so many of the last rows repeat",
        "let some of the table's last rows repeat",
    ),
    (r"has ([^;]*) rows, but rows names ([^;]*)", r"has \1 rows, and rows names \2"),
    (
        r"has no distribution; give values and probabilities, or a table",
        "has no law; give values and probabilities, or a table",
    ),
    (r"period is for a table only; remove it", "period goes with a table; leave it out"),
    (
        r"a table needs the counts of a query; give a query instead of shifts",
        "a table is of counts, and shifts are none; give a query",
    ),
    (r"name what is published", "say what is published"),
    (
        r"give one entry for each cell, in the order of the attributes",
        "give one entry a cell, in the order of the attributes",
    ),
    (
        r"give one entry for each coordinate of the query",
        "give one entry a coordinate of the query",
    ),
    (
        r"([^;]*) needs a query; give a query instead of shifts",
        r"\1 needs a query, and shifts are none; give a query",
    ),
    (
        r"needs the dataspace of a spec, because it has a query",
        "asks a query, which needs the dataspace of a spec",
    ),
    (r"or use shifts for the noise", "or give noise its shifts"),
    (r"is for a query of ([^;]*) coordinates", r"is over a query of \1 coordinates"),
    (r"use at most ([^;]*), or use a support", r"ask for at most \1, or use a support"),
    (r"has an order, but no table", "has an order and no table"),
    (r"give one entry for each level, in order", "give one entry a level, in order"),
    (r"give a count for each level, even if it is 0", "give every level its count, 0 included"),
    (r"requires nothing", "demands nothing"),
    (r"does not name its spec", "does not say of which spec"),
    (
        r"give the published values in one way: counts, margins, table, records, or dataset",
        "give t in one way: counts, margins, table, records or dataset",
    ),
    (r"is only for explicit dataspaces", "fits explicit dataspaces only"),
    (
        r"has ([^;]*) records, but the datasets of the dataspace have ([^;]*)",
        r"has \1 records and the dataspace \2",
    ),
    (
        r"margin ([^;]*) sums to ([^;]*), but margin ([^;]*) sums to ([^;]*)",
        r"margin \1 sums to \2 and margin \3 to \4",
    ),
    (r"sums to ([^;]*), but dataspace\.size is ([^;]*)", r"sums to \1 and dataspace.size is \2"),
    (
        r"have ([^;]*) that dataspace\.impossible rules out: ([^;]*)",
        r"have \1 where dataspace.impossible says none: \2",
    ),
    (
        r"needs a table over attributes, but the dataspace lists its datasets",
        "needs a table over attributes, and the dataspace lists its datasets",
    ),
    (
        r"add dataspace\.attributes, or use shifts instead of a query",
        "add dataspace.attributes, or give shifts instead of a query",
    ),
    (r"repeats an earlier margin", "is the same margin as one before it"),
    (
        r"every record reports in its own place, but ([^;]*) does not compare places",
        r"every record answers in its place, which \1 does not know",
    ),
    (
        r"the number of reports is public, but under symmetric_difference it can change",
        "the number of reports is public, which symmetric_difference lets change",
    ),
    (r"use the number of records: every record reports once", "every record reports once"),
    (r"is text in the registry, not a number", "is text to the registry, and not a number"),
    (
        r"has one stratum with all records, and also sizes of strata; remove one of them",
        "has one stratum of all records, and sizes of strata; leave one out",
    ),
    (
        r"exchanges ([^;]*), but not ([^;]*), which is within it",
        r"exchanges \1, and \2, which lies within it, stays",
    ),
    (
        r"exchanges ([^;]*) between levels of ([^;]*), which contains it",
        r"exchanges \1, which lies within \2, across its levels",
    ),
    (
        r"names ([^;]*) strata, but stratify_by has ([^;]*) combinations of levels",
        r"names \1 strata, and stratify_by has \2 levels",
    ),
    (r"sum to ([^;]*), but dataspace\.size is ([^;]*)", r"sum to \1 and dataspace.size is \2"),
    (
        r"is more than the ([^;]*) records of the dataspace",
        r"is beyond the \1 records of the dataspace",
    ),
    (r"has ([^;]*) entries, but the heading has ([^;]*)", r"has \1 entries and the heading \2"),
    (r"give one entry for each column", "give one entry a column"),
    (r"give one row for each level and query", "give each level and query one row"),
    (r"remove it: it has no privacy loss", "leave it out: it costs nothing"),
    (r"has shares, but the total is missing", "has shares, and nothing says of how much"),
    (
        r"is only for shares, but the allocation gives rho",
        "goes with shares, and the allocation has rho itself",
    ),
    (r"is not the sum of the allocation, ([^;]*)", r"is not what the allocation adds up to, \1"),
    (
        r"differs from the level_share in the first row of its level",
        "has another level_share than its level's first row",
    ),
    (
        r"the level_share of ([^;]*) differs from that of its first row",
        r"the level_share of \1 is not that of its first row",
    ),
    (r"([^;]*) is split, but ([^;]*) has no unit in it", r"\1 is split, and \2 has no unit in it"),
    (
        r"([^;]*) is split, but all of it is one unit of ([^;]*): ([^;]*)",
        r"\1 is split, and all of it is one unit of \2, \3",
    ),
    (
        r"counts no record: everything that it names is impossible",
        "counts no record: all that it names is impossible",
    ),
    (
        r"needs the levels of attributes, but the dataspace lists its datasets",
        "asks for levels of attributes, and the dataspace lists its datasets",
    ),
    (
        r"needs the levels of attributes, and so the dataspace of a spec",
        "asks for levels of attributes, which needs the dataspace of a spec",
    ),
    (
        r"is for records that change, but this metric adds and removes records",
        "is for records that change, and under this metric they come and go",
    ),
    (r"([^;:]*) is not one of its attributes", r"\1 is not one of the attributes that it looks at"),
    (r"remove something from it, or add a group", "leave something out of it, or add a group"),
    (
        r"accepts no number; add accepted: the largest value that is accepted",
        "accepts no number; add accepted: the largest value that may stand",
    ),
    (
        r"does not name its budget; add framework and measure",
        "does not say of which budget; add framework and measure",
    ),
    (
        r"delta is for measure: epsilon only; remove it",
        "delta goes with measure: epsilon; remove it",
    ),
    (
        r"has no delta; add delta \(0 for pure DP\)",
        "does not say at which delta; add delta (0 for pure DP)",
    ),
    (
        r"fpr is for measure: tpr only, which needs it; add or remove it",
        "fpr goes with measure: tpr, which needs it; add or remove it",
    ),
    (r"a_t is for (\w+) only; name that framework", r"a_t goes with \1; name that framework"),
    (
        r"distance is for ([^;]*) only, which needs it; add or remove it",
        r"distance goes with \1, which needs it; add or remove it",
    ),
    (r"([^;]*) (is|are) in the column ([^;]*) too", r"\1 \2 held by the column \3 too"),
    (r"has (\d+ entr(?:y|ies)), but (the (?:table|query)) has ([^;]*)", r"has \1 and \2 \3"),
    (r"(has \d+ rows?), but the query has (\d+) coordinates", r"\1 and \2 columns"),
    (
        r"(has a support, and the noise of a hull of D_t) is in its span already",
        r"\1 lives in its span",
    ),
    (r"(is (?:a list|a mapping|[^;]*)), but (\S+ has \d+ levels)", r"\1 where \2"),
    (
        r"(have [^;]*) that dataspace\.impossible rules out(: [^;]*)",
        r"\1 where dataspace.impossible says none\2",
    ),
    (r"(have [^;]* whose [^;]*) is (in another[^;]*)", r"\1 lies \2"),
    (
        r"(needs a table over attributes|is a table over attributes|names attributes|swapping "
        r"exchanges the values of attributes), but the dataspace has no attributes",
        r"\1, and the dataspace has none",
    ),
    (r"(swapping exchanges the values of attributes), but (names none)", r"\1, and \2"),
    (
        r"the strata are no attributes, so the counts that swapping keeps are unknown",
        "the strata are no attributes, so that what swapping keeps cannot be counted",
    ),
    (r"(it names every level, so) (every record counts)", r"\1 that \2"),
    (
        r"is above the line between its neighboring points, so the function is not convex",
        "lies above its neighbours' line: not convex",
    ),
    (
        r"([^;]*) refers to the cells of a table, but the dataspace is explicit",
        r"\1 speaks of the cells of a table, and the dataspace is explicit",
    ),
    (r"([^;]*) is not a count of a table", r"\1 is no count of a table"),
)
"""A pattern of today's words, and what they were then."""
