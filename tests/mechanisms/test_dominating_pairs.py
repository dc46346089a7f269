"""Dominating pairs that users supply: their numbers by enumeration in fractions, and refusals."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from semiaudit import DominatingPair, Report, audit
from semiaudit.errors import SpecError
from semiaudit.spec.build import load_release
from tests.spec.importers.test_importers import broken

Law = Sequence[Fraction]
F = Fraction

P, Q = (F(1, 2), F(3, 10), F(1, 5)), (F(1, 10), F(3, 10), F(3, 5))
SKEWED = (F(9, 10), F(1, 10), F(0)), (F(1, 2), F(1, 4), F(1, 4))


def delta(pairs: Sequence[tuple[Law, Law]], epsilon: float) -> float:
    """The sum of (p - e^epsilon q)_+ over all outcomes of a product of pairs."""
    growth, total = F(math.exp(epsilon)), F(0)
    for masses in product(*(list(zip(*pair, strict=True)) for pair in pairs)):
        total += max(
            math.prod(p for p, _ in masses) - growth * math.prod(q for _, q in masses), F(0)
        )
    return float(total)


def written(folder: Path, name: str, given: Mapping[str, tuple[Law, Law]]) -> str:
    if name.endswith("csv"):
        rows = [
            f"{d},{p},{q}" for d, (ps, qs) in given.items() for p, q in zip(ps, qs, strict=True)
        ]
        text = "\n".join(["direction,p,q", *rows])
    else:
        sides = {d: {"p": [*map(str, p)], "q": [*map(str, q)]} for d, (p, q) in given.items()}
        text = json.dumps(sides)
    (folder / name).write_text(text)
    return name


def audited(folder: Path, pair: str, metric: str, steps: int = 1) -> Report:
    data = "unit: record" if metric == "symmetric_difference" else "size: 100"
    (folder / "s.yaml").write_text(
        f"semiaudit: 1\ndataspace: {{{data}}}\nadjacency: {{metric: {metric}}}\n"
        f"mechanism: {{pair: {pair}, repeat: {steps}}}\nreport: {{deltas: [0.01, 0.06]}}\n"
    )
    return audit(folder / "s.yaml")


@pytest.mark.parametrize("name", ["pair.json", "pair.csv"])
@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize("steps", [1, 3])
def test_steps_with_one_record_have_one_direction(
    tmp_path: Path, name: str, direction: str, steps: int
) -> None:
    file = written(tmp_path, name, {direction: SKEWED})
    found = float(audited(tmp_path, file, "symmetric_difference", steps).nominal_dp.epsilon("0.06"))
    ways = [SKEWED, SKEWED[::-1]]
    if math.isinf(found):
        assert min(max(delta([way] * steps, 50) for way in ways), 1) > 0.06
        return
    assert max(delta([way] * steps, found) for way in ways) == pytest.approx(0.06, rel=1e-5)


def test_a_symmetric_pair_for_replaced_records_is_composed_as_it_is(tmp_path: Path) -> None:
    """The masses of Q are those of P in another order: randomized response with three levels."""
    p, q = (F(3, 5), F(1, 5), F(1, 5)), (F(1, 5), F(3, 5), F(1, 5))
    file = written(tmp_path, "pair.json", {"replace": (p, q)})
    found = float(audited(tmp_path, file, "hamming", 3).nominal_dp.epsilon("0.06"))
    assert delta([(p, q)] * 3, found) == pytest.approx(0.06, rel=1e-5)


def test_the_worst_order_of_a_replaced_record_changes_from_step_to_step(tmp_path: Path) -> None:
    """Neither order in all steps need be the worst; the hull in each step covers all of them."""
    p, q = (F(7, 10), F(3, 10)), (F(19, 20), F(1, 20))
    file = written(tmp_path, "pair.json", {"replace": (p, q)})
    found = float(audited(tmp_path, file, "hamming", 2).nominal_dp.epsilon("0.01"))
    mixed = max(delta([one, two], found) for one, two in product([(p, q), (q, p)], repeat=2))
    assert mixed <= 0.01 * (1 + 1e-6)
    # f has the corner (7/10, 1/20), its inverse (1/20, 7/10).
    points = [(F(0), F(1)), (F(1, 20), F(7, 10)), (F(7, 10), F(1, 20)), (F(1), F(0))]
    hull = [(b[0] - a[0], a[1] - b[1]) for a, b in pairwise(points)]
    law = [x for x, _ in hull], [y for _, y in hull]
    assert delta([law] * 2, found) == pytest.approx(0.01, rel=1e-5)


def test_of_two_directions_the_better_bound_holds(tmp_path: Path) -> None:
    """(Q, P) of removing a record bounds adding it too."""
    given = {"add": (P, Q), "remove": ((F(1, 4), F(3, 4)), (F(3, 4), F(1, 4)))}
    both, one, other = (
        float(
            audited(
                tmp_path, written(tmp_path, "p.json", sides), "symmetric_difference"
            ).nominal_dp.epsilon("0.01")
        )
        for sides in (given, {"add": given["add"]}, {"remove": given["remove"]})
    )
    assert both <= min(one, other)
    assert max(delta([given["remove"]], other), delta([given["remove"][::-1]], other)) == (
        pytest.approx(0.01, rel=1e-6)
    )


def test_missing_mass_is_an_infinite_loss() -> None:
    """A tenth of P, and nothing of Q, is missing."""
    pair = DominatingPair(add={"p": ["0.45", "0.45"], "q": ["0.5", "0.5"]})
    found = pair.guarantee(metric="symmetric_difference")
    assert math.isinf(float(found.epsilon("0.05").value))
    assert float(found.epsilon("0.1").value) == pytest.approx(0, abs=1e-9)
    assert float(found.advantage.value) == pytest.approx(0.1, rel=1e-9)


def test_further_records_take_the_function_of_a_step_again() -> None:
    """f(1 - f(x)): f has the corner (1/4, 1/4), so 3/4 -> 1/12 and 1/16 -> 3/4 -> 1/4."""
    response: Any = {"p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
    for pair, distance, metric in (
        (DominatingPair(add=response), 2, "symmetric_difference"),
        (DominatingPair(add=response), 1, "hamming"),
        (DominatingPair(replace=response), 2, "hamming"),
    ):
        found = pair.guarantee(distance, metric=metric)  # type: ignore[arg-type]
        for x in (0.05, 0.1, 0.3, 0.7):
            once = max(1 - 3 * x, (1 - x) / 3)
            twice = max(1 - 3 * (1 - once), once / 3)
            assert float(found.type_ii(x).value) == pytest.approx(twice, abs=1e-9)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"p": [1], "q": [1]}', "p is not a known key"),
        ('{"add": {"p": [0.5, 0.6], "q": [0.5, 0.5]}}', "sum to more than 1"),
        ('{"add": {"p": [0.5, 0.5], "q": [1]}}', "different lengths"),
        ('{"add": {"p": [-0.5], "q": [1]}}', "p.json:1:1[56]"),
        ('{"add": {"p": ["NaN"], "q": [1]}}', "p.json:1:1[56]"),
        ('{"add": {"p": [1], "q": [1]}, "replace": {"p": [1], "q": [1]}}', "next to another one"),
        ('{"file": "p.json"}', "not a direction"),
        ("[1, 2]", "no direction"),
        ("{}", "no direction"),
        ("", "p.json"),
    ],
)
def test_a_file_that_has_no_pair_is_refused_with_its_place(
    tmp_path: Path, content: str, problem: str
) -> None:
    (tmp_path / "p.json").write_text(content)
    with pytest.raises(SpecError, match=problem):
        audited(tmp_path, "p.json", "symmetric_difference")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("add,1,1\n", "p.csv:1"),
        ("direction,p,q\nadd,1\n", "p.csv:2"),
        ("direction,p,q\nadd,0.5,0.5\nadd,2,0.5\n", "p.csv:3"),
        ("direction,p,q\nside,1,1\n", "p.csv:2.*side is not a known key"),
        ("direction,p,q\n", "no direction"),
    ],
)
def test_rows_that_have_no_pair_are_refused_with_their_line(
    tmp_path: Path, content: str, problem: str
) -> None:
    (tmp_path / "p.csv").write_text(content)
    with pytest.raises(SpecError, match=problem):
        audited(tmp_path, "p.csv", "symmetric_difference")


def test_a_pair_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="outside"):
        audited(tmp_path, "../pair.json", "symmetric_difference")


def test_a_pair_for_replaced_records_says_nothing_of_sizes(tmp_path: Path) -> None:
    file = written(tmp_path, "pair.json", {"replace": (P, Q)})
    refused = audited(tmp_path, file, "symmetric_difference").as_dict()["guarantees"][0]
    assert refused["refused"]


def test_broken_pairs_are_refused_and_run_nothing(tmp_path: Path) -> None:
    rng = random.Random(11)
    sides = [{"p": ["1/2", 0.25, "0.25"], "q": ["1/4", 0.5, 0.125]} for _ in range(2)]
    files: list[Any] = [{"add": sides[0], "remove": sides[1]}, {"replace": sides[0]}]
    junk: list[Any] = [None, True, -1, 1e400, "x", "os.system", [], {}, "__function__", 10**30, ""]
    spec = {"semiaudit": 1, "dataspace": {"size": 9}, "mechanism": {"pair": "p.json"}}
    (tmp_path / "s.yaml").write_text(json.dumps(spec))
    audited(tmp_path, written(tmp_path, "q.json", {"replace": (P, Q)}), "hamming")
    (tmp_path / "s.yaml").write_text(json.dumps(spec))
    before = {name for name in sys.modules if not name.startswith(("semiaudit", "tests"))}
    refused = 0
    for _ in range(2000):
        (tmp_path / "p.json").write_text(json.dumps(broken(rng.choice(files), rng, junk)))
        try:
            load_release(tmp_path / "s.yaml")
        except SpecError:
            refused += 1
    assert refused > 1000
    assert {name for name in sys.modules if not name.startswith(("semiaudit", "tests"))} <= before
