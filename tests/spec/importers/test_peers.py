"""Round trips with the libraries themselves, and numbers next to theirs: the extra ``peers``."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from semiaudit import Spec, SpecError, audit

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(12))
def test_events_of_dp_accounting(seed: int) -> None:
    """Their PLD is an upper bound on a grid; ours may not exceed it by more than our tolerance."""
    events = pytest.importorskip("dp_accounting.dp_event")
    accounting = pytest.importorskip("dp_accounting.pld.pld_privacy_accountant")
    rng = random.Random(seed)
    parts: list[Any] = [
        events.GaussianDpEvent(rng.uniform(2, 9)),
        events.LaplaceDpEvent(rng.uniform(3, 9)),
        events.DiscreteLaplaceDpEvent(rng.uniform(0.1, 0.5), 1),
        events.PoissonSampledDpEvent(rng.uniform(0.01, 0.2), events.GaussianDpEvent(1.5)),
    ]
    chosen = [events.SelfComposedDpEvent(part, rng.randint(1, 9)) for part in rng.sample(parts, 2)]
    event = events.ComposedDpEvent(chosen)
    theirs = accounting.PLDAccountant(value_discretization_interval=1e-4)
    theirs.compose(event)
    ours = float(audit(Spec.from_dp_event(event, neighbors="add_remove")).nominal_dp.epsilon(1e-6))
    assert ours == pytest.approx(theirs.get_epsilon(1e-6), rel=5e-3)
    again = json.loads(json.dumps(event.to_named_tuple()))
    written = float(
        audit(Spec.from_dp_event(again, neighbors="add_remove")).nominal_dp.epsilon(1e-6)
    )
    assert written == ours


@pytest.mark.parametrize("invariant", ["lengths", "keys", None])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("inferred", [True, False])
def test_contexts_of_opendp(invariant: str | None, rows: int, inferred: bool) -> None:
    dp = pytest.importorskip("opendp.prelude")
    pl = pytest.importorskip("polars")
    dp.enable_features("contrib")
    frame = pl.LazyFrame({"state": ["a", "b"] * 20, "age": [1, 2, 3, 4] * 10})
    columns = [
        dp.series_domain("state", dp.atom_domain(T=str)),
        dp.series_domain("age", dp.atom_domain(T=dp.i64)),
    ]
    context = dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=rows),
        privacy_loss=dp.loss_of(rho=0.5),
        split_evenly_over=2,
        domain=None if inferred else dp.lazyframe_domain(columns),
        margins=[dp.polars.Margin(by=["state"], invariant=invariant)],
    )
    levels: dict[str, list[str | int]] = {"state": ["a", "b"], "age": [1, 2, 3, 4]}
    if invariant == "lengths" and rows == 1:
        with pytest.raises(SpecError, match="vacuous"):
            Spec.from_opendp(context, levels=levels)
        return
    report = audit(Spec.from_opendp(context, levels=levels))
    assert report.semi_dp.rho is not None
    assert math.isfinite(report.semi_dp.rho)
    if not inferred:
        written = json.loads(dp.serialize(context.accountant))
        assert audit(Spec.from_opendp(written, levels=levels)).semi_dp.rho == report.semi_dp.rho
