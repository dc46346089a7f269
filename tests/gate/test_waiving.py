"""Waivers against written-down failures: which one covers, what is reported of the others."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from semiaudit.errors import Mark
from semiaudit.gate.waivers import Failure, SpecFile, Waivers, is_valid, of_files
from semiaudit.model.audit import Waiver

TODAY, LATE = date(2026, 7, 1), date(2026, 7, 2)
FILE = SpecFile("/data/releases/x.yaml", False, "a" * 64, frozenset({"a" * 64, "c" * 64}))
LINK = replace(FILE, is_link=True)
HERE, THERE = Mark(3, 5), Mark(8, 2)
FAILURE = Failure("SA013", "semi_dp", "rho", None, None, Fraction(9, 2), False, HERE)


def of_file(**more: Any) -> Waiver:
    known = Waiver("SA013", "r", "a", TODAY, Fraction(5), spec="x.yaml", sha256="a" * 64)
    return replace(known, file="w.yaml", mark=THERE, **more)


def of_spec(**more: Any) -> Waiver:
    known = Waiver("SA013", "r", "a", TODAY, Fraction(5), inside=True, file="x.yaml", mark=THERE)
    return replace(known, **more)


def waivers(
    own: tuple[Waiver, ...] = (),
    files: tuple[Waiver, ...] = (),
    today: date | None = TODAY,
    file: SpecFile = FILE,
) -> Waivers:
    return Waivers(own, files, file, today)


@pytest.mark.parametrize(
    ("waiver", "failure", "covers"),
    [
        (of_file(), FAILURE, True),
        (of_spec(), FAILURE, True),
        (of_file(sha256="c" * 64), FAILURE, True),
        (of_file(sha256="b" * 64), FAILURE, False),
        (of_file(spec="y.yaml"), FAILURE, False),
        (of_file(rule="SA014"), FAILURE, False),
        # A rule inside a spec is of its own budgets alone, and never of a policy's.
        (of_spec(rule="SA002"), replace(FAILURE, rule="SA002"), False),
        (of_file(rule="SA002"), replace(FAILURE, rule="SA002"), True),
        (of_spec(), replace(FAILURE, policy=True), False),
        (of_file(), replace(FAILURE, policy=True), True),
        # A number is accepted up to a limit, by rules that have one.
        (of_file(accepted=Fraction(9, 2)), FAILURE, True),
        (of_file(accepted=Fraction(449, 100)), FAILURE, False),
        (of_file(accepted=None), FAILURE, False),
        (of_file(), replace(FAILURE, value=None), False),
        (of_file(), replace(FAILURE, value=4.5), True),
        (of_file(), replace(FAILURE, value=math.inf), False),
        (of_file(rule="SA029", accepted=None), replace(FAILURE, rule="SA029"), True),
        (of_file(rule="SA029", accepted=None), Failure("SA029"), True),
    ],
)
def test_a_waiver_covers_what_it_may_and_names(
    waiver: Waiver, failure: Failure, covers: bool
) -> None:
    known = waivers((waiver,) if waiver.inside else (), () if waiver.inside else (waiver,))
    assert known.over(failure) == (waiver if covers else None)


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(("today", "valid"), [(TODAY, True), (LATE, False), (None, False)])
def test_a_waiver_is_valid_until_the_end_of_its_last_day(
    today: date | None, valid: bool, inside: bool
) -> None:
    waiver = of_spec() if inside else of_file()
    assert is_valid(waiver, today) is valid
    known = waivers((waiver,) if inside else (), () if inside else (waiver,), today)
    assert known.over(FAILURE) == (waiver if valid else None)
    # An expired one was met all the same: it is reported as expired, not to be of no use.
    assert known.met == {0}
    assert known.findings == []
    assert known.used == (() if inside else (0,))
    found = known.of_its_own()
    expected = [] if valid or not inside else [("SA024", "error", THERE)]
    assert [(f.rule, f.level, f.mark) for f in found] == expected


def test_a_waiver_inside_a_spec_is_none_of_a_link_to_it() -> None:
    assert waivers((of_spec(),), file=LINK).over(FAILURE) is None
    assert waivers((), (of_file(),), file=LINK).over(FAILURE) == of_file()


def test_the_first_valid_waiver_that_accepts_the_number_covers_it() -> None:
    small, old = of_file(accepted=Fraction(1)), of_file(expires=date(2020, 1, 1))
    enough, more = of_file(accepted=Fraction(9, 2)), of_spec(accepted=Fraction(9))
    known = waivers((more,), (of_file(rule="SA014"), small, old, enough))
    assert known.over(FAILURE) == enough
    # Waivers of files come first; what comes behind the one that covers is not met.
    assert known.met == {1, 2, 3}
    assert known.used == (1, 2, 3)
    assert known.findings == []
    known = waivers((more,), (small,))
    assert known.over(FAILURE) == more
    assert (known.met, known.used, known.findings) == ({0, 1}, (0,), [])


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(9, 2), "4.5"), (6.25, "6.25"), (math.inf, "inf"), (None, "unknown")],
)
def test_a_number_above_what_is_accepted_is_reported_where_it_can_be_fixed(
    value: Fraction | float | None, text: str
) -> None:
    failure = replace(FAILURE, value=value)
    for waiver, place in ((of_file(accepted=Fraction(4)), HERE), (of_spec(accepted=None), THERE)):
        known = waivers((waiver,) if waiver.inside else (), () if waiver.inside else (waiver,))
        assert known.over(failure) is None
        (finding,) = known.findings
        assert (finding.rule, finding.level, finding.mark) == ("SA026", "error", place)
        assert finding.message == f"the number is {text}, above what its waiver accepts: {waiver}"


def test_a_double_just_above_what_is_accepted_has_the_digits_that_show_it() -> None:
    # The double 2.1 is 2.100000000000000088817841970012523..., and 2.5 is a double.
    for accepted, value, text in (
        (Fraction(21, 10), 2.1, "2.1000000000000001"),
        (Fraction(21, 10) + Fraction(1, 10**17), 2.1, "2.1000000000000001"),
        (Fraction(2), 2.1, "2.1"),
        (Fraction(5, 2) - Fraction(1, 10**30), 2.5, "2.5"),
        # The double 1e-10 is 1.00000000000000003643219731549774157916554706559963...e-10.
        (Fraction(1, 10**10), 1e-10, "1.0000000000000001e-10"),
    ):
        known = waivers((), (of_file(accepted=accepted),))
        assert known.over(replace(FAILURE, value=value)) is None
        (finding,) = known.findings
        assert finding.message.startswith(f"the number is {text}, above what")
        assert Fraction(text) > accepted
    assert waivers((), (of_file(accepted=Fraction("2.1000000000000001")),)).over(
        replace(FAILURE, value=2.1)
    )
    assert waivers((), (of_file(accepted=Fraction(5, 2)),)).over(replace(FAILURE, value=2.5))


def test_a_waiver_for_other_content_is_reported_once() -> None:
    known = waivers((), (of_file(sha256="b" * 64), of_file(sha256="b" * 64, accepted=Fraction(7))))
    for _ in range(2):
        assert known.over(FAILURE) is None
    (finding,) = known.findings
    assert (finding.rule, finding.level, finding.mark) == ("SA025", "warning", HERE)
    assert finding.message == (
        f"a waiver of SA013 in w.yaml waives nothing: it is for the SHA-256 {'b' * 12}..., and "
        f"this spec has {'a' * 12}..."
    )
    assert (known.met, known.used) == (set(), ())


@pytest.mark.parametrize(
    ("wanted", "there", "covers"),
    [
        ({"framework": "semi_dp"}, {}, True),
        ({"framework": "nominal_dp"}, {}, False),
        ({"measure": "rho"}, {}, True),
        ({"measure": "mu"}, {}, False),
        ({"at": Fraction(1, 10)}, {"at": Fraction(1, 10)}, True),
        ({"at": Fraction(1, 10)}, {"at": Fraction(1, 20)}, False),
        ({"at": Fraction(1, 10)}, {}, False),
        ({"distance": 3}, {"distance": 3}, True),
        ({"distance": 3}, {"distance": 2}, False),
        ({}, {"at": Fraction(1, 10), "distance": 3}, True),
    ],
)
def test_what_a_waiver_leaves_out_may_be_anything(
    wanted: dict[str, Any], there: dict[str, Any], covers: bool
) -> None:
    waiver, failure = of_file(**wanted), replace(FAILURE, **there)
    assert waivers((), (waiver,)).over(failure) == (waiver if covers else None)


@pytest.mark.parametrize(
    ("wanted", "covers"),
    [
        ("x.yaml", True),
        ("./x.yaml", True),
        ("releases/x.yaml", True),
        ("/data/releases/x.yaml", True),
        ("/data/*/x.yaml", True),
        ("*/x.yaml", True),
        ("rele*/x.yaml", True),
        ("x.yam?", True),
        ("/releases/x.yaml", False),
        ("/x.yaml", False),
        (".yaml", False),
        ("eases/x.yaml", False),
        ("X.yaml", False),
        ("/data/releases", False),
    ],
)
def test_a_file_is_named_by_its_path_or_the_end_of_it(wanted: str, covers: bool) -> None:
    assert (waivers((), (of_file(spec=wanted),)).over(FAILURE) is not None) is covers


@pytest.mark.parametrize("wanted", ["[x].yaml", "/data/[x].yaml", "data/[[]x].yaml", "/data/*"])
def test_a_name_that_looks_like_a_glob_is_its_own_name(wanted: str) -> None:
    known = waivers((), (of_file(spec=wanted),), file=replace(FILE, real="/data/[x].yaml"))
    assert known.over(FAILURE) is not None
    other = waivers((), (of_file(spec="/data/[x].yam"),), file=replace(FILE, real="/data/[x].yaml"))
    assert other.over(FAILURE) is None


def test_waivers_of_a_spec_that_met_nothing_are_reported() -> None:
    met, idle, alien = of_spec(), of_spec(rule="SA014"), of_spec(rule="SA002")
    known = waivers((met, idle, alien), (of_file(rule="SA014"),))
    assert known.over(FAILURE) == met
    assert known.met == {1}
    found = known.of_its_own()
    assert [(f.rule, f.level, f.mark) for f in found] == [("SA025", "warning", THERE)] * 2
    assert found[0].message == f"a waiver of SA014 waives nothing: {idle}"
    assert found[1].message.endswith("; only a file given by --waivers can waive this rule")
    known = waivers((idle, idle, met), (of_file(rule="SA014"), of_file(rule="SA014")))
    assert known.over(FAILURE) == met
    assert known.met == {4}
    assert len(known.of_its_own()) == 2


def test_after_all_specs_waivers_of_files_are_reported_by_file() -> None:
    used, idle, old = of_file(), of_file(rule="SA014"), of_file(expires=date(2020, 1, 1))
    other = replace(of_file(rule="SA002"), file="v.yaml")
    found = of_files((used, idle, other, old), (0, 3), TODAY, {FILE.real})
    assert list(found) == ["w.yaml", "v.yaml"]
    assert [(f.rule, f.level) for f in found["w.yaml"]] == [
        ("SA025", "warning"),
        ("SA024", "error"),
    ]
    assert [(f.rule, f.level) for f in found["v.yaml"]] == [("SA025", "warning")]
    # A rule that no spec can waive is no reason to say so of a file.
    assert found["v.yaml"][0].message == f"a waiver of SA002 waives nothing: {other}"
    assert of_files((used,), (0,), TODAY, {FILE.real}) == {"w.yaml": ()}
