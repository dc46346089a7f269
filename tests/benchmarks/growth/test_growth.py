"""docs/performance.md has the figures of the records, and what is computed from them is right."""

from __future__ import annotations

import re
import sys

import pytest

from tests.benchmarks.growth import beyond
from tests.benchmarks.growth.beyond import ways
from tests.benchmarks.growth.measuring import Used, typical, used_by
from tests.benchmarks.growth.page import PAGE, lines, slopes, through_the_last_two
from tests.benchmarks.growth.records import FOLDER, figures_of, points_of
from tests.benchmarks.growth.series import SERIES, Series
from tests.benchmarks.growth.work import KINDS


def test_the_page_is_written_from_the_records() -> None:
    text = PAGE.read_text("utf-8")
    _, _, rest = text.partition("<!-- growth: begin -->\n")
    shown, _, after = rest.partition("\n<!-- growth: end -->")
    assert after == "\n"
    assert shown == "\n".join(lines()), "run python -m tests.benchmarks.growth --page"


@pytest.mark.parametrize("series", SERIES, ids=lambda series: series.name)
def test_a_record_has_every_size_and_the_command_that_measures_it(series: Series) -> None:
    record = points_of(series.name)
    assert record is not None
    run, points = record
    assert tuple(point.size for point in points) == series.sizes
    assert f"--series {series.name}" in run.command
    assert re.fullmatch(r"[0-9a-f]{8}", run.commit)
    assert all(point.ours.seconds > 0 and point.ours.megabytes > 0 for point in points)


def test_every_record_is_of_a_series() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {
        beyond.NAME,
        *(series.name for series in SERIES),
    }


def test_the_slope_of_a_power_is_its_exponent() -> None:
    squares = [(10, 1.0), (100, 100.0), (1000, 10_000.0)]
    assert slopes(squares) == pytest.approx([2, 2])
    assert slopes([(1, 5.0), *squares]) == pytest.approx([2, 2])
    assert slopes([(10, 3.0), (100, 3.0)]) == pytest.approx([0])
    assert slopes([(10, 3.0)]) == []


def test_an_extrapolation_is_on_the_line_through_the_last_two_sizes() -> None:
    assert through_the_last_two([(1, 50.0), (10, 3.0), (100, 12.0)], 1000) == pytest.approx(102)


def test_a_lost_worker_costs_no_verdict() -> None:
    record = figures_of(beyond.NAME)
    assert record is not None
    by_name = {way["name"]: way for way in record[1]}
    assert tuple(by_name) == beyond.WAYS
    for way in by_name.values():
        assert way["specs"] == way["verdicts"] == way["once"] == 10_000
        assert way["same"] is True
    assert 0 < by_name[beyond.WAYS[2]]["lost_after"] < 10_000


@pytest.mark.slow
def test_each_way_audits_every_spec_once() -> None:
    for way in ways(200):
        assert (way.verdicts, way.once, way.same) == (200, 200, True)


def test_a_process_is_measured_with_its_children_and_up_to_its_limit() -> None:
    spin = "import time\nwhile time.process_time() < {}: pass\nprint('done')"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin.format(0.3)!r}])"
    done = used_by([sys.executable, "-c", child])
    assert done is not None
    used, output = done
    assert used.seconds >= 0.3
    assert used.megabytes > 1
    assert output == "done\n"
    assert used_by([sys.executable, "-c", spin.format(60)], patience=1) is None
    with pytest.raises(RuntimeError, match="ended with 3"):
        used_by([sys.executable, "-c", "raise SystemExit(3)"])


def test_short_runs_are_repeated_and_long_ones_are_not() -> None:
    times = iter([3.0, 1.0, 2.0])
    found = typical(lambda: Used(time := next(times), 2 * time, 10 * time, "a"))
    assert found == Used(2.0, 4.0, 30.0, "a")
    long = Used(6.0, 6.0, 1.0)
    assert typical(iter([long]).__next__) == long
    assert typical(lambda: None) is None


@pytest.mark.parametrize("name", KINDS)
def test_a_small_piece_of_every_work_has_an_answer(name: str) -> None:
    assert KINDS[name].small()()


def test_the_margins_of_small_tables_have_the_parameters_of_the_theory() -> None:
    """One-way margins: three records at most move together, or two that swap their levels."""
    assert KINDS["cells"].of(100)() == "3 / 2"
