"""Whatever a file holds, it is counted as Python's csv reads it, or refused."""

from __future__ import annotations

import csv
import io
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semiaudit.errors import SpecError
from semiaudit.model.dataspace import Attribute
from tests.data.counting import counted, csv_file

pytest.importorskip("duckdb")

A = Attribute("a", ("x", "y z", 'q"', "1,2", "two\nlines"))
B = Attribute("b", 3)
PIECES = ["x", "y z", '"q"""', '"1,2"', '"two\nlines"', "0", "01", "2", ",", ",", "\n", "\n"]
ODD = ['"', "\r\n", "\r", " ", "\ufeff", "é", "'", "\\", "#", ";", "\x00", "NULL"]
ROWS = st.lists(st.tuples(st.sampled_from(PIECES[:5]), st.sampled_from(PIECES[5:8])), max_size=6)
JUNK = st.lists(st.sampled_from(PIECES + ODD), max_size=8)


@settings(max_examples=30, derandomize=True, database=None)
@given(rows=ROWS, junk=JUNK, raw=st.binary(max_size=2))
def test_csv_is_counted_as_python_reads_it_or_refused(
    rows: list[tuple[str, str]], junk: list[str], raw: bytes
) -> None:
    text = "a,b\n" + "".join(f"{a},{b}\n" for a, b in rows) + "".join(junk)
    content = text.encode() + raw
    with TemporaryDirectory() as folder:
        path = csv_file(Path(folder), content)
        found = None
        with suppress(SpecError):
            found = counted(path, "records", [A, B], [("a", "b")])
    if found is None:
        assert junk or raw or not rows
        return
    read = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
    cells = Counter((A.index(row[0]), B.index(row[1])) for row in read if row)
    assert found.counts[("a", "b")] == dict(cells)
