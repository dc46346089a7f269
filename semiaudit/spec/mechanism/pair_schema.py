"""The grammar of a dominating pair of distributions, in the spec or in a file of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from semiaudit.errors import Mark, SpecError
from semiaudit.model.adjacency import Neighbors
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import DeclaredPair
from semiaudit.model.mechanism import Declared
from semiaudit.spec.mechanism.mechanism_reader import PartSection, SpecPlace
from semiaudit.spec.scalars import Section, Share
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import Path_, Scalar, YamlDocument, parse_document, read_file, text_of

MOST_OUTCOMES = 10_000

Masses = Annotated[
    list[Annotated[Share, Field(description="the mass of one outcome")]],
    Field(min_length=1, max_length=MOST_OUTCOMES),
]


class MassesSection(Section):
    """The masses of P and of Q on the same outcomes; what is missing to 1 is an infinite loss."""

    p: Annotated[Masses, Field(description="the masses of P, one for each outcome")]
    q: Annotated[Masses, Field(description="the masses of Q, for the same outcomes")]

    @model_validator(mode="after")
    def _are_masses(self) -> MassesSection:
        if len(self.p) != len(self.q):
            raise ValueError("p and q have different lengths; give a mass of each per outcome")
        for name, masses in (("p", self.p), ("q", self.q)):
            if sum(masses) > 1:
                what = f"the masses of {name} sum to more than 1"
                raise ValueError(f"{what}; round them down, as missing mass is an infinite loss")
        return self

    @property
    def pair(self) -> FiniteLoss:
        """(P, Q), with what is missing of either on an outcome that the other never has."""
        missing, none = [Fraction(1 - sum(masses)) for masses in (self.p, self.q)], Fraction(0)
        return FiniteLoss((*self.p, missing[0], none), (*self.q, none, missing[1]))


class PairSection(PartSection):
    """Pairs that dominate at every epsilon, negative ones included; or the file that has them."""

    file: str | None = None
    add: Annotated[
        MassesSection | None, Field(description="P is without the record, and Q with it")
    ] = None
    remove: Annotated[
        MassesSection | None, Field(description="P is with the record, and Q without it")
    ] = None
    replace: Annotated[
        MassesSection | None,
        Field(description="for a replaced record, in one order of the two datasets"),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if isinstance(value, dict) and "file" in value:
            raise ValueError("file is not a direction; write the name as pair: FILE")
        return {"file": str(value)} if isinstance(value, Scalar) else value

    @model_validator(mode="after")
    def _has_a_direction(self) -> PairSection:
        if self.file is None and (self.replace is None) == (self.add is None is self.remove):
            what = "names no direction, or replace next to another one"
            raise ValueError(f"{what}; give add, remove, or both, or else replace")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe the name of a file, or the directions."""
        described = handler.resolve_ref_schema(handler(schema))
        described["properties"].pop("file")
        file = {"type": "string", "description": "a JSON or CSV file with the pairs"}
        return {"description": described["description"], "anyOf": [file, dict(described)]}

    def part(self, place: SpecPlace) -> Declared | None:
        """The pair, for the neighboring datasets that its direction names."""
        given = self if self.file is None else _read(place, self.file)
        if given is None:
            return None
        add, remove, replace = (
            None if masses is None else masses.pair
            for masses in (given.add, given.remove, given.replace)
        )
        relation: Neighbors = "replace_one" if replace else "add_remove"
        return Declared(DeclaredPair(add, remove, replace), place.mark, relation)


def _read(place: SpecPlace, name: str) -> PairSection | None:
    """The pairs of a JSON or CSV file, or None with its problems in the document."""
    document = place.setting.document
    path = place.setting.queries.files.path(document, place.path, name)
    if path is None:
        return None
    try:
        if path.suffix.lower() == ".csv":
            read = _of_rows(place, name, str(path))
        else:
            read = parse_document(text_of(read_file(path), str(path), _REMEDY), str(path))
    except SpecError as error:
        document.report(place.path, str(error.problems[0]))
        return None
    section = None
    if not document.problems:
        root = read.root if isinstance(read.root, dict) else {}
        section = Validation(read).whole(PairSection, root)
    for problem in read.problems:
        document.problems.append(problem)
    return None if document.problems else section


def _of_rows(place: SpecPlace, name: str, file: str) -> YamlDocument:
    """The rows direction, p, q of a CSV file as the document that JSON would be."""
    root: dict[str, Any] = {}
    marks: dict[Path_, Mark] = {}
    rows = place.setting.queries.files.rows(place.setting.document, place.path, name, _REMEDY)
    for number, row in enumerate(rows):
        if len(row.cells) != 3 or (not number and row.cells != _COLUMNS):
            what = f"is not {', '.join(_COLUMNS)}"
            row.report(what, "begin with direction,p,q; then write a row per outcome", what)
        elif number:
            direction, *masses = row.cells
            side = root.setdefault(str(direction), {"p": [], "q": []})
            for key, mass in zip(_COLUMNS[1:], masses, strict=True):
                at: Path_ = (direction, key, len(side[key]))
                for place_of in (at, at[:2], at[:1]):
                    marks.setdefault(place_of, Mark(row.line, 1))
                side[key].append(mass)
    return YamlDocument(file, root, marks)


_COLUMNS = ("direction", "p", "q")
_REMEDY = "write the masses of p and q for a direction: add, remove, or replace"
