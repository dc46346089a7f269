"""What the table of designs says next to their errors: sampling, optima, and Definition 8."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate
from semiaudit.commands.calibrate.view import view_of
from semiaudit.model.data_source import CONFINED
from semiaudit.model.measure import GDP, PureDP
from semiaudit.model.results.design import AnyDesign, Calibration, Design, Target
from semiaudit.report.text.layout import Grid, Lines

GDP_1, PURE_1 = GDP(Fraction(1)), PureDP(Fraction(1))

THREE_BY_THREE = """
semiaudit: 1
dataspace: {attributes: {a: 3, b: 3}}
invariants: [{margin: [a]}, {margin: [b]}]
data: {counts: [[3, 2, 1], [2, 4, 3], [1, 5, 6]]}
"""
WEIGHTED = [[10 * (i == 0) + (i > 0) if i == j else 0 for j in range(9)] for i in range(9)]


def designed(folder: Path, text: str, query: str, target: Target, *names: AnyDesign) -> Calibration:
    path = folder / "designed.yaml"
    path.write_text(f"{text.strip()}\ndesign: {{query: {query}}}\n", encoding="utf-8")
    return calibrate(CalibrationQuestion(str(path), target, names=names), 100, 1e-6, CONFINED)


NORMS: tuple[AnyDesign, ...] = ("algorithm_2", "algorithm_4", "algorithm_5", "algorithm_6")


@pytest.fixture(scope="module")
def norms(tmp_path_factory: pytest.TempPathFactory) -> Calibration:
    """The noise of four norms for the table, calibrated once."""
    folder = tmp_path_factory.mktemp("norms")
    return designed(folder, THREE_BY_THREE, "table", PURE_1, *NORMS)


def named(found: Calibration) -> dict[AnyDesign, Design]:
    return {design.name: design for design in found.designs}


def test_designs_whose_sensitivity_space_is_not_listed_can_be_sampled(tmp_path: Path) -> None:
    """Four attributes, three margins, and a query that the invariants are no function of."""
    counts = (np.arange(96).reshape(4, 4, 2, 3) % 7 + 20).tolist()
    text = f"""
semiaudit: 1
dataspace: {{attributes: {{a: 4, b: 4, c: 2, d: 3}}}}
invariants: [{{margin: [a]}}, {{margin: [b]}}, {{margin: [c, d]}}]
data: {{counts: {counts}}}
"""
    query = "{margins: [[a, b, c]]}"
    found = named(designed(tmp_path, text, query, GDP_1, "algorithm_1", "algorithm_2"))
    for design in found.values():
        assert (design.meets, design.sampling, design.not_sampled) == (True, "floating_point", "")
        # (2, 2, -2, -2) is the longest move, and the moves lie in 24 dimensions
        assert design.rank == 24
    first = found["algorithm_1"].expected_l2
    assert first is not None
    assert first.value == pytest.approx(4 * 24**0.5 * (1 - 1 / 96), rel=1e-3)


def test_designs_that_cannot_be_sampled_come_last_with_the_reason(norms: Calibration) -> None:
    own = [design for design in norms.designs if design.name in ("algorithm_2", "algorithm_4")]
    assert all(design.sampling == "floating_point" for design in own)
    changed = [
        replace(d, sampling="impossible", not_sampled="too large") if d.name == "algorithm_2" else d
        for d in own
    ]
    view = view_of(replace(norms, designs=tuple(changed)))
    grids = {block.title: block for block in view.blocks if isinstance(block, Grid)}
    first = [row[0] for row in grids["Designs that meet the target"].rows]
    assert first == ["algorithm_4", "algorithm_2"]
    lines = (block for block in view.blocks if isinstance(block, Lines))
    (notes,) = (block for block in lines if block.title == "Notes")
    assert ("", "algorithm_2 cannot be sampled: too large") in notes.items


def test_the_optimal_designs_of_a_weighted_table(tmp_path: Path) -> None:
    """176.740 is least, as theory.md has it; 101.563 comes from Clarabel.

    A hexagon through the first cell has the squared length 100 + 5, and the rank is 4: 420. (The
    noise of Algorithm 1 for the table itself, whose cells have the variance 6 * 4/9, has the
    weighted total 6 * 4/9 * 108 = 288.)
    """
    query = f"{{matrix: {WEIGHTED}}}"
    names: tuple[AnyDesign, ...] = ("algorithm_1", "correlated_gaussian", "minimax_gaussian")
    found = named(designed(tmp_path, THREE_BY_THREE, query, GDP_1, *names))
    variances = {}
    for name, design in found.items():
        assert design.total_variance is not None
        assert design.max_sd is not None
        assert design.of_least_total is not None
        assert design.of_least_largest is not None
        variances[name] = design.total_variance.value, design.max_sd.value**2
        assert design.of_least_total == pytest.approx(variances[name][0] / 176.7399, rel=2e-4)
        assert design.of_least_largest == pytest.approx(variances[name][1] / 101.5635, rel=2e-4)
    assert variances["algorithm_1"][0] == pytest.approx(420, rel=1e-6)
    assert variances["correlated_gaussian"][0] == pytest.approx(176.740, rel=2e-4)
    assert variances["minimax_gaussian"][1] == pytest.approx(101.5635, rel=2e-4)


def test_with_equal_weights_algorithm_1_is_optimal(tmp_path: Path) -> None:
    found = named(designed(tmp_path, THREE_BY_THREE, "table", GDP_1, "algorithm_1"))
    design = found["algorithm_1"]
    assert design.total_variance is not None
    assert design.total_variance.value == pytest.approx(24, rel=1e-9)
    assert design.of_least_total == pytest.approx(1, rel=2e-4)
    assert design.of_least_largest == pytest.approx(1, rel=2e-4)


def test_a_query_that_does_not_move_inside_d_t_has_no_hull(tmp_path: Path) -> None:
    text = "semiaudit: 1\ndataspace: {size: 2, attributes: {a: 3}}\ninvariants: [{margin: [a]}]"
    found = named(designed(tmp_path, text, "table", PURE_1, "algorithm_2"))
    assert "does not move" in found["algorithm_2"].refused


def test_no_gaussian_optimum_is_shown_for_pure_dp(norms: Calibration) -> None:
    assert named(norms)["algorithm_4"].of_least_total is None


def test_the_hull_is_preferred_to_every_other_norm(norms: Calibration) -> None:
    """Proposition 9: K = Hull(S), which Delta_H H contains for every norm H."""
    found = named(norms)
    assert found["algorithm_2"].preferred_over == ("algorithm_4", "algorithm_5", "algorithm_6")
    # the hexagons (1, -1, 0, ...) have l1, l2 and l-infinity norm 6, sqrt(6) and 1: of the balls of
    # these radii, the l2 ball holds the cube neither way, and no ball holds the l1 ball's corners
    assert found["algorithm_4"].preferred_over == ()
    assert found["algorithm_5"].preferred_over == ()
    assert found["algorithm_6"].preferred_over == ()


def test_the_error_of_a_hull_with_many_corners_is_exact(tmp_path: Path) -> None:
    """A query of three numbers with 20 levels apart: the hull has hundreds of corners, rank 3."""
    rows = [[(7 * i * i + 3 * i) % 23 for i in range(40)], [(5 * i * i) % 29 for i in range(40)],
            [(i * i * i) % 31 for i in range(40)]]  # fmt: skip
    text = """
semiaudit: 1
dataspace: {size: 60, attributes: {a: 40}}
invariants: [total]
"""
    found = named(designed(tmp_path, text, f"{{matrix: {rows}}}", PURE_1, "algorithm_2"))
    design = found["algorithm_2"]
    assert design.meets
    assert design.expected_l2 is not None
    assert design.expected_l2.side == "exact"
    # by rejection: points of the box that are in the hull, with lengths of shape 4
    columns = np.array(rows, float).T
    moves = np.array([one - other for one in columns for other in columns])
    from scipy.spatial import ConvexHull

    hull = ConvexHull(np.unique(moves, axis=0))
    generator = np.random.default_rng(0)
    box = generator.uniform(-1, 1, (400_000, 3)) * np.abs(moves).max(axis=0)
    inside = box[(box @ hull.equations[:, :3].T + hull.equations[:, 3] <= 0).all(axis=1)]
    lengths = np.linalg.norm(inside, axis=1)
    assert design.expected_l2.value == pytest.approx(4 * lengths.mean(), rel=5e-3)
