"""The JSON Schemas of specs, policies and files of waivers, for editors.

The texts here explain keys that the grammar does not explain, by the name of the section and the
key. A key whose value is a section of its own has that section's text.
"""

from __future__ import annotations

from typing import Any

from semiaudit.schemas import DIALECT, Schema, described
from semiaudit.spec.mechanism.mechanism_schema import NOT_KINDS, MechanismSection
from semiaudit.spec.policy.policy_reader import PolicySection, WaiversSection
from semiaudit.spec.scalars import Section
from semiaudit.spec.schema import SpecSection
from semiaudit.version import schema_address

_RHO = "the parameter of zCDP"
_EPSILON = "the privacy loss, natural logarithms"

MEANINGS: dict[str, str] = {
    "AdjacencySection.metric": "how the distance between two datasets is measured",
    "AdjacencySection.reading": "the definition of a(t) that the "
    "guarantees use; covering protects every dataset",
    "ApproxDPSection.delta": "the probability that ε does not cover, from 0 to below 1",
    "ApproxDPSection.epsilon": _EPSILON,
    "BoundSection.at_least": "no fewer records than this",
    "BoundSection.at_most": "no more records than this",
    "BoundSection.where": "the level or levels of each attribute that the records have",
    "BudgetSection.advantage": "the largest total variation distance that is allowed",
    "BudgetSection.delta": "the delta of the epsilon; without it 0, which is pure DP",
    "BudgetSection.epsilon": "the largest epsilon that is allowed",
    "BudgetSection.fpr": "the false positive rate of the tpr",
    "BudgetSection.framework": "the privacy definition whose number is limited",
    "BudgetSection.mu": "the largest mu that is allowed",
    "BudgetSection.rho": "the largest rho that is allowed",
    "BudgetSection.verification": "a verification of the code that must be consistent",
    "VerificationSection.confidence": "the least confidence of its tests together",
    "VerificationSection.record": "the JSON report of `semiaudit verify`, in the folder of the "
    "spec; for release.yaml, release.verify.json by default",
    "BudgetSection.tpr": "the largest true positive rate that is allowed, at an fpr",
    "CountSection.where": "the level or levels of each attribute that the counted records have",
    "DataspaceSection.attributes": "the attributes of a record, each with its levels",
    "DataspaceSection.datasets": "all possible datasets, as lists of records, for small examples",
    "GDPSection.mu": "the parameter of Gaussian DP",
    "GaussianSection.sigma": "the standard deviation, instead of a covariance",
    "DiscreteGaussianSection.sigma_squared": "the parameter, which is close to the variance",
    "LaplaceSection.scale": "the scale, which is the mean of |noise|",
    "DiscreteLaplaceSection.scale": "the scale: over this distance, "
    "probabilities fall by a factor of e",
    "KNormSection.epsilon": "the loss at distance 1 in D; with a hull of D_t, at a(t) inside D_t",
    "KNormSection.query": "what the noise is added to",
    "LeastSection.metric": "the weakest metric that a spec may use",
    "LeastSection.reading": "the weakest definition of a(t) that a spec may use",
    "MechanismSection.compose": "several mechanisms on the same data, whose privacy losses add up",
    "PolicySection.budgets": "limits for every spec, in addition to its own budgets",
    "PolicySection.fail_on": "rules whose findings fail, such as SA028, whatever --fail-on says",
    "PolicySection.least": "the weakest settings that a spec may use",
    "PolicySection.require_budgets": "whether a spec without any budget fails",
    "PolicySection.semiaudit_policy": "the version of the format of policies",
    "PolicySection.title": "the title of the policy",
    "ProductSection.values": "the possible values of a record",
    "PureDPSection.epsilon": _EPSILON,
    "RandomizedResponseSection.epsilon": _EPSILON,
    "ReleaseSection.invariants": "what this release publishes exactly",
    "ShuffledSection.epsilon0": "the loss of each local randomizer",
    "SpecSection.budgets": "limits on the certified numbers",
    "SpecSection.invariants": "what is published exactly",
    "SpecSection.semiaudit": "the version of the format of specs",
    "SpecSection.title": "the title of the release",
    "StatisticSection.name": "which statistic is published",
    "StatisticSection.of": "the attribute or value of the statistic",
    "WaiverSection.approver": "the person who is responsible for the exception",
    "WaiverSection.framework": "the privacy definition whose budget is waived",
    "WaiverSection.measure": "what the waived budget limits",
    "WaiverSection.reason": "the reason for the exception",
    "WaiverSection.rule": "the id of the rule that is waived",
    "WaiversSection.semiaudit_waivers": "the version of the format of files of waivers",
    "WaiversSection.waivers": "accepted exceptions, each of one spec",
    "ZCDPSection.rho": _RHO,
}

_BUDGET = {"framework": "semi_dp", "rho": 4.5}
_WAIVER = {
    "rule": "SA013",
    "reason": "agreed with the board",
    "approver": "data steward",
    "expires": "2027-06-30",
    "framework": "semi_dp",
    "measure": "rho",
    "accepted": 11,
}
EXAMPLES: dict[str, list[Any]] = {
    "AdjacencySection": [{"metric": "hamming", "reading": "covering"}],
    "ApproxDPSection": [{"epsilon": 1, "delta": "1e-6"}],
    "BoundSection": [{"where": {"facility": 7}, "at_least": 3}],
    "BudgetSection": [_BUDGET, {"framework": "semi_dp", "epsilon": 41, "delta": "1e-10"}],
    "VerificationSection": [{"confidence": 0.95}],
    "CountSection": [{"where": {"hispanic": "yes"}}],
    "DataSection": [{"counts": [[3, 1], [2, 4]]}, {"margins": {"sex": [1024, 1412]}}],
    "DataspaceSection": [{"unit": "person", "size": 1000, "attributes": {"region": 4, "sex": 2}}],
    "DiscreteGaussianSection": [{"sigma_squared": "339/542", "shifts": [1, 1]}],
    "DiscreteLaplaceSection": [{"scale": 2, "query": "table"}],
    "GDPSection": [{"mu": 1}],
    "GaussianSection": [
        {"sigma": 2, "query": {"margins": [["region"]]}},
        {"sigma": 2, "query": "table", "support": "null_space"},
        {"covariance": "covariance.csv", "query": "table"},
    ],
    "InvariantSection": ["total", {"margin": ["region"]}, {"count": {"where": {"sex": "female"}}}],
    "KNormSection": [
        {"epsilon": 1, "query": "table"},
        {"epsilon": 1, "norm": {"hull": "D_t"}, "query": "table"},
    ],
    "LaplaceSection": [
        {"scale": 2, "query": "table"},
        {"scale": 2, "query": "table", "support": "null_space"},
        {"scale": 2, "basis": "basis.csv", "query": "table"},
    ],
    "LeastSection": [{"metric": "hamming", "distance": 2}],
    "MechanismSection": [
        {"zcdp": {"rho": 2.56}},
        {"compose": [{"laplace": {"scale": 2, "query": "table"}, "repeat": 3}, {"gdp": {"mu": 1}}]},
    ],
    "PolicySection": [{"semiaudit_policy": 1, "budgets": [_BUDGET], "require_budgets": True}],
    "ProductSection": [{"size": 3, "values": [0, 1]}],
    "PureDPSection": [{"epsilon": 1}],
    "QuerySection": ["table", {"margins": [["region"], ["region", "sex"]]}, {"matrix": "rows.csv"}],
    "RandomizedResponseSection": [{"epsilon": 1, "levels": 2}],
    "ReleaseSection": [{"invariants": ["total"], "mechanism": {"zcdp": {"rho": 0.5}}}],
    "ReportSection": [{"deltas": ["1e-6", "1e-10"], "alphas": [0.01, 0.05]}],
    "ShuffledSection": [{"epsilon0": 1, "reports": 1000}],
    "SpecSection": [
        {
            "semiaudit": 1,
            "title": "A survey table with published margins",
            "dataspace": {
                "unit": "respondent",
                "size": 1000,
                "attributes": {"region": 4, "sex": 2},
            },
            "invariants": [{"margin": ["region"]}],
            "mechanism": {"zcdp": {"rho": 0.5}},
            "budgets": [_BUDGET],
        }
    ],
    "StatisticSection": [{"name": "max", "of": "income"}],
    "SubsampledGaussianSection": [{"noise_multiplier": 1, "sampling_rate": 0.01, "steps": 1000}],
    "ProfileSection": [{"points": [[0.5, "1e-3"], [1, "1e-6"]]}],
    "TradeoffSection": [{"points": [[0, 1], [0.25, 0.25], [1, 0]], "orders": "both"}],
    "WaiverSection": [_WAIVER],
    "WaiversSection": [
        {
            "semiaudit_waivers": 1,
            "waivers": [{**_WAIVER, "spec": "releases/2026.semiaudit.yaml", "sha256": 64 * "0"}],
        }
    ],
    "ZCDPSection": [{"rho": 2.56}],
}
"""Values of whole sections."""


_NEED_A_QUERY = {"support", "covariance", "basis"}


def spec_json_schema() -> Schema:
    """The JSON Schema of specs."""
    schema = _document("spec", SpecSection)
    definitions = schema["$defs"]
    kinds = [name for name in MechanismSection.model_fields if name not in NOT_KINDS]
    definitions["MechanismSection"]["oneOf"] = [{"required": [name]} for name in kinds]
    definitions["MechanismSection"]["dependentRequired"] = {"total_rho": ["compose"]}
    for name, definition in definitions.items():
        if {"query", "shifts"} <= definition.get("properties", {}).keys():
            definitions[name]["oneOf"] = [{"required": ["query"]}, {"required": ["shifts"]}]
        on_query = definition.get("properties", {}).keys() & _NEED_A_QUERY
        if on_query and "shifts" in definition["properties"]:
            definitions[name]["dependentRequired"] = {key: ["query"] for key in sorted(on_query)}
    for name, one, other in (("Gaussian", "sigma", "covariance"), ("Laplace", "", "basis")):
        definitions[f"{name}Section"]["not"] = {"required": ["support", other]}
        if one:
            either = [{"required": [one]}, {"required": [other]}]
            definitions[f"{name}Section"]["allOf"] = [{"oneOf": either}]
    for name, word in (("QuerySection", "table"), ("InvariantSection", "total")):
        definitions[name] = _word_or_one_key(definitions[name], word)
    either = [{"required": ["mechanism"]}, {"required": ["invariants"]}]
    definitions["ReleaseSection"]["anyOf"] = either
    margin = definitions["MarginSection"]
    listed = {**margin["properties"]["attributes"], "description": "the attributes"}
    definitions["MarginSection"] = {
        "anyOf": [listed, margin],
        "description": margin.pop("description"),
    }
    return described(schema)


def policy_json_schema() -> Schema:
    """The JSON Schema of policies."""
    return described(_document("policy", PolicySection))


def waivers_json_schema() -> Schema:
    """The JSON Schema of files of waivers, each of which names its spec."""
    schema = _document("waivers", WaiversSection)
    waiver = schema["$defs"]["WaiverSection"]
    waiver["required"] += ["spec", "sha256"]
    waiver["examples"] = schema["examples"][0]["waivers"]
    return described(schema)


def _document(name: str, model: type[Section]) -> Schema:
    schema_of_model = model.model_json_schema()
    definitions = schema_of_model.get("$defs", {})
    for section, schema in [*definitions.items(), (model.__name__, schema_of_model)]:
        for key, value in schema.get("properties", {}).items():
            value.pop("title", None)
            description = MEANINGS.get(f"{section}.{key}") or _section_description(
                value, definitions
            )
            if description:
                value.setdefault("description", description)
        if section in EXAMPLES:
            schema["examples"] = EXAMPLES[section]
    return {"$schema": DIALECT, "$id": schema_address(name)} | schema_of_model


def _section_description(value: Schema, definitions: Schema) -> str:
    items = value.get("items", {})
    for option in [value, items, *value.get("anyOf", [])]:
        target = definitions.get(option.get("$ref", "").rpartition("/")[2], {})
        if "description" in target:
            return str(target["description"])
    return ""


def _word_or_one_key(section: Schema, word: str) -> Schema:
    """A section that may be written as a word, and else has exactly one of its other keys."""
    section["properties"].pop(word)
    notes = {key: section.pop(key) for key in ("description", "examples") if key in section}
    mapping = section | {"minProperties": 1, "maxProperties": 1}
    return notes | {"anyOf": [{"const": word}, mapping]}
