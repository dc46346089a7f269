"""DuckDB stays out of the way until it is needed, and then inside its bounds."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from semiaudit.data.files import MOST_THREADS, opened_file, settings
from semiaudit.errors import SpecError
from semiaudit.model.data_source import DataSource
from tests.data.counting import counted, csv_file, problems


def test_no_library_is_loaded_by_importing_the_counting() -> None:
    code = (
        "import sys, semiaudit.data.tallies, semiaudit.data.files, semiaudit.data.ibis_engine\n"
        "print({'duckdb', 'ibis', 'pyarrow', 'pandas', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_missing_duckdb_is_a_problem_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    path = csv_file(tmp_path, "state,sex\n0,m\n")
    expected = ["data.csv: reading it needs DuckDB; pip install 'semiaudit[data]'"]
    assert problems(path, "records") == expected


def test_a_file_that_is_not_there_is_told_before_duckdb_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert "there is no such file" in problems(tmp_path / "no.csv", "records")[0]


def test_the_connection_reads_one_file_and_changes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    csv_file(tmp_path, "state,sex\n0,m\n")
    other = csv_file(tmp_path, "state,sex\n0,m\n", "other.csv")
    with opened_file(DataSource("records", "data.csv"), tmp_path) as reader:
        assert reader.rows() == 1
        for query in (
            f"SELECT * FROM read_csv('{other}')",
            f"SELECT * FROM glob('{tmp_path}/*')",
            f"COPY (SELECT 1) TO '{tmp_path}/out.csv'",
            f"ATTACH '{tmp_path}/out.db'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET memory_limit = '10GB'",
            "SET enable_external_access = true",
        ):
            with pytest.raises(SpecError):
                reader.fetched(query)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "other.csv"]


def test_the_private_folder_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb")
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    counted(csv_file(tmp_path, "state,sex\n0,m\n", "a*.csv"), "records")
    problems(csv_file(tmp_path, "state,sex\n0,q\n", "a*.csv"), "records")
    assert not list(private.iterdir())


def test_memory_and_threads_are_bounded() -> None:
    bounds = settings("spill")
    assert bounds["memory_limit"] == "512MB"
    assert int(str(bounds["threads"])) <= min(os.cpu_count() or 1, MOST_THREADS)
