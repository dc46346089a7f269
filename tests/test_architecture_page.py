"""The page of the architecture gives the layers of the import contracts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]


def table(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, as their cells."""
    below = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in below.splitlines() if line.startswith("|")]
    return rows[2:]


def layers_of(package: str) -> list[set[str]]:
    found = [c for c in CONTRACTS["contracts"] if c.get("containers") == [package]]
    return [set(layer.split(" | ")) for contract in found for layer in contract["layers"]]


def named(cell: str) -> set[str]:
    names = re.findall(r"`([\w./]+)`", cell)
    return {name.removesuffix("/").removesuffix(".py") for name in names}


def test_the_layers_are_those_of_the_contract() -> None:
    layers = [named(row[1]) - {"__init__"} for row in table("Layers")]
    assert layers == layers_of("semiaudit")


def test_the_layers_inside_packages_are_those_of_the_contracts() -> None:
    for name, order in table("Layers inside packages"):
        package = "semiaudit." + name.strip("`/").replace("/", ".")
        assert [named(part) for part in order.split(" · ")] == layers_of(package), name


def test_every_place_that_the_page_names_is_there() -> None:
    places = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", PAGE))
    assert len(places) > 20
    folders = ("", "universe", "privacy", "privacy/loss", "universe/distance", "commands")
    package = ROOT / "semiaudit"
    for place in places:
        found = [package / folder / place for folder in folders] + [ROOT / place]
        assert any(path.exists() for path in found), place


def test_what_ls_must_answer_is_answered_by_folders_that_exist() -> None:
    rows = table("What `ls` answers")
    assert len(rows) == 7
    for question, answer in rows:
        folder = re.findall(r"`([\w/]+/|[\w/]+\.py)`", answer)[0]
        assert (ROOT / "semiaudit" / folder).exists(), question
        for name in re.findall(r"`(\w+\.py)`", answer):
            assert (ROOT / "semiaudit" / folder / name).exists(), name
