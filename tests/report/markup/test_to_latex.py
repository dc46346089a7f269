"""LaTeX: it prints what is there, whatever strangers wrote, and the captions say in which units."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import semiaudit
from semiaudit.auditing.run import audit_file
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.blocks.view import view_of
from semiaudit.report.markup.to_latex import (
    ROWS_OF_A_TABLE,
    latex_number,
    latex_text,
    latex_words,
    to_latex,
)
from semiaudit.report.text.layout import Grid, Lines, View
from tests.audits import audit_of, shipped_report
from tests.places import CONFIGS
from tests.report.latex_reader import LatexFault, printed, tables_of
from tests.report.text.test_shield import EVIL, TURNED, commands, named

HOSTILE = (
    r"\input{/etc/passwd}",
    r"\end{document}\write18{rm}",
    "{",
    "}}",
    "a_b^c & 50% #1 ~x~ $y$ $$",
    "[3pt] * [x]",
    "--a---b ''q'' ,,",
    '?` !` ``x`` "y" <z> |',
    "^^M^^5c",
    "\\",
    "Ünïcödé Åß ő ř ç İ 漢字 😀 · – — ’ ×",
    "a\nb\tc\x1b[31m",
    TURNED,
    EVIL,
)
DOCUMENT = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"


def visible(text: str) -> str:
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_prints_itself_and_what_cannot_be_seen_as_python_writes_it(text: str) -> None:
    assert printed(latex_text(text)) == visible(text)
    assert latex_text(text).isascii()
    assert "--" not in latex_text(text)


def test_random_texts_print_themselves() -> None:
    chance = random.Random(5)
    letters = "\\{}$&#%_~^<>|\"`'[]*-, aé漢\u202e\x07D_trho" + EVIL
    for _ in range(500):
        text = "".join(chance.choices(letters, k=chance.randint(0, 12)))
        assert printed(latex_text(text)) == visible(text)
        assert printed(latex_words(text)) == visible(text)


@pytest.mark.parametrize("text", ["a_b", "50%", "{", "}", "a & b", "$x$", r"\input{x}", "a~b"])
def test_the_reader_refuses_what_is_not_escaped(text: str) -> None:
    with pytest.raises((LatexFault, RuntimeError)):
        printed(text)


def test_numbers_keep_their_digits_and_powers_of_ten_are_set() -> None:
    assert latex_number("40.950566") == "$40.950566$"
    assert latex_number("1e-10") == "$10^{-10}$"
    assert latex_number("1.23457e-5") == r"$1.23457 \times 10^{-5}$"
    assert latex_number("inf") == r"$\infty$"
    assert latex_number("-") == "--"
    assert latex_words("ε, δ 0 in Dₜ, nominal_dp, D_nor") == (
        r"$\varepsilon$, $\delta$ 0 in $D_t$, nominal\_dp, D\_nor"
    )


def test_the_census_has_its_numbers_and_every_caption_its_units() -> None:
    audit = audit_file(CONFIGS / "census2020_pl94.yaml")
    said, tables = tables_of(shipped_report(CONFIGS / "census2020_pl94.yaml").render("latex"))
    cells = {cell for table in tables for row in table.rows for cell in row}
    assert {"10.24", "17.16", "39.83"} <= cells
    assert len(tables) == sum(isinstance(block, Grid) for block in view_of(audit).blocks)
    for table in tables:
        for told in (
            "Unit: one person; metric of the distances: replace-one Hamming distance",
            "Advertised DP D 1, Group privacy D 2, Semi-DP (effective) D_t 2",
            "ε at δ = 1e-10 by the conversions Canonne, Kamath, Steinke 2020; Bun, Steinke 2016",
            "Upper bounds are rounded up and lower bounds down",
        ):
            assert told in table.caption
    assert said[0] == audit.release.title


def test_a_hostile_spec_and_hostile_verdicts_stay_text(tmp_path: Path) -> None:
    title = "".join(HOSTILE[:11]).replace("'", "''")
    text = audit_of(
        tmp_path,
        f"semiaudit: 1\ntitle: '{title}'\n"
        "dataspace: {size: 9, unit: '50% of_a{x}', attributes: {'a#\\': ['[1pt]', '*'], b: 2}}\n"
        "invariants: [margin: ['a#\\']]\nmechanism: {gdp: {mu: 1}}\n"
        "budgets: [{framework: semi_dp, rho: 1}]\n",
    ).render("latex")
    said, tables = tables_of(text)
    assert said[0] == "".join(HOSTILE[:11])
    assert any("50% of_a{x}" in table.caption for table in tables)
    found = VERDICT_RENDERERS["latex"]([named(EVIL), named(HOSTILE[0])], Layout())
    _, (specs, *_) = tables_of(found)
    assert [row[-1] for row in specs.rows[1:]] == [EVIL, HOSTILE[0]]
    assert commands(text + found) == []


def test_a_long_table_is_broken_so_that_each_part_fits_a_page() -> None:
    rows = tuple((str(i), "x") for i in range(3 * ROWS_OF_A_TABLE + 1))
    view = View(
        "t", "s", (Lines("none", (("", "text"),)), Grid("g", ("n", "t"), rows, (True, False)))
    )
    _, tables = tables_of(to_latex(view, "told"))
    assert [len(table.rows) - 1 for table in tables] == [40, 40, 40, 1]
    assert [row[0] for table in tables for row in table.rows[1:]] == [row[0] for row in rows]
    assert tables[1].caption.startswith("g (continued)")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="takes a LaTeX with booktabs")
def test_a_document_with_booktabs_alone_takes_every_report(tmp_path: Path) -> None:
    hostile = View("\n".join(HOSTILE), "", (Lines("", tuple((text, text) for text in HOSTILE)),))
    pages = [to_latex(hostile, "")]
    pages += [semiaudit.audit(path).render("latex") for path in sorted(CONFIGS.glob("*.yaml"))]
    for page in pages:
        (tmp_path / "page.tex").write_text(f"{DOCUMENT}{page}\\end{{document}}\n", "ascii")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=600)
        assert done.returncode == 0, done.stdout[-2000:]
