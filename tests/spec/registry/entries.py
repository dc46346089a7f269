"""Entries for the tests, made up; no words of any real one."""

from __future__ import annotations

from pathlib import Path

HEAD = """\
url_slug: commuters-example-agency-2027
status: Draft
tier: 3
deployment:
  basic:
    name: Commuters
    data_curators: [Example Agency]
    intended_use: Timetables
    data_product_type: Summary statistics
    data_product_region: Exampleland
    description: Commuters by county and age
    publication_date: '2027-01-01'
"""
VARIANT = """\
  dp_variant:
    variant_name: {variant}
    data_domain: {domain}
    unprotected_quantities: {exact}
"""
LOSS = """\
  privacy_loss:
    privacy_unit: {unit}
    privacy_unit_details: {relation}
    privacy_parameters: {parameters}
    privacy_parameters_details: {details}
"""
SOUND = {
    "variant": "Zero-concentrated DP",
    "domain": "all tables of 1000 commuters by county and age",
    "exact": "None",
    "unit": "person",
    "relation": "Two datasets are adjacent if one record of a person is replaced; distance 1.",
    "parameters": "{rho: 0.5}",
    "details": "Of all tables together.",
}


def entry(**parts: str) -> str:
    """An entry in which nothing is missing, but for the parts that are given."""
    return HEAD + (VARIANT + LOSS).format(**{**SOUND, **parts})


def written(folder: Path, text: str) -> str:
    path = folder / "entry.yaml"
    path.write_text(text, "utf-8")
    return str(path)
