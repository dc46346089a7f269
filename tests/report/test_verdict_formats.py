"""All formats of one run with passing, failing, waived, unreadable, slow and faulty specs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, Draft202012Validator
from lxml import etree

from semiaudit.checking.discovery import specs_under
from semiaudit.checking.gate import check
from semiaudit.errors import Mark, Problem
from semiaudit.model.audit import Budget, BudgetResult, Finding, Level, Waiver
from semiaudit.model.policy import GateOptions
from semiaudit.model.rules import RULES
from semiaudit.model.verdict import Verdict
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.version import REPOSITORY, __version__
from tests.gate.specs import EXCEEDS, HOLDS, NO_BUDGET, SLOW, TODAY, UNKNOWN_KEY, UNREADABLE
from tests.places import ROOT

SCHEMAS = ROOT / "tests" / "schemas"
WAIVED = EXCEEDS + (
    "waivers:\n  - {rule: SA013, framework: semi_dp, measure: rho, accepted: 4.5, "
    "reason: agreed, approver: board, expires: 2030-01-01}\n"
)
SPECS = {
    "a/holds": HOLDS,
    "b/exceeds, 100%: really": EXCEEDS,
    "c/waived <&>": WAIVED,
    "d/nothing": NO_BUDGET,
    "e/slow": SLOW,
    "f/unknown key": UNKNOWN_KEY,
    "g/unreadable": UNREADABLE,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Verdict, ...]]:
    """The verdicts on a directory of specs, with a file that is not there."""
    folder = tmp_path_factory.mktemp("run")
    for name, text in SPECS.items():
        path = folder / f"{name}.semiaudit.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "h").write_bytes(b"\xff")
    paths = [str(folder), str(folder / "h"), str(folder / "missing")]
    return folder, check(specs_under(paths), time_limit=1e-6, gate=GateOptions(today=TODAY))


def rendered(form: str, run: tuple[Path, tuple[Verdict, ...]], **layout: Any) -> str:
    folder, verdicts = run
    return VERDICT_RENDERERS[form](verdicts, Layout(root=folder.as_posix(), **layout))


def test_the_run_has_every_kind_of_end(run: tuple[Path, tuple[Verdict, ...]]) -> None:
    assert [verdict.outcome for verdict in run[1]] == [
        "holds", "exceeds", "holds", "audited", "unaudited", "unaudited", "unaudited", "unaudited",
        "unaudited",
    ]  # fmt: skip


def sarif(text: str) -> dict[str, Any]:
    """A SARIF log that was validated against the OASIS schema."""
    log: dict[str, Any] = json.loads(text)
    schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text("utf-8"))
    Draft4Validator(schema).validate(log)
    return log


def test_sarif_validates_and_every_result_has_a_place(
    run: tuple[Path, tuple[Verdict, ...]],
) -> None:
    log = sarif(rendered("sarif", run))
    (only,) = log["runs"]
    rules = [rule["id"] for rule in only["tool"]["driver"]["rules"]]
    assert len(only["results"]) == sum(len(v.findings) + len(v.problems) for v in run[1])
    prints = set()
    for result in only["results"]:
        (location,) = result["locations"]
        place = location["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert not uri.startswith(("/", "file:", "."))
        assert re.fullmatch(r"[A-Za-z0-9%/._~-]+", uri)
        assert (run[0] / unquote(uri)).exists() or uri == "missing"
        assert place["region"]["startLine"] >= 1
        assert place["region"].get("startColumn", 1) >= 1
        assert rules[result["ruleIndex"]] == result["ruleId"]
        prints.add(result["partialFingerprints"]["semiaudit/v2"])
    assert len(prints) == len(only["results"])
    (invocation,) = only["invocations"]
    (notification,) = invocation.pop("toolExecutionNotifications")
    assert "5 errors" in notification["message"]["text"]
    assert invocation == {"executionSuccessful": False, "exitCode": 2}


def test_sarif_rules_have_a_page_of_the_repository() -> None:
    log = sarif(VERDICT_RENDERERS["sarif"]((), Layout()))
    driver = log["runs"][0]["tool"]["driver"]
    assert driver["informationUri"] == REPOSITORY
    for rule in driver["rules"]:
        where, _, page = rule["helpUri"].partition("/semiaudit/model/")
        assert where == f"{REPOSITORY}/blob/v{__version__}"
        text = (ROOT / "semiaudit" / "model" / page).read_text("utf-8")
        for link in re.findall(r"\]\(([^)]+)\)", rule["help"]["markdown"]):
            assert link.startswith(f"{where}/")
            assert (ROOT / link.removeprefix(f"{where}/").partition("#")[0]).is_file()
        assert rule["shortDescription"]["text"] == RULES[rule["id"]].title
        assert f"{rule['shortDescription']['text']} Level: " in rule["help"]["markdown"]
        paragraph = text.partition("## What it means\n\n")[2].partition("\n\n")[0]
        words = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", paragraph).replace("`", "")
        assert rule["fullDescription"]["text"].startswith(" ".join(words.split()))
        assert "## What to do" in rule["help"]["markdown"]
        assert "What to do" in rule["help"]["text"]
        assert not re.search(r"[`#]|\]\(", rule["help"]["text"])


def test_sarif_suppresses_what_is_waived_and_nothing_else(
    run: tuple[Path, tuple[Verdict, ...]],
) -> None:
    results = sarif(rendered("sarif", run))["runs"][0]["results"]
    told = [(r["ruleId"], r["suppressions"]) for r in results if "suppressions" in r]
    assert [rule for rule, _ in told] == ["SA013"]
    assert told[0][1][0]["kind"] == "inSource"
    assert "agreed (approved by board" in told[0][1][0]["justification"]


def test_sarif_says_whether_everything_was_audited(run: tuple[Path, tuple[Verdict, ...]]) -> None:
    fine = [verdict for verdict in run[1] if verdict.outcome in ("holds", "exceeds")]

    def successful(verdicts: list[Verdict], incomplete: bool = False) -> bool:
        text = VERDICT_RENDERERS["sarif"](verdicts, Layout(incomplete=incomplete))
        found: bool = sarif(text)["runs"][0]["invocations"][0]["executionSuccessful"]
        return found

    assert successful(fine)
    assert not successful([])
    assert not successful(fine, incomplete=True)
    assert not successful([*fine, Verdict("x", "internal")])


def test_a_fingerprint_depends_on_rule_file_and_key_only() -> None:
    def prints(path: str, *findings: Finding) -> list[str]:
        text = VERDICT_RENDERERS["sarif"]([Verdict(path, "exceeds", findings=findings)], Layout())
        return [
            result["partialFingerprints"]["semiaudit/v2"]
            for result in sarif(text)["runs"][0]["results"]
        ]

    one = Finding("SA013", "error", "certified 4.5, limit 4", Mark(3, 1), "budget semi_dp rho")
    moved = replace(one, message="in other words", mark=Mark(9, 1))
    assert prints("x", one) == prints("x", moved)
    others = (replace(one, key="budget semi_dp mu"), replace(one, rule="SA014"))
    assert len({*prints("x", one, *others), *prints("y", one)}) == 4
    # Findings that are alike are numbered in the order of their lines.
    both = prints("x", one, moved)
    assert both[:1] == prints("x", one)
    assert len(set(both)) == 2


def junit(text: str) -> ElementTree.Element:
    """A JUnit document that was validated against the schema of the Jenkins xUnit plugin."""
    schema = etree.XMLSchema(etree.parse(str(SCHEMAS / "junit-10.xsd")))
    schema.assertValid(etree.fromstring(text.encode("utf-8")))
    return ElementTree.fromstring(text)


def test_junit_validates_and_counts_failures_errors_and_skips(
    run: tuple[Path, tuple[Verdict, ...]],
) -> None:
    root = junit(rendered("junit", run))
    ends = {
        Path(suite.get("name", "")).name.partition(".")[0]: tuple(
            int(suite.get(key, "")) for key in ("failures", "errors", "skipped")
        )
        for suite in root
    }
    assert ends == {
        "holds": (0, 0, 0),
        "exceeds, 100%: really": (1, 0, 0),
        "waived <&>": (0, 0, 1),
        "nothing": (1, 0, 0),
        "slow": (1, 1, 0),
        "unknown key": (0, 1, 0),
        "unreadable": (0, 1, 0),
        "h": (0, 1, 0),
        "missing": (0, 1, 0),
    }
    assert (root.get("failures"), root.get("errors")) == ("3", "5")
    assert len(root.findall(".//testcase")) == int(root.get("tests", ""))
    assert all("time" not in case.attrib for case in root.iter())


def test_junit_survives_what_xml_cannot_hold() -> None:
    problem = Problem("a\x00\ud800b", 1, 1, "", "bell \x07 & <tag>")
    root = junit(VERDICT_RENDERERS["junit"]([Verdict("p\x1b", "unaudited", problems=(problem,))],
                                            Layout(incomplete=True)))  # fmt: skip
    assert root.get("errors") == "2"
    assert "& <tag>" in root.findtext(".//error", "")


def test_junit_tells_gate_failures_that_are_no_budgets() -> None:
    finding = Finding("SA027", "error", "semi_dp rho is 2, and was 1: weaker by 1", Mark(4, 2))
    root = junit(
        VERDICT_RENDERERS["junit"]([Verdict("x", "exceeds", findings=(finding,))], Layout())
    )
    assert [case.get("type") for case in root.iter("failure")] == ["SA027"]


@pytest.mark.parametrize("level", ["error", "warning", "note"])
@pytest.mark.parametrize("rule", ["SA001", "SA002", "SA016", "SA028"])
def test_junit_has_a_failure_wherever_a_spec_failed(rule: str, level: Level) -> None:
    """A policy, or --fail-on, may let any finding fail."""
    finding = Finding(rule, level, "a sentence", Mark(4, 2))
    verdict = Verdict("x", "exceeds", findings=(finding,))
    root = junit(VERDICT_RENDERERS["junit"]([verdict], Layout()))
    assert [case.get("type") for case in root.iter("failure")] == [rule]
    if level != "error":
        passed = VERDICT_RENDERERS["junit"]([replace(verdict, outcome="holds")], Layout())
        assert list(junit(passed).iter("failure")) == []


def test_annotations_are_ten_at_most_the_worst_first_and_closed_by_a_summary(
    run: tuple[Path, tuple[Verdict, ...]],
) -> None:
    lines = rendered("github", run).splitlines()
    *annotations, summary = lines
    assert len(annotations) == 10
    ranks = [
        ["error", "warning", "notice"].index(line[2:].partition(" ")[0]) for line in annotations
    ]
    assert ranks == sorted(ranks)
    assert all("title=SA022" in line for line in annotations[:5])
    assert "title=SA022" not in annotations[5]
    assert re.fullmatch(
        r"semiaudit: 4 of 9 specs audited, 1 failed, 5 errors, 2 passed, 1 no budget; 1 waived; "
        r"\d+ more findings are not shown here",
        summary,
    )


OLD_WORDS = re.compile(
    r"\b(does not hold|do not hold|not audited|audited without|exceeds a budget|unaudited|holds \()"
)


@pytest.mark.parametrize("form", ["text", "markdown", "html", "junit", "github", "latex"])
def test_every_format_has_the_same_words_for_verdicts(
    form: str, run: tuple[Path, tuple[Verdict, ...]]
) -> None:
    text = re.sub("<[^>]*>", " ", rendered(form, run)) if form == "html" else rendered(form, run)
    text = re.sub(r"SA022[ :\w.-]*not[- ]audited", "", text)  # the name of the rule
    assert OLD_WORDS.findall(text) == []
    if form == "junit":
        assert {error.get("type") for error in junit(text).iter("error")} == {"error"}
        assert 'type="SA030" message="no budget;' in text
    else:
        words = " ".join(text.split())
        assert "1 failed, 5 errors, 2 passed, 1 no budget" in words


def cells_of_page(verdict: Verdict) -> dict[str, str]:
    """The row of a spec on the page, by the heads of the columns."""
    text = VERDICT_RENDERERS["html"]([verdict], Layout())
    table = text.partition('<table class="sortable" role="table">')[2].partition("</table>")[0]
    heads = re.findall(r"<th scope=\"col\"[^>]*>([^<]*)<", table)[1:]
    cells = re.findall(r"<td[^>]*>([^<]*)<", table)
    return dict(zip(heads, cells, strict=True))


def test_the_page_counts_the_errors_of_a_spec_among_its_findings() -> None:
    """Issue 30: the row had 0 findings, and its error was listed below."""
    problem = Problem("x.yaml", 1, 1, "", "is not YAML")
    row = cells_of_page(Verdict("x.yaml", "unaudited", problems=(problem,)))
    assert (row["verdict"], row["findings"]) == ("error", "1")


def test_a_spec_without_budgets_that_violates_a_rule_failed() -> None:
    finding = Finding("SA029", "error", "no budget, and the policy asks for one", Mark(1, 1))
    row = cells_of_page(Verdict("x.yaml", "exceeds", findings=(finding,)))
    assert (row["verdict"], row["budgets"], row["findings"]) == ("failed", "-", "1")


def test_annotations_escape_what_they_must() -> None:
    finding = Finding("SA013", "error", "50 %, a:b::error::x", Mark(2, 3))
    text = VERDICT_RENDERERS["github"](
        [Verdict("a,b:c%d\n", "exceeds", findings=(finding,))], Layout()
    )
    assert text.splitlines()[0] == (
        "::error file=a%2Cb%3Ac%25d%0A,line=2,col=3,title=SA013 budget-exceeded::"
        "50 %25, a:b::error::x"
    )
    assert len(text.splitlines()) == 2


def test_a_message_of_several_lines_stays_one_command() -> None:
    finding = Finding("SA013", "error", "a\r\n::warning::b\x1b[31m")
    waiver = Waiver("SA013", "c\r\n::error::d", "e", date(2030, 1, 1))
    waived = Finding("SA013", "error", "x", waived=waiver)
    verdict = Verdict("p", "exceeds", findings=(finding, waived))
    lines = VERDICT_RENDERERS["github"]([verdict], Layout()).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("::error file=p,line=1,title=SA013 budget-exceeded::a\\r\\n::warn")
    assert "c%0D%0A::error::d" in lines[1]


def test_paths_below_the_root_are_relative_in_annotations_and_others_stay() -> None:
    verdicts = [
        Verdict(p, "unaudited", problems=(Problem(p, 1, 1, "", f"m {p}"),))
        for p in ("/r/a", "/s/b")
    ]
    text = VERDICT_RENDERERS["github"](verdicts, Layout(root="/r"))
    assert [re.findall("file=([^,]+)", line) for line in text.splitlines()] == [["a"], ["/s/b"], []]
    log = sarif(VERDICT_RENDERERS["sarif"](verdicts, Layout(root="/r")))
    uris = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for r in log["runs"][0]["results"]
    ]
    assert uris == ["a", "file:///s/b"]


def test_json_follows_its_schema_and_has_no_clock(run: tuple[Path, tuple[Verdict, ...]]) -> None:
    schema = json.loads((ROOT / "docs" / "check.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    found = json.loads(rendered("json", run))
    Draft202012Validator(schema).validate(found)
    assert found["exit_code"] == 2
    assert found["complete"] is False
    cut = [v["spec"]["path"] for v in found["verdicts"] if v["complete"] is False]
    assert any("e/slow" in path for path in cut)
    assert found["summary"] == {
        "holds": 2, "exceeds": 1, "unaudited": 5, "audited": 1, "internal": 0
    }  # fmt: skip
    assert "seconds" not in rendered("json", run)
    assert json.loads(rendered("json", run, incomplete=True))["complete"] is False


def test_json_of_many_has_the_numbers_of_the_audits_own_report(tmp_path: Path) -> None:
    import semiaudit

    path = ROOT / "configs" / "census2020_pl94.yaml"
    (found,) = check(specs_under([str(path)]), time_limit=600, gate=GateOptions(today=TODAY))
    one = json.loads(VERDICT_RENDERERS["json"]([found], Layout()))["verdicts"][0]
    whole = semiaudit.audit(path).as_dict()
    for mine, full in zip(one["guarantees"], whole["guarantees"], strict=True):
        for key in ("framework", "pure_dp", "zcdp", "gdp", "advantage", "tpr_at_fpr", "refused"):
            assert mine[key] == full[key]
        tightest: dict[float, Any] = {}
        for point in full["approx_dp"]:
            tightest.setdefault(point["delta"], point["epsilon"])
        assert {p["delta"]: p["epsilon"] for p in mine["approx_dp"]} == tightest


@pytest.mark.parametrize("width", [40, 80, 200])
def test_text_cuts_no_number_and_tells_every_finding(
    width: int, run: tuple[Path, tuple[Verdict, ...]]
) -> None:
    text = rendered("text", run, width=width)
    assert "…" not in text
    assert "\x1b" not in text
    assert " ".join(text.split()).startswith(
        "4 of 9 specs audited, 1 failed, 5 errors, 2 passed, 1 no budget; 1 waived"
    )
    assert text.count("SA022)") == 5
    assert "INCOMPLETE" in rendered("text", run, width=width, incomplete=True)
    assert "waived" in text


def test_markdown_has_the_same_numbers_as_text(run: tuple[Path, tuple[Verdict, ...]]) -> None:
    text, markdown = rendered("text", run, width=500), rendered("markdown", run)
    numbers = r"\d+\.\d+|SA\d{3}"
    assert set(re.findall(numbers, text)) == set(re.findall(numbers, markdown))


def test_a_run_over_nothing_can_be_written_in_every_format() -> None:
    for form, render in VERDICT_RENDERERS.items():
        assert render((), Layout()), form
    junit(VERDICT_RENDERERS["junit"]((), Layout()))


def test_a_waived_policy_budget_names_who_answers_for_it_in_every_format() -> None:
    waiver = Waiver("SA013", "agreed", "the board", date(2030, 1, 1), Fraction(9, 2))
    budget = Budget("semi_dp", "rho", Fraction(4), policy=True)
    result = BudgetResult(budget, None, False, "above its limit", "SA013", waiver)
    finding = Finding("SA013", "error", "above", waived=waiver)
    verdict = Verdict("x", "holds", budgets=(result,), findings=(finding,))
    for form, render in VERDICT_RENDERERS.items():
        text = " ".join(render([verdict], Layout(200)).split())
        if form == "csv":  # a row a spec: it counts the budgets that are waived
            header, row = (line.split(",") for line in text.split(" "))
            assert row[header.index("budgets_waived")] == "1"
        else:
            assert "the board" in text, form
    assert "SA013" in RULES


@pytest.mark.parametrize("form", [name for name in VERDICT_RENDERERS if name != "github"])
def test_no_format_has_the_run_time_unless_it_is_asked_for(form: str) -> None:
    slow, fast = (
        [Verdict("a", "unaudited", seconds=seconds), Verdict("b", "holds", seconds=seconds)]
        for seconds in (98.765, 0.0)
    )
    render = VERDICT_RENDERERS[form]
    assert render(slow, Layout()) == render(fast, Layout())
    timed = render(slow, Layout(times=True))
    assert ("98.765" in timed) == (form in ("csv", "junit"))


def test_junit_with_run_times_still_follows_its_schema() -> None:
    verdicts = [Verdict("a", "unaudited", seconds=1.5), Verdict("b", "unaudited", seconds=2.25)]
    root = junit(VERDICT_RENDERERS["junit"](verdicts, Layout(times=True, incomplete=True)))
    assert root.get("time") == "3.750"
    assert [suite.get("time") for suite in root] == ["1.500", "2.250", None]
    assert [case.get("time") for case in root.iter("testcase")] == ["1.500", "2.250", None]


def failing(path: str, number: int) -> Verdict:
    findings = tuple(
        Finding("SA013", "error", f"{path} {i}", Mark(i + 1, 1)) for i in range(number)
    )
    return Verdict(path, "exceeds", findings=findings)


def annotated(verdicts: Sequence[Verdict], **layout: Any) -> tuple[list[str], str]:
    """The files of the annotations, and the last line."""
    *lines, last = VERDICT_RENDERERS["github"](verdicts, Layout(**layout)).splitlines()
    return re.findall("file=([^,]+)", "\n".join(lines)), last


def test_every_failing_spec_has_an_annotation_before_any_has_two() -> None:
    files, last = annotated([failing("a", 12), failing("b", 2), failing("c", 1)])
    assert files[:3] == ["a", "b", "c"]
    assert files[3:] == ["a"] * 7
    assert last.endswith("5 more findings are not shown here")


def test_failing_specs_beyond_the_annotations_are_named() -> None:
    verdicts = [failing(f"{i:02}", 1) for i in range(12)]
    files, last = annotated(verdicts)
    assert files == [f"{i:02}" for i in range(10)]
    assert last.endswith("; not passed, and without an annotation: 10, 11")
    files, last = annotated(verdicts[:2], ignored=frozenset({"SA013"}))
    assert files == []
    assert last.endswith("; not passed, and without an annotation: 00, 01")


def test_a_finding_that_specs_share_is_an_annotation_of_each() -> None:
    finding = Finding("SA013", "error", "the same", Mark(1, 1))
    verdicts = [Verdict(f"{i:02}", "exceeds", findings=(finding,)) for i in range(12)]
    text = VERDICT_RENDERERS["github"](verdicts, Layout())
    assert "the same (also in 11 other specs)\n" in text
    assert "without an annotation" not in text


def test_a_problem_of_another_file_is_an_annotation_of_its_spec() -> None:
    problem = Problem("data.csv", 3, 1, "", "is not a number")
    files, last = annotated([Verdict("a", "unaudited", problems=(problem,))])
    assert files == ["data.csv"]
    assert "without an annotation" not in last


def cases_of(verdicts: Sequence[Verdict], tag: str = "failure") -> list[str]:
    """The types of what failed, as JUnit has it."""
    root = junit(VERDICT_RENDERERS["junit"](verdicts, Layout()))
    assert int(root.get(f"{tag}s", "0")) == len([*root.iter(tag)])
    return [case.get("type", "") for case in root.iter(tag)]


def test_junit_has_every_finding_that_failed() -> None:
    findings = [Finding(rule, "error", rule, Mark(1, 1)) for rule in ("SA002", "SA016", "SA028")]
    seen = (*findings, Finding("SA001", "warning", "a", Mark(1, 1)))
    assert cases_of([Verdict("x", "exceeds", findings=seen)]) == ["SA002", "SA016", "SA028"]
    assert cases_of([Verdict("x", "holds", findings=(findings[0],))]) == []


def test_junit_fails_if_a_required_budget_is_missing_or_nothing_was_audited() -> None:
    finding = Finding("SA030", "warning", "no budget", Mark(1, 1))
    verdict = Verdict("x", "audited", findings=(finding,))
    assert cases_of([verdict]) == []
    assert cases_of([replace(verdict, budgets_required=True)]) == ["SA030"]
    assert cases_of([], "error") == ["incomplete"]
