"""A mechanism in one line: the inside of a flow mapping, as it would stand in a spec."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.errors import SpecError
from semiaudit.model.adjacency import Metric
from semiaudit.model.mechanism import Mechanism
from semiaudit.spec.mechanism.mechanism_values import KEY, NOISE, OF_A_QUERY, described, parts_of
from semiaudit.spec.yaml12 import parse_document

FILE = "MECHANISM"
"""The text in the place of a file's name in messages."""

_NO_TABLE = "no table is known here; use shifts, or audit a spec with `semiaudit analyze`"


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
        for path, part in parts_of(root[KEY], (KEY,)):
            for kind in part.keys() & (NOISE | {"k_norm"}):
                noise = part[kind]
                if isinstance(noise, dict) and (kind == "k_norm" or OF_A_QUERY & {*noise}):
                    document.report(
                        (*path, kind), "needs the table of a query", _NO_TABLE, key=True
                    )
            if "total_rho" in part:
                what, remedy = "is checked only by an audit", "leave it out"
                document.report((*path, "total_rho"), what, remedy, key=True)
        if document.problems:
            raise SpecError(list(document.problems))
        return described(document, metric)
    except SpecError as error:
        # The line that was put before the text is not the user's.
        raise SpecError([replace(p, line=max(p.line - 1, 1)) for p in error.problems]) from None
