"""What each invariant costs, against audits of specs that are written without it.

A release without some invariants is the release of the spec that does not name them.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit import Spec, ablate, audit, deadline, progress
from semiaudit.auditing import counting, run
from semiaudit.cli import main
from semiaudit.cli.status_line import StatusLine
from semiaudit.commands.ablate import ablation
from semiaudit.commands.ablate.ablation import ablate_path, parts_of, publishing
from semiaudit.data.tallies import tallies
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import SpecError
from semiaudit.model.audit import Audit, PublishedCounts, Release
from semiaudit.model.data_source import CONFINED
from semiaudit.numeric.limits import Limits
from tests.audits import page_of
from tests.municipalities import as_csv, nested
from tests.places import CONFIGS, ROOT
from tests.report.text.test_shield import assert_inert

INVARIANTS: list[Any] = [
    "total",
    {"margin": ["a"]},
    {"margin": ["b", "c"]},
    {"count": {"where": {"a": 1, "c": 0}}},
    {"keys": ["a", "b"]},
    {"bound": {"where": {"c": 1}, "at_least": 1}},
    {"margin": ["a"]},
]
BASE: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"attributes": {"a": 2, "b": 2, "c": 2}},
    "data": {"counts": [[[1, 0], [2, 1]], [[0, 1], [3, 0]]]},
    "mechanism": {"gdp": {"mu": 1}},
    "budgets": [{"framework": "semi_dp", "mu": 9}],
}
PARTS = list(parts_of(len(INVARIANTS)))


def test_all_without_each_only_each_and_none() -> None:
    assert [(p.kind, p.which, p.kept) for p in parts_of(2)] == [
        ("all", None, (0, 1)),
        ("without", 0, (1,)),
        ("without", 1, (0,)),
        ("only", 0, (0,)),
        ("only", 1, (1,)),
        ("none", None, ()),
    ]
    assert [p.kind for p in parts_of(0)] == ["all"]
    assert len(PARTS) == 2 * 7 + 2


@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.kind} {part.which}")
@pytest.mark.parametrize("size", [None, 8])
def test_a_part_is_the_spec_that_names_only_those(part: Any, size: int | None) -> None:
    space = BASE["dataspace"] | ({} if size is None else {"size": size})
    whole = Spec.from_mapping({**BASE, "dataspace": space, "invariants": INVARIANTS})
    named = [INVARIANTS[place] for place in part.kept]
    written = Spec.from_mapping({**BASE, "dataspace": space, "invariants": named})._release
    found = publishing(whole._release, part.kept)
    assert list(map(str, found.invariants)) == list(map(str, written.invariants))
    assert found.budgets == ()
    told, wanted = _told(found.published), _told(written.published)
    assert told == wanted
    if told == _told(None):
        assert found.published is None, "values of which none is told are no values"


def _told(published: Any) -> tuple[Any, ...]:
    if published is None:
        return None, {}, ()
    assert isinstance(published, PublishedCounts)
    return published.size, dict(published.margins), published.others


def test_a_spec_without_values_stays_without() -> None:
    spec = {k: v for k, v in BASE.items() if k != "data"} | {"invariants": INVARIANTS[1:3]}
    assert publishing(Spec.from_mapping(spec)._release, (0,)).published is None


SCHEMA = json.loads((ROOT / "docs" / "ablate.schema.json").read_text("utf-8"))
JOINT: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"attributes": {"gender": 2, "major": 2, "state": 3}, "size": 100},
    "invariants": [
        {"margin": ["gender"]},
        {"margin": ["major"]},
        {"margin": ["gender", "major"]},
        {"margin": ["state"]},
    ],
    "mechanism": {"gdp": {"mu": 1}},
    "report": {"deltas": ["1e-6"]},
}


def variants(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    Draft202012Validator(SCHEMA).validate(found)
    return {variant["name"]: variant for variant in found["variants"]}


@pytest.mark.parametrize(
    ("config", "a_t"),
    [
        # Erratum E7 by hand and by enumeration; Theorem 16 for margins that do not overlap.
        ("parity_tables", {"all": 4, "I1 only": 2, "I2 only": 2, "I3 only": 2, "none": 1}),
        ("cyclic_band", {"all": 4, "all but I1": 2, "all but I2": 2, "none": 1}),
        ("remark17_students", {"all": 3, "all but I1": 2, "all but I2": 2, "none": 1}),
        ("example2_three_bits", {"all": 2, "all but I1": 1, "I1 only": 2, "none": 1}),
    ],
)
def test_the_published_distances(config: str, a_t: dict[str, int]) -> None:
    spec = Spec.from_file(CONFIGS / f"{config}.yaml").with_(mechanism={"gdp": {"mu": 1}})
    found = ablate(spec, time_limit=3600)
    assert {name: found.a_t[name] for name in a_t} == a_t
    assert found.exit_code == 0
    assert found.complete


def test_remark_22_of_two_releases_each_costs_a_step() -> None:
    assert list(ablate(CONFIGS / "two_releases.yaml").a_t.values()) == [3, 2, 2, 2, 2, 1]


@pytest.mark.parametrize("config", ["cyclic_band", "three_level_geography"])
def test_every_variant_is_the_audit_of_the_spec_without(config: str) -> None:
    spec = Spec.from_file(CONFIGS / f"{config}.yaml")
    whole = spec.to_mapping()
    for variant in variants(ablate(spec, time_limit=3600).as_dict()).values():
        kept = [int(name[1:]) - 1 for name in variant["published"]]
        changed: dict[str, Any] = {"invariants": [whole["invariants"][place] for place in kept]}
        if "margins" in whole.get("data", {}):
            entries = changed["invariants"]
            names = [" * ".join(entry["margin"]) for entry in entries if "margin" in entry]
            told = {name: whole["data"]["margins"][name] for name in names}
            changed["data"] = {"margins": told} if told else None
        report = audit(spec.with_(**changed)).as_dict()
        (semi,) = [row for row in report["guarantees"] if row["framework"] == "semi_dp"]
        assert variant["semi_dp"] == {k: v for k, v in semi.items() if k != "alternatives"}
        for reading in ("covering", "definition_13"):
            full = report["semi_adjacency"][reading]
            assert variant["semi_adjacency"][reading] == {
                key: value for key, value in full.items() if key != "witness"
            }
        if report["disclosed"]["forced_cells"] is not None:
            assert variant["disclosed"] == report["disclosed"]


def test_a_joint_table_lowers_a_t() -> None:
    # Remark 17: one-way margins of three features give 4; two of them jointly give 3.
    found = ablate(JOINT)
    assert found.a_t["all"] == 3
    assert found.a_t["all but I3"] == 4
    changes = found.as_dict()["changes"]
    (falls,) = [change for change in changes if change["direction"] == "falls"]
    assert (falls["fewer"], falls["more"]) == ("all but I3", "all")
    assert falls["explanation"] == "I3 lowers a(t) with the others: from 4 to 3"
    # mu is per unit of distance 1 and adds up along the path.
    told = variants(found.as_dict())
    assert told["all"]["semi_dp"]["gdp"]["mu"] == 3
    assert told["all but I3"]["semi_dp"]["gdp"]["mu"] == 4
    assert told["none"]["semi_dp"]["zcdp"]["rho"] == 0.5


def test_budgets_are_not_judged_and_their_deltas_are_told() -> None:
    budget = {"framework": "semi_dp", "epsilon": "0.001", "delta": "1e-9"}
    found = ablate({**JOINT, "budgets": [budget]})
    assert found.exit_code == 0
    plain = found.as_dict()
    assert plain["budgets_not_judged"] == 1
    points = plain["variants"][0]["semi_dp"]["approx_dp"]
    assert {point["delta"] for point in points} == {1e-6, 1e-9}
    assert "which this command ignores" in " ".join(found.render().split())


def test_a_part_without_one_size_is_refused_in_its_row() -> None:
    spec = {**JOINT, "dataspace": {"attributes": {"gender": 2, "major": 2}}}
    spec["invariants"] = [{"margin": ["gender"]}, {"count": {"where": {"major": 0}}}]
    found = ablate({**spec, "data": {"counts": [[1, 2], [3, 4]]}})
    assert found.exit_code == 2
    assert [refusal.partition(":")[0] for refusal in found.refusals] == ["all but I1", "I2 only"]
    assert found.a_t["I2 only"] is None
    rows = list(csv.DictReader(io.StringIO(found.render("csv"))))
    (refused,) = [row for row in rows if row["variant"] == "I2 only"]
    assert "datasets of equal size" in refused["refused"]
    assert refused["value"] == ""


def test_one_dataset_is_no_refusal_and_is_told() -> None:
    spec = {
        "semiaudit": 1,
        "dataspace": {"product": {"size": 2, "values": [0, 1]}},
        "invariants": [
            {"count": {"where": {"value": 1}}},
            {"statistic": {"name": "max", "of": "value"}},
        ],
        "data": {"dataset": [0, 0]},
        "mechanism": {"gdp": {"mu": 1}},
    }
    found = ablate(spec)
    assert found.a_t == {
        "all": 0,
        "all but I1": 0,
        "all but I2": 0,
        "I1 only": 0,
        "I2 only": 0,
        "none": 1,
    }
    assert found.exit_code == 0
    assert "Dₜ has only one dataset" in found.render()


def test_without_invariants_there_is_nothing_to_leave_out() -> None:
    found = ablate({**JOINT, "invariants": []})
    assert found.a_t == {"all": 1}
    assert "no invariant to leave out" in found.render()


def test_data_are_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_text("gender,major,state,count\n0,0,0,1\n1,1,1,2\n0,1,2,1\n")
    spec = {**JOINT, "dataspace": {"attributes": {"gender": 2, "major": 2, "state": 3}}}
    given = {**spec, "data": {"table": str(tmp_path / "t.csv")}}
    looked = []
    counted = tallies

    def once(*arguments: Any) -> Any:
        looked.append(arguments)
        return counted(*arguments)

    monkeypatch.setattr(counting, "tallies", once)
    found = ablate(given, root=tmp_path)
    assert len(looked) == 1
    counts = [[[1, 0, 0], [0, 0, 1]], [[0, 0, 0], [0, 2, 0]]]
    assert found.a_t == ablate({**spec, "data": {"counts": counts}}).a_t


def test_the_time_is_shared_and_what_is_cut_says_so() -> None:
    found = ablate(CONFIGS / "cyclic_band.yaml", time_limit=1e-6)
    assert not found.complete
    assert "INCOMPLETE" in found.render()
    assert found.exit_code == 2


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "latex", "json"])
def test_words_of_strangers_are_inert(form: str) -> None:
    hostile = {
        **JOINT,
        "title": "=cmd|' /C calc'!A0 \\input{x} ::error::",
        "dataspace": {"size": 9, "attributes": {"=a|b\\input{x}": ["=1", "::b"], "c": 2}},
        "invariants": [
            {"margin": ["=a|b\\input{x}"]},
            {"count": {"where": {"=a|b\\input{x}": "=1"}}},
        ],
    }
    out = ablate(hostile).render(form)
    assert_inert(out, form)


def test_an_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no format 'docx'"):
        ablate({**JOINT, "invariants": []}).render("docx")


def test_a_design_without_noise_is_refused_within_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else is wrong is looked for, as far as there is time."""
    seconds: list[float] = []

    def looked(release: Release, limits: Limits) -> None:
        seconds.append(deadline.left())
        raise OutOfTimeError

    monkeypatch.setattr(run, "_universe", looked)
    spec = {name: JOINT[name] for name in ("semiaudit", "dataspace", "invariants")}
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps({**spec, "design": {"query": "table"}}), "utf-8")
    with pytest.raises(SpecError, match="does not specify noise"):
        ablate_path(str(path), 0.05, 1e-6, CONFINED)
    assert len(seconds) == 1
    assert seconds[0] <= 0.05


Capture = pytest.CaptureFixture[str]
SPEC = """semiaudit: 1
dataspace: {attributes: {a: 2, b: 2}}
invariants: [{margin: [a]}, {count: {where: {b: 1}}}]
data: {counts: [[1, 2], [3, 4]]}
mechanism: {gdp: {mu: 1}}
"""


def test_a_variant_without_an_audit_ends_with_2_and_all_reports_are_written(
    tmp_path: Path, capsys: Capture
) -> None:
    spec, out = tmp_path / "spec.yaml", tmp_path / "out.json"
    spec.write_text(SPEC, "utf-8")
    assert main(["ablate", str(spec), "-o", f"json={out}"]) == 2
    told = capsys.readouterr()
    assert "I2 only: hamming compares datasets of equal size" in told.err
    assert "all but I2" in told.out
    variants = {v["name"]: v for v in json.loads(out.read_text("utf-8"))["variants"]}
    assert variants["I2 only"]["semi_dp"] is None
    assert variants["all but I2"]["semi_dp"]["gdp"]["mu"] == 2


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    text = SPEC.replace("dataspace: {", "dataspace: {size: 10, ").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["ablate", "-", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("variant,published,framework,")


@pytest.mark.parametrize("words", [["missing.yaml"], [], ["x.yaml", "--time-limit", "0"]])
def test_what_cannot_be_read_prints_nothing(words: list[str], capsys: Capture) -> None:
    assert main(["ablate", *words]) == 2
    assert capsys.readouterr().out == ""


def test_who_watches_is_told_how_many_audits_are_done(tmp_path: Path) -> None:
    from semiaudit import ablate

    seen: list[str] = []

    class Watcher(StatusLine):
        def doing(self, what: str) -> None:
            super().doing(what)
            seen.append(self.text())

    with progress.watched(Watcher("starting")):
        ablate(SPEC)
    # All but one is the other one only: four parts differ.
    assert any(line.startswith("2 of 4 done") for line in seen)
    assert seen[-1].startswith("3 of 4 done")


TABLE: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"attributes": {"a": 2, "b": 2, "c": 2}, "size": 100},
    "mechanism": {"zcdp": {"rho": "2.56"}},
}


def answer(changes: dict[str, Any]) -> str:
    """The lines of the answer, which is the first block of the report."""
    lines = ablate({**TABLE, **changes}, time_limit=3600).render().splitlines()
    after = lines[lines.index("Answer") + 1 :]
    return " ".join(" ".join(after[: after.index("")]).split())


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        # A margin makes two records change together: d^2 rho = 4 * 2.56.
        ({"invariants": [{"margin": ["a"]}]}, "I1 (margin [a]) raises ρ from 2.56 to 10.24 (4×)."),
        # The size is known, so that no other record must change.
        (
            {"invariants": ["total"], "mechanism": {"gdp": {"mu": 1}}},
            "I1 (total) does not change μ, which is 1.",
        ),
        # Theorem 16: p + 1 records for p margins, and mu grows in proportion.
        (
            {"invariants": [{"margin": ["a"]}, {"margin": ["b"]}], "mechanism": {"gdp": {"mu": 1}}},
            "Leaving out I1 (margin [a]) or I2 (margin [b]) lowers μ from 3 to 2. "
            "Together, the invariants raise μ from 1 to 3 (3×).",
        ),
        # The size adds nothing to the margin.
        (
            {"invariants": ["total", {"margin": ["a"]}]},
            "Leaving out I2 (margin [a]) lowers ρ most: from 10.24 to 2.56. "
            "Together, the invariants raise ρ from 2.56 to 10.24 (4×).",
        ),
        # The margin of two levels follows from the size and one count: neither adds anything.
        (
            {"invariants": [{"margin": ["a"]}, {"count": {"where": {"a": 0}}}]},
            "Leaving out a single invariant does not lower ρ: ρ is 10.24 with all of them. "
            "Together, the invariants raise ρ from 2.56 to 10.24 (4×).",
        ),
        # Five margins: more than a sentence names.
        (
            {
                "dataspace": {"attributes": dict.fromkeys("abcde", 2), "size": 100},
                "invariants": [{"margin": [name]} for name in "abcde"],
                "mechanism": {"pure_dp": {"epsilon": 1}},
            },
            "Leaving out any one of 5 invariants lowers ε at δ = 0 from 6 to 5. "
            "Together, the invariants raise ε at δ = 0 from 1 to 6 (6×).",
        ),
        ({}, "Nothing is published exactly, so there is no invariant to leave out."),
    ],
)
def test_the_answer_says_which_invariant_raises_the_number_most(
    changes: dict[str, Any], sentences: str
) -> None:
    assert answer(changes) == sentences


def test_noise_that_shrinks_with_the_universe_can_be_lower_with_all_invariants() -> None:
    """Gaussian noise on margins that are published: nothing of them is left to protect."""
    query = {"margins": [["a"]]}
    changes: dict[str, Any] = {
        "invariants": [{"margin": ["a"]}],
        "mechanism": {"gaussian": {"sigma": 1, "query": query}},
    }
    assert answer(changes).startswith("I1 (margin [a]) lowers μ from ")
    # Without it, two records may change a: the counts move by (2, -2), so that mu is sqrt(8).
    changes["invariants"] += [{"margin": ["b"]}]
    assert "Leaving out I1 (margin [a]) raises μ from 0 to 2.829." in answer(changes)


def test_swapping_is_proven_only_with_all_invariants() -> None:
    lines = ablate(CONFIGS / "swapping_1940_households.yaml").render()
    assert "An effective guarantee is proven only with all invariants." in lines


def test_the_page_begins_with_the_answer() -> None:
    page = page_of(ablate({**TABLE, "invariants": [{"margin": ["a"]}]}))
    assert "I1 (margin [a]) raises ρ from 2.56 to 10.24 (4×)." in page.partition("<table")[0]


def test_a_smaller_number_is_shown_with_the_reason_not_to_publish_more_for_it() -> None:
    noise = {"discrete_gaussian": {"sigma_squared": 4, "query": "table"}}
    margins = [{"margin": ["a"]}, {"margin": ["b", "c"]}]
    said = answer({"invariants": margins, "mechanism": noise})
    assert "Leaving out I1 (margin [a]) or I2 (margin [b, c]) raises ρ from " in said
    assert "is not a reason to publish more" in said
    raised = {"invariants": margins, "mechanism": {"zcdp": {"rho": 1}}}
    assert "is not a reason to publish more" not in answer(raised)


def _two_margins_and_counts(number: int, mechanism: str) -> str:
    counts = "".join(f"  - count: {{where: {{municipality: m{at}}}}}\n" for at in range(number))
    margins = "\n  - margin: [state, age]\n  - margin: [state, sex, ethnicity]\n"
    text = nested(number, more=f"mechanism: {mechanism}\n")
    return text.replace(" [margin: [state]]\n", margins + counts)


def test_all_counts_of_municipalities_are_the_margin_in_every_variant(tmp_path: Path) -> None:
    """Within a state, three disjoint margins are published: a(t) is their number and 1."""
    (tmp_path / "t.csv").write_text(as_csv(9))
    path = tmp_path / "spec.yaml"
    path.write_text(
        _two_margins_and_counts(9, "{zcdp: {rho: 1, neighbors: replace_one}}")
        + "data: {table: t.csv}\n"
    )
    a_t = ablate(path).a_t
    assert (a_t["all"], a_t["all but I3 to I11"], a_t["none"]) == (4, 3, 1)
    assert a_t["all but I2"] == 3


def test_the_release_and_none_of_its_invariants_come_first_and_a_reason_is_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two margins and 30 counts: 66 audits, each of which would have a second of a minute."""
    text = _two_margins_and_counts(30, "{gaussian: {sigma: 2, query: table}}")
    asked: list[tuple[int, float]] = []

    def refused(release: Release, seconds: float, *_: object) -> Audit:
        asked.append((len(release.published_invariants), seconds))
        raise OutOfTimeError

    monkeypatch.setattr(ablation, "audit_release", refused)
    with pytest.raises(SpecError):
        ablate(text, time_limit=1_000)
    (first, whole), (second, none), (third, _), (_, other), *_ = asked
    assert (first, second, third) == (32, 0, 2)  # and then without the 30 counts
    assert whole == pytest.approx(500, rel=0.01)
    assert none == pytest.approx(500, rel=0.01)  # half of what is left
    assert other == pytest.approx(1_000 / 64, rel=0.01)


def test_a_group_is_left_out_as_a_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = [{"count": {"where": {"a": [at]}}} for at in range(2)]
    spec = {
        "semiaudit": 1,
        "dataspace": {"size": 9, "attributes": {"a": 3, "b": 2}},
        "invariants": [{"margin": ["b"]}, *counts],
        "mechanism": {"zcdp": {"rho": 1}},
    }
    whole = ablate(spec)
    without = ablate({**spec, "invariants": [{"margin": ["b"]}]})
    assert whole.a_t["all but I2 to I3"] == without.a_t["all"] == 2
    named = ablate(spec, groups={"mine": ["I1", "I3"]})
    assert named.a_t["all but mine"] == ablate({**spec, "invariants": counts[:1]}).a_t["all"]
    assert "all but I2 to I3" not in named.a_t
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(spec))
    assert main(["ablate", str(path), "--group", "mine=I1,I3", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["variants"] == named.as_dict()["variants"]
    for wrong in ("mine=I4", "mine=", "mine=x"):
        assert main(["ablate", str(path), "--group", wrong]) == 2
        assert "not a list of invariants of this spec" in capsys.readouterr().err
    assert main(["ablate", str(path), "--group", "mine"]) == 2
