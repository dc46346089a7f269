"""The command `glossary`: an entry by any of its names, and the list of all."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from semiaudit import audit
from semiaudit.cli import main
from semiaudit.commands.calibrate.view import view_of as calibration_view
from semiaudit.commands.glossary import TEXT, entries, matching, near_misses, normalized
from semiaudit.library.report import audit_of
from semiaudit.model.bound import exact
from semiaudit.model.frameworks import FRAMEWORKS
from semiaudit.model.labels import LABELS
from semiaudit.model.measure import ZCDP
from semiaudit.model.results.design import DESIGN_NAMES, Calibration, Design
from semiaudit.model.rules import RULES
from semiaudit.model.rules.registry_rules import REGISTRY_RULES
from semiaudit.report.blocks.view import view_of
from semiaudit.report.text.layout import Grid, Lines
from semiaudit.version import FILES
from tests.places import ROOT

Capture = pytest.CaptureFixture[str]

OWN_ENTRIES = {"discrete_gaussian", "integer_lattice"}
"""Designs that have an entry of their own."""

ORDINARY = """
0 above accepts accountants all allows an and anything are as asked assume at batches be belongs
between but cannot change changes claimed close code combined compared computes could cover data
decide default differ different do does everyone expired fails filled fit follows for form from
given gone has have how its known leave leaves lines look matches name nothing number on only or
out passes points possible probabilities protect protected protects proves publishes quantities
rounded same sampled say set several smaller so some than that their there this too two unicode
used verification weaker what whether which whole whom whose with within you
"""
"""Words of the titles of rules that need no explanation."""


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("neighboring datasets", "Neighboring datasets"),
        ("neighbouring dataset", "Neighboring datasets"),
        ("Neighbours", "Neighboring datasets"),
        ("epsilon", "Epsilon"),
        ("ε", "Epsilon"),
        ("δ", "Epsilon"),
        ("(ε, δ)-DP", "Epsilon"),
        ("RHO", "Rho"),
        ("semi_dp", "Semi-DP (effective)"),
        ("Semi-DP (effective)", "Semi-DP (effective)"),
        ("semi dp effective", "Semi-DP (effective)"),
        ("a(t)", "a(t)"),
        ("D_t", "Dₜ"),
        ("Dₜ", "Dₜ"),
        ("trade-off functions", "Tradeoff function"),
        ("privacy-loss budget", "Budget"),
        ("Renyi curve", "Rényi orders"),
        ("null space", "Null space"),
        ("null_space", "Null space"),
        ("support", "Support"),
        ("integer_lattice", "Integer lattice"),
    ],
)
def test_a_term_is_found_by_its_synonyms_and_spellings(
    asked: str, term: str, capsys: Capture
) -> None:
    assert main(["glossary", *asked.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"# {term}"
    assert any(line and line[0] not in "#A" for line in lines)


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("group privcy", "Group privacy"),
        ("sensitivty", "Sensitivity"),
        ("epsilom", "Epsilon"),
        ("semi-adjacency", "Semi-adjacent"),
    ],
)
def test_a_near_miss_gets_a_suggestion(asked: str, term: str, capsys: Capture) -> None:
    assert main(["glossary", asked]) == 2
    told = capsys.readouterr().err
    assert f"{asked!r} is not in the glossary; did you mean {term}" in told
    assert "`semiaudit glossary` lists the terms" in told


def test_what_is_close_to_nothing_gets_no_suggestion(capsys: Capture) -> None:
    assert near_misses("qqqq") == near_misses("?") == []
    assert main(["glossary", "qqqq"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_without_a_term_all_terms_are_listed(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["glossary"]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 60 for line in out.splitlines())
    words = " ".join(out.split())
    assert all(entry.term in words for entry in entries())
    headings = re.findall(r"^## (.+)$", TEXT.read_text("utf-8"), re.MULTILINE)
    assert [line for line in out.splitlines()[1:] if line and line[0] != " "] == headings


def test_every_entry_says_what_it_means() -> None:
    assert len(entries()) == TEXT.read_text("utf-8").count("\n### ") > 80
    for entry in entries():
        meaning, *example = entry.text.split("\n\n")
        assert meaning, entry.term
        assert len(example) < 2, entry.term
        assert all(text.startswith("**Example:** ") for text in example), entry.term


def test_no_name_leads_to_two_entries() -> None:
    for entry in entries():
        assert all(matching(name) == entry for name in entry.names), entry.term
        assert all(normalized(name) for name in entry.names)


def test_every_label_and_its_identifier_are_in_the_glossary() -> None:
    assert set(FRAMEWORKS) <= set(LABELS)
    missing = [(k, v.text) for k, v in LABELS.items() if not matching(k) or not matching(v.text)]
    assert missing == []
    assert all(matching(key) == matching(found.text) for key, found in LABELS.items())


def test_every_word_of_a_rules_title_is_ordinary_or_in_the_glossary() -> None:
    explained = {
        word for entry in entries() for name in entry.names for word in normalized(name).split()
    }
    explained |= {f"{word}s" for word in explained}
    for rule in (*RULES.values(), *REGISTRY_RULES.values()):
        unknown = set(normalized(rule.title).split()) - explained - set(ORDINARY.split())
        assert not unknown, (rule.id, unknown)


def test_links_of_an_entry_can_be_followed_anywhere(capsys: Capture) -> None:
    assert main(["glossary", "sensitivity"]) == 0
    links = re.findall(r"\]\(([^)]+)\)", " ".join(capsys.readouterr().out.split("\n")))
    assert links
    files = [link.partition("#")[0].removeprefix(f"{FILES}/") for link in links]
    assert all((ROOT / file).is_file() for file in files), files


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("TPR at FPR 1%", "TPR"),
        ("ε at δ = 1e-6", "Epsilon"),
        ("discrete gaussian", "Discrete Gaussian"),
        ("sigma", "Gaussian"),
        ("at target", "Slack"),
        ("placeholder", "Placeholder"),
        ("leaves_out", "Placeholder"),
        *((name, "Design") for name in DESIGN_NAMES if name not in OWN_ENTRIES),
    ],
)
def test_what_a_newcomer_asked_has_an_entry(asked: str, term: str, capsys: Capture) -> None:
    assert main(["glossary", asked]) == 0
    assert capsys.readouterr().out.startswith(f"# {term}\n")


def test_a_rule_is_referred_to_its_page(capsys: Capture) -> None:
    assert main(["glossary", "sa001"]) == 0
    assert "`semiaudit rule SA001`" in capsys.readouterr().out


PLAIN = {
    "value",
    "meaning",
    "method",
    "limit",
    "certified",
    "noise",
    "verdict",
    "conversion",
    "pairs",
    "holds from",
    "what changes",
}
"""Heads of columns that are ordinary words, or have the label of an entry below them."""

NOISY = """semiaudit: 1
dataspace: {size: 9, attributes: {a: 2, b: 2}}
invariants: [{margin: [a]}]
mechanism: {discrete_gaussian: {sigma_squared: 4, query: table}}
budgets: [{framework: semi_dp, rho: 9}]
"""


def test_every_label_and_head_of_a_report_has_an_entry() -> None:
    spec = NOISY
    view = view_of(audit_of(audit(spec)), verbose=True)
    heads = {head for block in view.blocks if isinstance(block, Grid) for head in block.columns}
    blocks = (b for b in view.blocks if isinstance(b, Lines) and b.title.startswith("Privacy spec"))
    heads |= {label for block in blocks for label, _ in block.items}
    design = Design("discrete_gaussian", "", meets=True, met=exact(1, "", ""), ratio=1.0)
    calibration = Calibration("s", "", "table", "semi_dp", 2, ZCDP(Fraction(1)), (design,), "x")
    shown = calibration_view(calibration).blocks
    heads |= {head for block in shown if isinstance(block, Grid) for head in block.columns}
    assert {"TPR at FPR 1%", "scope", "linf"} <= heads
    labels = set(LABELS.values())
    missing = {h for h in heads - PLAIN - labels - {""} if h and matching(h) is None}
    assert missing <= {"what it is", "definition of a(t)"}
