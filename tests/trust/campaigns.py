"""Every campaign of docs/trust.md: its command, the code that it covers, and its limits."""

from __future__ import annotations

from dataclasses import dataclass

from tests.mutants.sample import PACKAGES


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign that somebody can run again.

    Attributes:
        name: of its record.
        question: what it asks, as a heading.
        what: what it runs, in a sentence or two.
        command: in the root of the source tree, without ``python -m``.
        covers: files and folders whose change makes its figures old.
        most_changed: the share of the covered definitions that may have changed since it ran.
        not_shown: what its figures do not show.
        figures: a regular expression of the lines of its output that are its figures.
        result: a regular expression of the figure that answers the question best; "" for the first.
    """

    name: str
    question: str
    what: str
    command: str
    covers: tuple[str, ...]
    not_shown: str
    most_changed: float = 0.1
    figures: str = r"\d+ passed|\d+ failed"
    result: str = ""


def slow(
    name: str, question: str, what: str, tests: str, covers: tuple[str, ...], not_shown: str
) -> Campaign:
    """All cases of tests of which the suite runs a sample."""
    command = f'pytest -q -m "slow or not slow" {tests}'
    return Campaign(name, question, what, command, covers, not_shown)


CORE = tuple(
    f"semiaudit/{room}" for room in ("numeric", "model", "universe", "privacy", "mechanisms")
)
AUDIT = (*CORE, "semiaudit/auditing", "semiaudit/frameworks")
PROGRAM = ("semiaudit",)
BATCHES = tuple(
    f"semiaudit/{room}"
    for room in ("checking", "cli", "commands/batch", "commands/check", "report")
)
FILES = tuple(
    f"semiaudit/{room}" for room in ("cli", "commands", "checking", "data", "gate", "spec")
)

OF_MUTANTS = (
    "A mutant is the program with one statement changed. It is killed if a test fails, stopped if "
    "the tests take more than five times their usual processor time (60 s at most), and "
    "equivalent if it does what the program does (the reasons are in tests/mutants/equivalent.py). "
    "Shares are of the mutants that are neither stopped nor equivalent, with exact 95% intervals."
)
NOT_OF_MUTANTS = (
    "Mistakes of more than one statement; statements that no mutation fits, such as `raise`, "
    "`assert`, and texts; what the slow campaigns, or tests that do not mirror the module, notice; "
    "whether a killed mutant is still killed if only tests, or other code, changed since. An "
    "outcome is dropped if the mutated definition changes."
)
MUTATED = tuple(f"semiaudit/{package}" for package in PACKAGES)
MUTANTS = (
    Campaign(
        "mutants_1",
        "Do the tests notice a mistake in the code?",
        OF_MUTANTS,
        "tests.mutants.campaign --seed 1 --mutants 1000",
        MUTATED,
        NOT_OF_MUTANTS,
        figures=r"\||of the first|^outcomes",
    ),
    Campaign(
        "mutants_2",
        "Do the tests notice mistakes of a second seed?",
        "As above, for 145 other mutants, most of which were tried before tests were written for "
        "the survivors of the first seed. Then tests were written for these survivors, too. The "
        "share that was killed when first tried is the one without bias.",
        "tests.mutants.campaign --seed 2 --mutants 145",
        MUTATED,
        "As above.",
        figures=r"\||of the first|^outcomes",
    ),
)

SOUNDNESS = (
    Campaign(
        "whole_audits",
        "Is any number of a whole audit below an exact guarantee, and how large is the gap?",
        "20,000 random specs are audited, and all their datasets are enumerated. The numbers of "
        "the row Semi-DP are compared with the worst pair of datasets, in exact arithmetic where "
        "that is possible. A ratio is the printed number over the exact one: 1 if both are 0 or "
        "both infinite, and not finite if only the printed one is infinite, or only the exact one "
        "is 0.",
        "tests.auditing.whole_audits --cases 20000 --journal whole_audits.jsonl",
        ("semiaudit/spec", *AUDIT),
        "Tables of more than six records; swaps, hierarchical releases, and sampled or shuffled "
        "mechanisms; tradeoff curves, alternatives, and verdicts on budgets; subspace DP, but for "
        "Gaussian noise on all cells; group privacy beyond the longest moves if there are more "
        "than 600, and DP subject to invariants beyond three units. For a declared zCDP the exact "
        "numbers are those of Gaussian noise. Laplace noise is binned, as is Gaussian noise with "
        "other noise but for ε, and orders of ρ are a grid: there the exact number is a lower "
        "bound, which makes gaps larger and may hide an error of less than a bin.",
        figures=r"\||^cases",
        result="below the truth",
    ),
    slow(
        "swaps",
        "Is a swap's bound at or above its exact loss in whole audits?",
        "1,210 random releases with a swap; at least 850 of them are compared with the law of "
        "every dataset in D_t.",
        "tests/auditing/test_swaps_against_their_law.py",
        AUDIT,
        "D_t of more than 400 datasets, outputs with more than 20,000 outcomes, and releases that "
        "are refused. All pairs are compared for pure ε; for ρ, ε at δ, and tradeoffs only the "
        "worst of them and four random ones.",
    ),
    slow(
        "hierarchies",
        "Is every row of a hierarchical release at or above the worst enumerated pair?",
        "3,008 random specs of hierarchical releases, more than half of which are not refused; "
        "every pair of datasets, with every assignment of the records to geographic units.",
        "tests/auditing/test_enumerated_hierarchies.py",
        AUDIT,
        "More than four records; assignments that are not sampled if there are more than five; "
        "subspace DP; ε at a δ, best guess, and odds but in one row of 20; specs that are refused.",
    ),
    slow(
        "monotone",
        "Do numbers never fall with another mechanism, another run, or a longer distance?",
        "5,100 random mechanisms, and for each another one that loses more or is only written "
        "differently.",
        "tests/mechanisms/test_monotone.py",
        CORE,
        "That the numbers are right; falls of less than 1e-6; for three of four mechanisms, "
        "numbers other than one ε.",
    ),
    slow(
        "engine",
        "Does the composed loss enclose exact and high-precision values?",
        "About 12,000 random compositions, and edge cases of each kind of noise, against "
        "arithmetic with 50 digits: δ, ε, advantage, and type II error.",
        "tests/privacy/loss/test_soundness.py",
        ("semiaudit/numeric", "semiaudit/model", "semiaudit/privacy"),
        "Compositions that high-precision arithmetic cannot sum, or that are refused; type II "
        "errors of two continuous kinds of noise.",
    ),
    slow(
        "semi_adjacency",
        "Is a(t) that of an enumeration of D_t for margins that do not overlap?",
        "400 random tables with up to four attributes, and the cases of the suite.",
        "tests/universe/test_campaign.py tests/universe/test_semi_adjacency.py",
        ("semiaudit/numeric", "semiaudit/model", "semiaudit/universe"),
        "Tables with more datasets than an enumeration can list: for 60 of them only that the "
        "named pair agrees with the margins, and that bounds are ordered.",
    ),
    slow(
        "acyclic_margins",
        "Does the interval for a(t) hold the enumerated value if margins overlap without a cycle?",
        "6,000 random tables with t under three metrics, 500 with two margins, and 2,000 "
        "suprema over all t.",
        "tests/universe/distance/test_acyclic_margins.py "
        "tests/universe/distance/test_acyclic_supremum.py",
        ("semiaudit/numeric", "semiaudit/model", "semiaudit/universe"),
        "Tables with more than 300 datasets in D_t, or 2,500 in the dataspace without t; margins "
        "with a cycle, which whole audits have.",
    ),
    slow(
        "free_sizes",
        "Does the interval for a(t) hold the enumerated value if no size is fixed?",
        "3,200 random tables with given counts, 60 sets of keys and bounds over all sizes, and "
        "2,040 sets of overlapping margins without places.",
        "tests/universe/test_free_sizes.py tests/universe/distance/test_open_sizes.py",
        ("semiaudit/numeric", "semiaudit/model", "semiaudit/universe"),
        "Datasets beyond the enumerated sizes.",
    ),
    slow(
        "finite",
        "Is the guarantee of a finite mechanism that of the enumeration of its outcomes?",
        "2,000 random mechanisms in each of several tests, 5,000 compositions, and 200 cases of "
        "finite noise on tables, in exact rationals.",
        "tests/mechanisms/finite",
        CORE,
        "Mechanisms with more outcomes than can be enumerated.",
    ),
    slow(
        "designs",
        "Does no design exceed its target, and is its printed error right within 1%?",
        "2,000 random specs, each with every design; the loss from densities between all pairs of "
        "D_t, the error from 100,000 samples.",
        "tests/commands/calibrate",
        (*CORE, "semiaudit/commands/calibrate"),
        "D_t of more than 40 tables; losses and errors that no oracle knows, such as those of "
        "discrete Gaussian noise but for ρ; tightness for (ε, δ)-DP, and of the six designs whose "
        "scale is that of their source; for (ε, δ)-DP an excess of less than 0.1%.",
    ),
)

NEWEST = "The versions are the newest on PyPI on the day of the run."
VALID = (
    "A peer's number is taken as valid unless it lies below a lower bound that semiaudit certifies."
)
PEERS = (
    Campaign(
        "peers",
        "Is a valid number of another accountant clearly smaller?",
        f"ε of forty releases. {NEWEST}",
        "tests.benchmarks.peers --write",
        AUDIT,
        "Releases with invariants, which the others do not take. "
        f"{VALID} Each peer runs at one setting; finer grids may be tighter. The table is in "
        "docs/peers.md.",
        figures=r"^(\d+ cases|Versions)",
    ),
    Campaign(
        "calculator",
        "Is a number of the calculator clearly larger than a valid one of another accountant?",
        f"ε of ten mechanisms. {NEWEST}",
        "tests.benchmarks.calculator --write",
        (*CORE, "semiaudit/commands/convert"),
        f"Other mechanisms. {VALID} The table is in docs/peers.md.",
        figures=r"^(\d+ mechanisms|Versions)",
    ),
)

ROBUSTNESS = (
    Campaign(
        "inputs",
        "Does any random input of a command break a rule?",
        "The rules, and the numbers of each kind of input, are in docs/campaigns.md.",
        "tests.fuzz.campaign --cases 100000 --journal fuzz.jsonl --write",
        PROGRAM,
        "Inputs that the grammar of the campaign does not make.",
        figures=r"^\d\S* (random inputs|of them)",
    ),
    Campaign(
        "attacks",
        "Do attacks on files and processes change a verdict?",
        "The attacker may write files next to the program's, or starve it.",
        "tests.fuzz.attacks.campaign --cases 200",
        FILES,
        "Attackers who can change the program itself. Allowed are exit code 70 for an exception "
        "during a signal, and that DuckDB aborts the process.",
        figures=r"\||attacks, of which",
    ),
    Campaign(
        "faults",
        "Does every spec of a batch get one row if workers die, signals come, and disks fill up?",
        "The faults come at random moments.",
        "tests.checking.fault_campaign --runs 40 --specs 10000",
        BATCHES,
        "Loss of power, damaged disks, and faults of other machines.",
        figures=r".",
        result="10,000 specs",
    ),
    Campaign(
        "dependencies",
        "Do the tests pass with the oldest and the newest dependencies, on every Python?",
        "The oldest are the lower limits in pyproject.toml, or the first later version that has a "
        "wheel for that Python.",
        "tests.trust.dependencies python3.11 python3.12 python3.13 python3.14",
        PROGRAM,
        "Versions in between, other systems than Linux, and other processors than x86-64.",
        figures=r"\||environments",
    ),
    Campaign(
        "offline",
        "Does the program work where there is no network?",
        "The suite runs in a network namespace without a way out, but for one test, which installs "
        "packages.",
        "tests.security.offline -q -n 2",
        PROGRAM,
        "Slow and lengthy tests, such as the one that runs every command where connections are "
        "forbidden (tests/security/test_network.py); engines on other hosts, which are the "
        "caller's choice.",
    ),
    Campaign(
        "release",
        "Do two builds of a release give the same bytes?",
        "The wheel and the source archive are built twice, and installed; the bill of materials "
        "must name what is installed.",
        "tests.release dist",
        PROGRAM,
        "Other machines, systems, and versions of Python or the build backend; extras in the bill "
        "of materials, and whether its versions are right.",
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
