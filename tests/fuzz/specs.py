"""Specs as plain data: mostly right, and with every section and key that the schema has."""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass, field
from typing import Any

from semiaudit.model.rules import NUMBERED, WAIVABLE
from tests.fuzz.chance import Chance

NAMES = ("sex", "degree", "region", "a b", "élan", "=1+1", "@who", "::error::x", "no", "0")
WORDS = ("yes", "no", "01", "x y", "ß", "-1", "=cmd", "#n", "north", "65 and over", "\u202eabc")
NUMBERS = (
    "1", "0.5", "2", "3", "1/3", "2.56", "0.1", "0", "1e-6", "10", "1e-12", "25", "1e3",
)  # fmt: skip
RATES = ("0.1", "0.5", "1", "1e-3", "0.01")
DELTAS = ("1e-6", "1e-10", "0.05", "1/3", "0.5", "1e-300")
FRAMEWORKS = ("nominal_dp", "group_privacy", "semi_dp", "subspace_dp", "invariant_dp")
STATISTICS = ("min", "max", "sum", "mean", "median", "range")
TITLES = ("", "A table", "::set-output::x", "=1+1 @team <b>", "A very long title " * 9)

Tree = dict[str, Any]
Files = dict[str, bytes]
"""What lies next to a spec, by name."""


def csv_bytes(rows: list[list[Any]]) -> bytes:
    """Rows as a CSV file."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode("utf-8", "surrogatepass")


def rows_or_file(chance: Chance, files: Files, name: str, rows: list[list[Any]]) -> Any:
    """Rows written into the spec, or the name of a file that holds them."""
    if chance.often():
        return rows
    files[name] = csv_bytes(rows)
    return name


@dataclass
class Space:
    """Attributes with their levels, and a table that is so large.

    Attributes:
        counts: one for every cell, row-major.
        parents: the attribute that another one lies within, and the levels of each of its levels.
        impossible: structural zeros, as conditions.
    """

    levels: dict[str, list[Any]]
    counts: list[int]
    parents: dict[str, tuple[str, dict[Any, list[Any]]]] = field(default_factory=dict)
    impossible: list[Tree] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(self.counts)

    def cells(self) -> list[tuple[Any, ...]]:
        """The levels of every cell, row-major."""
        found: list[tuple[Any, ...]] = [()]
        for levels in self.levels.values():
            found = [(*cell, level) for cell in found for level in levels]
        return found

    def can_occur(self, cell: tuple[Any, ...]) -> bool:
        """Whether nesting and structural zeros let a record have these levels."""
        named = dict(zip(self.levels, cell, strict=True))
        for child, (parent, below) in self.parents.items():
            if named[child] not in below[named[parent]]:
                return False
        return not any(meets(named, where) for where in self.impossible)


def meets(named: Tree, where: Tree) -> bool:
    """Whether levels satisfy a condition."""
    return all(
        named[name] in (asked if isinstance(asked, list) else [asked])
        for name, asked in where.items()
    )


def spaces(chance: Chance, largest: int = 12, most: int = 10**6) -> Space:
    """A small table as a rule: of one or two attributes, rarely of three, maybe nested.

    Args:
        largest: of usual counts. most: of rare ones.
    """
    levels: dict[str, list[Any]] = {}
    number = 3 if chance.rarely(8) else chance.randint(1, 2)
    for name in chance.sample(NAMES, number):
        if chance.often():
            levels[name] = list(range(chance.randint(1, 3)))
        else:
            levels[name] = chance.some(WORDS[:-1], 1, 3)
    space = Space(levels, [])
    if chance.rarely(10):
        parent = next(iter(levels))
        below = {level: [f"{i}{c}" for c in "pq"[: chance.randint(1, 2)]]
                 for i, level in enumerate(levels[parent])}  # fmt: skip
        levels["town"] = [level for some in below.values() for level in some]
        space.parents["town"] = (parent, below)
    if chance.rarely(10):
        names = chance.some(list(levels), 1, 2)
        space.impossible = [{name: chance.choice(levels[name]) for name in names}]
    top = most if chance.rarely(12) else chance.choice([1, 3, largest])
    possible = [space.can_occur(cell) for cell in space.cells()]
    space.counts = [chance.randint(0, top) if can else 0 for can in possible]
    if not any(space.counts) and True in possible and not chance.rarely(20):
        space.counts[possible.index(True)] = 1
    return space


def where(chance: Chance, space: Space) -> Tree:
    found: Tree = {}
    for name in chance.some(list(space.levels), 1):
        levels = space.levels[name]
        found[name] = chance.some(levels, 1) if chance.rarely(4) else chance.choice(levels)
    return found


def dataspace_of(chance: Chance, space: Space, files: Files) -> Tree:
    attributes: Tree = {}
    for name, levels in space.levels.items():
        if name in space.parents:
            parent, below = space.parents[name]
            told: Any = {str(level): some for level, some in below.items()}
            if chance.often():
                rows = [[level, one] for level, some in below.items() for one in some]
                files["levels.csv"] = csv_bytes(rows)
                told = "levels.csv"
            attributes[name] = {"within": parent, "levels": told}
        else:
            counted = levels == list(range(len(levels))) and chance.often()
            attributes[name] = len(levels) if counted else levels
    found: Tree = {"attributes": attributes}
    if chance.often():
        found["unit"] = chance.choice(["person", "household", "a::b"])
    if space.impossible:
        found["impossible"] = space.impossible
    return found


def _margins(chance: Chance, space: Space) -> Tree:
    names = chance.some(list(space.levels), 1)
    if chance.rarely(6):
        return {"margin": {"attributes": names, "where": where(chance, space)}}
    return {"margin": names}


def invariants(chance: Chance, space: Space) -> list[Any]:
    """What is published exactly of a table."""
    found: list[Any] = []
    for _ in range(chance.choice([0, 1, 1, 2, 2, 3])):
        match chance.choice(["margin"] * 4 + ["total", "count", "keys", "bound", "linear"]):
            case "margin":
                found.append(_margins(chance, space))
            case "total":
                found.append("total")
            case "count":
                found.append({"count": {"where": where(chance, space)}})
            case "keys":
                found.append({"keys": chance.some(list(space.levels), 1)})
            case "bound":
                found.append({"bound": _bound(chance, space)})
            case _:
                cells = len(space.counts)
                row = [chance.choice([0, 0, 1, 2, -1]) for _ in range(cells)]
                found.append({"linear": [row if any(row) else [1] * cells]})
    return found


def _bound(chance: Chance, space: Space) -> Tree:
    """Public knowledge that the counts agree with."""
    asked = where(chance, space)
    held = sum(
        count
        for cell, count in zip(space.cells(), space.counts, strict=True)
        if meets(dict(zip(space.levels, cell, strict=True)), asked)
    )
    found: Tree = {"where": asked}
    if chance.often():
        found["at_least"] = max(0, held - chance.randint(0, 2))
    else:
        found["at_most"] = held + chance.randint(0, 2)
    return found


def nested(levels: list[list[Any]], counts: list[int]) -> Any:
    """Row-major counts as nested lists."""
    if not levels:
        return counts[0]
    step = len(counts) // len(levels[0])
    return [nested(levels[1:], counts[k * step : (k + 1) * step]) for k in range(len(levels[0]))]


def told_counts(chance: Chance, space: Space) -> Any:
    """The whole table: as lists, by the names of levels, or with its order."""
    found = nested(list(space.levels.values()), space.counts)
    if chance.rarely(6):
        return {"order": list(space.levels), "table": found}
    if chance.rarely(4):
        first = next(iter(space.levels.values()))
        return {str(level): row for level, row in zip(first, found, strict=True)}
    return found


def told_margins(space: Space, published: list[Any]) -> Tree | None:
    """The values of every margin; None where something else is published."""
    found: Tree = {}
    for item in published:
        names = item.get("margin") if isinstance(item, dict) else None
        if not isinstance(names, list) or any(set(key.split(" * ")) == set(names) for key in found):
            return None
        places = [list(space.levels).index(name) for name in names]
        sums: dict[tuple[Any, ...], int] = {}
        for cell, count in zip(space.cells(), space.counts, strict=True):
            key = tuple(cell[place] for place in places)
            sums[key] = sums.get(key, 0) + count
        part = Space({name: space.levels[name] for name in names}, [])
        counts = [sums[cell] for cell in part.cells()]
        found[" * ".join(map(str, names))] = nested([space.levels[n] for n in names], counts)
    return found or None


def budgets(chance: Chance, least: int = 0) -> list[Tree]:
    """Limits of every measure."""
    return [_budget(chance) for _ in range(chance.randint(least, 2))]


def _budget(chance: Chance) -> Tree:
    if chance.rarely(20):
        record = {"record": "verified.json"} if chance.often() else {}
        return {"verification": {"confidence": "0.95", **record}}
    framework = chance.choice(FRAMEWORKS)
    found: Tree = {"framework": framework}
    match chance.choice(["epsilon", "pure", "rho", "mu", "advantage", "tpr", "a_t"]):
        case "epsilon":
            found |= {"epsilon": chance.choice(NUMBERS), "delta": chance.choice(DELTAS)}
        case "pure":
            found |= {"epsilon": chance.choice(NUMBERS)}
        case "rho":
            found |= {"rho": chance.choice(NUMBERS)}
        case "mu":
            found |= {"mu": chance.choice(["1", "2.56", "0.1", "0", "25"])}
        case "advantage":
            found |= {"advantage": "0.5"}
        case "tpr":
            found |= {"tpr": "0.9", "fpr": "0.05"}
        case _:
            return {"framework": "semi_dp", "a_t": chance.randint(1, 4)}
    if framework == "invariant_dp":
        found["distance"] = chance.choice([1, 1, 1, 2, 3])
    return found


def waivers(chance: Chance, name: str = "", content: bytes = b"") -> list[Tree]:
    """Accepted exceptions of every kind.

    Args:
        name, content: of the spec, where the waivers stand in a file of their own.
    """
    found = []
    for _ in range(chance.randint(1, 2)):
        rule = chance.choice([*sorted(NUMBERED), *WAIVABLE] if chance.often() else ["SA013"])
        waiver: Tree = {
            "rule": rule,
            "reason": chance.choice(["agreed", "::error::", "=1+1"]),
            "approver": "board",
            "expires": chance.choice(["2030-01-31", "2030-01-31", "2001-01-31"]),
        }
        if name:
            waiver |= {"spec": name, "sha256": hashlib.sha256(content).hexdigest()}
        if rule in NUMBERED:
            measure = chance.choice(["epsilon", "rho", "mu", "advantage", "tpr", "a_t"])
            framework = "semi_dp" if measure == "a_t" else chance.choice(FRAMEWORKS)
            waiver |= {"framework": framework, "measure": measure}
            waiver |= {"epsilon": {"delta": "1e-6"}, "tpr": {"fpr": "0.05"}}.get(measure, {})
            if framework == "invariant_dp":
                waiver["distance"] = 2
            waiver["accepted"] = chance.choice(["100", "2.5", "0"])
        found.append(waiver)
    return found


def report_section(chance: Chance) -> Tree:
    found: Tree = {"deltas": chance.some(DELTAS, 1, 2)}
    if chance.rarely(3):
        found["alphas"] = chance.some(["0.01", "1/3", "0.05", "1e-12"], 1, 2)
    if chance.rarely(5):
        found["priors"] = chance.some(["0.5", "0.1", "1e-9"], 1, 2)
    return found


def extras(chance: Chance) -> Tree:
    """Sections that change no number."""
    found: Tree = {}
    if chance.often():
        found["title"] = chance.choice(TITLES)
    for key in ("reference", "leaves_out"):
        if chance.rarely(6):
            found[key] = chance.choice(["one source", ["first", "=second", "::error::third"]])
    if chance.rarely(12):
        found["waivers"] = waivers(chance)
    return found


def whole(tree: Tree) -> Tree:
    """The tree without sections that hold nothing, which a spec may not have."""
    return {key: value for key, value in tree.items() if value not in ([], None, "")}
