"""Where the changes of an answer lie, for random invariants and queries of small tables."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.query import width
from semiaudit.spec.build import load_release
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles.subspace_noise import null, projector
from tests.samples import repeated
from tests.universe.sensitivity.test_spellings import drawn


@repeated(fast=40, slow=2_000)
def test_the_enclosing_space_is_the_image_of_all_changes_that_keep_the_invariants(
    times: int, tmp_path: Path
) -> None:
    rng = random.Random("enclosing")
    for _ in range(times):
        release = drawn(rng)
        case, path = release.case, tmp_path / "small.yaml"
        mechanism = f"mechanism: {{gaussian: {{sigma: 1, query: {release.query}}}}}\n"
        path.write_text(release.text + mechanism, encoding="utf-8")
        audited = load_release(str(path))
        spaces = SensitivitySpaces(audited)
        (query,) = queries_of(audited.mechanism)
        found = spaces.subspaces.enclosing(query)
        assert found is not None
        cells = list(case.cells)
        kept = np.vstack([case.told[:, cells], np.ones((1, len(cells)))])
        expected = projector(null(kept) @ case.asked[:, cells].T)
        basis = np.eye(width(query, spaces.table))
        projected = np.array(
            [[float(k) for k in found.project(list(map(int, row)))] for row in basis]
        )
        assert np.allclose(projected, expected, atol=1e-8), release.text
        if len(case.tables) <= 60:
            for change in case.changes(case.records):
                assert found.holds([round(k) for k in change])
