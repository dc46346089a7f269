"""Tables of Python are counted like files, whatever library holds them."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import semiaudit as sa
from semiaudit.data.tallies import tallies
from semiaudit.errors import SpecError
from semiaudit.model.data_source import HELD, DataSource, HeldTable
from tests.data.counting import BOTH, MARGINS, QUOTING

pd: Any = pytest.importorskip("pandas")
pl: Any = pytest.importorskip("polars")
pa: Any = pytest.importorskip("pyarrow")
duckdb: Any = pytest.importorskip("duckdb")
ibis: Any = pytest.importorskip("ibis")

Columns = dict[str, list[Any]]


def sqlite_table(columns: Columns) -> Any:
    backend = ibis.sqlite.connect()
    pd.DataFrame(columns).to_sql("people", backend.con, index=False)
    return backend.table("people")


FORMS: dict[str, Callable[[Columns], Any]] = {
    "pandas": pd.DataFrame,
    "indexed": lambda columns: pd.DataFrame(columns).set_index(["sex", "state"]),
    "categories": lambda columns: pd.DataFrame(columns).astype({"sex": "category"}),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "chunks": lambda c: pa.concat_tables([pa.table(c).slice(k, 1) for k in range(len(c["sex"]))]),
    "stream": lambda columns: pa.table(columns).to_reader(),
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
    "memtable": lambda columns: ibis.memtable(pa.table(columns)),
    "sqlite": sqlite_table,
}


@pytest.mark.parametrize("form", FORMS)
def test_records_and_tables_are_counted_as_by_hand(form: str) -> None:
    rng = random.Random(form)
    records = [(rng.choice("mf"), rng.randrange(3)) for _ in range(500)]
    by_cell = Counter(("mf".index(sex), state) for sex, state in records)
    by_sex = Counter(sex for sex, _ in by_cell.elements())
    counts = {(): {(): 500}, ("sex",): {(k,): n for k, n in by_sex.items()}}
    counts[("sex", "state")] = dict(by_cell)
    columns: Columns = {"sex": [r[0] for r in records], "state": [r[1] for r in records]}
    held = HeldTable(FORMS[form]({**columns, "id": list(range(500))}))
    found = tallies(DataSource("records", HELD, held=held), Path(), BOTH, MARGINS)
    assert (found.size, found.counts) == (500, counts)

    cells = [(sex, state, by_cell[sex, state]) for sex, state in product(range(2), range(3))]
    columns = {"sex": ["mf"[cell[0]] for cell in cells], "state": [cell[1] for cell in cells]}
    held = HeldTable(FORMS[form]({**columns, "count": [cell[2] for cell in cells]}))
    for _ in range(2):  # a stream too: it was read when it was given
        found = tallies(DataSource("table", HELD, held=held), Path(), BOTH, MARGINS)
        assert (found.size, found.counts) == (500, counts)


def test_names_that_differ_by_case_are_different_columns() -> None:
    columns = {"sex": ["m", "f"], "SEX": ["x", "y"], "SEX_1": ["z", "z"], "state": [1, 2]}
    source = DataSource("records", HELD, held=HeldTable(pa.table(columns)))
    assert tallies(source, Path(), BOTH, [("sex",)]).counts == {("sex",): {(0,): 1, (1,): 1}}
    renamed = [name.replace("SEX_1", "sex").replace("sex", "q") for name in columns]
    source = DataSource("records", HELD, held=HeldTable(pa.table(columns).rename_columns(renamed)))
    with pytest.raises(SpecError, match="the column is missing"):
        tallies(source, Path(), BOTH, [("sex",)])


@pytest.mark.parametrize("count", [float("nan"), float("inf"), 2.5, -1.0, 1e16, None])
def test_what_is_no_count_is_refused_with_its_row(count: float | None) -> None:
    columns = {"sex": ["m", "f"], "state": [1, 2], "count": pa.array([3.0, count])}
    source = DataSource("table", HELD, held=HeldTable(pa.table(columns)))
    with pytest.raises(SpecError, match=f"{HELD}: count: row 2"):
        tallies(source, Path(), BOTH, MARGINS)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"sex": ["m", 1], "state": [0, 1]}), "DataFrame is not a table of Arrow"),
        (pd.Series([1, 2]), "Series is not a table of Arrow"),
        (pl.Series([1, 2]), "Series is not a table of Arrow"),
        (pl.DataFrame({"sex": ["m", "x"], "state": [0, 1]}), "row 2: 'x' is not a level"),
        (pl.DataFrame({"sex": ["m", None], "state": [0, 1]}), "row 2: an empty value"),
        (pl.DataFrame({"sex": [["m"]], "state": [0]}), r"sex: has the type VARCHAR\[\]"),
        (pa.table({"sex": ["m"], "state": [0]}).slice(0, 0), "has no rows"),
        (pa.table([["m"], ["f"], [0]], ["sex", "sex", "state"]), "two columns have this name"),
        (ibis.memtable(pa.table({"sex": ["x"], "state": [0]})), "'x' is not a level"),
        (ibis.table({"sex": "string", "state": "int64"}, name="people"), "has no engine"),
    ],
)
def test_tables_that_cannot_be_counted_are_refused(table: Any, message: str) -> None:
    with pytest.raises((SpecError, ValueError), match=message):
        tallies(DataSource("records", HELD, held=HeldTable(table)), Path(), BOTH, MARGINS, QUOTING)


SPEC: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"attributes": {"sex": ["m", "f"], "state": 3}},
    "invariants": [{"margin": ["sex"]}],
    "mechanism": {"gaussian": {"sigma": 2, "query": "table", "support": "null_space"}},
}
COUNTS = [[4, 0, 2], [1, 3, 5]]
CELLS: Columns = {
    "sex": ["m"] * 3 + ["f"] * 3,
    "state": [0, 1, 2] * 2,
    "count": [*COUNTS[0], *COUNTS[1]],
}


@pytest.mark.parametrize("form", FORMS)
def test_specs_and_samples_take_tables(form: str) -> None:
    spec = sa.Spec.from_mapping({**SPEC, "data": {"table": FORMS[form](CELLS)}})
    inline = sa.Spec.from_mapping({**SPEC, "data": {"counts": COUNTS}})
    for same in (spec, spec.with_(title="same"), sa.Spec.from_mapping(spec.to_mapping())):
        assert sa.semi_adjacency(same) == sa.semi_adjacency(inline)
    assert copy.copy(spec) == spec == sa.Spec.from_mapping(spec.to_mapping())
    assert spec != inline
    if not spec.to_mapping()["data"]["table"].__class__.__module__.startswith("ibis"):
        assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
    rows = sa.sample(inline, seed=1).to_columns()
    assert sa.sample(SPEC, data=FORMS[form](CELLS), seed=1).to_columns() == rows
    assert sa.sample(spec, seed=1).to_columns() == rows


def test_samples_take_arrays_of_counts_that_agree_with_the_spec(tmp_path: Path) -> None:
    import numpy as np

    inline = sa.Spec.from_mapping({**SPEC, "data": {"counts": np.array(COUNTS)}})
    rows = sa.sample(inline, seed=1).to_columns()
    for data in (COUNTS, np.array(COUNTS)):
        assert sa.sample(SPEC, data=data, seed=1).to_columns() == rows
        assert sa.sample(inline, data=data, seed=1).to_columns() == rows
    moved = np.array(COUNTS)[::-1]
    with pytest.raises(SpecError, match="disagrees with the data of the spec in margin sex"):
        sa.sample(inline, data=moved, seed=1)
    with pytest.raises(SpecError, match="disagrees with the data of the spec in margin sex"):
        sa.sample(inline, data=pd.DataFrame({**CELLS, "count": moved.ravel()}), seed=1)
    with pytest.raises(SpecError, match="one entry for each level"):
        sa.sample(SPEC, data=np.array([1, 2]), seed=1)
    path = tmp_path / "cells.csv"
    pd.DataFrame(CELLS).to_csv(path, index=False)
    assert sa.sample(SPEC, data=path, seed=1).to_columns() == rows
    named = {**SPEC, "data": {"table": path}}
    assert sa.sample(named, seed=1, root=tmp_path).to_columns() == rows


def test_an_engine_does_not_go_with_a_table_of_python() -> None:
    data = {"table": pa.table(CELLS), "engine": "duckdb://people.db"}
    with pytest.raises(SpecError, match=r"data\.engine: does not go with a table in Python"):
        sa.Spec.from_mapping({**SPEC, "data": data})
