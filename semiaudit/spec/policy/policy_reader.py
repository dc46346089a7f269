"""Readers of policies and waivers, as strict as that of specs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema

from semiaudit.errors import NOWHERE, SpecError
from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.audit import Waiver
from semiaudit.model.policy import Policy
from semiaudit.model.rules import CAN_BE_ERRORS, NO_BUDGET, RULES, no_rule
from semiaudit.spec.policy.budget_schema import BudgetSection
from semiaudit.spec.policy.waiver_schema import WaiverSection
from semiaudit.spec.scalars import Section, Size, Text, choice, shown, word
from semiaudit.spec.schema import MOST_BUDGETS, MOST_WAIVERS
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import Node, Scalar, YamlDocument, parse_document, read_file, text_of

REQUIRED = "require_budgets"
TRUE_AND_FALSE = ("true", "false")


def _rule(value: object) -> str:
    rule = word(value)
    if rule == NO_BUDGET:
        raise ValueError(f"{rule} has a key of its own; write {REQUIRED}: true")
    if rule in RULES and rule not in CAN_BE_ERRORS:
        raise ValueError(f"{rule} always fails; remove it")
    if rule not in RULES:
        raise ValueError(no_rule(shown(value), f"name one of {', '.join(CAN_BE_ERRORS)}"))
    return rule


_Rule = Annotated[
    str, BeforeValidator(_rule), WithJsonSchema({"type": "string", "enum": [*CAN_BE_ERRORS]})
]
Rules = Annotated[list[_Rule], Field(max_length=len(CAN_BE_ERRORS))]


class FailOnSection(Section):
    """What a policy fails on."""

    fail_on: Rules = Field(default=[])


class LeastSection(Section):
    """The weakest settings that a spec may use."""

    metric: Annotated[Metric | None, choice(*get_args(Metric))] = None
    reading: Annotated[Reading | None, choice(*get_args(Reading))] = None
    distance: Annotated[Size | None, Field(description="of semi-adjacency")] = None


class PolicySection(Section):
    """Budgets for every spec, and the weakest settings that a spec may use."""

    semiaudit_policy: Annotated[Literal[1], WithJsonSchema({"const": 1})]
    title: Text | None = None
    least: LeastSection | None = None
    budgets: Annotated[list[BudgetSection], Field(max_length=MOST_BUDGETS)] = Field(default=[])
    require_budgets: bool = False
    fail_on: Rules = Field(default=[])


class WaiversSection(Section):
    """A file of waivers: accepted exceptions, separate from the specs."""

    semiaudit_waivers: Annotated[Literal[1], WithJsonSchema({"const": 1})]
    waivers: Annotated[list[WaiverSection], Field(max_length=MOST_WAIVERS)]


def load_policy(path: str | Path) -> Policy:
    """Read a policy file.

    Raises:
        SpecError: with every problem of the file.
    """
    document, root = _opened(path, PolicySection)
    reader = Validation(document)
    least = reader.section(LeastSection, "least", root) if "least" in root else None
    least = least or LeastSection()
    items = reader.items(BudgetSection, "budgets", root)
    read = [section.budget(NOWHERE, policy=True) for _, section in items]
    budgets = tuple(budget for budget in read if budget is not None)
    required_runs = [section.requirement(NOWHERE) for _, section in items]
    verifications = tuple(asked for asked in required_runs if asked is not None)
    title = root.get("title")
    if "title" in root and not isinstance(title, Scalar):
        document.report(("title",), "must be text", "write a sentence")
    required = _truth(document, REQUIRED, root)
    named = {"fail_on": root["fail_on"]} if "fail_on" in root else {}
    fail_on = (reader.whole(FailOnSection, named) or FailOnSection()).fail_on
    nothing = not items and not required and not fail_on and least == LeastSection()
    if nothing and not document.problems:
        document.report((), "requires nothing", f"add budgets, least, fail_on, or {REQUIRED}: true")
    _raise(document)
    return Policy(
        path=Path(path).as_posix(),
        title=str(title) if isinstance(title, Scalar) else "",
        budgets=budgets,
        metric=least.metric,
        reading=least.reading,
        distance=least.distance,
        require_budgets=required,
        fail_on=tuple(fail_on),
        verifications=verifications,
    )


def load_waivers(path: str | Path) -> tuple[Waiver, ...]:
    """Read a file of waivers.

    Raises:
        SpecError: with every problem of the file.
    """
    document, root = _opened(path, WaiversSection)
    if "waivers" not in root and not document.problems:
        document.report((), "waivers is missing", "list them under `waivers:`")
    items = Validation(document).items(WaiverSection, "waivers", root)
    for place, section in items:
        if section.spec is None:
            what, remedy = "does not name its spec", "add spec: its path, or the end of it"
            document.report(place, what, remedy)
        if section.sha256 is None:
            what, remedy = "does not name the spec's SHA-256", "add sha256: what sha256sum prints"
            document.report(place, what, remedy)
    _raise(document)
    file = Path(path).as_posix()
    return tuple(section.waiver(file, document.mark(place)) for place, section in items)


def _opened(path: str | Path, model: type[Section]) -> tuple[YamlDocument, dict[str, Node]]:
    """A document that begins with its version, the first of the keys it may have; its mapping."""
    version, *known = model.model_fields
    file = str(path)
    remedy = f"begin with `{version}: 1`"
    document = parse_document(text_of(read_file(path), file, remedy), file)
    root = document.root
    if not isinstance(root, dict):
        document.report((), "is not a mapping", remedy)
        raise SpecError(list(document.problems))
    number = root.get(version)
    if not isinstance(number, Scalar) or number.strip() != "1":
        document.report((version,) if version in root else (), f"is not a {version} file", remedy)
    for key in root:
        if key not in (version, *known):
            Validation(document).unknown((key,), [version, *known])
    return document, root


def _truth(document: YamlDocument, key: str, root: dict[str, Node]) -> bool:
    value = root.get(key, TRUE_AND_FALSE[1])
    if value not in TRUE_AND_FALSE:
        document.report((key,), "must be true or false", "write true, or remove it")
    return value == TRUE_AND_FALSE[0]


def _raise(document: YamlDocument) -> None:
    if document.problems:
        raise SpecError(list(dict.fromkeys(document.problems)))
