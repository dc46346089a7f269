"""Many verdicts as JUnit XML, by the schema of the Jenkins xUnit plugin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from semiaudit.model.audit import Budget, BudgetResult, Finding
from semiaudit.model.number_text import certified_text, limit_text
from semiaudit.model.rules import NO_BUDGET as RULE_OF_NO_BUDGET
from semiaudit.model.rules import OF_THE_AUDIT, RULES
from semiaudit.model.verdict import ERROR, NO_BUDGET, Verdict
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.notices import Notice, is_missing, notices_of
from semiaudit.report.text.layout import Layout
from semiaudit.report.text.shield import xml_text

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


AUDIT = "audit"
"""The name of the test case of the audit itself, which takes all the time."""


def to_junit(verdicts: Sequence[Verdict], layout: Layout) -> str:
    """Render verdicts: a suite for each spec, a case for its audit and for each budget.

    ``<failure>`` is a budget or another rule that failed, also that there is no budget where one is
    required. ``<error>`` is a spec that could not be audited, or a run without any. ``<skipped>``
    is what is waived, or a spec without a budget where none is required.
    """
    suites = [_suite(verdict) for verdict in verdicts]
    root = Element("testsuites", name="semiaudit")
    if layout.times:
        root.set("time", _seconds(sum(v.seconds for v in verdicts)))
        for suite, verdict in zip(suites, verdicts, strict=True):
            suite.set("time", _seconds(verdict.seconds))
            for case in suite.iter("testcase"):
                case.set("time", _seconds(verdict.seconds if case.get("name") == AUDIT else 0))
    if layout.incomplete:
        suites.append(_of_the_run("every spec was audited", "the run was ended early"))
    elif not verdicts:
        suites.append(_of_the_run("a spec was found", "nothing was audited"))
    return junit_text(root, suites)


def junit_text(root: Element, suites: Sequence[Element]) -> str:
    """Return suites as a file; the root gets the sums of their counts."""
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in suites)))
    root.extend(suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml_text(text)}\n'


def _suite(verdict: Verdict) -> Element:
    suite = Element("testsuite", name=clean_text(verdict.path))
    if verdict.kind == "spec" and not is_missing(verdict):
        _audit(suite, verdict)
    for result in verdict.budgets:
        _budget(suite, verdict, result)
    budgets = {(result.rule, result.budget.mark) for result in verdict.budgets}
    notices = notices_of(verdict)[len(verdict.problems) :]
    for notice, finding in zip(notices, verdict.findings, strict=True):
        if (finding.rule, finding.mark) not in budgets and _fails(finding, verdict):
            _rule(suite, verdict, notice)
    if verdict.outcome == "exceeds" and suite.find("testcase/failure") is None:
        # no spec fails without a failure; the most severe finding is first
        for notice in [notice for notice in notices if notice.waived is None][:1]:
            _rule(suite, verdict, notice)
    return counted_suite(suite)


def _fails(finding: Finding, verdict: Verdict) -> bool:
    """Return whether a finding fails, or would fail if it were not waived.

    With --fail-on never, errors of the audit are reported of a spec that did not fail.
    """
    if finding.rule == RULE_OF_NO_BUDGET:
        return verdict.budgets_required
    is_fatal = finding.rule not in OF_THE_AUDIT or verdict.outcome == "exceeds"
    return is_fatal and finding.level == "error"


def _audit(suite: Element, verdict: Verdict) -> None:
    case = _case(suite, verdict, AUDIT)
    match verdict.outcome:
        case "unaudited" | "internal":
            text = "\n".join(str(problem) for problem in verdict.problems)
            message = text.partition("\n")[0] or ERROR
            error = SubElement(case, "error", type=ERROR, message=clean_text(message))
            error.text = clean_text(text)
        case "audited":
            if not verdict.budgets_required:
                SubElement(case, "skipped", message=NO_BUDGET)
        case "holds" | "exceeds":
            pass  # each budget has a case of its own
        case _:
            assert_never(verdict.outcome)


def _budget(suite: Element, verdict: Verdict, result: BudgetResult) -> None:
    name = f"{result.budget.framework} {_measure(result.budget)}"
    number = sum(case.get("name", "").partition(" (")[0] == name for case in suite)
    case = _case(suite, verdict, f"{name} ({number + 1})" if number else name)
    if result.waived is not None:
        SubElement(case, "skipped", message=clean_text(f"waived: {result.waived}"))
    elif not result.holds:
        limit = limit_text(result.budget.limit, result.actual)
        actual = (
            "no number"
            if result.actual is None
            else certified_text(result.actual, result.budget.limit)
        )
        message = f"{result.reason}: limit {limit}, certified {actual}"
        _failure(case, result.rule, message, f"{verdict.path}:{result.budget.mark.line or 1}")


def _measure(budget: Budget) -> str:
    """Return the measure in ASCII words: dashboards identify a case by its stable name."""
    match budget.measure:
        case "epsilon":
            text = f"epsilon, delta {rational_text(budget.at or Fraction(0))}"
        case "tpr":
            text = f"tpr, FPR {rational_text(budget.at or Fraction(0), up=False)}"
        case "a_t":
            text = "a(t)"
        case "rho" | "mu" | "advantage":
            text = budget.measure
        case _:
            assert_never(budget.measure)
    return text if budget.distance is None else f"{text}, distance {budget.distance}"


def _rule(suite: Element, verdict: Verdict, notice: Notice) -> None:
    case = _case(suite, verdict, f"{RULES[notice.rule].name}: {notice.message}")
    if notice.waived is not None:
        SubElement(case, "skipped", message=clean_text(f"waived: {notice.waived}"))
    else:
        _failure(case, notice.rule, notice.message, f"{notice.file}:{notice.line}")


def _failure(case: Element, rule: str, message: str, place: str) -> None:
    failure = SubElement(case, "failure", type=rule, message=clean_text(message))
    failure.text = clean_text("\n".join((message, place, RULES[rule].page)))


def _of_the_run(name: str, message: str) -> Element:
    suite = Element("testsuite", name="semiaudit")
    case = SubElement(suite, "testcase", name=name, classname="semiaudit")
    SubElement(case, "error", type="incomplete", message=message)
    return counted_suite(suite)


def _case(suite: Element, verdict: Verdict, name: str) -> Element:
    return SubElement(suite, "testcase", name=clean_text(name), classname=clean_text(verdict.path))


def counted_suite(suite: Element) -> Element:
    """Return a suite with the numbers of its cases and of what failed."""
    suite.set("tests", str(len(suite.findall("testcase"))))
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _seconds(value: float) -> str:
    return f"{value:.3f}"


def clean_text(text: str) -> str:
    """Remove characters that XML 1.0 does not allow."""
    return _NOT_XML.sub("\ufffd", text)
