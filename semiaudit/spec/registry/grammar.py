"""The keys of an entry, as the registry's schema has them at ``SCHEMA_COMMIT``.

Names, types, enumerations and what is required are the schema's; the descriptions are ours. No
object has any other key.

Source: ``schemas/deployments-schema.yaml`` of opendp/deployments-registry-data, commit 3e9c812.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from semiaudit.spec.grammar import Section
from semiaudit.spec.registry.values import (
    Day,
    Number,
    NumberOrText,
    Text,
    Texts,
    Tier,
    among,
)

STATUSES = (
    "Converted",
    "Draft",
    "Pending",
    "Changes Required",
    "Approved",
    "Approved (Update Requested)",
    "Approved (Pending)",
)
PRODUCTS = (
    "Summary statistics",
    "Machine learning model",
    "Dataset",
    "Synthetic data",
    "Interactive API",
    "SQL queries",
)
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")
VARIANTS = ("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom")
RELEASES = ("One release", "Many releases")
SOURCES = ("Static", "Dynamic")
ACCESS = ("Interactive", "Non-interactive")
MODELS = ("Local", "Central", "Shuffle", "Federated", "Varies")


Status = Annotated[Text, AfterValidator(among(*STATUSES)), WithJsonSchema({"enum": [*STATUSES]})]
Product = Annotated[Text, AfterValidator(among(*PRODUCTS)), WithJsonSchema({"enum": [*PRODUCTS]})]
Sector = Annotated[Text, AfterValidator(among(*SECTORS)), WithJsonSchema({"enum": [*SECTORS]})]
Variant = Annotated[Text, AfterValidator(among(*VARIANTS)), WithJsonSchema({"enum": [*VARIANTS]})]
Model = Annotated[Text, AfterValidator(among(*MODELS)), WithJsonSchema({"enum": [*MODELS]})]
Release = Annotated[Text, AfterValidator(among(*RELEASES)), WithJsonSchema({"enum": [*RELEASES]})]
Source = Annotated[Text, AfterValidator(among(*SOURCES)), WithJsonSchema({"enum": [*SOURCES]})]
Access = Annotated[Text, AfterValidator(among(*ACCESS)), WithJsonSchema({"enum": [*ACCESS]})]


class BasicSection(Section):
    """What the data product is, and who publishes it."""

    name: Text = Field(description="what the data product is called")
    data_curators: Texts = Field(description="who publishes it, one entry each")
    intended_use: Text = Field(description="what it is meant for")
    data_product_type: Product = Field(description="what kind of data product it is")
    data_product_region: Text = Field(
        description="which region the data describe, or whose law applies"
    )
    description: Text = Field(description="the data product in a few words")
    publication_date: Day = Field(
        description="when it was first published, in quotes; month and day 01 where unknown"
    )
    data_product_sector: Sector = Field(default=None, description="the field that it belongs to")


class VariantSection(Section):
    """Which privacy is stated, and of what."""

    variant_name: Variant = Field(
        default=None, description="the standard by which loss is measured"
    )
    data_domain: Text = Field(default=None, description="the set of possible datasets")
    unprotected_quantities: Text = Field(
        default=None, description="what is published exactly: the invariants"
    )


class ParametersSection(Section):
    """How much is lost at most."""

    epsilon: Number = Field(default=None, description="of pure or approximate DP")
    delta: NumberOrText = Field(
        default=None, description="of approximate DP; a number, or text such as a formula"
    )
    rho: Number = Field(default=None, description="of zero-concentrated DP")


class LossSection(Section):
    """Between which datasets, and how much."""

    privacy_unit: Text = Field(default=None, description="whose data are protected")
    privacy_unit_details: Text = Field(
        default=None, description="which datasets are adjacent: metric and distance"
    )
    privacy_parameters: ParametersSection = Field(
        default=None, description="the numbers of the variant"
    )
    privacy_parameters_details: Any = Field(
        default=None, description="what the numbers are numbers of"
    )


class ModelSection(Section):
    """Who is trusted with the data, and how often something is released."""

    model_name: Model = Field(default=None, description="where the noise is added")
    model_name_details: Text = Field(default=None, description="the model in more words")
    actors: Text = Field(default=None, description="who sees what, and who is trusted")
    release_type: Release = Field(default=None, description="how often it is published")
    release_type_details: Text = Field(default=None, description="the releases in more words")
    data_source_type: Source = Field(default=None, description="whether new data come in")
    data_source_type_details: Any = Field(default=None, description="the source in more words")
    access_type: Access = Field(default=None, description="whether analysts ask the data")
    access_type_details: Text = Field(default=None, description="the access in more words")


class AccountingSection(Section):
    """How losses of several queries add up."""

    post_processing: Text = Field(default=None, description="what is done to the noisy numbers")
    composition: Text = Field(default=None, description="how the loss of all queries is found")


class ImplementationSection(Section):
    """How it was done."""

    preprocessing_and_hyperparameter_tuning: Text = Field(
        default=None, description="what came before, and its loss"
    )
    mechanisms: Text = Field(default=None, description="the noise, and the code that draws it")
    justification: Text = Field(default=None, description="why it was done in this way")


class AdministrativeSection(Section):
    """Where the entry is from."""

    sources: Text = Field(default=None, description="what describes the deployment")
    notes: Text = Field(default=None, description="whatever else a reader should know")
    registry_authors: Texts = Field(description="who wrote the entry")


class DeploymentSection(Section):
    """The deployment."""

    basic: BasicSection
    dp_variant: VariantSection = Field(
        default=None, description="which privacy is stated, and of what"
    )
    privacy_loss: LossSection = Field(
        default=None, description="between which datasets, and how much"
    )
    deployment_model: ModelSection = Field(default=None, description="who is trusted with the data")
    accounting: AccountingSection = Field(default=None, description="how losses add up")
    implementation: ImplementationSection = Field(default=None, description="how it was done")
    administrative: AdministrativeSection = Field(
        default=None, description="where the entry is from"
    )


class EntrySection(Section):
    """An entry of the OpenDP deployments registry."""

    url_slug: Text = Field(description="the end of its address: name, curators and year")
    status: Status = Field(description="how far its approval is")
    tier: Tier = Field(description="how complete it is, from 1 to 3")
    deployment: DeploymentSection
