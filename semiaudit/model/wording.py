"""Sentences for people, each with the words that it had first.

SARIF files written at commit 3cfefce hold ``semiaudit/v1`` fingerprints, which hash the sentence
of that time. ``FIRST`` freezes those sentences, for nothing but that fingerprint: change what
people read where the ``Wording`` is made, and never here. A sentence that is new since then needs
no entry.
"""

from __future__ import annotations

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
            first: its name in ``FIRST``; empty if it is new since 3cfefce.
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
"""The sentences of 3cfefce, by their names."""
