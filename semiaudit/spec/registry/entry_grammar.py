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
    maybe,
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
    data_product_sector: Sector = maybe("the field that it belongs to")


class VariantSection(Section):
    """Which privacy is stated, and of what."""

    variant_name: Variant = maybe("the standard by which loss is measured")
    data_domain: Text = maybe("the set of possible datasets")
    unprotected_quantities: Text = maybe("what is published exactly: the invariants")


class ParametersSection(Section):
    """How much is lost at most."""

    epsilon: Number = maybe("of pure or approximate DP")
    delta: NumberOrText = maybe("of approximate DP; a number, or text such as a formula")
    rho: Number = maybe("of zero-concentrated DP")


class LossSection(Section):
    """The privacy loss: between which datasets, and how large."""

    privacy_unit: Text = maybe("whose data are protected")
    privacy_unit_details: Text = maybe("which datasets are adjacent: metric and distance")
    privacy_parameters: ParametersSection = maybe("the numbers of the variant")
    privacy_parameters_details: Any = maybe("what the numbers are numbers of")


class ModelSection(Section):
    """Who is trusted with the data, and how often something is released."""

    model_name: Model = maybe("where the noise is added")
    model_name_details: Text = maybe("the model in more words")
    actors: Text = maybe("who sees what, and who is trusted")
    release_type: Release = maybe("how often it is published")
    release_type_details: Text = maybe("the releases in more words")
    data_source_type: Source = maybe("whether new data come in")
    data_source_type_details: Any = maybe("the source in more words")
    access_type: Access = maybe("whether analysts ask the data")
    access_type_details: Text = maybe("the access in more words")


class AccountingSection(Section):
    """How losses of several queries add up."""

    post_processing: Text = maybe("what is done to the noisy numbers")
    composition: Text = maybe("how the loss of all queries is found")


class ImplementationSection(Section):
    """How it was done."""

    preprocessing_and_hyperparameter_tuning: Text = maybe("what came before, and its loss")
    mechanisms: Text = maybe("the noise, and the code that samples it")
    justification: Text = maybe("why it was done in this way")


class AdministrativeSection(Section):
    """Where the entry is from."""

    sources: Text = maybe("what describes the deployment")
    notes: Text = maybe("whatever else a reader should know")
    registry_authors: Texts = Field(description="who wrote the entry")


class DeploymentSection(Section):
    """The deployment."""

    basic: BasicSection
    dp_variant: VariantSection = maybe("the privacy guarantee, and what it covers")
    privacy_loss: LossSection = maybe("between which datasets, and how much")
    deployment_model: ModelSection = maybe("who is trusted with the data")
    accounting: AccountingSection = maybe("how losses add up")
    implementation: ImplementationSection = maybe("how it was done")
    administrative: AdministrativeSection = maybe("where the entry is from")


class EntrySection(Section):
    """An entry of the OpenDP deployments registry."""

    url_slug: Text = Field(description="the end of its address: name, curators and year")
    status: Status = Field(description="how far its approval is")
    tier: Tier = Field(description="how complete it is, from 1 to 3")
    deployment: DeploymentSection
