"""The mechanism section: a kind with its parameters, or a composition of parts, and its reader."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from semiaudit.model.mechanism import Allocation, Composition, Mechanism
from semiaudit.spec.scalars import LARGEST_REPEAT, Loss, OnDemand, Repeat, Section
from semiaudit.spec.spec_place import PartSection, Setting, SpecPlace
from semiaudit.spec.yaml12 import Path_, path_text

BESIDE = {"repeat", "total_rho"}
"""Keys that a mechanism has in addition to its kind."""


class MechanismSection(Section):
    """The mechanism: exactly one kind."""

    pure_dp: OnDemand[Literal["declared_schema.PureDPSection"]] | None = None
    approx_dp: OnDemand[Literal["declared_schema.ApproxDPSection"]] | None = None
    zcdp: OnDemand[Literal["declared_schema.ZCDPSection"]] | None = None
    gdp: OnDemand[Literal["declared_schema.GDPSection"]] | None = None
    tradeoff: OnDemand[Literal["declared_schema.TradeoffSection"]] | None = None
    gaussian: OnDemand[Literal["noise_schema.GaussianSection"]] | None = None
    discrete_gaussian: OnDemand[Literal["noise_schema.DiscreteGaussianSection"]] | None = None
    laplace: OnDemand[Literal["noise_schema.LaplaceSection"]] | None = None
    discrete_laplace: OnDemand[Literal["noise_schema.DiscreteLaplaceSection"]] | None = None
    k_norm: OnDemand[Literal["noise_schema.KNormSection"]] | None = None
    finite_noise: OnDemand[Literal["finite_schema.FiniteNoiseSection"]] | None = None
    randomized_response: OnDemand[Literal["records_schema.RandomizedResponseSection"]] | None = None
    subsampled_gaussian: OnDemand[Literal["records_schema.SubsampledGaussianSection"]] | None = None
    shuffled: OnDemand[Literal["records_schema.ShuffledSection"]] | None = None
    finite: OnDemand[Literal["finite_schema.FiniteSection"]] | None = None
    swapping: OnDemand[Literal["swapping_schema.SwappingSection"]] | None = None
    topdown: OnDemand[Literal["topdown_schema.TopDownSection"]] | None = None
    compose: Annotated[list[MechanismSection] | None, Field(min_length=1)] = None
    repeat: Annotated[Repeat, Field(description="the number of runs on the same data")] = 1
    total_rho: Annotated[
        Loss | None,
        Field(description="the sum of the rho of all parts of compose, which is checked exactly"),
    ] = None

    @model_validator(mode="after")
    def _one_kind(self) -> MechanismSection:
        kinds = sorted(self.model_fields_set - BESIDE)
        if len(kinds) != 1:
            what = f"has {len(kinds)} kinds ({', '.join(kinds)})" if kinds else "has no kind"
            raise ValueError(f"{what}; give exactly one, such as zcdp: {{rho: 2.56}}")
        if getattr(self, kinds[0]) is None:
            raise ValueError(f"{kinds[0]} is empty; give its parameters")
        if "total_rho" in self.model_fields_set and self.compose is None:
            raise ValueError("total_rho is only for compose; remove it")
        return self

    @property
    def kind(self) -> str:
        """The one kind that is there."""
        return next(iter(self.model_fields_set - BESIDE))

    @property
    def parameters(self) -> PartSection:
        """Return the parameters of the section's only kind, which is not a composition."""
        section: PartSection = getattr(self, self.kind)
        return section


def mechanism_of(
    setting: Setting, section: MechanismSection, path: Path_, times: int = 1
) -> Mechanism | None:
    """The mechanism, or None with its problems in the document.

    Args:
        times: how often the mechanism runs that this one is a part of.
    """
    document = setting.document
    mark = document.mark(path)
    times *= section.repeat
    if times > LARGEST_REPEAT:
        what = f"repeats its parts more than {LARGEST_REPEAT} times in all"
        document.report((*path, "repeat"), what, "repeat less")
        return None
    part: Mechanism | None
    if section.compose is None:
        part = section.parameters.part(SpecPlace(setting, (*path, section.kind)))
    else:
        part = _composition(
            setting, section.compose, path, times, _allocation(setting, section, path)
        )
    if part is not None and section.repeat > 1:
        return Composition(((part, section.repeat),), mark)
    return part


def _composition(
    setting: Setting,
    sections: list[MechanismSection],
    path: Path_,
    times: int,
    allocation: Allocation | None,
) -> Composition | None:
    parts_read = [
        mechanism_of(setting, section, (*path, "compose", index), times)
        for index, section in enumerate(sections)
    ]
    parts = tuple((part, 1) for part in parts_read if part is not None)
    if len(parts) < len(parts_read):
        return None
    return Composition(parts, setting.document.mark(path), allocation)


def _allocation(setting: Setting, section: MechanismSection, path: Path_) -> Allocation | None:
    """What the parts are said to add up to, and where."""
    if section.total_rho is None:
        return None
    where = (*path, "total_rho")
    return Allocation(section.total_rho, path_text(where), setting.document.mark(where))
