"""The view of calibrated designs: the cheapest first, then those that do not exist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from semiaudit.model.labels import label
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.number_text import bound_text
from semiaudit.model.results.design import (
    Calibration,
    Cost,
    Design,
    SamplingWay,
    target_text,
    text_of,
)
from semiaudit.report.blocks.plain_words import plain_note
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

_SAMPLED: dict[SamplingWay | None, str] = {
    "exact": "exactly",
    "floating_point": "yes",
    "approximate": "≈",
    "impossible": "no",
    None: "",
}
_SYMBOLS: dict[type, str] = {PureDP: "ε", ApproxDP: "ε", ZCDP: "ρ", GDP: "μ"}
_SIGNS = {"exact": "", "upper": "≤ ", "estimate": "≈ "}


def view_of(calibration: Calibration) -> View:
    """Arrange the designs: cost and guarantee, description of each, and what is missing."""
    late = heading(calibration.incomplete_because)
    pairs = f"{label(calibration.framework)}, pairs up to distance {calibration.distance}"
    asked = Lines(
        "Question",
        (
            ("spec", calibration.path),
            ("query", calibration.query),
            ("target", f"{target_text(calibration.target)} under {pairs}"),
        ),
    )
    met = meeting(calibration)
    grids = (
        _costs(met),
        _standings(calibration, met),
        _descriptions(met),
        _unsampled(met),
        _missing(calibration),
    )
    shown = tuple(grid for grid in grids if grid.rows)
    notes = Lines("Notes", tuple(("", note) for note in _notes(calibration, met)))
    subtitle = f"semiaudit {__version__}{late}"
    answer = Lines("Answer", tuple(("", text) for text in _answer(calibration, met)))
    blocks: list[Block] = [answer, asked, *shown]
    if notes.items:
        blocks.append(notes)
    title = "Noise for a target"
    return View(title, subtitle, tuple(blocks), _verdict(met), (calibration.path,))


def _verdict(met: Sequence[Design]) -> str:
    if not met:
        return "No design meets the target."
    number = f"{len(met)} designs meet" if len(met) > 1 else "One design meets"
    first = met[0]
    length = f": mean l2 length {_cost(first.expected_l2)}" if first.expected_l2 else ""
    return f"{number} the target; {first.name} has the shortest noise{length}."


def _answer(calibration: Calibration, met: Sequence[Design]) -> list[str]:
    symbol = _SYMBOLS[type(calibration.target)]
    answers = [
        f"Your mechanism ({design.name}): {_scale(design)} reaches {symbol} "
        f"{bound_text(design.met)}."
        for design in met
        if design.name == calibration.own and design.met is not None
    ]
    answers.append(_verdict(met))
    late = [design.name for design in calibration.designs if design.late]
    if late:
        answers.append(
            f"Not checked in time: {', '.join(late)}. The numbers of the other designs are not "
            "affected; to check these, raise --time-limit."
        )
    return answers


def meeting(calibration: Calibration) -> list[Design]:
    """The designs that meet the target, in the order in which they are shown."""
    return sorted((d for d in calibration.designs if d.meets), key=_rank)


def _rank(design: Design) -> tuple[bool, float]:
    """Sort designs: those that can be sampled first, then by the length of their noise."""
    length = design.expected_l2.value if design.expected_l2 else float("inf")
    return design.sampling == "impossible", length


def _costs(designs: Iterable[Design]) -> Grid:
    rows = tuple(
        (
            design.name,
            "" if design.rank is None else str(design.rank),
            _cost(design.expected_l2),
            _cost(design.max_sd),
            "" if design.met is None else bound_text(design.met),
            "none" if design.tight else "some",
            _SAMPLED[design.sampling],
        )
        for design in designs
    )
    columns = ("design", "rank", "mean l2", "max sd", "reached", "slack", "sampled")
    numeric = (False, True, True, True, True, False, False)
    notes = (
        "reached: the proven number. slack: none if it is within a millionth of the target; some "
        "if it is better, with more noise than required.",
        "mean l2: the mean Euclidean length of the noise, not the root of its mean square, over "
        "what possible records can change.",
    )
    return Grid("Designs that meet the target", columns, rows, numeric, notes if rows else ())


def _standings(calibration: Calibration, designs: Iterable[Design]) -> Grid:
    all_rows = [
        (
            design.name,
            _number(design.ratio),
            _number(design.of_least_total),
            _number(design.of_least_largest),
            ", ".join(design.preferred_over),
        )
        for design in designs
    ]
    notes = []
    if calibration.naive:
        notes.append(f"ratio: mean l2 length of the noise, divided by that of {calibration.naive}.")
    if any(row[2] for row in all_rows):
        notes.append(
            "total, largest: the total variance and the largest variance of a "
            "coordinate, each divided by a proven lower bound for all Gaussian noise "
            "that meets the target."
        )
    if any(row[4] for row in all_rows):
        notes.append("preferred over: their K-norm balls contain this one's.")
    names = ("design", "ratio", "total", "largest", "preferred over")
    kept = [at for at in range(len(names)) if not at or any(row[at] for row in all_rows)]
    columns = tuple(names[at] for at in kept)
    rows = tuple(tuple(row[at] for at in kept) for row in all_rows) if len(kept) > 1 else ()
    numeric = tuple(0 < at < 4 for at in kept)
    return Grid("How the designs compare", columns, rows, numeric, tuple(notes))


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:.3f}"


def _cost(cost: Cost | None) -> str:
    if cost is None:
        return ""
    return f"{_SIGNS[cost.side]}{cost.value:.5g}"


def _descriptions(designs: Iterable[Design]) -> Grid:
    rows = tuple((design.name, _scale(design), plain_note(design.told)) for design in designs)
    return Grid("Designs in words", ("design", "scale", "what it is"), rows, (False,) * 3)


def _scale(design: Design) -> str:
    if design.scale is None:
        return design.matrix.key if design.matrix else ""
    return f"{design.parameter} {text_of(design.scale)}"


def _unsampled(designs: Iterable[Design]) -> Grid:
    rows = tuple((design.name, design.not_sampled) for design in designs if design.not_sampled)
    return Grid("Cannot be sampled", ("design", "why"), rows, (False, False))


def _missing(calibration: Calibration) -> Grid:
    left = sorted(
        (d for d in calibration.designs if not d.meets), key=lambda design: design.refused
    )
    rows = tuple(
        (", ".join(design.name for design in designs), plain_note(why))
        for why, designs in groupby(left, key=lambda design: design.refused)
    )
    return Grid("Designs that do not meet the target", ("design", "why"), rows, (False, False))


def _notes(calibration: Calibration, designs: Iterable[Design]) -> list[str]:
    own = [f"{design.name}: {plain_note(note)}" for design in designs for note in design.notes]
    return [*own, *calibration.notes]
