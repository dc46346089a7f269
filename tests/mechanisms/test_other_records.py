"""Several products of one population: what a unit costs through records of another dataspace."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.auditing.run import audit_file
from semiaudit.errors import SpecError
from semiaudit.model.adjacency import Touched
from semiaudit.model.audit import Audit
from semiaudit.model.measure import PureDP
from semiaudit.model.mechanism import OtherRecords, parts_of
from semiaudit.spec.build import load_release

SPEC = """semiaudit: 1
dataspace: {{unit: person, size: 90, attributes: {{state: [x, y], age: 3}}}}
releases:
  - invariants: [margin: [state]]
    mechanism:
      topdown:
        spine: [{{level: US}}, {{level: State, attribute: state}}]
        queries: {{age: age, total: []}}
        allocation: [[level, query, rho], [US, age, 1/4], [State, total, 1/2]]
  - dataspace: {{unit: household, attributes: {{block: 7, rooms: 4}}}}
    {touches}
    invariants: [margin: [block]]
    mechanism: {mechanism}
report: {{deltas: [1e-6]}}
"""


def audited(folder: Path, mechanism: str = "{zcdp: {rho: 1/8}}", touches: str = "") -> Audit:
    path = folder / "spec.yaml"
    path.write_text(SPEC.format(mechanism=mechanism, touches=touches))
    return audit_file(path)


def rhos(audit: Audit) -> dict[tuple[str, str, int], Fraction]:
    return {
        (s.name, s.universe, s.distance): Fraction(s.zcdp.value)
        for s in audit.semantics
        if s.zcdp is not None
    }


def test_who_moves_changes_two_households_which_cost_four_times_their_rho(tmp_path: Path) -> None:
    found = rhos(audited(tmp_path))
    once = Fraction(1, 8)
    assert found["attribute:age", "D", 1] == Fraction(1, 4) + once
    assert found["geography:State within US", "D", 1] == Fraction(1, 2) + 4 * once
    assert found["within_state", "D_t", 1] == Fraction(1, 4) + 4 * once
    assert found["within_state", "D_t", 2] == 1 + 16 * once
    assert found["across_states", "D", 1] == Fraction(3, 4) + 4 * once


def test_the_spec_says_how_many_records_each_kind_of_secret_touches(tmp_path: Path) -> None:
    touches = "touches: {attribute: 0, geography: 3, within: 1, across: 4, exchange: 1}"
    audit = audited(tmp_path, touches=touches)
    (other,) = parts_of(audit.release.mechanism, OtherRecords)
    assert other.touched == Touched(0, 3, 1, 4, 1)
    found, once = rhos(audit), Fraction(1, 8)
    assert found["attribute:age", "D", 1] == Fraction(1, 4)
    assert found["geography:State within US", "D", 1] == Fraction(1, 2) + 9 * once
    assert found["within_state", "D_t", 1] == Fraction(1, 4) + once
    assert found["across_states", "D", 1] == Fraction(3, 4) + 16 * once
    assert found["exchange", "D", 2] == 4 * once
    rows = {row.guarantee.framework: row.numbers.zcdp for row in audit.rows}
    nominal = rows["nominal_dp"]
    assert nominal is not None
    assert nominal.value == Fraction(3, 4) + 16 * once


def test_no_joint_a_t_is_claimed_and_both_dataspaces_invariants_are_named(tmp_path: Path) -> None:
    audit = audited(tmp_path)
    assert audit.universe.semi_adjacency.value == 2
    row = next(row for row in audit.rows if row.guarantee.framework == "semi_dp")
    assert "no joint a(t)" in row.guarantee.note
    assert "household records (margin [block])" in audit.statement.scope
    assert [str(i) for i in audit.release.invariants] == ["margin [state]"]
    assert not row.numbers.approx_dp[0].epsilon_lower


def test_noise_on_the_other_records_is_set_against_their_own_tables(tmp_path: Path) -> None:
    noise = "{discrete_gaussian: {sigma_squared: 8, query: {margins: [[rooms]]}}}"
    found = rhos(audited(tmp_path, noise))
    assert found["attribute:age", "D", 1] == Fraction(1, 4) + Fraction(2, 16)
    assert found["within_state", "D_t", 1] == Fraction(1, 4) + 4 * Fraction(2, 16)


def test_what_shows_the_invariants_of_the_other_records_says_nothing_of_a_unit(
    tmp_path: Path,
) -> None:
    noise = "{gaussian: {sigma: 2, query: table, support: null_space}}"
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC.format(mechanism=noise, touches=""))
    audit = audit_file(path)
    refused = {row.guarantee.framework: row.guarantee.refused for row in audit.rows}
    assert all(refused.values())


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            SPEC.format(mechanism="{zcdp: {rho: 1}}", touches="touches: {age: 2}"),
            "age is not a known",
        ),
        (
            SPEC.format(mechanism="{zcdp: {rho: 1}}", touches="touches: {within: -1}"),
            "out of range",
        ),
        (
            SPEC.format(mechanism="{zcdp: {rho: 1}}", touches="").replace(
                "attributes: {block: 7, rooms: 4}", "product: {size: 2, values: [0, 1]}"
            ),
            "other records need a table over attributes",
        ),
        (
            SPEC.format(mechanism="{zcdp: {rho: 1}}", touches="").replace("[block]", "[state]"),
            "state is not an attribute",
        ),
        (
            SPEC.format(mechanism="{zcdp: {rho: 1}}", touches="touches: {within: 1}").replace(
                "dataspace: {unit: household, attributes: {block: 7, rooms: 4}}", "title: x"
            ),
            "touches: needs a dataspace of the release",
        ),
    ],
)
def test_what_is_wrong_with_a_release_of_other_records_is_told(
    spec: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(spec)
    with pytest.raises(SpecError) as caught:
        audit_file(path)
    assert told in "\n".join(map(str, caught.value.problems))


def test_parts_on_other_records_are_found_wherever_they_are_composed(tmp_path: Path) -> None:
    found = parts_of(audited(tmp_path).release.mechanism, OtherRecords)
    assert [type(part) for part in found] == [OtherRecords]


PARTS = """semiaudit: 1
dataspace: {{unit: person, size: 90, attributes: {{state: [x, y], age: 3}}}}
releases:
  - mechanism: {{zcdp: {{rho: 1/2, neighbors: replace_one}}}}
{parts}
"""
OWN = "  - invariants: [margin: [state]]"
OTHERS = """  - dataspace: {unit: household, attributes: {block: 7, rooms: 4}}
    touches: {attribute: 0, geography: 0, within: 0, across: 0, exchange: 0}
    invariants: [margin: [block]]"""


@pytest.mark.parametrize(
    ("parts", "value", "rho"),
    [
        (OWN, 2, 2),
        (OTHERS, 1, Fraction(1, 2)),
        (f"{OWN}\n{OTHERS}", 2, 2),
        (OTHERS.replace("geography: 0", "geography: 1"), None, Fraction(1, 2)),
    ],
)
def test_a_release_of_exact_counts_only_adds_its_invariants_and_no_loss(
    parts: str, value: int | None, rho: Fraction, tmp_path: Path
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(PARTS.format(parts=parts))
    audit = audit_file(path)
    assert audit.universe.semi_adjacency.value == (1 if value is None else value)
    rows = {str(row.guarantee.framework): row for row in audit.rows}
    for name, expected in (("nominal_dp", Fraction(1, 2)), ("semi_dp", rho)):
        zcdp = rows[name].numbers.zcdp
        assert zcdp is not None
        assert zcdp.value == expected
    assert ("no joint a(t)" in rows["semi_dp"].guarantee.note) == (value is None)


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ("{}", "releases.0.: mechanism is missing"),
        ("{invariants: []}", "releases.0.: mechanism is missing"),
        ("{invariants: [total], mechanism: }", "releases.0..mechanism: is empty"),
        ("{invariants: [total]}", "releases: have no mechanism; give one of them a mechanism"),
    ],
)
def test_a_spec_needs_a_mechanism_and_each_release_something(release: str, message: str) -> None:
    text = f"semiaudit: 1\ndataspace: {{size: 9}}\nreleases: [{release}]\n"
    with pytest.raises(SpecError, match=message):
        load_release("spec.yaml", text=text.encode())


@pytest.mark.parametrize("size", ["", "size: 9, "])
def test_a_fixed_number_of_other_records_does_not_hide_that_one_of_them_changes(
    size: str, tmp_path: Path
) -> None:
    """A person who enters changes one count of persons by 1, and two of households by 1."""
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\n"
        "dataspace: {unit: person, attributes: {age: 3}}\n"
        "adjacency: {metric: symmetric_difference}\n"
        "releases:\n"
        "  - mechanism: {laplace: {scale: 1, query: table}}\n"
        f"  - dataspace: {{unit: household, {size}attributes: {{rooms: 4}}}}\n"
        "    touches: {presence: 1}\n"
        "    mechanism: {laplace: {scale: 1, query: table}}\n"
    )
    audit = audit_file(path)
    (nominal,) = [r.guarantee for r in audit.rows if r.guarantee.framework == "nominal_dp"]
    epsilon = next(m.epsilon for m in nominal.measures if isinstance(m, PureDP))
    assert epsilon == 1 + 2
