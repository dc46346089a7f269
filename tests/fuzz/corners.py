"""Corners that random inputs reach seldom, each met at least once in every campaign.

Each is a use that once went wrong, or that somebody would try, with its parts drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.fuzz.cases import FOLDER, SPEC, Case
from tests.fuzz.chance import Chance
from tests.fuzz.damage import NEAR_KEYS
from tests.fuzz.hook import SPEC as TABLED
from tests.fuzz.hook import TABLE, staged
from tests.fuzz.releases import written
from tests.fuzz.specs import csv_bytes
from tests.fuzz.tables import ENDLESS, NO_COUNTS, database

FAILING = (
    "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2}}\nmechanism: {zcdp: {rho: 1}}\n"
    "budgets: [{framework: nominal_dp, rho: 1/2}]\n"
)
PASSING = FAILING.replace("1/2", "1")
ROWS = [["region", "sex"], ["north", "f"], ["north", "m"], ["south", "f"], ["south", "m"]]


def _analyzed(text: str, *options: str, limit: float = 0.2, **files: bytes) -> Case:
    """`analyze` of a spec that is given as text."""
    line = ("analyze", SPEC, "--time-limit", f"{limit:g}", *options)
    beside = {f"{FOLDER}/{name}": content for name, content in files.items()}
    return Case("corner", {f"{FOLDER}/{SPEC}": text.encode(), **beside}, (line,), limit)


def _searched(name: str, content: bytes, *paths: str, links: dict[str, str] | None = None) -> Case:
    """`check` of a folder in which a spec lies, and one that passes."""
    files = {f"{FOLDER}/d/{name}": content, f"{FOLDER}/d/good.yaml": PASSING.encode()}
    line = ("check", "-o", "json=verdicts.json", "--format", "json", *(paths or ("d",)))
    meant = (*files, *(links or {}))
    return Case("corner", dict(files), (line,), 1.0, meant=meant, links=links or {})


def epsilon_of_exactly_zero(chance: Chance) -> Case:
    """A finite mechanism that loses exactly nothing at some delta."""
    first, second = chance.choice(
        [(["1/2", "1/2"], ["1", "0"]), (["1/3", "2/3"], ["2/3", "1/3"]), (["1", "0"], ["0", "1"])]
    )
    delta = {"1/2": "0.5", "1/3": "1/3", "1": "0.999"}[first[0]]
    tree = {
        "semiaudit": 1,
        "dataspace": {"datasets": [[0], [1]]},
        "mechanism": {"finite": {"probabilities": [first, second]}},
        "report": {"deltas": [delta]},
    }
    return _analyzed(written(tree), "--format", "json")


def noise_on_what_cannot_change(chance: Chance) -> Case:
    """Bounded noise on a query that the invariants fix."""
    noise = chance.choice(["values: [-1, 0, 1], probabilities: [1/4, 1/2, 1/4]",
                           "values: [0], probabilities: [1]"])  # fmt: skip
    query = chance.choice(["{margins: [[a]]}", "{matrix: [[1, 1, 1]]}"])
    mechanism = f"{{finite_noise: {{{noise}, query: {query}}}}}"
    return _analyzed(
        f"semiaudit: 1\ndataspace: {{attributes: {{a: 3}}}}\ninvariants: [margin: [a]]\n"
        f"mechanism: {mechanism}\n"
    )


def name_that_begins_with_a_dash(chance: Chance) -> Case:
    """A failing spec that looks like an option, in a folder."""
    name = chance.choice(["-x.yaml", "-.yaml", "--policy=x.yaml", "sub/-y.yml"])
    return _searched(name, FAILING.encode())


def link_out_of_the_folder(chance: Chance) -> Case:
    """A link, in a folder, to a failing spec elsewhere."""
    target = chance.choice(["../../outside/x.yaml", "../elsewhere/x.yaml"])
    place = f"{FOLDER}/elsewhere/x.yaml" if "elsewhere" in target else "outside/x.yaml"
    case = _searched("plain.yaml", PASSING.encode(), links={f"{FOLDER}/d/x.yaml": target})
    case.files[place] = FAILING.encode()
    return case


def near_miss_of_the_key(chance: Chance) -> Case:
    """A failing spec whose key is misspelled."""
    key = chance.choice(NEAR_KEYS)
    return _searched("x.yaml", FAILING.replace("semiaudit", key).encode("utf-8"))


def form_feed_before_the_key(chance: Chance) -> Case:
    """A failing spec behind a form feed, or other white space."""
    return _searched("x.yaml", chance.choice([b"\x0c", b"\x0b", b"\xc2\x85", b"\xe2\x80\xa8"])
                     + FAILING.encode())  # fmt: skip


def merge_key(chance: Chance) -> Case:
    """A failing spec below a merge key."""
    inner = FAILING.replace("\n", "\n  ")
    return _searched("x.yaml", f"<<:\n  {inner}\n".encode())


def list_of_specs(chance: Chance) -> Case:
    """Failing specs as the items of a list."""
    inner = FAILING.replace("\n", "\n  ")
    number = chance.randint(1, 3)
    return _searched("x.yaml", (f"- {inner}\n" * number).encode())


def no_key_at_all(chance: Chance) -> Case:
    """A spec that has every section but the key."""
    return _searched("x.yaml", FAILING.replace("semiaudit: 1\n", "").encode())


def encoding_without_a_mark(chance: Chance) -> Case:
    """A failing spec in an encoding that YAML cannot tell."""
    form = chance.choice(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-32"])
    return _searched("x.yaml", FAILING.encode(form))


def endless_view(chance: Chance) -> Case:
    """A database whose view no engine answers in time."""
    engine = chance.choice(["sqlite", "duckdb"])
    text = (
        "semiaudit: 1\ndataspace: {attributes: {a: 2}}\ninvariants: [margin: [a]]\n"
        f'data: {{engine: "{engine}://data.db", records: endless}}\n'
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    case = _analyzed(text, "--allow-engine", engine, limit=0.5)
    rows = [["a"], *([str(k % 2)] for k in range(200))]
    case.files[f"{FOLDER}/data.db"] = database(engine, rows, chance.choice(ENDLESS))
    return case


def count_cell_that_is_none(chance: Chance) -> Case:
    """A column named as counts, some or all cells of which are none."""
    head, *cells = ROWS
    name = chance.choice(["Freq", "count", "n", "COUNT", "population", "Persons"])
    rows: list[list[Any]] = [[*head, name], *([*cell, chance.randint(3, 90)] for cell in cells)]
    for place in chance.some(list(range(1, len(rows))), 1):
        rows[place][2] = chance.choice(NO_COUNTS)
    line = ("init", "--from", "data.csv", "made.yaml")
    files = {f"{FOLDER}/data.csv": csv_bytes(rows)}
    return Case("corner", dict(files), (line,), 0.0, codes=frozenset({2}))


CODES = (
    "01001",
    "1001",
    "001001",
    "\u0661",
    "1",
    "01",
    "e\u0301",
    "\u00e9",
    "1e3",
    "007",
    "-07",
    "0x1F",
)
"""Codes that a reader of numbers or of normalized text would confuse."""


def codes_that_look_alike(chance: Chance) -> Case:
    """Codes with leading zeros and in other scripts, wherever a level is named."""
    codes = chance.some(list(CODES), 2)

    def spelled(code: str) -> str:
        return f'"{code}"' if chance.often() else code

    def items(some: list[str]) -> str:
        return ", ".join(map(spelled, some))

    counts = {code: chance.randint(1, 9) for code in codes}
    below = ", ".join(f"{spelled(code)}: [t{place}]" for place, code in enumerate(codes))
    rows = [["code", "tract"], *([code, f"t{place}"] for place, code in enumerate(codes))]
    table = [["code", "tract", "count"]]
    table += [[code, f"t{place}", str(counts[code])] for place, code in enumerate(codes)]
    data = ", ".join(f"{spelled(code)}: {count}" for code, count in counts.items())
    text = (
        "semiaudit: 1\ndataspace:\n  attributes:\n"
        f"    code: [{items(codes)}]\n"
        f"    tract: {{within: code, levels: {chance.choice(['levels.csv', f'{{{below}}}'])}}}\n"
        f"invariants:\n  - margin: [code]\n  - count: {{where: {{code: {spelled(codes[0])}}}}}\n"
        f"  - bound: {{where: {{code: [{items(codes)}]}}, at_least: 0}}\n"
        f"data: {chance.choice(['{table: table.csv}', f'{{margins: {{code: {{{data}}}}}}}'])}\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    case = _analyzed(text, limit=10.0)
    case.files[f"{FOLDER}/levels.csv"] = csv_bytes(rows)
    case.files[f"{FOLDER}/table.csv"] = csv_bytes(table)
    return replace(case, codes=frozenset({0}))


def total_rows(chance: Chance) -> Case:
    """A table with the rows of a total, which is kept or refused."""
    regions, ages = chance.some(list(CODES), 2, 6), [f"a{k}" for k in range(chance.randint(4, 7))]
    table: list[list[Any]] = [[one, age, chance.randint(1, 9)] for one in regions for age in ages]
    total = chance.choice(["_T", "Ensemble", "0", "\u5408\u8a08", "00"])
    table += [[total, a, sum(n for _, age, n in table if age == a)] for a in ages]
    chance.shuffle(table)
    kept = chance.often()
    option: tuple[str, ...] = ("--keep-total", "region", "--keep-total", "age") if kept else ()
    line = ("init", "--from", "data.csv", *option, "made.yaml")
    lines = (line, ("analyze", "made.yaml")) if kept else (line,)
    content = csv_bytes([["region", "age", chance.choice(["count", "Freq"])], *table])
    wanted = frozenset({0 if kept else 2})
    return Case("corner", {f"{FOLDER}/data.csv": content}, lines, 0.0, codes=wanted)


def page_within_its_time(chance: Chance) -> Case:
    """A page of an audit whose curves take long."""
    rate = chance.choice(["1e-300", "1e-12", "1e-100"])
    text = (
        "semiaudit: 1\ndataspace: {unit: person}\nadjacency: {metric: symmetric_difference}\n"
        "mechanism: {subsampled_gaussian: {noise_multiplier: 1, "
        f"sampling_rate: {rate}, steps: 1}}, repeat: 3}}\n"
    )
    return _analyzed(text, "--format", "html", limit=1.0)


def spec_that_the_hook_does_not_see(chance: Chance) -> Case:
    """A staged spec that fails, under a name of its own."""
    name = f"releases/{chance.choice(['plain.yaml', 'release.yml'])}"
    files = {name: (TABLED % "0.5").encode(), "releases/table.csv": TABLE}
    return staged(files, {name: (TABLED % "0.25").encode()})


def table_that_the_hook_does_not_see(chance: Chance) -> Case:
    """A staged table that a spec uses, and that is no table any more."""
    files = {"x.semiaudit.yaml": (TABLED % "0.5").encode(), "table.csv": TABLE}
    changed = TABLE.replace(b"1,1,4", chance.choice([b"1,1,-4", b"1,7,4", b"1,1"]))
    return staged(files, {"table.csv": changed})


def deep_and_large_texts(chance: Chance) -> Case:
    """A spec of deep nesting, many aliases, or very long words."""
    text = chance.choice(
        [
            "semiaudit: " + "[" * 3000,
            "semiaudit: 1\n" + "a: &a [x, x]\n" + "b: [*a, *a]\n" * 50,
            "semiaudit: 1\ntitle: " + "x" * 900_000,
            "semiaudit: 1\ndataspace: {attributes: {a: " + "9" * 5000 + "}}\n",
            "semiaudit: 1\n" + "? " * 2000 + "x\n",
        ]
    )
    return _analyzed(text)


CORNERS: dict[str, Callable[[Chance], Case]] = {
    make.__name__: make
    for make in (
        epsilon_of_exactly_zero,
        noise_on_what_cannot_change,
        name_that_begins_with_a_dash,
        link_out_of_the_folder,
        near_miss_of_the_key,
        form_feed_before_the_key,
        merge_key,
        list_of_specs,
        no_key_at_all,
        encoding_without_a_mark,
        endless_view,
        count_cell_that_is_none,
        codes_that_look_alike,
        total_rows,
        page_within_its_time,
        spec_that_the_hook_does_not_see,
        table_that_the_hook_does_not_see,
        deep_and_large_texts,
    )
}
"""How a case of each corner is made."""


def corner(chance: Chance) -> Case:
    """A case of some corner."""
    return CORNERS[chance.choice(list(CORNERS))](chance)
