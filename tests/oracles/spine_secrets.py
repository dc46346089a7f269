"""What each kind of secret costs in a tiny country: the worst pair of datasets, and its losses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement

from tests.oracles.spine_pairs import Country, Record, Toy, cells, holds, places

Move = tuple[int, ...]
Kind = tuple[object, ...]
Cell = Mapping[str, str]


@dataclass
class Worst:
    """The pairs of one kind.

    Attributes:
        rho: of the pair that costs most.
        pair: that pair, as the records that leave and those that enter.
        beside: another pair of the kind, for losses.
    """

    rho: Fraction
    pair: tuple[Move, Move]
    beside: tuple[Move, Move]


@dataclass
class Rest:
    """Whether some records complete two sets of records to datasets of one D_t."""

    toy: Toy
    known: dict[tuple[object, ...], bool] = field(default_factory=dict)

    @property
    def simple(self) -> bool:
        """Whether any other records do, because T is linear and t is not given."""
        linear = ("margin", "total", "count")
        return self.toy.given is None and all(one.kind in linear for one in self.toy.invariants)

    def complete(self, before: Sequence[Record], after: Sequence[Record]) -> bool:
        toy = self.toy
        if len(before) > toy.size:
            return False
        if Counter(one for record in before for one in record.exact) != Counter(
            one for record in after for one in record.exact
        ):
            return False
        if self.simple:
            return True
        key = tuple(
            tuple(sorted(tuple(record.cell.values()) for record in some))
            for some in (before, after)
        )
        if key not in self.known:
            first, second = ([record.cell for record in some] for some in (before, after))
            self.known[key] = any(
                self._one_universe([*others, *first], [*others, *second])
                for others in combinations_with_replacement(cells(toy), toy.size - len(before))
            )
        return self.known[key]

    def _one_universe(self, one: list[Cell], two: list[Cell]) -> bool:
        datasets = [one, two] if self.toy.given is None else [one, two, list(self.toy.given)]
        for known in self.toy.invariants:
            values: list[object] = []
            for dataset in datasets:
                told = [tuple(cell[name] for name in known.names) for cell in dataset]
                number = sum(holds(known.where, cell) for cell in dataset)
                if known.kind == "margin":
                    values.append(Counter(told))
                elif known.kind == "keys":
                    values.append(set(told))
                elif known.kind == "count":
                    values.append(number)
                elif known.kind == "at_least" and number < known.number:
                    return False
            if any(value != values[0] for value in values):
                return False
        return True


def relatives(toy: Toy, name: str) -> set[str]:
    """An attribute, those that it lies within, and those that lie within it."""

    def above(one: str) -> set[str]:
        return {one} | (above(toy.within[one][0]) if one in toy.within else set())

    return {other for other in toy.attributes if other in above(name) or name in above(other)}


def single(found: Country, fixed: Iterable[str]) -> Iterator[tuple[Kind, bool, Move, Move]]:
    """The kinds of each pair of records of which one becomes the other, and if it needs D_t."""
    toy = found.toy
    kin = {name: relatives(toy, name) for name in toy.attributes}
    names = [name for name in toy.attributes if name not in places(toy)]
    fixed = list(fixed)
    for a, one in enumerate(found.records):
        for b, two in enumerate(found.records):
            if a == b:
                continue
            pair = (a,), (b,)
            kinds: list[tuple[Kind, bool]] = [(("any", 1), False), (("any", 1), True)]
            differ = {name for name in toy.attributes if one.cell[name] != two.cell[name]}
            if one.place == two.place:
                for name in names:
                    if name in differ and differ <= kin[name]:
                        kinds += [(("attribute", name), place) for place in (False, True)]
            elif one.rest == two.rest:
                for at, level in enumerate(toy.spine[:-1]):
                    if one.place[at + 1] == two.place[at + 1]:
                        kinds.append((("geography", level.name), False))
                        kinds.append((("geography", level.name), True))
                        for name in fixed:
                            if one.cell[name] == two.cell[name]:
                                kinds.append(
                                    (("geography", level.name, name, one.cell[name]), True)
                                )
            for name in fixed:
                if one.cell[name] == two.cell[name]:
                    kinds.append((("within", name, one.cell[name], 1), True))
                else:
                    kinds.append((("across", name, 1), True))
            for kind, inside in kinds:
                yield kind, inside, *pair


def doubles(found: Country, fixed: Sequence[str]) -> tuple[list[Move], list[list[Kind | None]]]:
    """All two records, and what two of these must share to be of one kind.

    Returns:
        The pairs of records, and for each kind of secrets what each pair must share with the one
        that it becomes: two records that exchange their places keep the places and the rests; two
        that stay in their units, or change units with each other, keep the units.
    """
    records = found.records
    some: list[Move] = list(combinations_with_replacement(range(len(records)), 2))
    rules: list[list[Kind | None]] = []
    exchanges: list[Kind | None] = []
    for both in some:
        one, two = (records[at] for at in both)
        apart = one.place != two.place and one.rest != two.rest
        places, rests = frozenset((one.place, two.place)), frozenset((one.rest, two.rest))
        exchanges.append(("exchange", places, rests) if apart else None)
    rules.append(exchanges)
    for name in fixed:
        units = [(records[a].cell[name], records[b].cell[name]) for a, b in some]
        rules.append(
            [
                ("within", name, one, 2)
                if one == two
                else ("across", name, frozenset((one, two)), 2)
                for one, two in units
            ]
        )
    return some, rules


def _named(kind: Kind, found: Country, fixed: Sequence[str], before: Move) -> Iterator[Kind]:
    """The kinds of the semantics that a shared property stands for."""
    if kind[0] != "exchange":
        yield kind
        return
    yield ("exchange",)
    one, two = (found.records[at].cell for at in before)
    for name in fixed:
        if one[name] == two[name]:
            yield "exchange", name, one[name]


def secrets(found: Country, rest: Rest, fixed: Sequence[str]) -> dict[tuple[Kind, bool], Worst]:
    """The worst pair of every kind, in D (False) and inside D_t (True).

    Args:
        fixed: the attributes by whose levels pairs are told apart.
    """
    worst: dict[tuple[Kind, bool], tuple[int, Move, Move]] = {}
    beside: dict[tuple[Kind, bool], tuple[Move, Move]] = {}
    records, gram = found.records, found.gram
    size = found.toy.size

    def note(kind: Kind, inside: bool, cost: int, before: Move, after: Move) -> None:
        known = worst.get((kind, inside))
        if known is None or cost > known[0]:
            if known is not None:
                beside[kind, inside] = known[1:]
            worst[kind, inside] = cost, before, after

    def completed(before: Move, after: Move) -> bool:
        return rest.complete([records[at] for at in before], [records[at] for at in after])

    for kind, inside, before, after in single(found, fixed) if size >= 1 else ():
        a, b = before[0], after[0]
        if not inside or completed(before, after):
            note(kind, inside, gram[a][a] + gram[b][b] - 2 * gram[a][b], before, after)
    if size >= 2:
        some, rules = doubles(found, fixed)
        simple = rest.simple
        own = [gram[a][a] + gram[b][b] + 2 * gram[a][b] for a, b in some]
        exact = [Counter((*records[a].exact, *records[b].exact)) for a, b in some]
        group: dict[object, int] = {}
        totals = [group.setdefault(frozenset(one.items()), len(group)) for one in exact]
        for at, before in enumerate(some):
            row = [x + y for x, y in zip(gram[before[0]], gram[before[1]], strict=True)]
            here, alike = own[at], totals[at]
            mine = [rule[at] for rule in rules]
            for other in range(at + 1, len(some)):
                after = some[other]
                cost = here + own[other] - 2 * (row[after[0]] + row[after[1]])
                key = ("any", 2), False
                if key not in worst or cost > worst[key][0]:
                    note(*key, cost, before, after)
                inside = totals[other] == alike and (simple or completed(before, after))
                if inside and (
                    (("any", 2), True) not in worst or cost > worst[("any", 2), True][0]
                ):
                    note(("any", 2), True, cost, before, after)
                for shared, rule in zip(mine, rules, strict=True):
                    if shared is None or rule[other] != shared:
                        continue
                    kind = shared
                    if kind[0] != "exchange":
                        if inside and ((kind, True) not in worst or cost > worst[kind, True][0]):
                            note(kind, True, cost, before, after)
                        continue
                    for named in _named(kind, found, fixed, before):
                        note(named, False, cost, before, after)
                        if inside:
                            note(named, True, cost, before, after)
    return {
        key: Worst(
            Fraction(cost * found.toy.times, 2 * found.unit),
            (before, after),
            beside.get(key, (before, after)),
        )
        for key, (cost, before, after) in worst.items()
    }


# Losses.


def losses(shifts: Iterable[tuple[Fraction, int]]) -> tuple[int, dict[int, float]]:
    """The law of the privacy loss of discrete Gaussian noise under some shifts.

    With sigma squared 1 / r a shift s loses r (s^2 - 2 s x) / 2 at noise x.

    Args:
        shifts: r and s of each count that moves.

    Returns:
        A whole number u and the probabilities of the losses, in units of 1 / (2 u). What is left
        out is less than 1e-15, and never too much.
    """
    shifts = list(shifts)
    unit = math.lcm(1, *(rho.denominator for rho, _ in shifts))
    law = {0: 1.0}
    for rho, shift in sorted(shifts):
        reach = math.ceil(9.5 / math.sqrt(rho))
        mass = [math.exp(-float(rho) * x * x / 2) for x in range(-reach, reach + 1)]
        total = math.fsum(mass)
        step = int(rho * unit)
        found: dict[int, float] = {}
        for x, part in zip(range(-reach, reach + 1), mass, strict=True):
            loss = step * (shift * shift - 2 * shift * x)
            part /= total
            for known, probability in law.items():
                both = probability * part
                if both > 1e-20:
                    found[known + loss] = found.get(known + loss, 0.0) + both
        law = found
    return unit, law


def delta(law: tuple[int, dict[int, float]], epsilon: float) -> float:
    """The least delta with which a pair is (epsilon, delta)-indistinguishable."""
    unit, masses = law
    return math.fsum(
        -mass * math.expm1(epsilon - loss / (2 * unit))
        for loss, mass in masses.items()
        if loss / (2 * unit) > epsilon
    )


def tail(law: tuple[int, dict[int, float]], loss: float) -> float:
    """The probability of a larger loss."""
    unit, masses = law
    return math.fsum(mass for known, mass in masses.items() if known / (2 * unit) > loss)


def law_of(
    found: Country, pair: tuple[Move, Move], most: int = 4000
) -> tuple[int, dict[int, float]] | None:
    """The law of the loss of one pair; None where it has more values than some."""
    moved = [
        (found.toy.weights[key], abs(shift))
        for key, some in found.shifts(*pair).items()
        for shift in some * found.toy.times
    ]
    unit = math.lcm(1, *(rho.denominator for rho, _ in moved))
    deviation = math.sqrt(sum(float(rho) * shift * shift for rho, shift in moved))
    return losses(moved) if 20 * unit * deviation <= most else None
