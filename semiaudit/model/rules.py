"""Every rule that a finding can name: its stable id, its name, its usual level, and its page.

Each has a page under docs/rules/ of the id's name; a test holds the two lists together.
"""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.audit import Level
from semiaudit.version import PAGES


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: the id's name in words joined by hyphens.
        level: the usual one; a finding can have a lower one where its message says why.
        text: one sentence, as a list of rules shows it.
    """

    id: str
    name: str
    level: Level
    text: str

    @property
    def page(self) -> str:
        """The address of the rule's page, as this version was released with it."""
        return f"{PAGES}/rules/{self.id}.md"


READING_AS_PRINTED = "SA005"
DISTANCE_BELOW_A = "SA006"
METRIC_WITHOUT_PLACES = "SA009"
EXCEEDED = "SA013"
UNDECIDED = "SA014"
NEAR_LIMIT = "SA015"
BUDGETS_MISS_INVARIANTS = "SA016"
NOTHING_PROTECTED = "SA017"
NO_OTHER_TABLE = "SA018"
BUDGET_BELOW_A = "SA019"
NO_SUCH_NUMBER = "SA020"
NOT_STATED = "SA021"
NOT_AUDITED = "SA022"
INCOMPLETE = "SA023"
WAIVER_EXPIRED = "SA024"
WAIVER_UNUSED = "SA025"
WAIVER_EXCEEDED = "SA026"
WEAKER = "SA027"
NOT_IN_BASELINE = "SA028"
LOOSENED = "SA029"
NO_BUDGET = "SA030"
GONE = "SA031"

_OF_THE_AUDIT = (
    Rule(
        "SA001",
        "invariants-not-covered",
        "warning",
        "The advertised guarantee does not cover the invariants that are published exactly.",
    ),
    Rule("SA002", "table-disclosed", "error", "The invariants disclose the whole table."),
    Rule("SA003", "dataset-disclosed", "error", "The invariants leave one dataset only."),
    Rule(
        "SA004",
        "attribute-disclosed",
        "warning",
        "The invariants show that everyone has one level of an attribute.",
    ),
    Rule(
        "SA005",
        "reading-definition-13",
        "warning",
        "The reading definition_13 of a(t) is used; some datasets may have no counterpart.",
    ),
    Rule(
        "SA006",
        "distance-below-a",
        "error",
        "adjacency.distance lies below the upper end of covering a(t).",
    ),
    Rule("SA007", "open-interval", "warning", "a(t) is known as an interval only."),
    Rule("SA008", "guarantee-refused", "error", "A framework's guarantee cannot be stated."),
    Rule(
        "SA009",
        "metric-without-places",
        "warning",
        "The metric is not hamming, so which record is whose is not protected.",
    ),
    Rule(
        "SA010",
        "group-disclosed",
        "warning",
        "The invariants show an attribute of everyone in a group.",
    ),
    Rule("SA011", "not-connected", "warning", "D_t is not connected at the distance in force."),
    Rule("SA012", "several-releases", "note", "Several releases are audited together."),
)
_OF_THE_GATE = (
    Rule(EXCEEDED, "budget-exceeded", "error", "A certified upper bound lies above its budget."),
    Rule(
        UNDECIDED,
        "bound-not-tight-enough",
        "error",
        "The bound is too loose to decide a budget, so the budget failed.",
    ),
    Rule(NEAR_LIMIT, "budget-near-limit", "note", "A budget passed, but close to its limit."),
    Rule(
        BUDGETS_MISS_INVARIANTS,
        "budgets-miss-invariants",
        "warning",
        "Invariants are published, and every budget is on a guarantee that does not cover them.",
    ),
    Rule(
        NOTHING_PROTECTED,
        "budget-on-nothing",
        "error",
        "A budget inside D_t, where a(t) is 0 and nothing is protected.",
    ),
    Rule(
        NO_OTHER_TABLE,
        "budget-without-other-table",
        "error",
        "A budget inside D_t, where no two different tables lie within the distance.",
    ),
    Rule(
        BUDGET_BELOW_A,
        "budget-below-a",
        "error",
        "A budget inside D_t at a distance below the upper end of covering a(t).",
    ),
    Rule(
        NO_SUCH_NUMBER,
        "no-such-number",
        "error",
        "A budget on a number that this noise does not have: no valid conversion leads to it.",
    ),
    Rule(
        NOT_STATED,
        "budget-on-refused-guarantee",
        "error",
        "A budget on a guarantee that cannot be stated.",
    ),
    Rule(NOT_AUDITED, "not-audited", "error", "The spec could not be audited."),
    Rule(
        INCOMPLETE,
        "audit-incomplete",
        "warning",
        "Some numbers are less narrow than was asked for; the finding says why.",
    ),
    Rule(WAIVER_EXPIRED, "waiver-expired", "error", "A waiver is past its last day."),
    Rule(WAIVER_UNUSED, "waiver-unused", "warning", "A waiver waives nothing."),
    Rule(
        WAIVER_EXCEEDED, "waiver-exceeded", "error", "A number lies above what its waiver accepts."
    ),
    Rule(
        WEAKER, "weaker-than-baseline", "error", "A guarantee is weaker than in the earlier report."
    ),
    Rule(
        NOT_IN_BASELINE,
        "not-in-baseline",
        "warning",
        "The earlier report does not speak of this spec.",
    ),
    Rule(
        LOOSENED,
        "policy-loosened",
        "error",
        "The spec is looser than the policy allows, or than the default without its word.",
    ),
    Rule(NO_BUDGET, "no-budget", "warning", "There is no budget."),
    Rule(GONE, "spec-gone", "error", "A spec of the earlier report is gone."),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in (*_OF_THE_AUDIT, *_OF_THE_GATE)}

OF_THE_AUDIT = frozenset(rule.id for rule in _OF_THE_AUDIT)
"""Rules of what the audit itself finds; ``check --fail-on`` says which of them fail."""

NUMBERED = frozenset({"SA013", "SA014", "SA027"})
"""Rules that speak of a number, which a waiver must accept."""

IN_SPECS = frozenset({"SA013", "SA014"})
"""Rules that a waiver inside a spec can waive: its own budgets, and nothing else."""

FOUND = (*sorted(OF_THE_AUDIT), BUDGETS_MISS_INVARIANTS, INCOMPLETE, NOT_IN_BASELINE)
"""Rules of findings that have no number, and that ``check --fail-on`` may let fail."""

WAIVABLE = (*sorted(NUMBERED), LOOSENED, *FOUND)
"""The rules that a waiver may name. An empty statement can never be waived."""
