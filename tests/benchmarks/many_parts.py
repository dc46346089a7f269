"""999 Laplace scales in one mechanism beside dp_accounting, and 65 noisy queries of one release.

    pip install dp_accounting
    OMP_NUM_THREADS=1 python -m tests.benchmarks.many_parts [--write] [--patience 60]
        [--only laplace]

Laplace: epsilon at three deltas of noise with scales 3, 3.037, 3.074, ..., each moved by 1. The
peer composes the privacy loss distribution of every scale by connecting the dots, one after
another, on an interval of 1e-4; its number, an upper end only, stands beside our bracket, which is
asked for within 1e-6, relatively. `ratio` is the peer's processor time over ours.

Queries: margins of seven attributes at four geographic levels, three of which are nested, each with
discrete Gaussian noise: 65 queries, with no invariants, with the counts of two levels, and with
margins across them. Seconds of the processor for `semiaudit.audit`, all rows together, over those
of the first ten queries alone. `--write` puts both tables into docs/theory/measurements.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path

from dp_accounting.pld import privacy_loss_distribution as peer

from semiaudit import audit
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import epsilon_bracket
from tests.benchmarks.tables import write_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "theory" / "measurements.md"
SCALES = [Fraction(3) + Fraction(37, 1000) * k for k in range(999)]
DELTAS = (5, 6, 10)
INTERVAL = 1e-4
RUNS = 3
SPACE = """\
semiaudit: 1
dataspace:
{size}  attributes:
    state: [s0, s1, s2]
    county: {{within: state, levels: {{{counties}}}}}
    tract: {{within: county, levels: {{{tracts}}}}}
    sex: 2
    age: 4
    race: 3
    ethnicity: 2
"""
INVARIANTS = {
    "none": "",
    "state and county": "invariants: [margin: [state], margin: [county]]\n",
    "state, sex by age": "invariants: [margin: [state], margin: [sex, age]]\n",
}


def laplace(patience: float) -> Iterator[str]:
    loss = PrivacyLoss(tuple((LaplaceLoss(1 / scale), 1) for scale in SCALES))
    epsilon_bracket(PrivacyLoss(loss.parts[:40]), Fraction(1, 1000))
    begun, composed = time.process_time(), None
    for scale in SCALES:
        one = peer.from_laplace_mechanism(float(scale), value_discretization_interval=INTERVAL)
        composed = one if composed is None else composed.compose(one)
        if time.process_time() - begun > patience:
            composed = None
            break
    theirs = time.process_time() - begun
    for digits in DELTAS:
        delta, best = Fraction(1, 10**digits), float("inf")
        for _ in range(RUNS):
            begun = time.process_time()
            found = epsilon_bracket(loss, delta, Accuracy(1e-6))
            best = min(best, time.process_time() - begun)
        if composed is None:
            epsilon, sign = float("nan"), ">="
        else:
            epsilon, sign = float(composed.get_epsilon_for_delta(float(delta))), ""
        yield (
            f"| 1e-{digits} | {found.lower:.6f} to {found.upper:.6f} | {best:.2f} s | "
            f"{epsilon:.6f} | {theirs:.1f} s | {sign}{theirs / best:.0f} |"
        )


def queries(number: int) -> str:
    """The mechanism: noise on so many margins."""
    people = ["sex", "age", "race", "ethnicity"]
    subsets = [list(names) for size in range(5) for names in combinations(people, size)]
    places: list[list[str]] = [[], ["state"], ["county"], ["tract"]]
    asked = [[*where, *who] for where in places for who in subsets if where or who]
    asked += [["state", "county"], ["state", "county", "tract"]]
    lines = [
        f"  - discrete_gaussian: {{sigma_squared: {200 + 10 * (place % 9)}, "
        f"query: {{margins: [[{', '.join(names)}]]}}}}\n"
        for place, names in enumerate(asked[:number])
    ]
    return "mechanism:\n  compose:\n" + "".join(lines)


def spec(invariants: str, number: int) -> str:
    """A release of so many queries."""
    counties = ", ".join(f"s{i}: [{', '.join(f'c{i}{j}' for j in range(3))}]" for i in range(3))
    tracts = ", ".join(
        f"c{i}{j}: [{', '.join(f't{i}{j}{k}' for k in range(3))}]"
        for i in range(3)
        for j in range(3)
    )
    size = "" if invariants else "  size: 5000\n"
    return SPACE.format(size=size, counties=counties, tracts=tracts) + invariants + queries(number)


def seconds_of(text: str) -> tuple[float, bool]:
    """Of the processor for one audit, and whether it is complete."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.yaml"
        path.write_text(text, encoding="utf-8")
        begun = time.process_time()
        found = audit(path, time_limit=600)
        return time.process_time() - begun, bool(found.as_dict()["complete"])


def releases() -> Iterator[str]:
    seconds_of(spec("", 2))
    for name, invariants in INVARIANTS.items():
        few, _ = seconds_of(spec(invariants, 10))
        all_of_them, complete = seconds_of(spec(invariants, 65))
        state = "yes" if complete else "no"
        yield f"| {name} | {few:.1f} s | {all_of_them:.1f} s | {all_of_them / few:.1f} | {state} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"put the tables into {DOCUMENT.name}")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds for the peer")
    parser.add_argument("--only", choices=("laplace", "queries"), help="print one table, unwritten")
    arguments = parser.parse_args()
    lines = [
        "| delta | epsilon | ours | PLD's epsilon | PLD | ratio |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    print(*lines, sep="\n")
    for row in [] if arguments.only == "queries" else laplace(arguments.patience):
        print(row, flush=True)
        lines.append(row)
    begin = [
        "",
        "| 65 queries, invariants | 10 of them | all | ratio | complete |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    print(*begin, sep="\n")
    lines += begin
    for row in [] if arguments.only == "laplace" else releases():
        print(row, flush=True)
        lines.append(row)
    if arguments.write and not arguments.only:
        write_table(DOCUMENT, "many", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
