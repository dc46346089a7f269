"""Mechanisms of every kind, with every key that the schema has."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from tests.fuzz.chance import Chance
from tests.fuzz.specs import DELTAS, NUMBERS, RATES, Files, Space, Tree, rows_or_file

DECLARED = ("pure_dp", "approx_dp", "zcdp", "gdp", "tradeoff", "profile", "pair")
NOISE = ("gaussian", "discrete_gaussian", "laplace", "discrete_laplace", "k_norm", "finite_noise")
RECORDS = ("randomized_response", "subsampled_gaussian", "shuffled")
MANY = 1000
"""Repeats and steps that are dear, of which there are few."""

MOST_COORDINATES = 8
"""Of a query whose noise is given by a matrix."""


@dataclass
class Setting:
    """What a mechanism runs on.

    Attributes:
        space: the table; None where records have no attributes.
        datasets: of an explicit dataspace, else empty.
        files: what lies beside the spec; what a mechanism names is added.
    """

    chance: Chance
    files: Files
    metric: str = "hamming"
    space: Space | None = None
    datasets: tuple[tuple[Any, ...], ...] = ()
    size: int = 1

    def kinds(self) -> list[str]:
        """Kinds of mechanism, likelier where the setting knows them; others are rare."""
        strange = self.chance.rarely(15)
        found = [*DECLARED * 2, *NOISE * (2 if self.space else 1)]
        if self.space is None and not strange:
            found.remove("k_norm")
        if self.metric != "symmetric_difference" or strange:
            found += RECORDS if self.metric == "hamming" or strange else RECORDS[1:]
            if self.space or strange:
                found += ["swapping", "topdown"] * 2
        if self.datasets or (self.space and self.metric != "symmetric_difference") or strange:
            found += ["finite"] * (8 if self.datasets else 1)
        return found


def mechanisms(setting: Setting, depth: int = 2) -> Tree:
    """A mechanism of any kind."""
    chance = setting.chance
    if depth and chance.rarely(6):
        found: Tree = {"compose": [mechanisms(setting, 0) for _ in range(chance.randint(1, 3))]}
        if chance.rarely(4):
            parts = [chance.choice(["0.5", "1/3", "2"]) for _ in range(chance.randint(1, 3))]
            found = {"compose": [{"zcdp": {"rho": part}} for part in parts]}
            found["total_rho"] = str(sum(map(Fraction, parts)))
    else:
        kind = chance.choice(setting.kinds())
        found = {kind: parameters(setting, kind)}
    if chance.rarely(5):
        found["repeat"] = MANY if chance.rarely(20) else chance.choice([1, 2, 7])
    return found


def parameters(setting: Setting, kind: str) -> Tree:
    """What stands below a kind."""
    chance = setting.chance
    found = of_kind(setting, kind)
    if ((kind in DECLARED and kind != "pair") or "shifts" in found) and chance.often():
        found["neighbors"] = chance.choice(["replace_one", "add_remove", "zero_out"])
    return found


def of_kind(setting: Setting, kind: str) -> Tree:
    """The parameters of a kind, but for the relation of its numbers."""
    chance = setting.chance
    match kind:
        case "pure_dp":
            return {"epsilon": chance.choice(NUMBERS)}
        case "approx_dp":
            return {"epsilon": chance.choice(NUMBERS), "delta": chance.choice(DELTAS)}
        case "zcdp":
            return {"rho": chance.choice(NUMBERS)}
        case "gdp":
            return {"mu": chance.choice([n for n in NUMBERS if n != "1e3"])}
        case "tradeoff":
            middle = chance.choice([[], [["0.2", "0.3"]], [["1/3", "1/3"], ["1/2", "1/6"]]])
            points = [[0, chance.choice([1, "0.9"]) if middle else 1], *middle, [1, 0]]
            return {"points": points, "orders": chance.choice(["both", "one"])}
        case "profile":
            return {
                "points": [[chance.choice([0, 1, "2.5"]), "1e-3"], [3, chance.choice([0, "1e-6"])]]
            }
        case "pair":
            masses = {"p": ["1/2", "0.25", "0.25"], "q": ["1/4", "0.5", chance.choice([0, "1/8"])]}
            ways = [["add"], ["remove"], ["add", "remove"], ["replace"]]
            pairs = dict.fromkeys(chance.choice(ways), masses)
            if chance.rarely(4):
                setting.files["pair.json"] = json.dumps(pairs).encode()
                return "pair.json"  # type: ignore[return-value]
            return pairs
        case "randomized_response":
            return {"epsilon": chance.choice(NUMBERS), "levels": chance.randint(2, 5)}
        case "subsampled_gaussian":
            steps = MANY if chance.rarely(20) else chance.choice([1, 1, 10])
            rate = "1e-300" if chance.rarely(12) else chance.choice(RATES)
            multiplier = chance.choice(["1.5", "1", "0.3"])
            if chance.rarely(6):
                epochs = {"steps_per_epoch": chance.choice([1, 10]), "epochs": 1}
                shuffled = {"noise_multiplier": multiplier, "sampling": "shuffle", **epochs}
                return shuffled | {
                    "neighbors": chance.choice(["replace_one", "zero_out", "add_remove"])
                }
            given = {"noise_multiplier": multiplier, "sampling_rate": rate, "steps": steps}
            if chance.rarely(4):
                given["sampling"] = chance.choice(["poisson", "fixed_size"])
            return given
        case "shuffled":
            return {"epsilon0": chance.choice(["1", "0.1", "0"]), "reports": max(setting.size, 1)}
        case "finite":
            return finite(setting)
        case "swapping":
            return swapping(setting)
        case "topdown":
            return topdown(setting)
        case _:
            return noise(setting, kind)


def queries(setting: Setting) -> tuple[Any, int]:
    """A query over a table, and how many coordinates it has."""
    chance, space = setting.chance, setting.space
    if space is None:
        return "table", 1
    names = list(space.levels)
    match chance.choice(["table", "margins", "margins", "matrix"]):
        case "table":
            return "table", len(space.counts)
        case "margins":
            margin = chance.some(names, 1)
            cells = Space({name: space.levels[name] for name in margin}, []).cells()
            return {"margins": [margin]}, len(cells)
        case _:
            rows = [
                [chance.choice([0, 1, 1, -1]) for _ in space.counts]
                for _ in range(chance.randint(1, 2))
            ]
            told = rows_or_file(chance, setting.files, "query.csv", rows)
            return {"matrix": told}, len(rows)


def noise(setting: Setting, kind: str) -> Tree:
    """Noise on a query, or accounted for by shifts."""
    chance = setting.chance
    size = chance.choice([n for n in NUMBERS if n != "0"])
    scale = "1" if size == "1e-12" else size
    asks = kind == "k_norm" or (setting.space is not None and not chance.rarely(3))
    found: Tree = {}
    coordinates = 0
    if asks:
        found["query"], coordinates = queries(setting)
    else:
        found["shifts"] = [chance.randint(-3, 3) for _ in range(chance.randint(1, 3))]
    if kind == "finite_noise":
        return found | finite_noise(setting, at_counts=asks)
    matrix = 0 < coordinates <= MOST_COORDINATES and chance.rarely(4)
    match kind:
        case "gaussian" if matrix:
            found["covariance"] = _square(setting, "covariance.csv", coordinates)
        case "gaussian":
            found["sigma"] = scale
        case "discrete_gaussian":
            found["sigma_squared"] = size
        case "k_norm":
            norm = chance.choice(["hull", "l1", "l2", "linf", {"hull": "D"}, {"hull": "D_t"}])
            found |= {"epsilon": size, "norm": norm}
        case _:
            found["scale"] = scale
            if kind == "laplace" and matrix:
                found["basis"] = _square(setting, "basis.csv", coordinates)
    supported = kind in ("gaussian", "laplace", "discrete_gaussian", "k_norm")
    supported &= found.get("norm") != {"hull": "D_t"} or chance.rarely(10)
    if supported and asks and not matrix and chance.rarely(3):
        found["support"] = chance.choice(["sensitivity_space", "null_space"])
    return found


def _square(setting: Setting, name: str, number: int) -> Any:
    """A symmetric matrix that is diagonally dominant."""
    rows: list[list[Any]] = [
        [("5/2" if i == k else 1 if abs(i - k) == 1 else 0) for k in range(number)]
        for i in range(number)
    ]
    return rows_or_file(setting.chance, setting.files, name, rows)


def law(chance: Chance, number: int) -> list[str]:
    """Exact probabilities that sum to 1; some are 0, and some laws have one outcome only."""
    whole = chance.choice([1, 2, 3, 10, 97])
    return [str(Fraction(share, whole)) for share in chance.amounts(number, whole)]


def finite_noise(setting: Setting, *, at_counts: bool) -> Tree:
    """Bounded noise: one law for all counts, or one for each."""
    chance = setting.chance
    values = sorted(chance.sample(range(-3, 4), chance.randint(1, 3)))
    if at_counts and chance.rarely(3):
        rows: list[list[Any]] = [["count", *values]]
        rows += [[count, *law(chance, len(values))] for count in range(chance.randint(1, 4))]
        found: Tree = {"table": rows_or_file(chance, setting.files, "noise.csv", rows)}
        if chance.often():
            found["period"] = chance.randint(1, len(rows) - 1)
        return found
    return {"values": values, "probabilities": law(chance, len(values))} | _tolerance(chance)


def _tolerance(chance: Chance) -> Tree:
    return {"rtol": "1e-9"} if chance.rarely(5) else {}


def finite(setting: Setting) -> Tree:
    """A law of the output for every dataset, or for every answer of a query."""
    chance, space = setting.chance, setting.space
    outcomes = chance.randint(1, 3)
    found = _tolerance(chance)
    rows = list(setting.datasets)
    if not rows and space is not None:
        name, levels = chance.choice(list(space.levels.items()))
        found["query"] = {"margins": [[name]]}
        sums = product(range(min(setting.size, 6) + 1), repeat=len(levels))
        rows = [answer for answer in sums if sum(answer) == min(setting.size, 6)][:40]
    laws: list[list[Any]] = [list(law(chance, outcomes)) for _ in rows]
    if chance.rarely(3):  # laws that are equal, and laws of which one has no outcome in common
        laws = [list(chance.choice(laws)) for _ in laws] if laws else laws
    found["probabilities"] = rows_or_file(chance, setting.files, "laws.csv", laws)
    if found.get("query") or chance.rarely(3):
        found["rows"] = [list(row) for row in rows]
    elif chance.often():
        found["rows"] = "datasets"
    return found


def swapping(setting: Setting) -> Tree:
    """Swapping, with strata that the dataspace tells or the spec."""
    chance, space = setting.chance, setting.space
    found: Tree = {"rate": chance.choice(["0.05", "0.5", "1/3"])}
    if space is not None:
        names = [name for name in chance.some(list(space.levels), 1) if name not in space.parents]
        names = names or list(space.levels)
        place = chance.randint(1, len(names))
        found |= {"swap": names[:place], "stratify_by": names[place:]}
        if found["stratify_by"] and chance.rarely(4):
            found["largest_stratum"] = max(setting.size, 2)
    elif chance.often():
        found["strata"] = [chance.randint(1, 5) for _ in range(chance.randint(1, 3))]
    else:
        found["largest_stratum"] = chance.randint(2, 9)
    if chance.often():
        found["variant"] = chance.choice(["derangement", "uniform"])
    if chance.often():
        found["reselection"] = chance.often()
    return found


def topdown(setting: Setting) -> Tree:
    """A hierarchical release: levels from the top down, queries, and an allocation."""
    chance = setting.chance
    space = setting.space or Space({"state": [0, 1], "sex": [0, 1]}, [1] * 4)
    names = [name for name, levels in space.levels.items() if len(levels) > 1]
    lower = [name for name in names if name in space.parents]
    upper = space.parents[lower[0]][0] if lower else chance.choice(names or ["none"])
    spine: list[Tree] = [{"level": "Country"}]
    if upper in names:
        state: Tree = {"level": "State", "attribute": upper}
        if chance.rarely(5):
            split = chance.some(space.levels[upper], 1)
            state["split"] = chance.choice(["all", split])
        spine.append(state)
    if lower:
        spine.append({"level": "Town", "attribute": lower[0]})
    elif chance.rarely(4):
        spine.append({"level": "Block"})
    others = [name for name in names if name not in {upper, *lower}]
    found: Tree = {"spine": spine}
    asked: Tree = {"total": []}
    for name in others[:2]:
        told: Any = [name]
        if len(space.levels[name]) > 2 and chance.often():
            recode: Tree = {"of": name}
            if chance.often():
                recode["groups"] = [space.levels[name][:1]]
            found["recodes"] = {"coarse": recode}
            told = ["coarse"]
        if chance.rarely(3):
            told = {"tells": told, "histogram": chance.choice(["main", "other"])}
            if len(space.levels[name]) > 2 and told["tells"] == [name]:
                told["where"] = {name: space.levels[name][:2]}
        asked[f"by {name}"] = told
    if len(others) > 1 and not chance.rarely(4):
        first, second = others[:2]
        group = {first: space.levels[first][0], second: space.levels[second][:1]}
        found.setdefault("recodes", {})["both"] = {"of": [first, second], "groups": [group]}
        asked["by both"] = chance.choice(["both", ["both"]])
    found["queries"] = asked
    return found | _allocation(setting, [level["level"] for level in spine], list(asked))


def _allocation(setting: Setting, levels: list[str], asked: list[str]) -> Tree:
    """Which level asks which query, and with how much of rho."""
    chance = setting.chance
    pairs = [(level, query) for level in levels for query in asked]
    pairs = pairs[1:] if len(pairs) > 1 else pairs  # the total of the whole tells nothing
    form = chance.choice(["rho", "share", "shares"])
    found: Tree = {}
    rows: list[list[Any]]
    if form == "rho":
        rows = [["level", "query", "rho"], *([*pair, "1/10"] for pair in pairs)]
        if chance.often():
            found["rho"] = str(Fraction(len(pairs), 10))
    elif form == "share":
        part = str(Fraction(1, len(pairs)))
        rows = [["level", "query", "share"], *([*pair, part] for pair in pairs)]
    else:
        there = {level: [query for one, query in pairs if one == level] for level in levels}
        there = {level: some for level, some in there.items() if some}
        rows = [["level", "query", "level_share", "query_share"]]
        for level, some in there.items():
            shares = str(Fraction(1, len(there))), str(Fraction(1, len(some)))
            rows += [[level, query, *shares] for query in some]
    if form != "rho":
        found |= {"rho": "1/2"} if chance.often() else {"global_scale": "3/2"}
    found["allocation"] = rows_or_file(chance, setting.files, "allocation.csv", rows)
    return found
