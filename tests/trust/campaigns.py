"""Every campaign of docs/trust.md: its command, the code that it covers, and its limits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign that somebody can run again.

    Attributes:
        name: of its record.
        question: what it asks, as a heading.
        command: in the root of the source tree, without ``python -m``.
        covers: files and folders whose change makes its figures old.
        most_changed: the share of the covered definitions that may have changed since it ran.
        not_shown: what its figures do not show.
        figures: a regular expression of the lines of its output that are its figures.
        result: a regular expression of the figure that answers the question best; "" for the first.
    """

    name: str
    question: str
    command: str
    covers: tuple[str, ...]
    not_shown: str
    most_changed: float = 0.25
    figures: str = r"\d+ passed|\d+ failed"
    result: str = ""


def slow(name: str, question: str, tests: str, covers: tuple[str, ...], not_shown: str) -> Campaign:
    """All cases of tests of which the suite runs a sample."""
    command = f'pytest -q -m "slow or not slow" {tests}'
    return Campaign(name, question, command, covers, not_shown)


CORE = tuple(f"semiaudit/{room}" for room in ("model", "universe", "privacy", "mechanisms"))
AUDIT = (*CORE, "semiaudit/auditing", "semiaudit/frameworks")
PROGRAM = ("semiaudit",)

MUTANTS = (
    Campaign(
        "mutants_1",
        "Do the tests notice a mistake in the code?",
        "tests.mutants.campaign --seed 1 --mutants 1000",
        ("semiaudit/gate", *AUDIT, "semiaudit/numeric"),
        "The rest of the first 1,000 mutants of the seed, if fewer were tried; mistakes of more "
        "than one statement; tests other than those that mirror a module. With `--new 0` the "
        "command only counts what the journals in tests/mutants/journals hold. Shares are of the "
        "mutants that were neither stopped nor found equivalent, with exact 95 % intervals.",
        figures=r"\||of the first",
    ),
    Campaign(
        "mutants_2",
        "Do the tests notice mistakes of a second seed, after the survivors of the first?",
        "tests.mutants.campaign --seed 2 --mutants 1000",
        ("semiaudit/gate", *AUDIT, "semiaudit/numeric"),
        "As above.",
        figures=r"\||of the first",
    ),
)

SOUNDNESS = (
    Campaign(
        "whole_audits",
        "Is every number of a whole audit at or above an exact guarantee, and by how much?",
        "tests.auditing.whole_audits --cases 20000 --journal whole_audits.jsonl",
        ("semiaudit/spec", "semiaudit/numeric", *AUDIT),
        "The row of subspace DP, but for Gaussian noise on all cells; tables of more than six "
        "records; swaps, hierarchical releases, and sampled or shuffled mechanisms. For a declared "
        "zCDP the exact numbers are those of Gaussian noise, and Laplace noise is binned, as "
        "is Gaussian noise with other noise but for ε, so a part of the gaps is not the program's.",
        figures=r"^(cases|ratio)",
        result="below the truth",
    ),
    slow(
        "swaps",
        "Is a swap's bound at or above its exact loss in whole audits?",
        "tests/auditing/test_swaps_against_their_law.py",
        ("semiaudit/mechanisms/swapping", *AUDIT),
        "Strata that are too large to enumerate.",
    ),
    slow(
        "hierarchies",
        "Is every row of a hierarchical release at or above the worst enumerated pair?",
        "tests/auditing/test_enumerated_hierarchies.py",
        ("semiaudit/mechanisms/topdown", "semiaudit/universe/hierarchy", *AUDIT),
        "More than four records, or more than five ways in which units can lie.",
    ),
    slow(
        "monotone",
        "Does noise that is added never make a guarantee stronger?",
        "tests/mechanisms/test_monotone.py",
        CORE,
        "That the numbers are right: only that they are ordered.",
    ),
    slow(
        "engine",
        "Does the composed loss enclose exact and high-precision values?",
        "tests/privacy/loss/test_soundness.py",
        ("semiaudit/privacy",),
        "Compositions beyond those that high-precision arithmetic can sum.",
    ),
    slow(
        "semi_adjacency",
        "Is a(t) that of an enumeration of D_t?",
        "tests/universe/test_campaign.py tests/universe/test_semi_adjacency.py",
        ("semiaudit/model", "semiaudit/universe"),
        "Tables with more datasets than an enumeration can list.",
    ),
    slow(
        "acyclic_margins",
        "Is a(t) right for margins that overlap without a cycle, with t and without?",
        "tests/universe/distance/test_acyclic_margins.py "
        "tests/universe/distance/test_acyclic_supremum.py",
        ("semiaudit/model", "semiaudit/universe"),
        "Tables with more than 300 datasets in D_t, or 2,500 in the dataspace without t.",
    ),
    slow(
        "free_sizes",
        "Is a(t) right if no size is fixed?",
        "tests/universe/test_free_sizes.py tests/universe/distance/test_open_sizes.py",
        ("semiaudit/model", "semiaudit/universe"),
        "Datasets beyond the enumerated sizes.",
    ),
    slow(
        "finite",
        "Is the guarantee of a finite mechanism that of the enumeration of its outcomes?",
        "tests/mechanisms/finite",
        ("semiaudit/mechanisms/finite", "semiaudit/privacy"),
        "Mechanisms with more outcomes than can be enumerated.",
    ),
    slow(
        "designs",
        "Does every design meet its target, tightly, with the printed error?",
        "tests/commands/calibrate",
        ("semiaudit/commands/calibrate", "semiaudit/mechanisms"),
        "Queries beyond the sizes that an oracle lists.",
    ),
)

PEERS = (
    Campaign(
        "peers",
        "Is a valid number of another accountant smaller?",
        "tests.benchmarks.peers --write",
        AUDIT,
        "Releases with invariants, which the others do not take; the table is in docs/peers.md.",
        figures=r"^(\d+ cases|Versions)",
    ),
    Campaign(
        "calculator",
        "Is a number of the calculator larger than that of another accountant?",
        "tests.benchmarks.calculator --write",
        (*CORE, "semiaudit/commands/convert"),
        "More than ten mechanisms; the table is in docs/peers.md.",
        figures=r"^(\d+ mechanisms|Versions)",
    ),
)

ROBUSTNESS = (
    Campaign(
        "inputs",
        "What do random inputs of every command cause?",
        "tests.fuzz.campaign --cases 100000 --journal fuzz.jsonl --write",
        PROGRAM,
        "Inputs that the grammar of the campaign does not make.",
        figures=r"^\d\S* cases",
    ),
    Campaign(
        "attacks",
        "Do attacks on files and processes change a verdict?",
        "tests.fuzz.attacks.campaign --cases 200 --write",
        ("semiaudit/cli", "semiaudit/checking", "semiaudit/data", "semiaudit/spec"),
        "Attackers who can change the program itself.",
        figures=r"\||attacks, of which",
    ),
    Campaign(
        "faults",
        "Is every spec of a batch audited once if workers die and disks fill up?",
        "tests.checking.fault_campaign --runs 40 --specs 10000",
        ("semiaudit/checking",),
        "Faults of the operating system.",
        figures=r".",
        result="10,000 specs",
    ),
    Campaign(
        "dependencies",
        "Do the tests pass with the oldest and the newest dependencies, on every Python?",
        "tests.trust.dependencies python3.11 python3.12 python3.13 python3.14",
        PROGRAM,
        "Versions in between, other systems than Linux, and other processors than x86-64.",
        figures=r"\||environments",
    ),
    Campaign(
        "offline",
        "Does the program work where there is no network?",
        "tests.security.offline",
        PROGRAM,
        "Engines on other hosts, which are the caller's choice.",
    ),
    Campaign(
        "release",
        "Do two builds of a release give the same bytes?",
        "tests.release dist",
        PROGRAM,
        "Other versions of the build backend.",
        figures=r"equal|installed|  semiaudit",
    ),
)

GROUPS = {
    "Tests": MUTANTS,
    "Soundness": SOUNDNESS,
    "Other accountants": PEERS,
    "Robustness": ROBUSTNESS,
}
CAMPAIGNS = tuple(campaign for group in GROUPS.values() for campaign in group)
