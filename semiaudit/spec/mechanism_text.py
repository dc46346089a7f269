"""A mechanism in one line: the inside of a flow mapping, as it would stand in a spec."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.errors import SpecError
from semiaudit.model.adjacency import Metric
from semiaudit.model.mechanism import Mechanism
from semiaudit.spec.finite_schema import FiniteNoiseSection
from semiaudit.spec.mechanism_schema import MechanismSection, NoiseSection
from semiaudit.spec.mechanism_values import KEY, described
from semiaudit.spec.yaml12 import Node, Path_, Scalar, parse_document

FILE = "MECHANISM"
"""What stands for the name of a file in messages."""

_NO_TABLE = "no table is known here; use shifts, or audit a spec with `semiaudit analyze`"
_OF_A_QUERY = {"query", "support", "covariance", "basis", "table"}
_NOISE = {
    name
    for name, field in MechanismSection.model_fields.items()
    for kind in getattr(field.annotation, "__args__", ())
    if isinstance(kind, type) and issubclass(kind, NoiseSection | FiniteNoiseSection)
}


def mechanism_of_text(text: str, metric: Metric) -> Mechanism:
    """The mechanism; noise without ``shifts`` moves one coordinate by 1.

    Args:
        text: such as ``gaussian: {sigma: 2}, repeat: 10``.
        metric: what one unit of distance does to the records.

    Raises:
        SpecError: with every problem and its column.
    """
    try:
        document = parse_document(f"{KEY}: {{\n{text}\n}}\n", FILE)
        root = document.root
        if not isinstance(root, dict) or root.keys() != {KEY}:
            document.report((), "is not a mechanism", "write such as `gaussian: {sigma: 2}`")
            raise SpecError(list(document.problems))
        for path, part in _parts(root[KEY], (KEY,)):
            for kind in part.keys() & (_NOISE | {"k_norm"}):
                noise = part[kind]
                if not isinstance(noise, dict):
                    continue
                if kind == "k_norm" or _OF_A_QUERY & {*noise}:
                    document.report(
                        (*path, kind), "needs the table of a query", _NO_TABLE, key=True
                    )
                elif "shifts" not in noise:
                    noise["shifts"] = [Scalar("1", plain=True)]
            if "total_rho" in part:
                what, remedy = "is checked only by an audit", "leave it out"
                document.report((*path, "total_rho"), what, remedy, key=True)
        if document.problems:
            raise SpecError(list(document.problems))
        return described(document, metric)
    except SpecError as error:
        # The line that was put before the text is not the user's.
        raise SpecError([replace(p, line=max(p.line - 1, 1)) for p in error.problems]) from None


def _parts(node: Node, path: Path_) -> list[tuple[Path_, dict[str, Node]]]:
    """Every mapping of a part or a composition, with its path."""
    if not isinstance(node, dict):
        return []
    inner = node.get("compose")
    listed = enumerate(inner) if isinstance(inner, list) else ()
    below = [_parts(part, (*path, "compose", index)) for index, part in listed]
    return [(path, node), *(entry for parts in below for entry in parts)]
