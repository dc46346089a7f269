"""A verification as JUnit XML: a test case for each test and each finding."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from semiaudit.commands.verify.model import Verified
from semiaudit.commands.verify.view import answer_of, refutation
from semiaudit.report.text.layout import Layout
from semiaudit.report.text.shield import xml_text


def to_junit(verified: Verified, layout: Layout) -> str:
    """Render a verification; undecided and not run are errors."""
    suite = Element("testsuite", name=verified.path)
    whole = SubElement(suite, "testcase", name="verdict", classname="verify")
    sentence = answer_of(verified)[0]
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
        case = SubElement(suite, "testcase", name=finding.cell, classname="verify")
        SubElement(case, "failure", message=f"{finding.cell}: {finding.message}")
    cases = suite.findall("testcase")
    root = Element("testsuites", name="semiaudit")
    for node in (suite, root):
        node.set("tests", str(len(cases)))
        for kind in ("failure", "error"):
            node.set(f"{kind}s", str(sum(case.find(kind) is not None for case in cases)))
    root.append(suite)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml_text(text)}\n'
