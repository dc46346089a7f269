"""Sentences for people, each with the words that it had first.

SARIF files written at commit 3cfefce hold ``semiaudit/v1`` fingerprints, which hash the sentence
of that time. ``FIRST`` freezes those sentences, for nothing but that fingerprint: change what
people read where the ``Wording`` is made, and never here. A sentence that is new since then needs
no entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


class Wording(str):
    """A sentence as people read it today.

    Attributes:
        first: the sentence of 3cfefce for the same; this one where there was none.
    """

    __slots__ = ("first",)
    first: str

    def __new__(cls, today: str, first: str = "", **values: object) -> Wording:
        """A sentence.

        Args:
            today: as people read it.
            first: its name in ``FIRST``; empty where it is new since 3cfefce.
            values: what the first sentence is completed with, each by its own first words.
        """
        made = super().__new__(cls, today)
        known = {name: first_words(str_of(value)) for name, value in values.items()}
        made.first = FIRST[first].format(**known) if first else today
        return made


def joined(separator: str, parts: Sequence[str]) -> Wording:
    """Several sentences in one, with something between them."""
    made = Wording(separator.join(parts))
    made.first = separator.join(map(first_words, parts))
    return made


def str_of(value: object) -> str:
    """A value as text; a sentence stays one."""
    return value if isinstance(value, str) else str(value)


def first_words(text: str) -> str:
    """The first words of a sentence; any other text is its own."""
    return text.first if isinstance(text, Wording) else text


def first_words_of_error(today: str) -> str:
    """What 3cfefce said of a spec that cannot be audited, where it is said in other words today."""
    for pattern, first in REWORDED_ERRORS:
        today = re.sub(rf"(?:^|(?<=[:;] ))(?:{pattern})(?=; |$)", first, today)
    return today


FIRST = {
    # Findings of an audit.
    "not_covered": (
        "the advertised guarantee does not cover the invariants: neighbours in D that disagree on "
        "them are told apart with certainty"
    ),
    "table_disclosed": (
        "the invariants disclose the whole table; what remains hidden is only which record is whose"
    ),
    "dataset_disclosed": "the invariants disclose the whole dataset: D_t holds one dataset only",
    "attribute_disclosed": "the invariants show that everyone has {name} = {level}",
    "definition_13_used": (
        "the reading definition_13 is used: some dataset in D_t may have no counterpart at this "
        "distance (erratum E1)"
    ),
    "below": (
        "adjacency.distance {distance} lies below covering a(t) ({told}): some changes of a record "
        "are not covered"
    ),
    "not_known_to_reach": (
        "adjacency.distance {distance} is not known to reach covering a(t), of which no finite end "
        "is proven: some changes of a record may not be covered"
    ),
    "at_least": "at least {lower}",
    "not_established": "not established",
    "interval": (
        "{reading} a(t) is known to lie in [{lower}, {upper}] only; the upper end is used{closing}"
    ),
    "size_only": (
        "{reading} a(t) is not established: it is at least {lower}, and nothing but the size of "
        "the datasets bounds it from above (by {upper}){closing}"
    ),
    "no_end": ("no finite upper end of {reading} a(t) is proven: it is at least {lower}{closing}"),
    "give_attributes": (
        "; dataspace.attributes, and stratify_by, tell which counts swapping keeps"
    ),
    "give_counts": "; giving the published counts under data may close the gap",
    "longer": "a longer --time-limit",
    "certify": "the exact solver of pip install 'semiaudit[certify]'",
    "coarser": "coarser attributes, or a margin in the place of several counts",
    "ways": "; {ways}{comma} may close the gap",
    "not_stated": "{framework} is not stated: {why}{closing}",
    "without_places": (
        "the metric {metric} compares tables, not records: which record is whose is not part of "
        "what it protects, and its distances are not those of hamming (erratum E38)"
    ),
    "group": "{level} where {who}",
    "more_groups": "and {more} more groups",
    "groups": "the invariants show an attribute of everyone in a group: {shown}",
    "not_connected": (
        "D_t is not connected at the distance in force: nothing that is stated here protects what "
        "tells its parts apart (erratum E9)"
    ),
    "together": (
        "{number} releases are audited together: a(t) is that of all their invariants at once, and "
        "can be above that of each alone (Remark 22)"
    ),
    # Why no guarantee is stated.
    "out_of_time": "the time limit struck before its numbers were known; raise --time-limit",
    "no_paths": (
        "the metric is no adjacency metric on this dataspace (Definition 1 fails: some datasets "
        "are not joined by steps of distance 1), so nothing follows for distances above 1"
    ),
    "one_dataset": "D_t holds one dataset: the invariants disclose it whole, nothing is protected",
    "no_finite_a": "no finite a(t) is proven",
    "no_established_a": (
        "a(t) is not established: it is at least {lower}, and nothing but the size of the datasets "
        "bounds it from above (by {upper})"
    ),
    "unbounded": "the sensitivity of a query has no finite bound, so no number follows",
    "no_group": "a(t) is 0: there is no group size to compare at",
    "no_subspace": (
        "the invariants are not linear in the query: there is no subspace to project on"
    ),
    "keeps": (
        "its noise keeps the invariants: datasets that disagree on them are told apart with "
        "certainty by the output alone, so that no number is finite"
    ),
    "made_inside": (
        "its noise is made for datasets that agree on the invariants: of others no number is proven"
    ),
    "no_null_space": (
        "the invariants are not linear in the query: there is no null space for its noise"
    ),
    "no_distance": "no distance is known that the support of its noise is made for",
    "parts": (
        "D_t is not connected at the distance: the support of its noise publishes which of the "
        "parts a dataset is in, which no number here covers (erratum E9); support: null_space does "
        "not"
    ),
    "maybe_parts": (
        "D_t is not shown to be connected at the distance, without which the support of its noise "
        "publishes which of the parts a dataset is in (erratum E9); support: null_space does not"
    ),
    "leaves": (
        "the change of one record, projected on the null space of the invariants, leaves the "
        "support of its noise: such neighbours are told apart with certainty"
    ),
    "unlisted": (
        "what its query can change by is too much to be listed, so that no number follows"
    ),
    "step_outside": (
        "some change of one record is not covered by its noise: such neighbours are told apart "
        "with certainty"
    ),
    "pair_outside": (
        "some two datasets of D_t up to the distance differ by what its noise does not cover: they "
        "are told apart with certainty"
    ),
    "output_shows": (
        "every output can occur for datasets of one universe only: it shows the invariants, and "
        "tells datasets that disagree on them apart with certainty"
    ),
    "swapping_shows": (
        "swapping keeps the counts of every stratum by what is exchanged, and by the rest: its "
        "output tells datasets that disagree on them apart with certainty"
    ),
    "swapping_unpublished": (
        "the universe lacks counts that swapping keeps, so that its datasets are told apart with "
        "certainty"
    ),
    "no_largest": (
        "the size of the largest stratum is not known; give largest_stratum, the data or "
        "dataspace.size"
    ),
    "single_strata": (
        "no stratum has two records: what swapping keeps shows every record whole, nothing is "
        "protected"
    ),
    "no_rate": "the swap rate is still to be calibrated",
    # Budgets.
    "number": "{framework} {measure}",
    "epsilon": "epsilon at delta {delta}{far}",
    "tpr": "tpr at FPR {fpr}{far}",
    "a_t": "a(t){far}",
    "measure": "{measure}{far}",
    "at_distance": " at distance {distance}",
    "budget": "the budget",
    "budget_of_policy": "the policy's budget",
    "failed": "{whose} {number} does not hold: {reason} (limit {limit}{certified})",
    "certified": ", certified {actual}",
    "near": (
        "the budget {number} holds within {share} % of its limit: certified {actual}, limit {limit}"
    ),
    "above": "above its limit",
    "no_number": "no {measure} is known for this mechanism",
    "nothing_protected": "a(t) is 0: nothing is protected",
    "public": "the invariants disclose the whole table",
    "budget_below": "distance {distance} lies below covering a(t){told}",
    "budget_not_established": ", which is not established",
    "no_two_tables": "no two different tables of D_t lie within the distance in force",
    "maybe_no_two_tables": (
        "it is not known whether two different tables of D_t lie within the distance in force; a "
        "longer --time-limit may tell"
    ),
    "cap_no_end": "no finite upper end of covering a(t) is proven; it is at least {lower}",
    "cap_not_established": "covering a(t) is not established; it is at least {lower}",
    "cap_open": "not tight enough to decide: covering a(t) lies in [{lower}, {upper}]",
    "a_open": (
        "not tight enough to decide: a(t) lies in [{lower}, {upper}], and at its lower end the "
        "budget would hold"
    ),
    "epsilon_open": "not tight enough to decide: the limit lies between the ends of epsilon",
    "budgets_miss": (
        "the release publishes invariants, and no budget is on a guarantee that covers them; add "
        "one on {frameworks}"
    ),
    "incomplete": ("the time limit ended a search: a longer --time-limit may give tighter numbers"),
    "no_budget": "there is no budget to hold; add budgets to the spec, or give a policy",
    # Policies.
    "policy_metric": "the metric is {metric}, and the policy asks for {least}",
    "default_metric": (
        "the metric is {metric}, which promises less than hamming does here; only a policy can "
        "allow it (least: {{metric: {metric}}})"
    ),
    "policy_reading": "the reading is definition_13, and the policy asks for covering",
    "default_reading": (
        "the reading is definition_13, which promises less than covering; only a policy can allow "
        "it (least: {{reading: definition_13}})"
    ),
    "policy_distance": (
        "the distance in force is {distance}, and the policy asks for {least} or more"
    ),
    "default_distance": (
        "the distance {distance} lies below covering a(t), and so promises less; only a policy can "
        "allow it (least: {{distance: {distance}}})"
    ),
    "policy_budget": "the budget {number} allows {limit}, and the policy allows {least}",
    # Waivers.
    "waiver": "{reason} (approved by {approver}, until {expires}{most})",
    "up_to": ", up to {number}",
    "waiver_exceeded": "the number is {number}, above what its waiver accepts: {waiver}",
    "unknown": "unknown",
    "waiver_of_other": (
        "a waiver of {rule} in {file} is for the SHA-256 {wanted}, and this spec has {sha256}: it "
        "waives nothing"
    ),
    "waiver_expired": "a waiver of {rule} has expired: {waiver}",
    "waiver_unused": "a waiver of {rule} waives nothing: {waiver}{only}",
    "only_a_file": "; only a file given by --waivers can waive this rule",
    # Drift.
    "drift_metric": "the metric is {metric}, and was {before}: not to be compared",
    "drift_reading": "the reading is definition_13, and was covering",
    "drift_no_end": "covering a(t) has no finite upper end, and had {before}",
    "drift_not_established": "covering a(t) is not established, and was {before}",
    "covering": "covering a(t)",
    "drift_invariant": "{key} is published exactly, and was not: D_t is smaller",
    "drift_not_stated": "{framework} is not stated any more",
    "drift_distance": "{framework} covers pairs up to distance {now}, and covered up to {before}",
    "weaker": "{name} is {now}, and was {before}{more}",
    "weaker_by": ": weaker by {more}",
    "only_weaker": ": weaker",
    "unknown_now": "{name} is not known any more, and was {before}",
    "other_conversion": "{told} (by {now}, and was by {before})",
    "with_it": "{told}; with it {others}",
    "budget_of": "the budget {number}",
    "budget_gone": "{name} is gone; its limit was {limit}",
    "not_in_baseline": "the baseline does not speak of {path}: there is nothing to compare",
    "gone": (
        "the baseline speaks of {path}, which is gone: its guarantees vanished unseen; write a new "
        "baseline if that is meant, or run from the directory of the old one"
    ),
}
"""By name, the sentences of 3cfefce."""

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
