"""A spec as a value: read from a file, a text or plain Python values, and changed by section.

A spec without a file has the working directory as its folder, and is confined to it. A changed spec
is another spec: it has its own digest, and names the spec that was changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semiaudit.errors import Problem, SpecError
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import Access
from semiaudit.report.notebook import html_table, markdown_table
from semiaudit.spec import build
from semiaudit.spec.build import Loaded, release_of
from semiaudit.spec.importers.dp_events import values_of_event
from semiaudit.spec.importers.imported import Choices
from semiaudit.spec.importers.importers import imported
from semiaudit.spec.importers.opendp import values_of_accountant
from semiaudit.spec.python_values import (
    bytes_of_node,
    document_of_nodes,
    document_of_values,
    node_of_values,
    values_of_node,
)
from semiaudit.spec.spec_files import SpecFiles

if TYPE_CHECKING:
    from semiaudit.model.audit import Release
    from semiaudit.spec.yaml12 import Node, YamlDocument

TEXT, MAPPING = "<text>", "<mapping>"
"""The paths in reports of specs that are not files."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a spec.

    Attributes:
        name: its path in reports, or its replacement.
        access: the caller's permissions for data access and for quotes in messages.
    """

    name: str
    access: Access


class Spec:
    """A spec that was read and found whole. Specs do not change; ``with_`` makes another one.

    What ``calibrate`` completes may be open: a ``design`` may replace the mechanism, and swapping
    may lack its rate. Only ``calibrate`` and ``SensitivitySpace`` take such a spec.
    """

    __slots__ = ("_loaded", "_open", "_origin")

    def __init__(self, loaded: Loaded, origin: Origin, still_open: SpecError | None = None) -> None:
        self._loaded = loaded
        self._origin = origin
        self._open = still_open

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        root: str | os.PathLike[str] = "",
        show_values: bool = False,
    ) -> Spec:
        """Read a spec file.

        Args:
            root: a folder that can contain the files of the spec; by default, only the spec's own
                folder.
            show_values: whether messages can quote values of those files.

        Raises:
            SpecError: with every problem of the spec, each with its line and column.
        """
        name = os.fspath(path)
        origin = Origin(Path(name).as_posix(), Access(os.fspath(root), (), show_values))
        access = origin.access
        return cls._read(origin, lambda designs: build.loaded(name, access, designs=designs))

    @classmethod
    def from_text(
        cls, text: str, *, root: str | os.PathLike[str] = "", show_values: bool = False
    ) -> Spec:
        """Read a spec from its YAML text; otherwise like ``from_file``."""
        origin = Origin(TEXT, Access(os.fspath(root), (), show_values))
        data, access = text.encode("utf-8", "surrogatepass"), origin.access
        return cls._read(
            origin, lambda designs: build.loaded(TEXT, access, text=data, designs=designs)
        )

    @classmethod
    def from_mapping(
        cls,
        mapping: Mapping[str, object],
        *,
        root: str | os.PathLike[str] = "",
        show_values: bool = False,
    ) -> Spec:
        """Read a spec from plain Python values; otherwise like ``from_file``.

        Numbers can be int, float, str, Fraction or Decimal, and stay exact; a float counts as the
        shortest decimal that names it. A mechanism can be a ``Mechanism``.

        Raises:
            SpecError: with every problem, each with the path of its keys.
        """
        origin = Origin(MAPPING, Access(os.fspath(root), (), show_values))
        return cls._read(
            origin,
            lambda designs: read_document(
                document_of_values(mapping, MAPPING), Path(), origin, designs=designs
            ),
        )

    @classmethod
    def from_dp_event(cls, event: object, *, neighbors: str) -> Spec:
        """Make the spec of an event of dp_accounting, jax_privacy, or TensorFlow Privacy.

        Args:
            event: an event, its ``to_named_tuple()``, or the JSON of that as Python values.
            neighbors: add_remove, replace_one, or zero_out: the relation for which its noise is
                normalized. Under replace_one, a record changes the answer by two such units.

        Raises:
            SpecError: a part of it is not supported; with its place.
        """
        return cls._imported(values_of_event(event), "dp_event", Choices(neighbors=neighbors))

    @classmethod
    def from_opacus(cls, state: Mapping[str, object], *, sampling: str) -> Spec:
        """Make the spec of an accountant of Opacus.

        Args:
            state: ``accountant.state_dict()``.
            sampling: poisson, fixed_size, or shuffle: how batches were drawn, of which the
                accountant knows nothing.

        Raises:
            SpecError: a part of it is not supported; with its place.
        """
        return cls._imported(state, "opacus", Choices(sampling=sampling))

    @classmethod
    def from_opendp(
        cls, accountant: object, *, levels: Mapping[str, Sequence[str | int]] | None = None
    ) -> Spec:
        """Make the spec of an OpenDP context, by the losses that its accountant grants.

        Args:
            accountant: a context, its accountant, or the JSON of that as Python values.
            levels: of each column, as OpenDP does not know them; null is one of a nullable column.

        Raises:
            SpecError: a part of it is not supported, or levels are missing; with its place.
        """
        return cls._imported(values_of_accountant(accountant), "opendp", Choices(levels=levels))

    @classmethod
    def _imported(cls, values: object, kind: str, choices: Choices) -> Spec:
        made = imported(document_of_values(values, MAPPING), choices, kind)
        return cls.from_mapping({"semiaudit": 1, "title": made.source, **made.sections})

    @classmethod
    def _read(cls, origin: Origin, read: Callable[[bool], Loaded]) -> Spec:
        """Read a spec, and if that fails, as one that ``calibrate`` is to complete.

        Args:
            read: reads it; its argument says whether a design may replace the mechanism.
        """
        try:
            return cls(read(False), origin)
        except SpecError as error:
            with suppress(SpecError):
                return cls(read(True), origin, error)
            raise

    def with_(self, **sections: object) -> Spec:
        """Return the spec with other top-level sections, such as ``mechanism`` or ``invariants``.

        Args:
            sections: each replaces the whole section, and None removes it. Values are as in
                ``from_mapping``.

        Returns:
            Another spec in the same folder: its path names the spec that was changed, it has its
                own SHA-256, and its parts have no lines, because they are not in a file.

        Raises:
            SpecError: with every problem of the changed spec.
        """
        loaded, origin = self._loaded, Origin(self._changed_name, self._origin.access)
        root: dict[str, Node] = dict(loaded.root) if isinstance(loaded.root, dict) else {}
        problems: list[Problem] = []
        for key, value in sections.items():
            root.pop(key, None)
            if value is not None:
                try:
                    root[key] = node_of_values(value, origin.name, key)
                except SpecError as error:
                    problems += error.problems
        if problems:
            raise SpecError(problems)
        return Spec._read(
            origin,
            lambda designs: read_document(
                document_of_nodes(root, origin.name), loaded.folder, origin, designs=designs
            ),
        )

    __replace__ = with_

    def to_mapping(self) -> dict[str, Any]:
        """Return the sections as plain values.

        A number that is not an integer is its exact text.
        """
        values = values_of_node(self._loaded.root)
        return values if isinstance(values, dict) else {}

    @property
    def title(self) -> str:
        """Return the title of the spec, or ``untitled``."""
        return self._release.title

    @property
    def path(self) -> str:
        """The path of the spec's file; else ``<text>``, ``<mapping>``, or ``<changed from
        ...>``.
        """
        return self._release.path

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the spec's text.

        If it has confidential counts, it is that of the public part.
        """
        return self._release.sha256

    def _allowed(self, access: Access) -> Access:
        known = self._origin.access
        root, show = access.root or known.root, access.show_values or known.show_values
        return Access(root, access.engines, show)

    @property
    def _release(self) -> Release:
        return self._loaded.release

    @property
    def _changed_name(self) -> str:
        name = self._origin.name
        if name == MAPPING or name.startswith("<changed from "):
            return name
        return f"<changed from {name.strip('<>') if name == TEXT else name}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spec):
            return NotImplemented
        return self._release == other._release and self._origin == other._origin

    def __hash__(self) -> int:
        return hash((self.path, self._release.file_sha256))

    def __repr__(self) -> str:
        return f"<Spec {self.path}: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, ("section", "value"), self._rows(), self.path)

    def _repr_markdown_(self) -> str:
        return markdown_table(self.title, ("section", "value"), self._rows(), self.path)

    def _rows(self) -> list[tuple[str, str]]:
        """Return each section in a line, without confidential counts."""
        sections = {k: v for k, v in self.to_mapping().items() if k not in ("semiaudit", "title")}
        return [
            (key, ", ".join(value) if key == "data" and isinstance(value, dict) else _short(value))
            for key, value in sections.items()
        ]


_LONGEST = 200


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def read_document(
    document: YamlDocument, folder: Path, origin: Origin, *, designs: bool = False
) -> Loaded:
    """Read a document that is not a file, with its own digest.

    Args:
        designs: whether a design can replace the mechanism.
    """
    files = SpecFiles(folder, origin.access)
    data = bytes_of_node(document.root)
    release = release_of(document, data, files, origin.name, designs=designs)
    return Loaded(release, document.root, folder, document)
