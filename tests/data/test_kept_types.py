"""The types of a Parquet file's columns, and which of them another file may have."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from semiaudit.data.kept_types import kept_types
from semiaudit.data.parquet import parquet_from_csv
from semiaudit.model.data_source import DataSource


@pytest.mark.parametrize(
    ("form", "texts", "kept"),
    [
        ("DATE", ["2020-01-01", "1999-12-31"], True),
        ("DATE", ["2020-01-01", "unknown"], False),
        ("DATE", ["2020-1-1"], False),
        ("BOOLEAN", ["true", "false"], True),
        ("BOOLEAN", ["true", "t"], False),
        ("TINYINT", ["1", "-128"], True),
        ("TINYINT", ["1", "200"], False),
        ("INTEGER", ["01"], False),
        ("UBIGINT", ["18446744073709551615"], True),
        ("DECIMAL(4,1)", ["1.5", "-20.0"], True),
        ("DECIMAL(4,1)", ["1.55"], False),
        ("DOUBLE", ["0.1", "2.5"], True),
        ("DOUBLE", ["1"], False),
        ("HUGEINT", ["1"], False),
        ("VARCHAR", ["a"], False),
        ("TIMESTAMP", ["2020-01-01 10:00:00"], True),
        ("INTEGER", [str(k) for k in range(2_500)], True),
        ("INTEGER", [*(str(k) for k in range(2_500)), "it's"], False),
    ],
)
def test_a_type_is_kept_where_every_text_is_that_of_a_value(
    form: str, texts: list[str], kept: bool, tmp_path: Path
) -> None:
    path = tmp_path / "data.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT NULL::{form} AS \"a 'b\") TO '{path}'")
        held = connection.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()[0][1]
    found = kept_types(DataSource("records", path.name), tmp_path, {"a 'b": texts})
    assert found == ({"a 'b": held} if kept else {})
    if kept:
        source, target = tmp_path / "rows.csv", tmp_path / "again.parquet"
        source.write_text("a 'b\n" + "".join(f"{text}\n" for text in texts), "utf-8")
        parquet_from_csv(str(source), str(target), found)
        with duckdb.connect() as connection:
            again = connection.execute(f"DESCRIBE SELECT * FROM '{target}'").fetchall()[0][1]
            rows = connection.execute(
                f"SELECT CAST(\"a 'b\" AS VARCHAR) FROM '{target}'"
            ).fetchall()
        assert again == held
        assert [row[0] for row in rows] == texts
