"""Every identifier that a report could show has one label."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.frameworks import NAMES
from semiaudit.model.labels import (
    CONVERSIONS,
    DEFINITIONS_OF_A_T,
    LABELS,
    METRICS,
    PRIVACY_DEFINITIONS,
    label,
)
from semiaudit.privacy.epsilons import SOURCES
from semiaudit.report.form.to_json import DOCUMENT

SCHEMA = DOCUMENT.schema()


def enumerated(schema: Any, key: str) -> set[str]:
    """The words that a schema lists for a key, wherever the key is."""
    found: set[str] = set()
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == key and isinstance(value, dict):
                found |= {word for word in value.get("enum", []) if isinstance(word, str)}
            found |= enumerated(value, key)
    elif isinstance(schema, list):
        found = set().union(*(enumerated(value, key) for value in schema))
    return found


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (NAMES, PRIVACY_DEFINITIONS),
        (SOURCES, CONVERSIONS),
        (get_args(Reading), DEFINITIONS_OF_A_T),
        (get_args(Metric), METRICS),
    ],
)
def test_no_label_is_missing_or_without_its_identifier(names: Any, labels: Any) -> None:
    assert set(labels) == set(names)


@pytest.mark.parametrize("key", ["framework", "conversion", "method", "metric", "reading"])
def test_every_word_that_the_schema_of_reports_lists_has_a_label(key: str) -> None:
    words = enumerated(SCHEMA, key)
    assert words
    assert words <= set(LABELS)


def test_the_labels_are_those_of_the_field() -> None:
    assert {name: label(name) for name in NAMES} == {
        "nominal_dp": "Advertised DP",
        "group_privacy": "Group privacy",
        "semi_dp": "Semi-DP (effective)",
        "subspace_dp": "Subspace DP",
        "invariant_dp": "DP subject to invariants",
    }
    assert label("loss_distribution") == "composed loss distribution"
    assert label("cks20") == "Canonne, Kamath, Steinke 2020"
    assert label("bs16") == "Bun, Steinke 2016"
    assert label("distance_3") == "distance 3"


def test_every_meaning_is_one_sentence_and_no_two_labels_are_one() -> None:
    texts = [found.text for found in LABELS.values()]
    assert len(set(texts)) == len(texts)
    for found in LABELS.values():
        assert found.meaning.endswith(".")
        assert found.meaning[0].isupper() or found.meaning.startswith(("a(t)", "ε"))


def test_an_identifier_without_a_label_is_refused() -> None:
    with pytest.raises(KeyError):
        label("no_such_definition")
