"""Specs from what other tools write down, against numbers and laws that do not come from here."""

from __future__ import annotations

import json
import math
import random
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from semiaudit import Bound, Spec, SpecError, audit
from semiaudit.spec.importers.imported import Choices
from semiaudit.spec.importers.importers import imported, spec_text
from semiaudit.spec.python_values import document_of_values
from semiaudit.spec.yaml12 import parse_document
from tests.cli.test_invocations import process
from tests.oracles.domain_paths import datasets, groups, joined

HERE = Path(__file__).parent
LEVELS: dict[str, list[str | int]] = {"state": ["a", "b"], "age": [1, 2, 3]}
MODULE = "dp_accounting.dp_event"


def document(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text("utf-8"))


def value(bound: Bound | None) -> float:
    assert bound is not None
    return float(bound)


def event(name: str, *values: object) -> list[object]:
    return [MODULE, name, *values]


@pytest.mark.parametrize(
    ("made", "neighbors", "measure", "true"),
    [
        (event("GaussianDpEvent", 1.5), "add_remove", "rho", 1 / (2 * 1.5**2)),
        (event("GaussianDpEvent", 1.5), "replace_one", "rho", 4 / (2 * 1.5**2)),
        (event("GaussianDpEvent", 1.5), "zero_out", "rho", 4 / (2 * 1.5**2)),
        (event("LaplaceDpEvent", 2.0), "add_remove", "pure", 1 / 2),
        (event("LaplaceDpEvent", 2.0), "replace_one", "pure", 2 / 2),
        (event("DiscreteLaplaceDpEvent", 0.3, 2), "add_remove", "pure", 0.6),
        (event("DiscreteLaplaceDpEvent", 0.3, 2), "replace_one", "pure", 1.2),
        (event("RandomizedResponseDpEvent", 0.25, 4), "replace_one", "pure", math.log(13)),
        (event("ZCDpEvent", 0.5, 0.0), "add_remove", "rho", 0.5),
        (event("SelfComposedDpEvent", event("ZCDpEvent", 0.5, 0.0), 6), "add_remove", "rho", 3),
        (
            event("ComposedDpEvent", [event("ZCDpEvent", 0.5, 0.0), event("NoOpDpEvent")] * 3),
            "add_remove",
            "rho",
            1.5,
        ),
    ],
)
def test_the_loss_of_an_event(made: Any, neighbors: str, measure: str, true: float) -> None:
    nominal = audit(Spec.from_dp_event(made, neighbors=neighbors)).nominal_dp
    loss = nominal.rho if measure == "rho" else nominal.epsilon(0)
    assert value(loss) == pytest.approx(true, rel=1e-9)


def test_poisson_sampled_events_are_the_history_of_opacus() -> None:
    """1,000 steps at rate .01 and noise 1.1, next to dp_accounting's PLD on a grid of 1e-5."""
    step = event("PoissonSampledDpEvent", 0.01, event("GaussianDpEvent", 1.1))
    whole = event("SelfComposedDpEvent", step, 1000)
    specs = [
        Spec.from_dp_event(whole, neighbors="add_remove"),
        Spec.from_opacus({"history": [[1.1, 0.01, 400], [1.1, 0.01, 600]]}, sampling="poisson"),
    ]
    first, second = (float(audit(spec).nominal_dp.epsilon("1e-6")) for spec in specs)
    assert first == second == pytest.approx(1.752976, rel=1e-4)


def test_a_shuffled_history_gains_nothing_from_sampling() -> None:
    """702 steps of 234 a epoch are three Gaussian steps that move by 2: mu = 2 sqrt(3) / 1.1."""
    history = {"history": [[1.1, 1 / 234, 234], [1.1, 1 / 234, 468]], "mechanism": "rdp"}
    spec = Spec.from_opacus(history, sampling="shuffle")
    state = {"privacy_accountant_state_dict": history}
    assert Spec.from_opacus(state, sampling="shuffle") == spec
    assert value(audit(spec).nominal_dp.mu) == pytest.approx(2 * math.sqrt(3) / 1.1, rel=1e-9)
    every = audit(Spec.from_opacus(history, sampling="fixed_size")).nominal_dp
    assert value(every.mu) == pytest.approx(2 * math.sqrt(702) / 1.1, rel=1e-9)


def test_an_entry_that_begins_inside_an_epoch_is_a_part_of_one_more() -> None:
    """A record of the last 134 batches of the first epoch may be among the first of the second."""
    history = {"history": [[4, "1/234", 100], [1, "1/234", 234]]}
    shuffled = audit(Spec.from_opacus(history, sampling="shuffle")).nominal_dp
    assert value(shuffled.mu) >= math.sqrt(2) * 2 / 1
    other = {"history": [[4, "1/234", 100], [1, "1/10", 10]]}
    assert value(audit(Spec.from_opacus(other, sampling="shuffle")).nominal_dp.mu) >= math.sqrt(8)
    later = {"history": [[4, "1/234", 100], [4, "1/10", 11], [1, "1/10", 10]]}
    assert value(audit(Spec.from_opacus(later, sampling="shuffle")).nominal_dp.mu) >= math.sqrt(8)


def test_two_changed_rows_are_two_records_of_a_contributor() -> None:
    context = document("opendp_keys")
    context["__kwargs__"]["d_in"] = 2
    nominal = audit(Spec.from_opendp(context, levels=LEVELS)).nominal_dp
    # Two steps of (1, 1e-7): epsilon 2, and delta (1 + e) 1e-7 at most.
    assert float(nominal.epsilon("4e-7")) == pytest.approx(2, rel=0.01)


def test_the_losses_of_an_opendp_context() -> None:
    lengths = audit(Spec.from_opendp(document("opendp_lengths"), levels=LEVELS))
    # rho .5 for two rows; a unit of two rows replaces both inside D_t, which takes two such steps.
    assert value(lengths.semi_dp.rho) == pytest.approx(2, rel=1e-12)
    keys = audit(Spec.from_opendp(document("opendp_keys"), levels=LEVELS))
    epsilon = float(keys.nominal_dp.epsilon("1.1e-7"))
    assert epsilon == pytest.approx(1, rel=1e-4)


def test_a_contributor_with_two_records_that_enters_moves_both() -> None:
    """Two records may change, which takes four steps, each with the rho of .5 that is declared."""
    context = document("opendp_counts")
    context["__kwargs__"]["d_in"] = 2
    nominal = audit(Spec.from_opendp(context, levels=LEVELS)).nominal_dp
    assert value(nominal.rho) == pytest.approx(4**2 * 0.5, rel=1e-12)


def test_the_noise_of_counts_is_imported_with_the_queries() -> None:
    queries = document_of_values(document("opendp_counts_queries"), "queries")
    made = imported(document_of_values(document("opendp_counts"), "x"), Choices(queries=queries))
    assert made.sections["mechanism"] == {
        "discrete_gaussian": {"sigma_squared": "1", "shifts": ["1"], "neighbors": "add_remove"}
    }
    sums = [{"column": "age", "aggregate": "Sum", "distribution": "Integer Laplace", "scale": 3.0}]
    declared = imported(
        document_of_values(document("opendp_counts"), "x"),
        Choices(queries=document_of_values(sums, "queries")),
    )
    assert "zcdp" in declared.sections["mechanism"]


@pytest.mark.parametrize(
    ("rows", "threshold", "kind"),
    [(2, None, "discrete_laplace"), (2, 33, "approx_dp"), (1, None, "approx_dp")],
)
def test_noise_replaces_losses_only_if_it_covers_all_of_them(
    rows: int, threshold: int | None, kind: str
) -> None:
    """A group that reaches a threshold with one record is new; two losses are two queries."""
    row: dict[str, object] = {"column": "len", "aggregate": "Frame Length"}
    row |= {"distribution": "Integer Laplace"}
    row |= {"scale": 1.0, "threshold": threshold}
    queries = document_of_values([row] * rows, "queries")
    made = imported(document_of_values(document("opendp_keys"), "x"), Choices(queries=queries))
    assert kind in json.dumps(made.sections["mechanism"])


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (event("SampledWithoutReplacementDpEvent", 5, 10, event("NoOpDpEvent")), "not supported"),
        (event("ZCDpEvent", 0.5, 0.1), "xi other than 0"),
        (event("GaussianDpEvent", 0.0), "not above 0"),
        (event("GaussianDpEvent", "inf"), "not a number"),
        (event("GaussianDpEvent"), "has 0 values"),
        (event("NoOpDpEvent"), "no event of it touches the data"),
        (event("RandomizedResponseDpEvent", 0.25, 4), "record that is replaced"),
        (["os", "system", "true"], "is no event"),
    ],
)
def test_what_no_kind_describes_is_refused(made: Any, reason: str) -> None:
    with pytest.raises(SpecError, match=reason):
        Spec.from_dp_event(made, neighbors="add_remove")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("opendp_vacuous", "is vacuous"), ("opendp_identifier", "symmetric_id_distance is not")],
)
def test_what_opendp_does_not_bound_is_refused(name: str, reason: str) -> None:
    with pytest.raises(SpecError, match=reason):
        Spec.from_opendp(document(name), levels=LEVELS)


def accountant(metric: str, rows: int, margins: list[dict[str, Any]]) -> dict[str, Any]:
    def made(function: str, **arguments: object) -> dict[str, Any]:
        return {"__function__": function, "__kwargs__": arguments}

    columns = [
        made("series_domain", name=name, element_domain=made("atom_domain", T="i64"))
        for name in ("g", "h")
    ]
    domain = made("lazyframe_domain", series_domains=columns)
    for margin in margins:
        domain = made("with_margin", frame_domain=domain, margin={"__margin__": margin})
    return made(
        "make_adaptive_composition",
        input_domain=domain,
        input_metric=made(metric),
        output_measure=made("max_divergence"),
        d_in=rows,
        d_mids=[1.0],
    )


RELATIONS = (("symmetric_distance", 1), ("symmetric_distance", 2), ("change_one_distance", 1))
BYS: list[list[str]] = [[], ["g"], ["h"], ["g", "h"]]
MARGINS: list[dict[str, Any]] = [
    {"by": by, "max_length": most, "invariant": invariant}
    for by, most, invariant in product(BYS, (None, 1, 2, 3), (None, "lengths", "keys"))
    if most is not None or invariant is not None
]


def paths_are_known(metric: str, rows: int, margins: list[dict[str, Any]]) -> bool:
    """Whether an import is accepted; then a search must find the paths on which it rests."""
    try:
        made = imported(document_of_values(accountant(metric, rows, margins), "x"), Choices())
    except SpecError:
        return False
    most = min([m["max_length"] for m in margins if not m["by"] and m["max_length"]] + [6])
    at = {"g": 0, "h": 1}

    def inside(dataset: Any) -> bool:
        counts = [(m, groups(dataset, [at[name] for name in m["by"]])) for m in margins]
        return all(
            m["max_length"] is None or max(count.values(), default=0) <= m["max_length"]
            for m, count in counts
        )

    def t_of(dataset: Any) -> object:
        counts = [(m, groups(dataset, [at[name] for name in m["by"]])) for m in margins]
        return tuple(
            frozenset(count.items() if m["invariant"] == "lengths" else count)
            for m, count in counts
            if m["invariant"]
        )

    def excused(start: Any, end: Any) -> bool:
        if len(start) > 3 or len(end) > 3:
            return True  # on the way, there may be twice as many
        return "leaves_out" in made.sections and len(start) == len(end) == most

    universe = [dataset for dataset in datasets((2, 2), int(most)) if inside(dataset)]
    replaced = "multiset_hamming" in str(made.sections["adjacency"])
    assert joined(universe, t_of, excused, replaced=replaced)
    return True


def test_every_accepted_margin_has_paths_inside_its_domain() -> None:
    accepted = sum(
        paths_are_known(metric, rows, [margin])
        for metric, rows in (
            ("symmetric_distance", 1),
            ("symmetric_distance", 2),
            ("change_one_distance", 1),
        )
        for margin in MARGINS
    )
    assert accepted > 60


@pytest.mark.parametrize("seed", range(4))
def test_accepted_margins_together_have_paths_inside_their_domain(seed: int) -> None:
    rng = random.Random(seed)
    accepted = 0
    for _ in range(40):
        margins = rng.sample(MARGINS, rng.choice((2, 2, 3)))
        metric, rows = rng.choice(
            (("symmetric_distance", 1), ("symmetric_distance", 2), ("change_one_distance", 1))
        )
        accepted += paths_are_known(metric, rows, margins)
    assert accepted


def test_broken_files_are_refused_and_run_nothing() -> None:
    """Parts of files are replaced, removed, or repeated: a spec, or a refusal with its reason."""
    rng = random.Random(7)
    files = [document(path.stem) for path in sorted(HERE.glob("*.json"))]
    junk: list[Any] = [None, True, -1, 0, 1e400, "x", "os.system", [], {}, "__function__", 10**30]
    before = {name for name in sys.modules if not name.startswith(("semiaudit", "tests"))}
    refused = 0
    for _ in range(2000):
        text = json.dumps(broken(rng.choice(files), rng, junk))
        choices = Choices(
            rng.choice(("add_remove", "replace_one")), rng.choice(("poisson", "shuffle"))
        )
        try:
            spec_text(imported(parse_document(text, "x.json"), choices), "title")
        except SpecError:
            refused += 1
    assert refused > 1000
    assert {name for name in sys.modules if not name.startswith(("semiaudit", "tests"))} <= before


def broken(value: Any, rng: random.Random, junk: list[Any]) -> Any:
    places: list[tuple[Any, Any]] = []
    value = json.loads(json.dumps(value))
    waiting = [value]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                waiting.append(node[key])
    node, key = rng.choice(places)
    if rng.random() < 0.3:
        del node[key]
    else:
        node[key] = rng.choice(junk)
    return value


def test_init_writes_a_spec_with_notes(tmp_path: Path) -> None:
    target = tmp_path / "spec.yaml"
    done = process(
        "init", str(target), "--from", str(HERE / "opacus.json"), "--sampling", "shuffle"
    )
    assert done.returncode == 0, done.stderr
    assert "Opacus computes epsilon as if it were Poisson" in done.stderr
    assert "CHECK: a history does not say" in target.read_text("utf-8")
    shuffled = audit(str(target)).nominal_dp
    assert value(shuffled.mu) == pytest.approx(math.sqrt(3 * (2 / 1.1) ** 2 + 1), rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--from", str(HERE / "dp_event.json")], "add --neighbors with one of"),
        (["--from", str(HERE / "opacus.json")], "add --sampling with one of"),
        (["--sampling", "poisson"], "--sampling needs --from FILE"),
        (["--from", str(HERE / "opacus.json"), "--margin", "a"], "are for CSV and Parquet"),
        (["--from", str(HERE / "opacus.json"), "--kind", "opendp"], "is no object of OpenDP"),
    ],
)
def test_init_says_what_is_missing(tmp_path: Path, arguments: list[str], reason: str) -> None:
    target = tmp_path / "spec.yaml"
    done = process("init", str(target), *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert not target.exists()
