"""The errors that `sample` prints, against brute force on small tables, and at full size."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from math import log, sqrt
from pathlib import Path
from typing import Any

import pytest

from semiaudit import ZCDP, PureDP, calibrate, sample
from semiaudit.cli import main
from tests import municipalities
from tests.oracles import count_errors as oracle
from tests.samples import sampled

SIGMA, SCALE, SQUARE = 2.5, 1.5, 3.25


class Small:
    """A random table of at most 24 cells, some of them impossible, with published counts."""

    def __init__(self, seed: int) -> None:
        choice = random.Random(seed)
        self.sizes = [choice.randint(1, 4), choice.randint(1, 3), choice.randint(1, 2)]
        several = self.sizes[0] * self.sizes[1] > 1
        self.impossible = [(0, 0, None)] if several and choice.random() < 0.5 else []
        whole = product(*map(range, self.sizes))
        self.cells = [c for c in whole if not any(self._matches(c, z) for z in self.impossible)]
        largest = choice.choice([1, 9, 40, 300])
        self.true = [choice.randint(0, largest) for _ in self.cells]
        self.margins: Any = choice.choice([[], [(0,)], [(1,), (2,)], [(0, 1)], [(0, 2), (1,)]])
        self.count = bool(self.margins) and choice.random() < 0.3
        self.by: Any = choice.choice([[(0,)], [(1, 2)], [(0,), (0, 2)], [(2,), (1,)]])

    @staticmethod
    def _matches(cell: oracle.Cell, zero: tuple[int | None, ...]) -> bool:
        return all(level is None or at == level for at, level in zip(cell, zero, strict=True))

    @property
    def rows(self) -> list[list[int]]:
        """The published sums of possible cells."""
        rows = []
        for margin in self.margins:
            for levels in product(*(range(self.sizes[p]) for p in margin)):
                keys = [tuple(cell[p] for p in margin) for cell in self.cells]
                rows.append([int(key == levels) for key in keys])
        if self.count:
            rows.append([int(cell[2] == 0) for cell in self.cells])
        return rows

    def spec(self, mechanism: str, names: Sequence[str] = "abc") -> str:
        """The spec of a mechanism on the table."""
        known = dict(zip(self.cells, self.true, strict=True))
        counts: Any = [
            [[known.get((i, j, k), 0) for k in range(self.sizes[2])] for j in range(self.sizes[1])]
            for i in range(self.sizes[0])
        ]
        sizes = ", ".join(f"{name}: {size}" for name, size in zip(names, self.sizes, strict=True))
        text = f"semiaudit: 1\ndataspace:\n  unit: person\n  attributes: {{{sizes}}}\n"
        if self.impossible:
            text += "  impossible: [{a: 0, b: 0}]\n"
        held = [f"margin: [{', '.join(names[p] for p in margin)}]" for margin in self.margins]
        held += ["count: {where: {c: 0}}"] * self.count
        text += f"invariants: [{', '.join('{' + one + '}' for one in held)}]\n"
        return f"{text}data: {{counts: {counts}}}\nmechanism: {mechanism}\n"


def check(found: dict[str, Any], small: Small, by: Sequence[int], error_of: Any) -> None:
    """Compare the errors of one margin with the oracle's."""
    expected = oracle.of_margin(small.cells, small.true, by, error_of)
    assert found["by"] == ["abc"[p] for p in by]
    for key in ("counts", "standard_deviation", "mean_absolute_error"):
        assert found[key] == pytest.approx(expected[key], rel=1e-8, abs=1e-6), key
    beyond, margin = expected["beyond"], found["margin_of_error"]
    assert beyond(margin * (1 + 1e-9)) <= 0.05 + 1e-9
    assert not margin or beyond(margin * (1 - 1e-9)) >= 0.05 - 1e-9
    table = found["table"]
    sizes = [tuple(size[k] for k in ("low", "high", "counts")) for size in table["sizes"]]
    assert sizes == [size[:3] for size in expected["sizes"]]
    relative = [size["mean_relative_error"] for size in table["sizes"]]
    assert relative == pytest.approx([size[3] for size in expected["sizes"]], rel=1e-8, abs=1e-6)
    for key in ("above_10_percent", "zeros"):
        known = expected[key] is not None
        assert table[key] == (pytest.approx(expected[key], abs=1e-8) if known else None), key
    for one, (place, level, bias) in zip(table["smallest"], expected["smallest"], strict=True):
        assert (one["attribute"], int(one["level"])) == ("abc"[place], level)
        assert one["bias"] == pytest.approx(bias, abs=1e-8)


Law = Callable[[Small, list[int]], oracle.Error]


def in_null_space(small: Small, inside: list[int]) -> oracle.Error:
    (variance,) = oracle.projected(
        [[int(at in inside) for at in range(len(small.cells))]], small.rows, SIGMA
    )
    return oracle.normal(variance)


LAWS: list[tuple[str, Law]] = [
    (
        f"{{gaussian: {{sigma: {SIGMA}, query: table}}}}",
        lambda _, inside: oracle.normal(len(inside) * SIGMA**2),
    ),
    (f"{{gaussian: {{sigma: {SIGMA}, query: table, support: null_space}}}}", in_null_space),
    (
        f"{{laplace: {{scale: {SCALE}, query: table}}}}",
        lambda _, inside: oracle.laplaces(len(inside), SCALE),
    ),
    (
        f"{{discrete_laplace: {{scale: {SCALE}, query: table}}}}",
        lambda _, inside: oracle.discrete_laplaces(len(inside), SCALE),
    ),
    (
        f"{{discrete_gaussian: {{sigma_squared: {SQUARE}, query: table}}}}",
        lambda _, inside: oracle.discrete_gaussians(len(inside), SQUARE),
    ),
]


LARGE = {44, 45, 75, 102, 136}
"""Seeds of the most cells, whose errors take a second each."""


@pytest.mark.parametrize("seed", sampled(range(140), fast={*range(140)} - LARGE))
def test_errors_of_noise_follow_from_its_law(seed: int, tmp_path: Path) -> None:
    small, (mechanism, law) = Small(seed), LAWS[seed % len(LAWS)]
    path = tmp_path / "small.yaml"
    path.write_text(small.spec(mechanism), "utf-8")
    names = [["abc"[p] for p in by] for by in small.by]
    errors: Any = sample(path, by=names, show_values=True).as_dict()["errors"]
    assert len(errors) == 1 + len(small.by)
    for found, by in zip(errors, [(0, 1, 2), *small.by], strict=True):
        assert (found["stage"], found["runs"]) == ("noisy", None)
        check(found, small, by, lambda inside: law(small, inside))


@pytest.mark.parametrize("seed", range(140, 200))
def test_errors_of_fitted_tables_and_of_swaps_are_those_of_the_runs(
    seed: int, tmp_path: Path
) -> None:
    """The rows of a sample with the seed of the errors are the same runs."""
    small = Small(seed)
    runs = 1 if seed % 3 == 2 else 4
    options: dict[str, Any] = {"nonnegative_integers": "l1"}
    if seed % 3 == 1:
        options["fit"] = "topdown"
    mechanism = "{laplace: {scale: 1.5, query: table}}"
    if seed % 3 == 2:
        small.impossible = []
        small.cells = list(product(*map(range, small.sizes)))
        small.true = [1 + at % 5 for at in range(len(small.cells))]
        small.margins, small.count = [], False
        options = {}
        mechanism = "{swapping: {rate: 0.4, stratify_by: [a], swap: [b]}}"
        if small.sizes[1] == 1 or small.sizes[2] == 1:
            small.sizes[1:] = [3, 2]
            small.cells = list(product(*map(range, small.sizes)))
            small.true = [1 + at % 5 for at in range(len(small.cells))]
    path = tmp_path / "small.yaml"
    path.write_text(small.spec(mechanism), "utf-8")
    names = [["abc"[p] for p in by] for by in small.by]
    found = sample(path, seed=0, draws=runs, by=names, runs=runs, show_values=True, **options)
    tables: defaultdict[str, dict[oracle.Cell, int]] = defaultdict(dict)
    for row in csv.DictReader(io.StringIO(found.to_csv())):
        cell = tuple(int(row[name]) for name in "abc")
        tables[row.get("draw", "1")][cell] = int(row["answer" if "answer" in row else "count"])
    assert len(tables) == runs

    def error_of(inside: list[int]) -> oracle.Error:
        cells = [small.cells[at] for at in inside]
        true = sum(small.true[at] for at in inside)
        errors = [sum(table.get(c, 0) for c in cells) - true for table in tables.values()]
        return oracle.listed(errors, [1 / runs] * runs)

    listed: Any = found.as_dict()["errors"]
    errors = [one for one in listed if one["stage"] != "noisy"]
    for one, by in zip(errors, [(0, 1, 2), *small.by], strict=True):
        assert one["runs"] == runs
        check(one, small, by, error_of)


@pytest.mark.parametrize("seed", [201, 202, *range(205, 209), *range(210, 215)])
def test_a_design_has_the_errors_of_its_fitted_tables(seed: int, tmp_path: Path) -> None:
    """They are those of the rows that the written design samples with the seed of the errors.

    The invariants of the other seeds disclose the table.
    """
    small = Small(seed)
    path = tmp_path / "small.yaml"
    path.write_text(small.spec("{gaussian: {sigma: 1, query: table}}"), "utf-8")
    names = [["abc"[p] for p in by] for by in small.by]
    options: dict[str, Any] = {
        "nonnegative_integers": "l2",
        "fit": ("nearest", "topdown")[seed % 2],
    }
    name: Any = ("discrete_gaussian", "naive_gaussian", "naive_l1")[seed % 3]
    target = PureDP(2) if name == "naive_l1" else ZCDP("1/2")
    designs = calibrate(path, target, design=name, by=names, runs=3, show_values=True, **options)
    design: Any = designs.as_dict()["designs"][0]
    written = tmp_path / "design.yaml"
    written.write_text(small.spec(json.dumps(design["mechanism"])), "utf-8")
    found = sample(written, seed=0, draws=3, **options)
    tables: defaultdict[str, dict[oracle.Cell, int]] = defaultdict(dict)
    for row in csv.DictReader(io.StringIO(found.to_csv())):
        tables[row["draw"]][tuple(int(row[name]) for name in "abc")] = int(row["answer"])

    def error_of(inside: list[int]) -> oracle.Error:
        cells = [small.cells[at] for at in inside]
        true = sum(small.true[at] for at in inside)
        errors = [sum(table.get(c, 0) for c in cells) - true for table in tables.values()]
        return oracle.listed(errors, [1 / 3] * 3)

    fitted = [one for one in design["errors"] if one["stage"] == "fitted"]
    for one, by in zip(fitted, [(0, 1, 2), *small.by], strict=True):
        assert one["runs"] == 3
        check(one, small, by, error_of)


def test_errors_of_fitted_designs_need_a_permission(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(Small(3).spec(LAWS[0][0]), "utf-8")
    words = ["mechanism", "calibrate", str(path), "--target", "rho=1"]
    assert main([*words, "--nonnegative-integers", "l1"]) == 2
    assert "add --show-values" in capsys.readouterr().err
    assert main([*words, "--fit", "topdown", "--show-values"]) == 2
    assert "--fit needs --nonnegative-integers" in capsys.readouterr().err


def errors_of(path: Path, *by: list[str], **options: Any) -> dict[tuple[str, ...], dict[str, Any]]:
    found: Any = sample(path, by=by, **options).as_dict()["errors"]
    return {(one["stage"], *one["by"]): one for one in found}


def test_the_margin_of_error_of_laplace_noise_is_its_own_quantile(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    text = "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 3}}\n"
    path.write_text(text + "mechanism: {laplace: {scale: 2, query: table}}\n", "utf-8")
    (cells,) = errors_of(path).values()
    assert cells["margin_of_error"] == pytest.approx(2 * log(20))


@pytest.mark.parametrize(
    ("municipal", "written"),
    [
        (30, municipalities.nested),
        (30, municipalities.flat),
        pytest.param(100, municipalities.flat, marks=pytest.mark.lengthy),
    ],
)
def test_errors_under_exact_state_totals_have_their_closed_form(
    municipal: int, written: Callable[..., str], tmp_path: Path
) -> None:
    path = tmp_path / "table.yaml"
    noise = "mechanism: {gaussian: {sigma: 6, query: table, support: null_space}}\n"
    path.write_text(written(municipal, noise), "utf-8")
    found = errors_of(path, ["municipality"], ["age"])
    states = [at * 3 // municipal for at in range(municipal)]
    inside = [100 * states.count(state) for state in states]
    variances = [36 * (100 - 100**2 / cells) for cells in inside]
    towns = found["noisy", "municipality"]
    assert towns["standard_deviation"] == pytest.approx(sqrt(sum(variances) / municipal))
    ages = found["noisy", "age"]["standard_deviation"] ** 2
    assert ages == pytest.approx(36 * (10 * municipal - 10 * municipal / 10))


def test_a_hierarchical_release_estimates_a_margin_by_its_most_accurate_query(
    tmp_path: Path,
) -> None:
    """A county's total has noise of variance 1 / rho; the sum of its sexes has more."""
    path = tmp_path / "small.yaml"
    path.write_text(HIERARCHY, "utf-8")
    found = errors_of(path, ["county"], ["sex"], ["county", "sex"])
    variances = {key[1:]: one["standard_deviation"] ** 2 for key, one in found.items()}
    # discrete Gaussian noise of such parameters has the variance sigma^2 up to 1e-7
    expected = {("county",): 8, ("sex",): 16, ("county", "sex"): 32}
    assert variances == pytest.approx(expected, rel=1e-6)


HIERARCHY = """semiaudit: 1
dataspace: {attributes: {county: [n, s, w], sex: [f, m]}}
mechanism:
  topdown:
    spine: [{level: nation}, {level: county, attribute: county}]
    queries: {total: [], sex: sex}
    allocation:
      - [level, query, rho]
      - [nation, sex, 1/16]
      - [county, total, 1/8]
      - [county, sex, 1/32]
"""


def test_what_depends_on_the_table_needs_a_permission(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = Small(3)
    path = tmp_path / "small.yaml"
    path.write_text(small.spec(LAWS[0][0]), "utf-8")
    words = ["mechanism", "sample", str(path), "--by", "a", "--nonnegative-integers", "l1"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "confidential table; to print" in text
    assert "bias of" not in text
    assert " fitted " not in text.split("Notes")[0]
    assert main([*words, "--runs", "2", "--show-values"]) == 0
    text = capsys.readouterr().out
    assert "do not publish the errors" in text
    assert "bias of a" in text


def test_a_margin_that_no_query_determines_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(Small(3).spec("{laplace: {scale: 2, query: {margins: [[a], [b]]}}}"), "utf-8")
    assert main(["mechanism", "sample", str(path), "--by", "a", "--by", "a,b"]) == 0
    text = capsys.readouterr().out
    assert "margin that was named: a * b" in text
    assert " a        noisy" in text


@pytest.mark.parametrize("by", ["d", "a,a", "a,,b"])
def test_a_margin_that_is_none_is_refused(
    by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(Small(3).spec(LAWS[0][0]), "utf-8")
    assert main(["mechanism", "sample", str(path), "--by", by]) == 2
    assert "--by" in capsys.readouterr().err
