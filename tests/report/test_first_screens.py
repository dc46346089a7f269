"""The first screen is the answer: every config's as it stands in a file, and random ones.

Nothing is cut, and nothing is wider than the screen. To write the files anew after a change
that was looked at, run this module.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from semiaudit import deadline
from semiaudit.auditing.run import audit_file
from semiaudit.errors import RefusedError, SpecError
from semiaudit.model.audit import LEVELS, Audit, Budget, BudgetResult, Finding
from semiaudit.model.bound import exact
from semiaudit.report import RENDERERS, Layout
from semiaudit.report.blocks.headline import headline
from semiaudit.report.blocks.view import view_of
from semiaudit.report.text.layout import Grid, Head, Lines, View
from semiaudit.report.text.shield import shielded
from tests.audits import shipped_report
from tests.clocks import Ticks
from tests.fuzz.chance import Chance
from tests.fuzz.releases import explicit_specs, table_specs, written
from tests.fuzz.specs import NAMES, WORDS, spaces
from tests.golden.published import PUBLISHED
from tests.places import CONFIGS, ROOT
from tests.samples import quick, repeated

SCREENS = ROOT / "tests" / "golden" / "screens"
NAMED = sorted(path.stem for path in CONFIGS.glob("*.yaml"))

LONG = (
    "the household income in thousands of the currency of the year before",
    "x" * 120,
    "北海道の世帯数と人口と面積" * 4,
    "::error::" + "y" * 50,
    "12345678901234567890 persons or more in 1234567890123456789012345678901234567890",
)


def first_screen(text: str) -> str:
    """Title, subtitle, a blank line and the head."""
    return "\n\n".join(text.split("\n\n")[:2]) + "\n"


def screen_of(name: str) -> str:
    """The first screen of a config on a clock that stands still, however slow the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deadline, "running", partial(deadline.running, clock=Ticks(0.0)))
        found = audit_file(CONFIGS / f"{name}.yaml")
    release = replace(found.release, path=f"configs/{name}.yaml")
    return first_screen(RENDERERS["text"](replace(found, release=release), Layout()))


@pytest.mark.parametrize("path", quick(sorted(CONFIGS.glob("*.yaml"))), ids=lambda path: path.stem)
def test_the_first_screen_of_every_config_is_as_it_was_looked_at(path: Path) -> None:
    assert screen_of(path.stem) == (SCREENS / f"{path.stem}.txt").read_text("utf-8")


def test_there_is_no_screen_without_its_config() -> None:
    assert sorted(path.stem for path in SCREENS.glob("*.txt")) == NAMED


@pytest.mark.parametrize(
    ("name", "label", "numbers"),
    [
        ("census2020_pl94", "ρ is", ("census_rho", "census_rho_semi")),
        ("census2020_pl94", "ε", ("cks20_of_2.56", "cks20_of_10.24")),
        ("census2020_pl94_with_housing", "ρ is", ("housing_rho", "housing_rho_semi")),
        ("census2020_pl94_with_housing", "ε", ("cks20_of_2.63", "cks20_of_10.52")),
        ("census2020_dhc", "ρ is", ("dhc_rho", "dhc_rho_semi")),
        ("balanced_table", "ε", ("", "epsilon_of_g_2_at_1e-6")),
        ("example5_table", "ε", ("", "epsilon_of_g_3_at_1e-6")),
    ],
)
def test_the_screens_have_the_published_numbers(
    name: str, label: str, numbers: tuple[str, str]
) -> None:
    screen = " ".join((SCREENS / f"{name}.txt").read_text("utf-8").split())
    said = screen.partition(f" {label} ")[2]
    told = [Decimal(number) for number in re.findall(r"\d+(?:\.\d+)?", said)[:2]]
    if label.endswith(" is"):
        told.reverse()
    for published, found in zip(numbers, told, strict=True):
        if published:
            known = PUBLISHED[published]
            last_digit = Decimal(10) ** (found.adjusted() - 3)
            assert -Decimal(known.tolerance) <= found - Decimal(known.text) <= last_digit


def renamed(tree: Any, words: dict[str, str]) -> Any:
    """The tree with its attributes and levels called otherwise."""
    match tree:
        case dict():
            return {words.get(k, k): renamed(v, words) for k, v in tree.items()}
        case list():
            return [renamed(value, words) for value in tree]
        case _:
            return words.get(tree, tree) if isinstance(tree, str) else tree


def trees(chance: Chance) -> Any:
    tree: Any = explicit_specs(chance)
    if not chance.rarely(3):
        tree = table_specs(chance, spaces(chance))
    if chance.often():
        words = [*NAMES[:2], *WORDS[4:6], "region", "north", "x y"]
        chance.shuffle(words)
        tree = renamed(tree, dict(zip(words, LONG, strict=False)))
        tree["title"] = chance.choice(LONG) * chance.randint(1, 3)
    return tree


def variants(found: Audit, chance: random.Random) -> Iterator[Audit]:
    """The audit, and with more that fails, is found and was not finished than there is room for."""
    yield found
    limits = [Fraction(chance.randint(1, 10**14), 10 ** chance.randint(0, 12)) for _ in range(9)]
    reasons = ["above its limit", f"not tight enough to decide: a(t) lies in [2, 5], {LONG[0]}"]
    budgets = tuple(
        BudgetResult(Budget("semi_dp", "epsilon", limit, Fraction(1, 10**10)),
                     exact(limit * 3, "", "") if chance.random() < 0.7 else None,
                     chance.random() < 0.3, chance.choice([*reasons, LONG[1]]))
        for limit in limits[: chance.randint(1, 9)]
    )  # fmt: skip
    findings = tuple(
        Finding(f"SA00{chance.randint(1, 9)}", level, f"{chance.choice(LONG)} " * 3)
        for level in LEVELS
        for _ in range(chance.randint(0, 3))
    )
    path = "/".join(chance.choices(["a", "release", "z" * 90, "\u202e", "ß"], k=12)) + "/x.yaml"
    release = replace(found.release, path=path, title=" ".join(LONG))
    yield replace(
        found, release=release, budgets=budgets, findings=findings, incomplete_because=("time",)
    )


def squeezed(text: str) -> str:
    return "".join(text.split())


def seen(text: str) -> str:
    return squeezed(shielded(text))


def faults_of(found: Audit, width: int) -> list[str]:
    """What is wrong with the text of a report at a width."""
    text = RENDERERS["text"](found, Layout(width))
    faults = [f"wide: {line}" for line in text.splitlines() if cell_len(line) > width]
    if not found.complete and "INCOMPLETE" not in first_screen(text):
        faults.append("complete?")
    return faults + [
        f"lost: {part}" for part in parts_of(view_of(found)) if part not in squeezed(text)
    ]


def parts_of(view: View) -> Iterator[str]:
    """What the text says, without blanks; of tables the words that no column breaks."""
    for block in view.blocks:
        match block:
            case Head():
                yield from (seen(said.text) for said in block.items)
            case Lines():
                yield from (seen(f"{label}{text}") for label, text in block.items)
            case Grid():
                words = (word for row in block.rows for cell in row for word in cell.split())
                yield from (seen(word) for word in words if cell_len(word) <= 20)
                yield from map(seen, block.notes)


@repeated(20, 50)
def test_random_reports_fit_the_width_and_cut_nothing(tmp_path: Path, times: int) -> None:
    told: Counter[str] = Counter()
    chance = random.Random(15)
    path = tmp_path / "spec.yaml"

    def one(tree: Any) -> None:
        if told["audited"] >= times:
            return
        path.write_text(written(tree), encoding="utf-8")
        try:
            found = audit_file(path, time_limit=0.05)
        except (SpecError, RefusedError):
            return
        told["audited"] += 1
        widths = [(80, 120), (80,) if told["audited"] % 2 else (120,)]
        for variant, at in zip(variants(found, chance), widths, strict=True):
            told["refused"] += headline(variant).items[0].text.startswith("No effective")
            told["failing"] += any(not budget.holds for budget in variant.budgets)
            told["incomplete"] += not variant.complete
            for width in at:
                assert faults_of(variant, width) == [], (tree, width)

    for number in range(3 * times):
        one(trees(Chance(f"screen {number}")))
    assert told["audited"] >= times
    assert min(told["refused"], told["failing"], told["incomplete"]) >= times / 10


@pytest.mark.parametrize("name", ["census2020_pl94", "starter"])
def test_a_report_is_read_on_one_page(name: str) -> None:
    assert len(shipped_report(CONFIGS / f"{name}.yaml").render("text", width=80).splitlines()) <= 45


def test_color_changes_no_word() -> None:
    found = audit_file(CONFIGS / "gao_county_populations.yaml")
    plain, styled = (RENDERERS["text"](found, Layout(80, color)) for color in (False, True))
    bare = re.sub(r"\x1b\[[\d;]*m", "", styled)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


def test_what_is_the_same_in_every_report_is_in_verbose_text_and_in_markdown() -> None:
    found = shipped_report(CONFIGS / "census2020_pl94.yaml")
    short, long = (found.render(verbose=verbose) for verbose in (False, True))
    for told in (
        "What each guarantee does not protect",
        "replace-one Hamming distance",
        "covers noisy output and invariants together",
    ):
        assert told not in short
        assert told in long
        assert told in found.render("markdown")
    for told in ("D_nor", "E11", "Definition 20"):
        assert told not in short
        assert told in long
    first = found.render("markdown").split("\n\n")[2]
    assert first.startswith("The release protects less than advertised: ρ is 10.24, not 2.56")


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    for stem in NAMED:
        (SCREENS / f"{stem}.txt").write_text(screen_of(stem), encoding="utf-8")
