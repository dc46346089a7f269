"""What the registry's schema asks of an entry, as a list of facts, and a JSON Schema made of them.

Names, types, enumerations and what is required, read in ``schemas/deployments-schema.yaml`` of
opendp/deployments-registry-data, commit 3e9c812a924cf01d228f26f6c462c59c391c3f2a (15 July 2026).
The registry reads its files with PyYAML, as YAML 1.1, and holds dates to their format.
"""

from __future__ import annotations

from typing import Any

import yaml
from jsonschema import Draft7Validator

TEXT, NUMBER, ANY = {"type": "string"}, {"type": "number"}, dict[str, Any]()


def words(told: str) -> dict[str, Any]:
    return {"type": "string", "enum": [word.strip() for word in told.split("|")]}


TEXTS = {"type": "array", "items": TEXT, "minItems": 1}
# "!" marks what is required.
FACTS: dict[str, Any] = {
    "url_slug!": TEXT,
    "status!": words(
        "Converted | Draft | Pending | Changes Required | Approved | Approved (Update Requested) "
        "| Approved (Pending)"
    ),
    "tier!": {"type": "integer", "enum": [1, 2, 3]},
    "deployment!": {
        "basic!": {
            "name!": TEXT,
            "data_curators!": TEXTS,
            "intended_use!": TEXT,
            "data_product_type!": words(
                "Summary statistics | Machine learning model | Dataset | Synthetic data "
                "| Interactive API | SQL queries"
            ),
            "data_product_region!": TEXT,
            "description!": TEXT,
            "publication_date!": {"type": "string", "format": "date"},
            "data_product_sector": words(
                "Technology | Healthcare | Education | Government | Energy | Finance"
            ),
        },
        "dp_variant": {
            "variant_name": words(
                "Pure DP | Approximate DP | Zero-concentrated DP | Renyi DP | Custom"
            ),
            "data_domain": TEXT,
            "unprotected_quantities": TEXT,
        },
        "privacy_loss": {
            "privacy_unit": TEXT,
            "privacy_unit_details": TEXT,
            "privacy_parameters": {
                "epsilon": NUMBER,
                "delta": {"type": ["number", "string"]},
                "rho": NUMBER,
            },
            "privacy_parameters_details": ANY,
        },
        "deployment_model": {
            "model_name": words("Local | Central | Shuffle | Federated | Varies"),
            "model_name_details": TEXT,
            "actors": TEXT,
            "release_type": words("One release | Many releases"),
            "release_type_details": TEXT,
            "data_source_type": words("Static | Dynamic"),
            "data_source_type_details": ANY,
            "access_type": words("Interactive | Non-interactive"),
            "access_type_details": TEXT,
        },
        "accounting": {"post_processing": TEXT, "composition": TEXT},
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": TEXT,
            "mechanisms": TEXT,
            "justification": TEXT,
        },
        "administrative": {"sources": TEXT, "notes": TEXT, "registry_authors!": TEXTS},
    },
}


def schema_of(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts as JSON Schema; no object has any other key."""
    if not facts or "type" in facts:
        return facts
    return {
        "type": "object",
        "required": [key[:-1] for key in facts if key.endswith("!")],
        "properties": {key.rstrip("!"): schema_of(inner) for key, inner in facts.items()},
        "additionalProperties": False,
    }


SCHEMA = schema_of(FACTS)
_VALIDATOR = Draft7Validator(SCHEMA, format_checker=Draft7Validator.FORMAT_CHECKER)


def read(text: str) -> Any:
    """An entry as the registry's own reader has it."""
    return yaml.load(text, Loader=yaml.SafeLoader)


def faults(text: str) -> list[str]:
    """What is wrong with an entry; empty where the registry takes it."""
    return [error.message for error in _VALIDATOR.iter_errors(read(text))]
