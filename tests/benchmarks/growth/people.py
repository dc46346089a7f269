"""Persons of a size in a file or a database, and the spec that counts them.

python -m tests.benchmarks.growth.people csv|parquet|engine ROWS FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

from tests.benchmarks.microdata import PEOPLE

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


def main() -> None:
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
