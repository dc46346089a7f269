"""The grammar of swapping: the strata, what is exchanged inside them, and how."""

from __future__ import annotations

from math import prod
from typing import Annotated, assert_never, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from semiaudit.model.dataspace import ListedSpace, ProductSpace, TableSpace
from semiaudit.model.randomizers import Swapping, SwapVariant
from semiaudit.spec.conditions import names_fit
from semiaudit.spec.mechanism.mechanism_reader import PartSection, SpecPlace
from semiaudit.spec.scalars import OpenShare, Size, Text, choice, kind_of
from semiaudit.spec.yaml12 import Scalar

MOST_STRATA = 100_000

_OF_WHAT = "swapping exchanges the values of attributes"


def _truth(value: object) -> bool:
    if isinstance(value, Scalar) and value.plain and value in ("true", "false"):
        return value == "true"
    raise ValueError(f"{kind_of(value)} is neither true nor false; write one of them")


Truth = Annotated[bool, BeforeValidator(_truth), WithJsonSchema({"type": "boolean"})]


class SwappingSection(PartSection):
    """Records are selected by chance, and those of one stratum exchange some of their values."""

    rate: Annotated[
        OpenShare | None,
        Field(
            description="the swap rate: the probability with which a record is selected; left out "
            "only for `semiaudit mechanism calibrate`"
        ),
    ] = None
    stratify_by: Annotated[
        list[Text] | None,
        Field(
            description="the attributes that the records of one stratum agree on; an empty list: "
            "all records are one stratum"
        ),
    ] = None
    strata: Annotated[
        list[Size] | None,
        Field(min_length=1, max_length=MOST_STRATA, description="the sizes of the strata"),
    ] = None
    largest_stratum: Annotated[
        Size | None, Field(description="the size of the largest stratum, or more")
    ] = None
    swap: Annotated[
        list[Text] | None,
        Field(min_length=1, description="the attributes whose values are exchanged, together"),
    ] = None
    variant: Annotated[
        SwapVariant,
        choice(*get_args(SwapVariant)),
        Field(
            description="the permutation of the selected records of a stratum: uniform among those "
            "that leave no record in place, or among all"
        ),
    ] = "derangement"
    reselection: Annotated[
        Truth,
        Field(
            description="select again in a stratum with "
            "exactly one selected record; otherwise that "
            "record stays"
        ),
    ] = True

    @model_validator(mode="after")
    def _told(self) -> SwappingSection:
        keys = self.model_fields_set
        empty = sorted(key for key in keys if getattr(self, key) is None)
        if empty:
            raise ValueError(f"{empty[0]} is empty; fill it")
        if {"strata", "largest_stratum"} <= keys:
            raise ValueError("has both strata and largest_stratum; leave one out")
        if not keys & {"stratify_by", "strata", "largest_stratum"}:
            raise ValueError("has no strata; give stratify_by, strata or largest_stratum")
        if self.stratify_by == [] and keys & {"strata", "largest_stratum"}:
            raise ValueError(
                "has one stratum with all records, and also sizes of strata; remove one of them"
            )
        return self

    def part(self, place: SpecPlace) -> Swapping | None:
        """The swapping, whose attributes the dataspace knows.

        If only the sizes of the strata are known, the dataspace has no attributes: the counts that
        swapping leaves unchanged could not be computed.
        """
        good = self._rate_given(place)
        space = place.setting.queries.space
        match space:
            case TableSpace():
                fits = self._fits_table(place, space) if space.attributes else self._bare(place)
            case ProductSpace() | ListedSpace():
                what = f"{_OF_WHAT}, but the dataspace has no attributes"
                place.report((), what, "describe the dataspace by attributes")
                fits = False
            case None:
                fits = place.setting.without_space and self._bare(place)
            case _:
                assert_never(space)
        if not (good and fits):
            return None
        return Swapping(
            self.rate,
            tuple(self.stratify_by or ()),
            tuple(self.strata or ()),
            self.largest_stratum,
            tuple(self.swap or ()),
            self.variant,
            self.reselection,
            place.mark,
        )

    def _rate_given(self, place: SpecPlace) -> bool:
        if self.rate is not None or place.setting.designs:
            return True
        what = "has no rate"
        place.report((), what, "give one, or let `semiaudit mechanism calibrate` find it")
        return False

    def _bare(self, place: SpecPlace) -> bool:
        """Without attributes, only the sizes of the strata can be given."""
        if self.stratify_by is None:
            return True
        what = "names attributes, but the dataspace has no attributes"
        remedy = "add dataspace.attributes, or give strata or largest_stratum instead"
        place.report(("stratify_by",), what, remedy)
        return False

    def _fits_table(self, place: SpecPlace, space: TableSpace) -> bool:
        document, before = place.setting.document, len(place.setting.document.problems)
        by, swap = self.stratify_by, self.swap
        if by is None:
            what = "the strata are not attributes, so the counts that swapping keeps are unknown"
            remedy = "add stratify_by, or leave out dataspace.attributes"
            place.report((), what, remedy)
        else:
            names_fit(document, space, by, (*place.path, "stratify_by"))
        if swap is None:
            place.report((), f"{_OF_WHAT}, but names none", "add swap")
        else:
            names_fit(document, space, swap, (*place.path, "swap"))
        common = [name for name in swap or () if name in (by or ())]
        if common:
            what = f"{common[0]} defines the strata, so all records of a stratum agree on it"
            place.report(("swap",), what, "leave it out of swap or of stratify_by")
        if by is not None and swap is not None and len(document.problems) == before:
            self._fits_nesting(place, space, by, swap)
            self._fits_size(place, space, by)
        return len(document.problems) == before

    def _fits_nesting(
        self, place: SpecPlace, space: TableSpace, by: list[str], swap: list[str]
    ) -> None:
        for attribute in space.attributes:
            parent, name = attribute.within, attribute.name
            if parent is None or (name in swap) == (parent in swap):
                continue
            if parent in swap:
                what = f"exchanges {parent}, but not {name}, which is within it"
                place.report(("swap",), what, f"add {name}")
            elif parent not in by:
                what = f"exchanges {name} between levels of {parent}, which contains it"
                place.report(("swap",), what, f"add {parent} to stratify_by, or to swap")

    def _fits_size(self, place: SpecPlace, space: TableSpace, by: list[str]) -> None:
        size = space.size
        levels = [a.size for a in space.attributes if a.name in by]
        if self.strata is not None and len(self.strata) > prod(levels):
            what = (
                f"names {len(self.strata)} strata, but stratify_by has {prod(levels)} "
                "combinations of levels"
            )
            place.report(("strata",), what, "correct one")
        if size is None:
            return
        if self.largest_stratum is not None and self.largest_stratum * prod(levels) < size:
            what = f"is too small for {size} records in {prod(levels)} strata"
            place.report(("largest_stratum",), what, "correct one")
        if self.strata is not None and sum(self.strata) != size:
            what = f"sum to {sum(self.strata)}, but dataspace.size is {size}"
            place.report(("strata",), what, "correct one")
        if self.largest_stratum is not None and self.largest_stratum > size:
            what = f"is more than the {size} records of the dataspace"
            place.report(("largest_stratum",), what, "correct one")
