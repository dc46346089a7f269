"""Persons of a size in a file or a database, the spec that counts them, and the bare query.

python -m tests.benchmarks.growth.people csv|parquet|engine ROWS FOLDER
python -m tests.benchmarks.growth.people bare FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from semiaudit.data.files import settings

PEOPLE = """
    COPY (
        SELECT
            CAST(hash(i) % 51 AS INTEGER) AS state,
            CASE WHEN hash(i + 1) % 4 = 0 THEN 'under 18' ELSE '18 and over' END AS age,
            hash(i * 7) % 2 = 0 AS hispanic,
            'r' || (hash(i * 3) % 63) AS race,
            format('{{:05d}}', hash(i * 11) % 3143) AS county,
            CAST(hash(i * 13) % 8 AS VARCHAR) AS quarters,
            i AS id
        FROM range({rows}) AS t(i)
    ) TO '{path}' (FORMAT parquet)
"""
SPEC = """\
semiaudit: 1
dataspace:
  unit: person
  attributes:
    state: 51
    age: [under 18, 18 and over]
    hispanic: ["true", "false"]
    race: [{races}]
    quarters: 8
invariants:
  - margin: [state, age]
  - margin: [age, hispanic, race]
  - margin: [quarters]
data: {{{data}}}
mechanism: {{zcdp: {{rho: 1}}}}
"""
DATA = {
    "csv": "records: people.csv",
    "parquet": "records: people.parquet",
    "engine": 'engine: "duckdb://people.db", records: people',
}


BARE = """
    SELECT GROUPING(age, hispanic, quarters, race, state), age, hispanic, quarters, race, state,
        count(*)
    FROM read_parquet('{path}')
    GROUP BY GROUPING SETS ((), (state), (state, age), (age, hispanic, race), (quarters))
"""
"""The counts of the spec, as a user of DuckDB would ask for them."""


def bare(folder: Path) -> int:
    """The number of groups, under the settings that the program gives to DuckDB."""
    with (
        TemporaryDirectory() as spill,
        duckdb.connect(":memory:", config=settings(spill)) as connection,
    ):
        return len(connection.execute(BARE.format(path=folder / "people.parquet")).fetchall())


def main() -> None:
    if sys.argv[1] == "bare":
        print(bare(Path(sys.argv[2])))
        return
    form, rows, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    parquet = folder / "people.parquet"
    database = folder / "people.db"
    with duckdb.connect(str(database)) as connection:
        connection.execute(PEOPLE.format(rows=rows, path=parquet))
        if form == "csv":
            copy = f"COPY (FROM '{parquet}') TO '{folder / 'people.csv'}' (HEADER)"
            connection.execute(copy)
        if form == "engine":
            connection.execute(f"CREATE TABLE people AS FROM '{parquet}'")
    races = ", ".join(f"r{place}" for place in range(63))
    spec = SPEC.format(races=races, data=DATA[form])
    (folder / "people.semiaudit.yaml").write_text(spec, "utf-8")
    data = {"csv": folder / "people.csv", "parquet": parquet, "engine": database}[form]
    print(data.stat().st_size)


if __name__ == "__main__":
    main()
