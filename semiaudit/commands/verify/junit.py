"""A verification as JUnit XML: a test case for each test and each finding."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from semiaudit.commands.verify.model import Verified
from semiaudit.commands.verify.view import answer_of, refutation
from semiaudit.report.pipelines.to_junit import clean_text, counted_suite, junit_text
from semiaudit.report.text.layout import Layout


def to_junit(verified: Verified, layout: Layout) -> str:
    """Render a verification; undecided and not run are errors."""
    suite = Element("testsuite", name=clean_text(verified.path))
    whole = SubElement(suite, "testcase", name="verdict", classname="verify")
    sentence = clean_text(answer_of(verified)[0])
    if verified.verdict in ("undecided", "not run"):
        SubElement(whole, "error", message=sentence)
    elif verified.verdict == "violated":
        SubElement(whole, "failure", message=sentence)
    for test in verified.tests:
        at = f" at δ = {test.delta:g}" if test.delta else ""
        name = f"{test.kind}{at} ({test.order})"
        case = SubElement(suite, "testcase", name=name, classname="verify")
        if test.rejects:
            SubElement(case, "failure", message=refutation(test))
    for finding in verified.findings:
        case = SubElement(suite, "testcase", name=clean_text(finding.cell), classname="verify")
        SubElement(case, "failure", message=clean_text(f"{finding.cell}: {finding.message}"))
    return junit_text(Element("testsuites", name="semiaudit"), [counted_suite(suite)])
