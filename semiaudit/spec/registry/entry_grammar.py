"""The keys of an entry, as the registry's schema has them at ``SCHEMA_COMMIT``.

Names, types, enumerations and what is required are the schema's; the descriptions are ours. No
object has any other key.

Source: ``schemas/deployments-schema.yaml`` of opendp/deployments-registry-data, commit 3e9c812.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

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
from semiaudit.spec.scalars import Section

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

    name: Text = Field(description="the name of the data product")
    data_curators: Texts = Field(description="the publishers, one entry each")
    intended_use: Text = Field(description="the purpose")
    data_product_type: Product = Field(description="the kind of data product")
    data_product_region: Text = Field(
        description="the region of the data, or of the law that applies"
    )
    description: Text = Field(description="the data product in a few words")
    publication_date: Day = Field(
        description="the day of the first publication, in quotes; month and day 01 if unknown"
    )
    data_product_sector: Sector = maybe("the field of the data product")


class VariantSection(Section):
    """The privacy definition, and what it covers."""

    variant_name: Variant = maybe("the privacy measure")
    data_domain: Text = maybe("the set of possible datasets")
    unprotected_quantities: Text = maybe("what is published exactly: the invariants")


class ParametersSection(Section):
    """Upper bounds on the privacy loss."""

    epsilon: Number = maybe("the epsilon of pure or approximate DP")
    delta: NumberOrText = maybe("the delta of approximate DP; a number, or text such as a formula")
    rho: Number = maybe("the rho of zero-concentrated DP")


class LossSection(Section):
    """The compared datasets, and the privacy loss between them."""

    privacy_unit: Text = maybe("whose data are protected")
    privacy_unit_details: Text = maybe("the adjacent datasets: metric and distance")
    privacy_parameters: ParametersSection = maybe("the numbers of the variant")
    privacy_parameters_details: Any = maybe("an explanation of the numbers")


class ModelSection(Section):
    """Who is trusted with the data, and how often something is released."""

    model_name: Model = maybe("the place where the noise is added")
    model_name_details: Text = maybe("the model in more words")
    actors: Text = maybe("the parties, what they see, and who is trusted")
    release_type: Release = maybe("the number of releases")
    release_type_details: Text = maybe("the releases in more words")
    data_source_type: Source = maybe("whether the data grow")
    data_source_type_details: Any = maybe("the source in more words")
    access_type: Access = maybe("the access of analysts")
    access_type_details: Text = maybe("the access in more words")


class AccountingSection(Section):
    """How losses of several queries add up."""

    post_processing: Text = maybe("the processing of the noisy numbers")
    composition: Text = maybe("the composition of the losses of all queries")


class ImplementationSection(Section):
    """The implementation."""

    preprocessing_and_hyperparameter_tuning: Text = maybe(
        "earlier steps on the data, and their privacy loss"
    )
    mechanisms: Text = maybe("the noise, and the code that samples it")
    justification: Text = maybe("the reasons for the design")


class AdministrativeSection(Section):
    """The sources and authors of the entry."""

    sources: Text = maybe("documents that describe the deployment")
    notes: Text = maybe("other notes")
    registry_authors: Texts = Field(description="the authors of the entry")


class DeploymentSection(Section):
    """The deployment."""

    basic: BasicSection
    dp_variant: VariantSection = maybe("the privacy guarantee, and what it covers")
    privacy_loss: LossSection = maybe("the compared datasets, and the privacy loss between them")
    deployment_model: ModelSection = maybe("who is trusted with the data")
    accounting: AccountingSection = maybe("the composition of losses")
    implementation: ImplementationSection = maybe("the implementation")
    administrative: AdministrativeSection = maybe("the sources and authors of the entry")


class EntrySection(Section):
    """An entry of the OpenDP deployments registry."""

    url_slug: Text = Field(description="the end of its address: name, curators, and year")
    status: Status = Field(description="the state of its approval")
    tier: Tier = Field(description="the completeness of the entry, from 1 to 3")
    deployment: DeploymentSection
