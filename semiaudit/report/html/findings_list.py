"""The list of findings, each linked to its line and its rule, and the meanings of the rules."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.rules import RULES
from semiaudit.report.blocks.notices import Notice
from semiaudit.report.html.addresses import LinkTarget, rule_page
from semiaudit.report.html.markup import Child, Element, element
from semiaudit.report.rule_pages import advice_of


def findings_list(notices: Sequence[tuple[Notice, Child]]) -> Element:
    """List findings in their order.

    Args:
        notices: each with its place.
    """
    items = []
    for notice, where in notices:
        level = "waived" if notice.waived is not None else notice.level
        rule: Child = notice.rule
        if notice.rule in RULES:
            name = f"{notice.rule} {RULES[notice.rule].name}"
            rule = element("a", {"href": rule_page(notice.rule)}, name)
        head: list[Child] = [element("span", {"class": "level"}, level), " ", rule]
        waiver = f"; waived: {notice.waived}" if notice.waived is not None else ""
        items.append(
            element(
                "li",
                {"class": level},
                element("p", {}, head, " · " if where else "", where),
                element("p", {}, f"{notice.message}{waiver}"),
                _advice(notice.rule),
            )
        )
    return element("ul", {"class": "findings"}, items)


def _advice(rule: str) -> list[Element]:
    if rule not in RULES:
        return []
    first, *others = advice_of(RULES[rule]).split("\n\n")
    texts = [f"What to do: {first}", *others]
    return [element("p", {"class": "advice"}, text) for text in texts]


def place_of(notice: Notice, address: LinkTarget | None) -> Child:
    """Return the place of a finding, as a link if it has an address."""
    text = f"{notice.file}:{notice.line}:{notice.column}" if notice.column else notice.file
    return text if address is None else element("a", {"href": address}, text)
