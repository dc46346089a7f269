"""Specs from what other tools write down about a release: one importer a module.

No importer imports the tool, calls what a file names, or unpickles.
"""

from __future__ import annotations

from typing import get_args

from semiaudit.model.adjacency import Neighbors

TABLES = ("csv", "parquet")
KINDS = (*TABLES, "opendp", "dp_event", "opacus")
"""What a file can be that a spec is written for; the last ones are JSON, and have an importer."""

NEIGHBORS = get_args(Neighbors)
SAMPLING = ("poisson", "fixed_size", "shuffle")
