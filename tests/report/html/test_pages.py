"""Whole pages: they read as HTML, load nothing, run one script, and say what other formats say."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import semiaudit
from semiaudit.checking.verdict import verdict_of
from semiaudit.cli import main
from semiaudit.library.report import audit_of
from semiaudit.model.verdict import Verdict
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.blocks.universe_view import (
    EXAMPLE_PAIR,
    growth_sentence,
    sensitivity_sentence,
)
from semiaudit.report.blocks.view import view_of
from semiaudit.report.html.audit_page import audit_page
from semiaudit.report.html.blocks import lines
from semiaudit.report.html.markup import written
from semiaudit.report.html.verdicts_page import verdicts_page
from semiaudit.report.html.view_page import view_page
from semiaudit.report.text.layout import Grid, Head, Lines, View
from semiaudit.version import FILES
from tests.audits import page_of, shipped_report
from tests.places import CONFIGS
from tests.places import SPECS as EXPECTED
from tests.report.html.hostile import CONTROLS, spec
from tests.report.html.reading import Node, one_line, read
from tests.samples import slow_cases

MOST = 500_000
"""Bytes of a page of 50 rows."""


def verdicts(paths: list[Path]) -> list[Verdict]:
    return [verdict_of(path, time_limit=60) for path in paths]


def summary() -> str:
    paths = [*sorted((EXPECTED / "exceeds").glob("*.yaml"))[:5], EXPECTED / "invalid/alias.yaml"]
    return VERDICT_RENDERERS["html"](verdicts(paths), Layout())


PAGES_MADE: dict[str, Callable[[], str]] = {
    "census": lambda: page_of(shipped_report(CONFIGS / "census2020_pl94.yaml")),
    "gaussian": lambda: page_of(shipped_report(CONFIGS / "example5_table.yaml")),
    "failing": lambda: page_of(semiaudit.audit(EXPECTED / "exceeds/rho.yaml")),
    "disclosed": lambda: page_of(shipped_report(CONFIGS / "example3_all_zero.yaml")),
    "refused": lambda: page_of(semiaudit.audit(EXPECTED / "exceeds/infinite_epsilon.yaml")),
    "finite": lambda: page_of(shipped_report(CONFIGS / "cell_key_census.yaml")),
    "comparison": lambda: page_of(
        semiaudit.compare(
            *(CONFIGS / f"{name}.yaml" for name in ("example5_table", "balanced_table"))
        )
    ),
    "ablation": lambda: page_of(semiaudit.ablate(CONFIGS / "example5_table.yaml")),
    "summary": summary,
}


@cache
def text_of(name: str) -> str:
    return PAGES_MADE[name]()


@cache
def root_of(name: str) -> Node:
    return read(text_of(name))


every_page = pytest.mark.parametrize("name", PAGES_MADE)


@every_page
def test_a_page_has_one_of_what_there_is_one_of(name: str) -> None:
    text, root = text_of(name), root_of(name)
    assert text.startswith('<!doctype html>\n<html lang="en">')
    counts = Counter(node.tag for node in root.every())
    for tag in ("html", "head", "title", "body", "main", "h1", "header", "footer", "nav", "script",
                "style"):  # fmt: skip
        assert counts[tag] - (tag == "title") * counts["svg"] <= 1, tag
        assert counts[tag], tag
    ids = [node.attributes["id"] for node in root.every() if "id" in node.attributes]
    assert len(ids) == len(set(ids))


@every_page
def test_every_reference_of_a_page_leads_somewhere(name: str) -> None:
    root = root_of(name)
    ids = {node.attributes["id"] for node in root.every() if "id" in node.attributes}
    for node in root.every():
        for key in ("aria-labelledby", "aria-describedby"):
            assert set(node.attributes.get(key, "").split()) <= ids
        target = node.attributes.get("href", "")
        if target.startswith("#"):
            assert target[1:] in ids, target
        elif target:
            assert target.startswith((f"{FILES}/semiaudit/model/rules/SA", "./")), target


@every_page
def test_a_page_loads_nothing_and_runs_one_script_that_its_policy_names(name: str) -> None:
    root = root_of(name)
    (script,) = root.every("script")
    (style,) = root.every("style")
    assert script.attributes == style.attributes == {}
    (policy,) = (
        node.attributes["content"]
        for node in root.every("meta")
        if node.attributes.get("http-equiv") == "Content-Security-Policy"
    )

    def digest(node: Node) -> str:
        (content,) = node.children
        assert isinstance(content, str)
        found = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        return f"'sha256-{found}'"

    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": digest(script),
        "style-src": digest(style),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    for node in root.every():
        assert node.tag not in ("link", "img", "iframe", "object", "embed", "form", "base", "use")
        for key in node.attributes:
            assert not key.startswith("on")
            assert key not in ("src", "srcset", "style", "action", "formaction", "xlink:href")
    (content,) = style.children
    assert not re.search(r"url\(|@import|expression", str(content))
    assert not re.search(r"https?:|fetch|XMLHttp|eval|innerHTML|import\(", str(*script.children))


@every_page
def test_headings_go_down_by_one(name: str) -> None:
    levels = [int(n.tag[1]) for n in root_of(name).every() if re.fullmatch("h[1-6]", n.tag)]
    assert levels[:2] == [1, 2]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@every_page
def test_a_table_has_as_many_cells_in_every_row(name: str) -> None:
    for table in root_of(name).every("table"):
        rows = [[c for c in row.children if isinstance(c, Node)] for row in table.every("tr")]
        assert len({len(row) for row in rows}) == 1
        assert all(cell.tag in ("th", "td") for row in rows for cell in row)


def told(view: View) -> set[str]:
    """Every text of a view."""
    found: set[str] = {view.title, view.subtitle}
    for block in view.blocks:
        if isinstance(block, Head):
            found |= {said.text for said in block.items}
            continue
        found.add(block.title)
        if isinstance(block, Grid):
            found |= {*block.columns, *block.notes, *(cell for row in block.rows for cell in row)}
        else:
            found |= {text for _, text in block.items}
    return found


@pytest.mark.parametrize(
    "path",
    [CONFIGS / "census2020_pl94.yaml", CONFIGS / "cell_key_census.yaml",
     CONFIGS / "israel_live_births_2014.yaml", EXPECTED / "exceeds/rho.yaml"],
    ids=lambda path: path.stem,
)  # fmt: skip
def test_a_page_says_all_that_markdown_says(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings stand with their place apart, and the statement under a heading of its own."""
    monkeypatch.chdir(path.parent)
    path = Path(path.name)
    audit = audit_of(semiaudit.audit(path))
    shown = one_line(read(audit_page(audit, Layout())).text)
    view = view_of(audit, caveats=True)
    apart = ("Findings", "Privacy specification", EXAMPLE_PAIR)
    blocks = tuple(b for b in view.blocks if getattr(b, "title", "") not in apart)
    view = replace(view, blocks=blocks)
    missing = [text for text in told(view) if one_line(text) not in shown]
    assert missing == []
    assert EXAMPLE_PAIR in shown  # its records are cards
    assert one_line(sensitivity_sentence(audit) or growth_sentence(audit)) in shown
    for finding in audit.findings:
        assert one_line(finding.message) in shown
        assert finding.rule in shown
    for block in ("domain", "scope", "unit", "standard", "intensity"):
        assert one_line(getattr(audit.statement, block)) in shown


@pytest.mark.parametrize("budget", ["2", "1"])
def test_a_hostile_spec_is_inert(tmp_path: Path, budget: str) -> None:
    path = tmp_path / "javascript:alert(1) \"'<b>.yaml"
    path.write_text(spec(budget=budget), "utf-8")
    report = semiaudit.audit(path)
    pages = [
        page_of(report),
        page_of(semiaudit.ablate(path)),
        page_of(semiaudit.compare(path, path)),
        VERDICT_RENDERERS["html"](verdicts([path]), Layout(root="/", folder=str(tmp_path))),
        verdicts_page(
            verdicts([path]), Layout(root="/", folder=str(tmp_path)), lambda p: f"{p}.html"
        ),
    ]
    refused = tmp_path / "refused.yaml"
    refused.write_text(spec(more=CONTROLS), "utf-8")
    pages.append(VERDICT_RENDERERS["html"](verdicts([refused]), Layout()))
    allowed = {n.tag for name in PAGES_MADE for n in root_of(name).every()}
    for page in pages:
        root = read(page)
        assert {node.tag for node in root.every()} <= allowed | {"a"}
        assert len(list(root.every("script"))) == 1
        assert "\u202e" not in page
        assert "##[" not in page
        assert not re.search("^::", page, re.MULTILINE)
        for node in root.every():
            assert not [key for key in node.attributes if key.startswith("on")]
            assert node.attributes.get("href", "#").startswith(("#", "./", FILES))
        for svg in root.every("svg"):
            assert not list(svg.every("script"))
    assert "<script>alert(1)</script>" in read(pages[0]).text


def test_the_verdict_comes_first_and_is_the_terminals() -> None:
    expected = {
        "census": "The release protects less than advertised: ρ is 10.24, not 2.56 (4×). To keep",
        "failing": "The release fails its budget: ρ of Semi-DP (effective) is 10.24, above the",
        "disclosed": "The release protects nothing: the invariants disclose the whole dataset.",
        "comparison": "guarantee",
        "ablation": "Leaving out I1 (margin [a1]) or I2 (margin [a2]) lowers μ from",
        "summary": "6 specs",
    }
    for name, words in expected.items():
        first = next(root_of(name).every("h2"))
        assert words in first.text, name
    text = semiaudit.audit(EXPECTED / "exceeds/rho.yaml").render("text", width=400)
    shown = next(n for n in root_of("failing").every("section") if n.has("class", "verdict"))
    for line in shown.every("dd"):
        assert one_line(line.text) in one_line(text)


@pytest.mark.parametrize(
    ("name", "tone", "status"),
    [
        ("census", "warning", "no budget"),
        ("gaussian", "warning", "no budget"),
        ("failing", "bad", "failed"),
        ("refused", "bad", "failed"),
        ("disclosed", "bad", "failed"),
    ],
)
def test_the_card_leads_with_a_status_and_a_verdict(name: str, tone: str, status: str) -> None:
    card = next(n for n in root_of(name).every("section") if n.has("class", "verdict"))
    assert card.has("class", tone)
    first, heading = [child for child in card.children if isinstance(child, Node)][:2]
    assert one_line(first.text).split(" ", 1)[1] == status
    assert heading.tag == "h2"


def test_no_budget_has_one_color_on_every_page() -> None:
    audited = verdicts([CONFIGS / "example5_table.yaml"])
    pages = [root_of("census"), read(VERDICT_RENDERERS["html"](audited, Layout()))]
    for root in pages:
        (mark,) = (node for node in root.every("p") if node.has("class", "status"))
        assert mark.attributes["class"] == "status warning"
        assert "no budget" in mark.text
    cells = [cell for cell in pages[1].every("td") if one_line(cell.text) == "no budget"]
    assert [cell.attributes["class"] for cell in cells] == ["tone-warning"]


def test_curves_that_coincide_are_one_line_and_one_entry_of_the_legend() -> None:
    """Without invariants, the effective guarantee is the advertised one."""
    spec = {
        "semiaudit": 1,
        "title": "a",
        "dataspace": {"unit": "person"},
        "mechanism": {"gdp": {"mu": 1}},
    }
    root = read(semiaudit.audit(spec).render("html"))
    plots = [n for n in root.every("figure") if n.has("class", "plot")]
    assert len(plots) == 2
    for plot in plots:
        (legend,) = (node for node in plot.every("ul") if node.has("class", "legend"))
        names = [one_line(next(entry.every("span")).text) for entry in legend.every("li")]
        assert names == ["Advertised DP, Semi-DP (effective)"]
        drawing = next(node for node in plot.every("div") if node.has("class", "drawing"))
        assert len([p for p in drawing.every("path") if p.has("class", "line")]) == 1


def test_a_page_has_the_advice_of_each_finding() -> None:
    for name in ("census", "failing", "summary"):
        (listed,) = (node for node in root_of(name).every("ul") if node.has("class", "findings"))
        entries = list(listed.every("li"))
        known = [entry for entry in entries if "SA" in entry.text]
        assert known
        assert all("What to do: " in entry.text for entry in known)


def test_no_page_has_a_folder_of_the_machine(tmp_path: Path) -> None:
    folder = tmp_path / "nobody-must-read-this"
    folder.mkdir()
    spec_file = folder / "release.yaml"
    spec_file.write_text((EXPECTED / "exceeds/rho.yaml").read_text("utf-8"), "utf-8")
    broken = folder / "broken.yaml"
    broken.write_text((EXPECTED / "invalid/alias.yaml").read_text("utf-8"), "utf-8")
    layout = Layout(root=str(tmp_path), folder=str(tmp_path / "reports"))
    made = verdicts([spec_file, broken])
    report = semiaudit.audit(spec_file)
    pages = [
        page_of(report),
        page_of(semiaudit.ablate(spec_file)),
        page_of(semiaudit.compare(spec_file, spec_file)),
        VERDICT_RENDERERS["html"](made, layout),
        verdicts_page(made, layout, lambda path: str(tmp_path / "reports" / Path(path).name)),
    ]
    for page in pages:
        assert "nobody-must-read-this" not in page
        assert str(tmp_path) not in page
        assert "release.yaml" in page


def test_the_rows_of_a_summary_have_their_verdicts_to_choose_by() -> None:
    root = root_of("summary")
    (choice,) = (node for node in root.every("fieldset") if node.has("class", "filter"))
    assert "hidden" in choice.attributes
    labels = [one_line(node.text) for node in choice.every("label")]
    assert labels == ["all (6)", "failed (5)", "error (1)"]
    (table,) = (node for node in root.every("table") if node.has("class", "sortable"))
    words = Counter(row.attributes.get("data-status") for row in table.every("tr"))
    assert words == {None: 1, "failed": 5, "error": 1}


def test_a_page_without_curves_has_no_plot_and_says_the_rest() -> None:
    audit = audit_of(shipped_report(CONFIGS / "example5_table.yaml"))
    root = read(audit_page(audit, Layout()))
    assert not [n for n in root.every("figure") if n.has("class", "plot")]
    assert "TPR at FPR 5%" in root.text


def test_where_no_pair_of_notions_is_ordered_no_other_is_spoken_of() -> None:
    audit = audit_of(shipped_report(CONFIGS / "example5_table.yaml"))
    some = read(audit_page(audit, Layout())).text
    assert "Semi-DP (effective) follows from Group privacy. No other order is proven." in some
    none = read(audit_page(replace(audit, ordering=()), Layout())).text
    assert "No order is proven." in none
    assert "No other two" not in none


def test_findings_link_to_their_lines_and_their_rules(tmp_path: Path) -> None:
    path = tmp_path / "a b.yaml"
    path.write_text((EXPECTED / "exceeds/rho.yaml").read_text("utf-8"), "utf-8")
    root = read(page_of(semiaudit.audit(path)))
    links = {link.text: link.attributes["href"] for link in root.every("a")}
    assert links["SA001 invariants-not-covered"].endswith("SA001.md")
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "margin" in text)
    assert f"#spec-{line}" in links.values()
    shown = {node.attributes.get("id"): node.text for node in root.every("span")}
    assert shown[f"spec-{line}"] == path.read_text("utf-8").splitlines()[line - 1]
    assert "What to do: Judge the release by Semi-DP (effective)" in root.text


@pytest.mark.parametrize("name", PAGES_MADE)
def test_every_link_of_a_page_works_where_the_page_is_alone(name: str) -> None:
    root = root_of(name)
    places = {node.attributes["id"] for node in root.every() if "id" in node.attributes}
    targets = [link.attributes["href"] for link in root.every("a")]
    assert targets
    for target in targets:
        assert target.removeprefix("#") in places or target.startswith("https://")


def test_a_page_contains_the_spec_with_every_character_of_it(tmp_path: Path) -> None:
    text = (EXPECTED / "exceeds/rho.yaml").read_text("utf-8") + "# <script> & \u00e9\r\n#   end"
    path = tmp_path / "a.yaml"
    path.write_bytes(text.encode())
    root = read(page_of(semiaudit.audit(path)))
    (shown,) = (node for node in root.every("pre") if node.has("class", "spec"))
    assert [line.text for line in shown.every("span")] == text.splitlines()


@pytest.mark.parametrize("data", ["{counts: [[1, 2, 0], [0, 4, 3]]}", "{margins: {a: [3, 7]}}"])
def test_no_line_of_a_spec_with_data_is_on_its_page(data: str, tmp_path: Path) -> None:
    """Counts may be confidential; and an address of a server is nobody's business."""
    text = (EXPECTED / "exceeds/rho.yaml").read_text("utf-8")
    path = tmp_path / "a.yaml"
    path.write_text(f"{text}data: {data}\n", "utf-8")
    root = read(page_of(semiaudit.audit(path)))
    assert not [node for node in root.every("pre") if node.has("class", "spec")]
    assert not [link for link in root.every("a") if "spec-" in link.attributes["href"]]


def test_a_large_spec_is_not_on_its_page(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    text = (EXPECTED / "exceeds/rho.yaml").read_text("utf-8")
    path.write_text(text + "# much\n" * 10_000, "utf-8")
    assert "# much" not in page_of(semiaudit.audit(path))


def test_a_page_says_how_to_make_it_again() -> None:
    report = shipped_report(CONFIGS / "example5_table.yaml")
    text = page_of(report)
    shown = read(text).text
    assert report.as_dict()["spec"]["sha256"] in shown
    assert f"semiaudit=={semiaudit.__version__}" in shown
    assert page_of(shipped_report(CONFIGS / "example5_table.yaml")) == text


def test_an_index_of_50_specs_and_the_page_of_a_report_are_small(tmp_path: Path) -> None:
    made = verdicts([EXPECTED / "exceeds/rho.yaml", EXPECTED / "invalid/alias.yaml"])
    many = [replace(made[k % 2], path=f"specs/folder of {k}/spec.yaml") for k in range(50)]
    layout = Layout(root="/project", folder="/project/out")
    page = verdicts_page(many, layout, lambda path: f"/project/out/{path}.html")
    assert len(page.encode()) < MOST
    root = read(page)
    (table,) = (node for node in root.every("table") if node.has("class", "sortable"))
    links = [link.attributes["href"] for link in table.every("a")]
    assert len(links) == 50
    assert "./specs/folder%20of%200/spec.yaml.html" in links
    full = shipped_report(CONFIGS / "census2020_pl94.yaml").render("html")
    assert len(full.encode()) < MOST / 2


def test_a_page_of_50_deltas_is_small(tmp_path: Path) -> None:
    text = (CONFIGS / "example5_table.yaml").read_text("utf-8")
    deltas = ", ".join(f"{k}e-9" for k in range(1, 51))
    path = tmp_path / "many.yaml"
    path.write_text(text.replace("deltas: [1e-6]", f"deltas: [{deltas}]"), "utf-8")
    assert len(page_of(semiaudit.audit(path)).encode()) < MOST


HIERARCHY = """\
semiaudit: 1
dataspace: {unit: person, size: 100, attributes: {state: 3, hispanic: [no, yes], race: 4}}
invariants: [margin: [state]]
mechanism:
  topdown:
    spine: [{level: US}, {level: State, attribute: state}, {level: County}]
    queries: {total: [], hispanic: hispanic, detailed: [hispanic, race]}
    allocation:
      - [level, query, rho]
      - [US, detailed, 1/16]
      - [State, hispanic, 1/8]
      - [County, total, 1/8]
      - [County, detailed, 1/16]
"""
"""A state has its total published: one of the secrets has no rho."""


@pytest.mark.parametrize("config", ["", *slow_cases(["census2020_pl94_persons"])])
def test_the_secrets_of_a_hierarchy_have_a_dot_in_each_universe(
    config: str, tmp_path: Path
) -> None:
    path = CONFIGS / f"{config}.yaml" if config else tmp_path / "spec.yaml"
    if not config:
        path.write_text(HIERARCHY, "utf-8")
    audit = audit_of(semiaudit.audit(path))
    root = read(audit_page(audit, Layout()))
    (part,) = (node for node in root.every("section") if node.attributes.get("id") == "semantics")
    drawn = next(part.every("svg"))
    largest: dict[tuple[str, str], Fraction] = {}
    for secret in audit.semantics:
        if secret.zcdp is not None:
            rho, key = Fraction(secret.zcdp.value), (secret.name, secret.universe)
            largest[key] = max(rho, largest.get(key, rho))
    dots = {(name, rho) for (name, _), rho in largest.items()}  # one dot if both are equal
    assert len(list(drawn.every("circle"))) == len(dots)
    assert "attribute hispanic" in drawn.text
    assert len(root.text) < MOST


def test_the_decisive_columns_come_right_behind_the_names() -> None:
    heads = []
    for name in ("census", "failing"):
        for table in root_of(name).every("table"):
            row = next(table.every("tr"))
            heads.append([one_line(cell.text) for cell in row.children if isinstance(cell, Node)])
    assert [
        "privacy definition",
        "ρ",
        "ε at δ = 1e-10",
        "advantage",
        "TPR at FPR 5%",
        "pairs",
    ] in heads
    assert ["privacy definition", "verdict", "measure", "limit", "certified"] in heads


def test_the_leading_number_comes_first_in_the_table() -> None:
    """On a phone, the table of a swapping ended before its decisive number."""
    audit = audit_of(shipped_report(CONFIGS / "swapping_1940_households.yaml"))
    root = read(audit_page(audit, Layout()))
    (part,) = (n for n in root.every("section") if n.attributes.get("id") == "comparison")
    row = next(part.every("tr"))
    heads = [one_line(cell.text) for cell in row.children if isinstance(cell, Node)]
    assert heads[:2] == ["privacy definition", "ε at δ = 0"]


def test_entries_that_follow_each_other_have_their_label_once() -> None:
    items = (("left out", "a"), ("left out", "b"), ("source", "c"), ("", "d"), ("source", "e"))
    root = read(written(lines(Lines("Sources", items))))
    assert [node.text for node in root.every("dt")] == ["left out", "source"]
    assert [node.text for node in root.every("dd")] == ["a", "b", "c", "d", "e"]


TABLE = """\
semiaudit: 1
title: A table under a margin
dataspace: {unit: person, attributes: {education: 3, income: 3}}
invariants: [margin: [education]]
data: {counts: [[3, 2, 1], [2, 4, 3], [1, 5, 6]]}
design: {query: table}
"""

COMMANDS = {
    "convert": ["convert", "gaussian: {sigma: 2}", "--delta", "1e-6"],
    "test": [
        *("mechanism", "test", "odds-ratio", "--margins", "12,10,11"),
        *("--noisy-count", "8.25", "--epsilon", "1"),
    ],
    "calibrate": [
        *("mechanism", "calibrate", "FOLDER/table.yaml", "--target", "mu=1"),
        *("--design", "naive_gaussian"),
    ],
    "reproduce": ["reproduce", "su-table-1"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_a_page_in_the_design_of_all_pages(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.yaml").write_text(TABLE, "utf-8")
    page = tmp_path / "page.html"
    command = [word.replace("FOLDER", str(tmp_path)) for word in COMMANDS[name]]
    assert main([*command, "-o", f"html={page}", "--format", "markdown"]) == 0
    markdown = capsys.readouterr().out
    text = page.read_text("utf-8")
    root = read(text)
    card = next(node for node in root.every("section") if node.has("class", "verdict"))
    sentence = one_line(next(card.every("h2")).text)
    assert sentence.endswith(".")
    assert len(list(root.every("style"))) == len(list(root.every("nav"))) == 1
    assert str(tmp_path) not in text
    titles = [line.removeprefix("## ") for line in markdown.splitlines() if line.startswith("## ")]
    assert titles
    shown = one_line(root.text)
    if name != "reproduce":
        assert [title for title in titles[1:] if one_line(title) not in shown] == []
    cells = [cell for table in root.every("table") for cell in table.every("td")]
    assert all(one_line(cell.text) in one_line(markdown.replace("\\", "")) for cell in cells
               if cell.has("class", "number"))  # fmt: skip


def heads(root: Node) -> list[str]:
    return [one_line(node.text) for node in root.every("h2")]


def test_a_page_has_every_block_and_no_folder() -> None:
    path = "/home/somebody/secret/a.yaml"
    blocks = (
        Lines("What is asked", (("spec", path),)),
        Grid("Numbers", ("name", "value"), (("ε", "1"),), (False, True), (f"From {path}.",)),
    )
    root = read(view_page("Kind", View("Title", f"{path} · 1", blocks, "It is so.", (path,))))
    assert heads(root) == ["It is so.", "Numbers"]
    assert "somebody" not in root.text
    assert "From a.yaml." in one_line(root.text)
    assert "a.yaml · 1" in one_line(root.text)
    plain = read(view_page("Kind", View("Title", "", blocks)))
    assert heads(plain) == ["Title", "Numbers"]
