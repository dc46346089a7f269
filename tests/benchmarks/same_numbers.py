"""The numbers of audits at two commits: every configuration, every test spec, and random releases.

Run it once in a checkout of each commit, then compare:

    python -m tests.benchmarks.same_numbers write before.jsonl --cases 5000
    python -m tests.benchmarks.same_numbers write after.jsonl --cases 5000
    python -m tests.benchmarks.same_numbers compare before.jsonl after.jsonl

``compare`` lists each number that differs, and counts which are tighter. It exits with 1 if one is
looser, or if an audit is refused that was not.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from math import inf, prod
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 20
"""Of each audit: more than enough for the small releases here."""

UPPER = {"epsilon", "rho", "mu", "upper", "advantage", "tpr", "value", "l1", "l2", "linf", "regret"}
"""Keys whose numbers are better when they are smaller."""

LOWER = {"lower", "type_ii", "epsilon_lower"}
"""Keys whose numbers are better when they are larger."""


def random_spec(seed: int) -> dict[str, Any]:
    """A small release: a table, invariants of every linear kind, and declared or known noise."""
    chance = random.Random(seed)
    sizes = [chance.randint(2, 4) for _ in range(chance.randint(1, 3))]
    while prod(sizes) > 18:
        sizes.pop()
    names = ["a", "b", "c"][: len(sizes)]
    counts = [chance.choice((0, 0, 1, 1, 2, 3, 5)) for _ in range(prod(sizes))]
    counts[chance.randrange(len(counts))] += 1
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "attributes": dict(zip(names, sizes, strict=True))},
        "invariants": [_invariant(chance, names, sizes) for _ in range(chance.randint(0, 3))],
        "data": {"counts": _nested(sizes, iter(counts))},
        "adjacency": {
            "metric": chance.choice(("hamming", "hamming", "multiset_hamming")),
        },
        "mechanism": _mechanism(chance, names, sizes),
    }
    if not any(kind == "total" or "margin" in kind for kind in spec["invariants"]):
        spec["invariants"].append("total")
    return spec


def _invariant(chance: random.Random, names: list[str], sizes: list[int]) -> Any:
    kind = chance.choice(("total", "margin", "margin", "margin", "count", "linear", "linear"))
    chosen = sorted(chance.sample(range(len(names)), chance.randint(1, len(names))))
    if kind == "margin":
        return {"margin": [names[at] for at in chosen]}
    if kind == "count":
        return {"count": {"where": {names[at]: chance.randrange(sizes[at]) for at in chosen}}}
    if kind == "linear":
        width = prod(sizes)
        return {"linear": [[chance.choice((-1, 0, 0, 1, 1, 2)) for _ in range(width)]]}
    return "total"


def _mechanism(chance: random.Random, names: list[str], sizes: list[int]) -> dict[str, Any]:
    chosen = chance.sample(names, chance.randint(1, len(names)))
    width = prod(sizes)
    queries: list[Any] = [
        "table",
        {"margins": [sorted(chosen)]},
        {"matrix": [[chance.choice((0, 1, 1, 2)) for _ in range(width)] for _ in range(2)]},
    ]
    query: dict[str, Any] = {"query": chance.choice(queries)}
    if chance.random() < 0.5:
        query["support"] = chance.choice(("null_space", "sensitivity_space"))
    kind = chance.choice(("zcdp", "gaussian", "gaussian", "laplace", "discrete_gaussian", "k_norm"))
    match kind:
        case "zcdp":
            return {"zcdp": {"rho": "1/2"}}
        case "gaussian":
            return {"gaussian": {"sigma": 2, **query}}
        case "laplace":
            return {"laplace": {"scale": 3, **query}}
        case "discrete_gaussian":
            return {"discrete_gaussian": {"sigma_squared": 5, **query}}
    query.pop("support", None)
    return {"k_norm": {"epsilon": 1, "norm": {"hull": "D_t"}, **query}}


def _nested(sizes: list[int], counts: Iterator[int]) -> Any:
    if not sizes:
        return next(counts)
    return [_nested(sizes[1:], counts) for _ in range(sizes[0])]


def specs(cases: int) -> Iterator[tuple[str, Path]]:
    """Every configuration and test spec, and random ones, which are written to a folder."""
    for folder in ("configs", "tests/specs/holds", "tests/specs/exceeds"):
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            yield path.relative_to(ROOT).as_posix(), path
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(cases):
            path = Path(scratch) / "spec.yaml"
            path.write_text(json.dumps(random_spec(seed)), "utf-8")
            yield f"seed {seed}", path


def audited(path: Path) -> dict[str, Any]:
    """The report of a spec, or the first line of its refusal, with the exit code."""
    from semiaudit.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    sys.argv = ["semiaudit", "analyze", str(path), "--format", "json", "--time-limit", str(SECONDS)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as ended:
        code = ended.code
    text = out.getvalue()
    return {"code": code, "report": json.loads(text) if text else None}


def write(target: Path, cases: int, first: int) -> None:
    """A line for each audit; audits that the file has already are not repeated."""
    known = set()
    if target.exists():
        known = {json.loads(line)["name"] for line in target.read_text("utf-8").splitlines()}
    with target.open("a", encoding="utf-8") as lines:
        for name, path in specs(cases):
            if name in known or (name.startswith("seed") and int(name[5:]) < first):
                continue
            lines.write(json.dumps({"name": name, **audited(path)}, sort_keys=True) + os.linesep)


def numbers(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every number of a report, with its keys."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in {"tool", "spec", "witness", "alternatives"}:
                yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from numbers(inner, (*path, str(at)))
    elif value == "inf":
        yield path, inf
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def verdict(key: str, before: float, after: float) -> str:
    """Whether a number is tighter, looser, or only different."""
    if key in UPPER or key in LOWER:
        return "tighter" if (after < before) == (key in UPPER) else "looser"
    return "different"


def compare(first: Path, second: Path) -> int:
    """Print what differs; 1 if something is worse."""
    before, after = (
        {entry["name"]: entry for entry in map(json.loads, path.read_text("utf-8").splitlines())}
        for path in (first, second)
    )
    found: Counter[str] = Counter()
    for name in before.keys() & after.keys():
        old, new = before[name], after[name]
        found["audits"] += 1
        if (old["report"] is None) != (new["report"] is None):
            word = "answered" if old["report"] is None else "refused"
            found[word] += 1
            print(f"{name}: exit {old['code']} -> {new['code']}: {word}")
            continue
        if old["report"] is None:
            found["refused by both"] += 1
            continue
        ours, theirs = dict(numbers(new["report"])), dict(numbers(old["report"]))
        for path, value in theirs.items():
            found["numbers"] += 1
            now = ours.get(path)
            if now != value:
                word = "missing" if now is None else verdict(path[-1], value, now)
                found[word] += 1
                print(f"{name}: {'.'.join(path)}: {value} -> {now}: {word}")
    print(", ".join(f"{key}: {number}" for key, number in sorted(found.items())))
    return int(any(found[word] for word in ("looser", "refused", "missing")))


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("write", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    if options.action == "write":
        write(options.files[0], options.cases, options.first)
        return 0
    return compare(*options.files)


if __name__ == "__main__":
    sys.exit(main())
