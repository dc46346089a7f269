"""One spelling of invariants: equivalent specs give equal answers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, count, product
from math import prod

import pytest

from semiaudit.deadline import running
from semiaudit.errors import Mark, RefusedError
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, Condition, TableSpace
from semiaudit.model.invariants import Count, Invariant, Keys, Linear, Margin, PublicBound, Total
from semiaudit.model.invariants.constraint import Within
from semiaudit.model.query import MarginsQuery
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.components import Places
from semiaudit.universe.system.decomposable import is_determined_by
from semiaudit.universe.system.invariant_normal_form import _meets, normal_form
from tests.oracles import tables as oracle
from tests.universe.acyclic_instances import NAMES, Acyclic, drawn, random_table
from tests.universe.instances import METRICS, chunks, published_of, release_of

VARIANTS = 12
"""Variants a seed; the campaign of 200 seeds has 2,400."""

THREE = TableSpace("record", None, (Attribute("a", 3), Attribute("b", 3)))
ROWS = tuple(tuple(int(cell // 3 == level) for cell in range(9)) for level in range(3))


def answers(
    space: TableSpace, invariants: Sequence[Invariant], held: dict[Cell, int], metric: Metric
) -> tuple[object, ...]:
    """What may depend on the invariants and the data, but not on how they are written."""
    published = published_of(space, invariants, held)
    release = release_of(space, invariants, published, metric)
    found = universe_of(release)
    semi, disclosed = found.semi_adjacency, found.disclosed
    readings = [(r.lower, r.upper) for r in (semi.covering, semi.definition_13)]
    norms = SensitivitySpaces(release).within(MarginsQuery((("a", "c"), ("b",))), 2)
    return (
        *readings,
        semi.a_min,
        semi.a_maxmin,
        disclosed.table_is_public,
        sorted(disclosed.constant_attributes or ()),
        found.restricts,
        [(n.value, n.side) for n in (norms.l1, norms.l2_squared, norms.linf)],
    )


def test_margins_are_recognised_in_every_spelling() -> None:
    expected = (Margin(("a",)),)
    counts = tuple(Count((("a", (level,)),)) for level in range(3))
    some: list[tuple[Invariant, ...]] = [
        (Margin(("a",)), Total()),
        (Linear("rows", ROWS),),
        (Linear("one", ROWS[:1]), Linear("others", ROWS[1:])),
        (Linear("sums", (ROWS[0], tuple(map(sum, zip(*ROWS[:2], strict=True))), (1,) * 9)),),
        counts,
        (Total(), *counts[1:]),
        (Margin(("a",)), Keys(("a",)), counts[0]),
    ]
    for invariants in some:
        assert normal_form(release_of(THREE, invariants, None)).invariants == expected


def test_invariants_in_normal_form_keep_their_places_in_the_spec() -> None:
    several = (Margin(("a",), mark=Mark(3, 5)), Margin(("b",), mark=Mark(4, 5)))
    for invariants in (several, (Total(mark=Mark(7, 9)),)):
        release = release_of(THREE, invariants, None)
        assert normal_form(release) is release


def test_bounds_are_dropped_only_where_they_are_met_by_every_dataset() -> None:
    def kept(*invariants: Invariant, size: int | None = None) -> int:
        space = TableSpace("record", size, THREE.attributes)
        return len(normal_form(release_of(space, invariants, None)).invariants)

    where: Condition = (("a", (0,)),)
    assert kept(PublicBound(where, 0, None)) == 0
    assert kept(PublicBound(where, 1, None)) == 1
    assert kept(PublicBound(where, None, 9), size=9) == 0
    assert kept(PublicBound(where, None, 8), size=9) == 1
    assert kept(PublicBound((("a", (0, 1, 2)),), 9, None), size=9) == 0
    assert kept(PublicBound((("a", (0, 1, 2)),), 10, None), size=9) == 1


def test_a_row_over_all_cells_is_the_total_alone_as_beside_others() -> None:
    bound = PublicBound((("a", (0,)),), None, 7)
    held: dict[Cell, int] = {(0, 1): 4, (1, 1): 2, (2, 0): 1}
    for number in (1, 2, -3):
        rows: list[Invariant] = [Linear("row", ((number,) * 9,))]
        for given in (None, published_of(THREE, rows, held)):
            release = release_of(THREE, rows, given)
            assert normal_form(release).invariants == (Total(),)
            semi = universe_of(release).semi_adjacency
            assert (semi.covering.lower, semi.covering.upper) == (1, 1)
        beside = [*rows, bound]
        release = release_of(THREE, beside, published_of(THREE, beside, held))
        assert normal_form(release).invariants == (Total(),)
        assert universe_of(release).semi_adjacency.covering.upper == 1


def test_values_follow_the_rows() -> None:
    invariants = (Total(), Count((("a", (0,)),)), Count((("a", (2,)),)))
    held: dict[Cell, int] = {(0, 1): 4, (1, 1): 2, (2, 0): 1}
    plain = normal_form(release_of(THREE, invariants, published_of(THREE, invariants, held)))
    margin = (Margin(("a",)),)
    assert plain.published == published_of(THREE, margin, held)


def test_a_row_that_is_no_margin_stays_alone() -> None:
    extra = (1, 0, 0, 0, 1, 0, 0, 0, 0)
    held: dict[Cell, int] = {(0, 0): 4, (1, 1): 2, (2, 0): 1}
    mixed = (Linear("rows", (*ROWS, extra)),)
    plain = normal_form(release_of(THREE, mixed, published_of(THREE, mixed, held)))
    assert plain.invariants == (Margin(("a",)), Linear("rows", (extra,)))
    assert plain.published == published_of(THREE, plain.invariants, held)


def test_contradictions_are_still_refused() -> None:
    invariants = (Margin(("a",)), Count((("a", (0,)),)))
    held: dict[Cell, int] = {(0, 0): 4, (1, 1): 2}
    published = published_of(THREE, invariants, held)
    assert published.others
    broken = replace(published, others=((1, (3,)),))
    with pytest.raises(RefusedError, match="contradict"):
        universe_of(release_of(THREE, invariants, broken))


# --- variants -------------------------------------------------------------------------


def respelled(chance: random.Random, case: Acyclic) -> list[Invariant]:
    """The margins of a case as margins, counts or rows, with implied invariants, shuffled."""
    shape = case.instance.shape
    attributes = case.space.attributes
    found: list[Invariant] = []
    for margin in case.margins:
        levels = list(product(*(range(shape[a]) for a in margin)))
        names = [NAMES[a] for a in margin]
        way = chance.random()
        if way < 0.4:
            chance.shuffle(names)
            found.append(Margin(tuple(names)))
        elif way < 0.7:
            for cell in levels:
                told = [(attributes[a], level) for a, level in zip(margin, cell, strict=True)]
                found.append(Count(tuple((a.name, (a.label(level),)) for a, level in told)))
        else:
            rows = list(oracle.margin_rows(shape, margin))
            chance.shuffle(rows)
            cut = chance.randrange(len(rows))
            found += [
                Linear(f"rows {part}", tuple(those))
                for part, those in enumerate((rows[:cut], rows[cut:]))
                if those
            ]
    some = chance.choice(case.margins)
    inside = chance.sample(some, chance.randint(1, len(some)))
    extras: list[Invariant] = [
        Total(),
        Margin(tuple(NAMES[a] for a in inside)),
        PublicBound(((NAMES[inside[0]], (attributes[inside[0]].label(0),)),), 0, None),
        Count(((NAMES[inside[0]], (attributes[inside[0]].label(0),)),)),
    ]
    found += chance.sample(extras, chance.randint(0, 3))
    chance.shuffle(found)
    return found


def permuted(chance: random.Random, case: Acyclic) -> tuple[TableSpace, dict[Cell, int]]:
    """The same table with its attributes in another order; levels keep their names."""
    order = list(range(len(case.space.attributes)))
    chance.shuffle(order)
    attributes = tuple(case.space.attributes[a] for a in order)
    space = TableSpace("record", case.space.size, attributes, case.space.impossible)
    return space, {tuple(cell[a] for a in order): n for cell, n in case.counts().items()}


@pytest.mark.parametrize("seed", chunks(2, 200))
def test_equivalent_specs_have_equal_answers(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(VARIANTS // 4):
        case = drawn(chance, size=chance.choice((None, 5)))
        metric = chance.choice(METRICS)
        expected = answers(case.space, case.invariants, case.counts(), metric)
        for variant in range(4):
            if variant % 2:
                space, held = permuted(chance, case)
                invariants: Sequence[Invariant] = chance.sample(
                    case.invariants, len(case.invariants)
                )
            else:
                space, held, invariants = case.space, case.counts(), respelled(chance, case)
            found = answers(space, invariants, held, metric)
            assert found == expected, (case, invariants, metric)


def determined(space: TableSpace, places: Places, among: Sequence[Places]) -> bool:
    return any(is_determined_by(space, places, other, strict=False) for other in among)


@pytest.mark.parametrize("seed", chunks(2, 100))
def test_the_margins_that_no_other_one_determines_stay(seed: int) -> None:
    """Compare with a walk over all pairs, for t, without t, and for a t that contradicts itself."""
    chance = random.Random(seed)
    for _ in range(VARIANTS):
        attributes = [Attribute(NAMES[0], 2)]
        for name in NAMES[1:]:
            above = chance.choice(attributes) if chance.random() < 0.4 else None
            parents = (0, 1) if above else ()
            attributes.append(
                Attribute(name, ("0", "1"), within=above.name if above else None, parents=parents)
            )
        space = TableSpace("record", None, tuple(attributes))
        places = range(len(NAMES))
        sets = {tuple(sorted(chance.sample(places, size))) for size in (1, 1, 2, 2, 3)}
        margins = [(), *sets][chance.randrange(2) :]
        chance.shuffle(margins)
        key, (at,) = tuple(chance.sample(places, 2)), chance.sample(places, 1)
        level, size = chance.randrange(2), chance.randint(1, 3)
        # Records with this level at all attributes respect every nesting.
        held: dict[Cell, int] = {tuple(a.label(level) for a in attributes): size}
        keys = Keys(tuple(NAMES[place] for place in key))
        bound = PublicBound(((NAMES[at], (attributes[at].label(level),)),), size, size)
        invariants: list[Invariant] = [keys, bound]
        invariants += [Margin(tuple(NAMES[a] for a in m)) if m else Total() for m in margins]
        largest = [
            m for m in margins if not any(is_determined_by(space, m, o) for o in margins if o != m)
        ]
        expected = {Margin(tuple(NAMES[a] for a in m)) if m else Total() for m in largest}
        open_key = set() if determined(space, key, largest) else {keys}
        plain = normal_form(release_of(space, invariants, None))
        assert set(plain.invariants) == expected | open_key | {bound}
        published = published_of(space, invariants, held)
        plain = normal_form(release_of(space, invariants, published))
        open_bound = set() if determined(space, (at,), largest) else {bound}
        assert set(plain.invariants) == expected | {keys} | open_bound
        # The total of one margin is wrong.
        wrong = chance.choice([m for m in margins if m])
        names = tuple(NAMES[a] for a in wrong)
        changed = tuple(
            (own, (values[0] + 1, *values[1:]) if own == names else values)
            for own, values in published.margins
        )
        broken = release_of(space, invariants, replace(published, margins=changed))
        others = [m for m in margins if m != wrong]
        contradicts = determined(space, wrong, [m for m in largest if m != wrong]) or (
            wrong in largest and any(determined(space, m, [wrong]) for m in others)
        )
        found = {one for one in normal_form(broken).invariants if one != bound}
        assert found == ({*invariants} - {bound} if contradicts else expected | {keys})


def test_very_many_margins_are_left_as_they_are_if_there_is_no_time() -> None:
    places = combinations(range(60), 2)
    space = TableSpace("record", None, tuple(Attribute(f"a{at}", 2) for at in range(60)))
    margins = [Margin((f"a{one}", f"a{other}")) for one, other in places]
    release = release_of(space, (Keys(("a1", "a0")), *margins), None)
    assert normal_form(release).invariants == tuple(margins)
    with running(0, count().__next__) as limit:
        assert normal_form(release) is release
    assert limit.was_reached


@pytest.mark.parametrize("seed", chunks(2, 170))
def test_nested_attributes_and_products_of_them_have_equal_answers(seed: int) -> None:
    """A child as a product attribute `which of them` beside its parent."""
    chance = random.Random(seed)
    for _ in range(VARIANTS):
        shape = (2, 2, chance.choice((2, 3)))
        table = random_table(chance, shape, chance.randint(1, 7))
        cells = oracle.cells(shape)
        margins = chance.choice([("ab", "ac"), ("b", "ac"), ("bc", "a"), ("b", "c"), ("bc", "b")])
        names = tuple(f"{a}{b}" for a in range(2) for b in range(2))
        nested = TableSpace(
            "record",
            None,
            (
                Attribute("a", 2),
                Attribute("b", names, within="a", parents=(0, 0, 1, 1)),
                Attribute("c", shape[2]),
            ),
        )
        product_ = TableSpace(
            "record", None, (Attribute("a", 2), Attribute("b", 2), Attribute("c", shape[2]))
        )
        closed = [Margin(tuple(m)) for m in margins]
        opened = [
            Margin(tuple("a" + m) if "b" in m and "a" not in m else tuple(m)) for m in margins
        ]
        held: dict[Cell, int] = {}
        flat: dict[Cell, int] = {}
        for (a, b, c), number in zip(cells, table, strict=True):
            if number:
                held[a, f"{a}{b}", c] = number
                flat[a, b, c] = number
        metric = chance.choice(METRICS)
        one = universe_of(release_of(nested, closed, published_of(nested, closed, held), metric))
        two = universe_of(
            release_of(product_, opened, published_of(product_, opened, flat), metric)
        )
        for a_t in ("covering", "definition_13"):
            first = getattr(one.semi_adjacency, a_t)
            second = getattr(two.semi_adjacency, a_t)
            assert (first.lower, first.upper) == (second.lower, second.upper), (margins, table)


def test_rows_of_a_full_table_have_all_of_its_sensitivity() -> None:
    # Nothing can move where every cell is published, whatever the spelling.
    cells = prod((3, 3))
    rows = tuple(tuple(int(at == cell) for at in range(cells)) for cell in range(cells))
    held: dict[Cell, int] = {(0, 0): 4, (1, 1): 2}
    invariants = (Linear("cells", rows),)
    release = release_of(THREE, invariants, published_of(THREE, invariants, held))
    found = SensitivitySpaces(release).within(MarginsQuery((("a", "b"),)), 2)
    assert found.l1.value == Fraction(0)


@pytest.mark.parametrize(("least", "most", "met"), [(2, 7, True), (0, None, True), (8, None, False),
                                                    (0, 6, False), (7, 7, True)])  # fmt: skip
def test_a_bound_is_met_if_a_margin_counts_as_many_records(
    least: int, most: int | None, met: bool
) -> None:
    """Of the cells with a = 1 and b of 0 or 2 the counts are 3 and 4."""
    counts = (1, 9, 9, 3, 50, 4, 9, 9, 9)
    bound = Within((("a", (1,)), ("b", (0, 2))), least, most)
    assert _meets(THREE, bound, {(0, 1): counts}) is met
    assert not _meets(THREE, bound, {(0,): (19, 57, 27)})
