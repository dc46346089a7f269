"""Uses of every command, on inputs that are mostly right."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from semiaudit.version import __version__
from tests.fuzz.cases import FOLDER, SPEC, Case, Line, Make
from tests.fuzz.chance import Chance
from tests.fuzz.corners import corner
from tests.fuzz.damage import damaged
from tests.fuzz.hook import hooked
from tests.fuzz.mechanisms import NOISE, Setting, mechanisms, parameters
from tests.fuzz.options import choices, commands, flags, outputs, printed_as, some_options
from tests.fuzz.releases import specs, table_specs, written
from tests.fuzz.specs import Space, Tree, budgets, csv_bytes, nested, spaces, waivers
from tests.fuzz.tables import (
    COUNT_NAMES,
    ENDLESS,
    NO_COUNTS,
    SECRET,
    Content,
    csv_text,
    database,
    parquet,
    rows_of,
    spoiled_rows,
)
from tests.fuzz.trees import trees
from tests.places import ROOT

LIMITS = (0.05, 0.1, 0.02)
"""Seconds for the computations of a spec."""

LIMITS_WITH_DATA = (0.2, 0.5)
"""The same, where data are counted first."""

SPOILED = 6
"""One input in so many is spoiled."""

SPOILED_ROWS = 12
"""One data file in so many: its name, its place and its spec may be wrong as well."""

MOST_RECORDS = 50
"""Of one cell, where every record is a row."""

ENTRY = """\
url_slug: commuters-example-agency-2027
status: Draft
tier: 3
deployment:
  basic: {name: Commuters, data_curators: [Example Agency], intended_use: Timetables,
    data_product_type: Summary statistics, data_product_region: Exampleland,
    description: Commuters by county and age, publication_date: '2027-01-01'}
  dp_variant: {variant_name: Zero-concentrated DP, data_domain: all tables,
    unprotected_quantities: None}
  privacy_loss: {privacy_unit: person, privacy_unit_details: one record is replaced,
    privacy_parameters: {rho: 0.5}, privacy_parameters_details: of all tables together}
"""
"""An entry of the registry, made up."""


def line_of(
    chance: Chance, words: Line, *arguments: str, limit: float = 0.0, avoided: Line = ()
) -> Line:
    """A command line with some options, a limit, formats and files to write."""
    options = some_options(chance, words, frozenset(avoided))
    timed: Line = ("--time-limit", f"{limit:g}") if limit else ()
    files = outputs(chance, words)
    if "--memory-limit" in flags(commands()[words]) and chance.rarely(12):
        timed += ("--memory-limit", "4096")
    if "--figure" in options and not chance.rarely(8):
        files += ("-o", "svg=figure.svg")
    return (*words, *options, *timed, *files, *printed_as(chance, words), *arguments)


def placed(tree: Tree, files: dict[str, bytes], name: str = SPEC) -> dict[str, Content]:
    """A spec and what lies next to it."""
    content = written(tree).encode("utf-8", "surrogatepass")
    beside = {f"{FOLDER}/{one}": text for one, text in files.items()}
    return {f"{FOLDER}/{name}": content, **beside}


def spoil(chance: Chance, files: dict[str, Content], tree: Tree) -> None:
    """Spoil the spec, or one of the files next to it."""
    name = chance.choice([*files, f"{FOLDER}/{SPEC}", f"{FOLDER}/{SPEC}"])
    content = files[name]
    if name.endswith(SPEC):
        files[name] = damaged(chance, tree)
    elif isinstance(content, bytes) and content:
        place = chance.randrange(len(content))
        files[name] = content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]


def of_spec(chance: Chance, words: Line) -> Case:
    """A command on one spec, in a file or on standard input."""
    tree, beside = specs(chance)
    files = placed(tree, beside)
    if chance.rarely(SPOILED):
        spoil(chance, files, tree)
    limit = chance.choice(LIMITS)
    text = files[f"{FOLDER}/{SPEC}"]
    read = chance.rarely(12) and words not in {("mechanism", "calibrate"), ("mechanism", "sample")}
    line = line_of(chance, words, "-" if read else SPEC, limit=limit, avoided=("--facts",))
    stdin = text if read and isinstance(text, bytes) else b""
    return Case("-".join(words), files, (line,), limit, stdin=stdin)


def with_data(chance: Chance, form: str) -> Case:
    """`analyze` of a spec whose counts lie in a file or in a database."""
    engine = form in ("duckdb", "sqlite")
    table = engine or chance.often()
    space = spaces(chance, 8) if table else spaces(chance, 8, MOST_RECORDS)
    count = chance.choice(COUNT_NAMES) if table and not engine and chance.rarely(3) else "count"
    rows = rows_of(space, table=table, count=count)
    if chance.rarely(SPOILED_ROWS):
        rows = spoiled_rows(chance, rows)
    name = f"data.{form}"
    data: Tree = {"table" if table else "records": name}
    extra: Line = ()
    content: Content
    if form == "csv":
        content = csv_text(chance, rows)
    elif form == "parquet":
        content = parquet(rows)
    else:
        endless = chance.rarely(40)
        content = database(form, rows, chance.choice(ENDLESS) if endless else "")
        data = {"table": "endless" if endless else "cells", "engine": f"{form}://{name}"}
        extra = () if chance.rarely(20) else ("--allow-engine", form)
        if chance.rarely(20):
            data["table"] = chance.choice(["salaries", "none", "main.cells", "a;b"])
    if count != "count":
        data["columns"] = {count: "count"}
    elif chance.rarely(6):
        data["columns"] = _columns(space)
    if chance.rarely(30):
        data = {key: f"../{name}" if value == name else value for key, value in data.items()}
    beside: dict[str, bytes] = {}
    tree = table_specs(chance, space, data, beside)
    files = placed(tree, beside)
    files[f"{FOLDER}/{name}"] = content
    files[name] = csv_bytes([[*space.levels, "count"], [SECRET, SECRET]])
    limit = chance.choice(LIMITS_WITH_DATA)
    line = line_of(chance, ("analyze",), SPEC, *extra, limit=limit, avoided=("--show-values",))
    return Case(form, files, (line,), limit)


def _columns(space: Space) -> Tree:
    """What columns stand for, with bins where levels are numbers."""
    found: Tree = {}
    for name, levels in space.levels.items():
        if levels == list(range(len(levels))) and name not in space.parents:
            bins = {str(level): [level, level] for level in levels}
            found[name] = {"attribute": name, "bins": bins}
        else:
            found[name] = name
    return found


def gated(chance: Chance) -> Case:
    """`check` with a policy, waivers and a baseline, of which one is spoiled now and then."""
    tree, beside = specs(chance)
    files = placed(tree, beside)
    spec = files[f"{FOLDER}/{SPEC}"]
    arguments: Line = ()
    given = chance.some(["policy", "waivers", "baseline"])
    spoiled = chance.choice(given) if given and chance.rarely(SPOILED) else None
    for option in given:
        content: Any
        match option:
            case "policy":
                content, name = policies(chance), "policy.yaml"
            case "waivers":
                told = waivers(chance, SPEC, spec if isinstance(spec, bytes) else b"")
                content, name = {"semiaudit_waivers": 1, "waivers": told}, "waivers.yaml"
            case _:
                content, name = earlier(chance, tree), "earlier.json"
        text = damaged(chance, content) if option == spoiled else written(content).encode()
        files[f"{FOLDER}/{name}"] = text
        arguments += (f"--{option}", name)
    limit = chance.choice(LIMITS)
    avoided = ("--policy", "--waivers", "--baseline", "--pattern")
    line = line_of(chance, ("check",), *arguments, SPEC, limit=limit, avoided=avoided)
    return Case("check", files, (line,), limit)


def policies(chance: Chance) -> Tree:
    """Budgets and least demands of whoever runs the gate."""
    least = chance.choice([{}, {"metric": "hamming"}, {"reading": "covering"}])
    found = {"semiaudit_policy": 1, "least": least, "budgets": budgets(chance, 0 if least else 1)}
    return {key: value for key, value in found.items() if value}


def earlier(chance: Chance, tree: Tree) -> Tree:
    """A report of an earlier audit of the spec, as far as `check` reads it."""
    row = {
        "framework": chance.choice(["semi_dp", "nominal_dp"]),
        "distance": chance.randint(1, 4),
        "refused": False,
        "pure_dp": None,
        "zcdp": chance.choice([{"rho": 0.5}, {"rho": 1e9}, {"rho": "inf"}, None]),
        "gdp": None,
        "approx_dp": [],
        "advantage": chance.choice([None, 0.5, 1]),
        "tpr_at_fpr": [],
    }
    adjacency = tree.get("adjacency", {})
    return {
        "schema_version": 1,
        "tool": {"name": "semiaudit", "version": chance.choice(["0.0.9", __version__])},
        "complete": True,
        "spec": {"path": SPEC},
        "semi_adjacency": {
            "covering": {"upper": 2},
            "value": 2,
            "metric": adjacency.get("metric", "hamming"),
            "reading": adjacency.get("reading", "covering"),
        },
        "guarantees": [row],
        "budgets": [],
        "invariants": [],
    }


def batches(chance: Chance) -> Case:
    """`batch` of some specs, of which some are spoiled; maybe twice, with a journal."""
    files: dict[str, Content] = {}
    for number in range(chance.randint(1, 3)):
        tree = table_specs(chance, spaces(chance))
        text = damaged(chance, tree) if chance.rarely(SPOILED) else written(tree).encode()
        files[f"{FOLDER}/specs/{number}.semiaudit.yaml"] = text
    limit = chance.choice(LIMITS)
    line = line_of(chance, ("batch",), "specs", "--jobs", "1", limit=limit,
                   avoided=("--policy", "--jobs"))  # fmt: skip
    if chance.often():
        files[f"{FOLDER}/policy.yaml"] = written(policies(chance)).encode()
        line = (*line, "--policy", "policy.yaml")
    again = (line, line) if "--resume" in line else (line,)
    meant = tuple(name for name in files if "specs" in name)
    return Case("batch", files, again, limit, meant=meant, processes=chance.rarely(10),
                written=("journal", "journal.key", "reports"))  # fmt: skip


def compared(chance: Chance) -> Case:
    """`compare` of specs, and of a report of one of them."""
    files: dict[str, Content] = {}
    names = []
    for number in range(1 if chance.rarely(20) else chance.randint(2, 3)):
        tree, beside = specs(chance)
        name = f"{number}.yaml"
        folder = f"{FOLDER}/{number}"
        files |= {f"{folder}/{one}": content for one, content in beside.items()}
        text = damaged(chance, tree) if chance.rarely(30) else written(tree).encode()
        files[f"{folder}/{name}"] = text
        names.append(f"{number}/{name}")
    limit = chance.choice(LIMITS)
    lines: tuple[Line, ...] = ()
    if chance.rarely(3):
        lines = (("analyze", names[0], "--time-limit", f"{limit:g}", "-o", "json=zero.json"),)
        names[0] = "zero.json"
    line = line_of(chance, ("compare",), *names, limit=limit)
    return Case("compare", files, (*lines, line), limit)


def converted(chance: Chance) -> Case:
    """`convert` of a mechanism, given as text."""
    files: dict[str, bytes] = {}
    metric = chance.choice(choices(commands()["convert",], "--metric"))
    setting = Setting(chance, files, metric, None, (), chance.randint(1, 50))
    text = written(mechanisms(setting))[1:-1]
    if chance.rarely(10):
        text = text[: chance.randrange(len(text) + 1)]
    limit = chance.choice(LIMITS)
    line = line_of(chance, ("convert",), "--metric", metric, "--", text, limit=limit,
                   avoided=("--metric",))  # fmt: skip
    return Case("convert", {}, (line,), limit)


def roomy(chance: Chance) -> tuple[Space, Tree, dict[str, bytes]]:
    """A spec that publishes little, so that there is something to add noise to."""
    beside: dict[str, bytes] = {}
    space = spaces(chance)
    while min(map(len, space.levels.values())) < 2:
        space = spaces(chance)
    tree = table_specs(chance, space, None, beside)
    for key in ("releases", "design", "data", "budgets", "adjacency"):
        tree.pop(key, None)
    tree.setdefault("mechanism", {"zcdp": {"rho": 1}})
    tree["dataspace"]["size"] = max(space.size, 1)
    if chance.often():
        tree["invariants"] = [{"margin": [next(iter(space.levels))]}]
    else:
        tree.pop("invariants", None)
    return space, tree, beside


def sampled(chance: Chance) -> Case:
    """`mechanism sample`, of noise on a table and of swapping as a rule."""
    space, tree, beside = roomy(chance)
    if not chance.rarely(8):
        setting = Setting(chance, beside, "hamming", space, size=max(space.size, 1))
        kind = chance.choice([*NOISE, "swapping", "topdown"])
        found = parameters(setting, kind)
        while "shifts" in found:
            found = parameters(setting, kind)
        tree["mechanism"] = {kind: found}
    files = placed(tree, beside)
    files[f"{FOLDER}/table.csv"] = csv_text(chance, rows_of(space, table=True))
    limit = chance.choice(LIMITS_WITH_DATA)
    two = chance.some(list(space.levels), 2, 2)
    wanted = "swapping" in tree.get("mechanism", {}) or chance.rarely(20)
    extra = ("--utility", *two) if len(two) == 2 and wanted and chance.often() else ()
    if extra and chance.often():
        extra += (chance.choice(["--rate", "--runs"]), "1")
    avoided: Line = ("--utility", "--rate", "--runs")
    avoided += ("--draws", "--nonnegative-integers") if wanted else ()
    line = line_of(chance, ("mechanism", "sample"), SPEC, *extra, limit=limit, avoided=avoided)
    return Case("sample", files, (line,), limit)


def calibrated(chance: Chance) -> Case:
    """`mechanism calibrate` of a spec with a design, or with noise."""
    _, tree, beside = roomy(chance)
    if not chance.rarely(8):
        tree.pop("mechanism", None)
        tree["design"] = {"query": "table"}
        if chance.often():
            first = next(iter(tree["dataspace"]["attributes"]))
            tree["design"] = {"query": {"margins": [[first]]}}
    files = placed(tree, beside)
    limit = chance.choice(LIMITS_WITH_DATA)
    fair = ["mu=1", "epsilon=1", "rho=1/2", "epsilon=1,delta=1e-6", "mu=2"]
    target = chance.choice(["mu=0", "x:1"] if chance.rarely(12) else fair)
    words = ("mechanism", "calibrate")
    given: Line = ("--target", target)
    if chance.rarely(3):
        given += ("--design", chance.choice(choices(commands()[words], "--design")))
    line = line_of(chance, words, SPEC, *given, limit=limit, avoided=("--target",))
    return Case("calibrate", files, (line,), limit)


def verified(chance: Chance) -> Case:
    """`verify` of outputs made elsewhere, or of a command that does nothing."""
    tree, beside = specs(chance)
    files = placed(tree, beside)
    rows = "\n".join(["value", *(str(chance.randint(0, 9)) for _ in range(50))]) + "\n"
    files |= {f"{FOLDER}/{name}.csv": rows.encode() for name in ("x", "y")}
    given: Line = ("--samples", "x.csv", "y.csv")
    if chance.rarely(4):
        form = chance.choice(["records", "table"])
        given = ("--command", "true {input} {output}", "--data-form", form, "--runs", "40")
    if chance.rarely(4):
        given += ("--pair", "x.csv", "y.csv")
    limit = chance.choice(LIMITS)
    avoided = ("--samples", "--command", "--data-form", "--runs", "--pair")
    line = line_of(chance, ("verify",), SPEC, *given, limit=limit, avoided=avoided)
    return Case("verify", files, (line,), limit)


def tested(chance: Chance) -> Case:
    """`mechanism test odds-ratio` of a release, a table or a spec."""
    counts = [chance.randint(0, 12) for _ in range(4)]
    given: Line
    match chance.choice(["release", "table", "spec"]):
        case "release":
            sums = (counts[0] + counts[1], counts[2] + counts[3], counts[0] + counts[2])
            noisy = f"{counts[2] + chance.random():.3f}"
            given = ("--margins", ",".join(map(str, sums)), "--noisy-count", noisy)
        case "table":
            given = ("--table", ",".join(map(str, counts)), "--seed", "1")
        case _:
            given = ("--spec", SPEC, "--seed", "1")
            given += ("--attributes", chance.choice(["a,b", "b,a", "a"])) if chance.often() else ()
    loss = chance.choice(
        [("--epsilon", "1"), ("--mu", "0.5"), ("--epsilon", "1", "--delta", "0.1")]
    )
    tree: Tree = {
        "semiaudit": 1,
        "dataspace": {"attributes": {"a": 2, "b": 2}},
        "invariants": [{"margin": ["a"]}, {"margin": ["b"]}],
        "data": {"counts": nested([[0, 1], [0, 1]], counts)},
        "mechanism": {"zcdp": {"rho": "0.05"}},
    }
    avoided = ("--table", "--margins", "--noisy-count", "--spec", "--seed", "--epsilon", "--mu",
               "--delta", "--attributes")  # fmt: skip
    line = line_of(chance, ("mechanism", "test", "odds-ratio"), *given, *loss, avoided=avoided)
    return Case("odds-ratio", placed(tree, {}), (line,), 1.0)


def exported(chance: Chance) -> Case:
    tree, beside = specs(chance)
    files = placed(tree, beside)
    files[f"{FOLDER}/facts.yaml"] = b"deployment: {basic: {data_curators: [Example Agency]}}\n"
    limit = chance.choice(LIMITS)
    export = line_of(chance, ("registry", "export"), SPEC, limit=limit)
    if chance.often():
        review = line_of(chance, ("registry", "review"), "entry.yaml")
        return Case("export", files, ((*export, "-o", "yaml=entry.yaml"), review), limit)
    return Case("export", files, (export,), limit)


def reviewed(chance: Chance) -> Case:
    """`registry review` of an entry, of which a part is lost or spoiled."""
    text = bytearray(ENTRY.encode())
    if chance.often():
        place = chance.randrange(len(text))
        text[place : place + chance.choice([1, 1, 20])] = bytes([chance.randrange(256)])
    content = bytes(text) if chance.often() else json.dumps(earlier(chance, {})).encode()
    content = bytes(text) if not chance.rarely(4) else content
    line = line_of(chance, ("registry", "review"), "entry.yaml")
    return Case("review", {f"{FOLDER}/entry.yaml": content}, (line,), 0.0)


def begun(chance: Chance) -> Case:
    """`init`, from data as a rule, and the audit of what it wrote."""
    if chance.rarely(6):
        line = line_of(chance, ("init",), avoided=("--from", "--margin", "--count-column"))
        return Case("init", {}, (line,), 0.0)
    if chance.rarely(3):
        return imported(chance)
    space = spaces(chance, 12, MOST_RECORDS)
    form = chance.choice(["csv", "csv", "parquet"])
    table = chance.often()
    count = chance.choice(COUNT_NAMES)
    rows = rows_of(space, table=table, count=count)
    codes = {0, 1, 2, 3}
    place = rows[0].index(count) if table else -1
    if table and len(rows) > 4 and chance.rarely(3):
        rows[chance.randrange(1, len(rows))][place] = chance.choice(NO_COUNTS)
        codes = {2}
    elif chance.rarely(5):
        rows = spoiled_rows(chance, rows)
    name = f"data.{form}"
    content = csv_text(chance, rows) if form == "csv" and codes != {2} else csv_bytes(rows)
    files: dict[str, Content] = {
        f"{FOLDER}/{name}": parquet(rows) if form == "parquet" else content
    }
    asked: Line = ("--margin", next(iter(space.levels))) if chance.often() else ()
    if table and chance.rarely(4):
        asked += ("--count-column", count)
    start = ("init", "--from", name, *asked, "made.yaml")
    if codes == {2}:
        return Case("init", files, (start,), 0.0, secrets=(), codes=frozenset(codes))
    audit = ("analyze", "made.yaml", "--time-limit", "0.5", *printed_as(chance, ("analyze",)))
    return Case("init", files, (start, audit), 0.5, secrets=())


IMPORTED = sorted((ROOT / "tests" / "spec" / "importers").glob("*.json"))


def imported(chance: Chance) -> Case:
    """`init` from what another tool wrote, of which a part may be spoiled."""
    text = bytearray(chance.choice(IMPORTED).read_bytes())
    if chance.often():
        place = chance.randrange(len(text))
        text[place : place + chance.choice([1, 1, 20])] = bytes([chance.randrange(256)])
    line: Line = ("init", "--from", "other.json", "made.yaml")
    for flag in ("--kind", "--neighbors", "--sampling"):
        if chance.often():
            line += (flag, str(chance.choice(choices(commands()["init",], flag))))
    files: dict[str, Content] = {f"{FOLDER}/other.json": bytes(text)}
    return Case("init", files, (line,), 0.0, secrets=(), codes=frozenset({0, 2}))


def asked(chance: Chance) -> Case:
    """`rule`, `glossary`, `schema`, and `reproduce` of what takes no time."""
    match chance.choice(["rule", "schema", "reproduce", "words", "glossary"]):
        case "glossary":
            term = chance.choice([(), ("rho",), ("a(t)",), ("Semi-DP",), ("none",), ("\u03c1",)])
            line = line_of(chance, ("glossary",), *term, avoided=())
            return Case("asked", {}, (line,), 0.0)
        case "rule":
            name = (
                f"SA{chance.randint(0, 40):03}" if chance.often() else chance.choice(["x", "sa001"])
            )
            return Case("asked", {}, (("rule", name),), 0.0)
        case "schema":
            arguments = [param for param in commands()["schema",].params if param.name == "name"]
            names = getattr(arguments[0].type, "choices", ("spec",)) if arguments else ("spec",)
            flag = chance.choice([(), ("report",), ("check",)])
            return Case("asked", {}, (("schema", *(flag or (str(chance.choice(names)),))),), 0.0)
        case "reproduce":
            names = chance.choice([("--list",), ("none",), ("bgm-",), ("bailie",), ("e1",)])
            line = line_of(chance, ("reproduce",), *names, limit=0.1, avoided=("--list",))
            return Case("asked", {}, (line,), 0.1, written=("reports",))
        case _:
            words = chance.choice([*commands(), ("nonsense",)])
            odd = chance.choice([("--help",), ("--none",), ("\udcff",), ("-o", "json=-")])
            return Case("asked", {}, ((*words, *odd),), 0.0)


KINDS: dict[str, Make] = {
    "analyze": partial(of_spec, words=("analyze",)),
    "csv": partial(with_data, form="csv"),
    "parquet": partial(with_data, form="parquet"),
    "duckdb": partial(with_data, form="duckdb"),
    "sqlite": partial(with_data, form="sqlite"),
    "check": gated,
    "tree": trees,
    "batch": batches,
    "compare": compared,
    "ablate": partial(of_spec, words=("ablate",)),
    "convert": converted,
    "calibrate": calibrated,
    "sample": sampled,
    "odds-ratio": tested,
    "verify": verified,
    "export": exported,
    "review": reviewed,
    "init": begun,
    "asked": asked,
    "hook": hooked,
    "corner": corner,
}
"""How a case of each kind is made."""

KNOWN = frozenset(
    {
        ("analyze",), ("check",), ("batch",), ("compare",), ("ablate",), ("convert",),
        ("mechanism", "calibrate"), ("mechanism", "sample"), ("mechanism", "test", "odds-ratio"),
        ("registry", "export"), ("registry", "review"), ("reproduce",), ("init",), ("rule",),
        ("schema",), ("glossary",), ("verify",),
    }
)  # fmt: skip
"""Commands that the kinds above use; any other is taken for one of a spec."""

KINDS |= {
    "-".join(words): partial(of_spec, words=words) for words in commands() if words not in KNOWN
}

SHARES = {
    "analyze": 280, "csv": 60, "parquet": 40, "duckdb": 20, "sqlite": 35, "check": 110,
    "tree": 80, "batch": 30, "compare": 40, "ablate": 40, "convert": 60, "calibrate": 35,
    "sample": 40, "odds-ratio": 20, "export": 25, "review": 20, "init": 25, "asked": 20,
    "hook": 5, "corner": 5, "verify": 10,
}  # fmt: skip
"""Of a thousand cases; a batch starts processes, and DuckDB a database, which takes a while."""
