"""Attributes that lie within each other: what a change of one costs, counted by hand."""

from __future__ import annotations

from semiaudit.model.dataspace import Attribute
from semiaudit.model.topdown import Recode, TopDownQuery
from tests.universe.hierarchy.countries import NATION, nested, release_of, rho, rows, tells

FAMILY, SEX = Attribute("family", 2), Attribute("sex", 2)


def test_a_language_changes_inside_its_family_where_that_is_published() -> None:
    """Families and languages are asked: a change of both moves both, inside D_t one alone."""
    language = nested("language", "family", 0, 0, 1)
    release = release_of(
        [NATION], [FAMILY, language], [tells("family"), tells("language")], margins=[("family",)]
    )
    found = rows(release)
    assert (rho(found["attribute:language", "D", 1]), rho(found["attribute:family", "D", 1])) == (
        2,
        2,
    )
    assert rho(found["attribute:language", "D_t", 1]) == 1
    assert rho(found["attribute:family", "D_t", 1]) is None
    assert all(row.attained for key, row in found.items() if key[2] == 1)


def test_families_of_one_language_each_fix_it() -> None:
    language = nested("language", "family", 0, 1)
    release = release_of([NATION], [FAMILY, language], [tells("language")], margins=[("family",)])
    found = rows(release)
    assert rho(found["attribute:language", "D", 1]) == 1
    assert rho(found["attribute:language", "D_t", 1]) is None


def test_a_recode_that_families_tell_cannot_be_told_inside_one() -> None:
    """The recode parts the families alone: languages of one family are alike in it."""
    language = nested("language", "family", 0, 0, 1, 1)
    recode = Recode("first", ("language",), ((("language", ("language 0", "language 1")),),))
    release = release_of(
        [NATION], [FAMILY, language], [TopDownQuery("q", (recode,))], margins=[("family",)]
    )
    found = rows(release)
    assert rho(found["attribute:language", "D", 1]) == 1
    row = found["attribute:language", "D_t", 1]
    assert (rho(row), row.attained) == (0, True)


def test_a_level_in_which_nothing_lies_has_no_records() -> None:
    """The second family has no language, so that all records are of the first."""
    language = nested("language", "family", 0, 0)
    found = rows(release_of([NATION], [FAMILY, language], [tells("family"), tells("language")]))
    assert rho(found["attribute:family", "D", 1]) is None
    assert rho(found["attribute:language", "D", 1]) == 1


def test_zeros_tie_two_attributes_so_that_neither_changes_alone() -> None:
    zeros = [(("family", (0,)), ("sex", (0,))), (("family", (1,)), ("sex", (1,)))]
    found = rows(release_of([NATION], [FAMILY, SEX], [tells("sex"), tells("family")], zeros=zeros))
    assert rho(found["attribute:sex", "D", 1]) is None
    assert rho(found["anywhere", "D", 1]) == 2
