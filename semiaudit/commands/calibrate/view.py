"""The view of calibrated designs: the cheapest first, then those that do not exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from semiaudit.model.labels import label
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.number_text import bound_text, short_text
from semiaudit.model.results.design import (
    Calibration,
    Cost,
    Design,
    SamplingWay,
    Target,
    limit_of,
    text_of,
)
from semiaudit.report.blocks.count_errors import WALK, error_grids, size_text
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
_PARAMETERS = {"sigma": "σ", "sigma_squared": "σ²", "epsilon": "ε", "scale": "b"}
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
            ("target", f"{_target(calibration.target)} under {pairs}"),
        ),
    )
    met = meeting(calibration)
    answer = Lines("Answer", tuple(("", text) for text in _answer(calibration, met)))
    blocks: list[Block] = [answer, asked]
    blocks += [grid for grid in (_table(met),) if grid.rows]
    if any(len(design.errors) > 1 or _has_table(design) for design in met):
        named = [(design.name, error) for design in met for error in design.errors]
        blocks += error_grids(named, "design")
    lists = (
        ("Not for this target", _missing(calibration)),
        ("Notes", tuple(_notes(calibration, met))),
    )
    blocks += [Lines(title, tuple(("", text) for text in texts)) for title, texts in lists if texts]
    subtitle = f"semiaudit {__version__}{late}"
    title = "Noise for a target"
    return View(title, subtitle, tuple(blocks), _verdict(met), (calibration.path,))


def _verdict(met: Sequence[Design]) -> str:
    if not met:
        return "No design meets the target."
    number = f"{len(met)} designs meet" if len(met) > 1 else "One design meets"
    first = met[0]
    if first.expected_l2 is None:
        return f"{number} the target."
    length = f"mean l2 length {_cost(first.expected_l2)}"
    return f"{number} the target. {first.name} adds the least noise: {length}{_saved(met)}."


def _target(target: Target) -> str:
    delta = f" at δ = {text_of(target.delta)}" if isinstance(target, ApproxDP) else ""
    return f"{_SYMBOLS[type(target)]} {text_of(limit_of(target))}{delta}"


def _saved(met: Sequence[Design]) -> str:
    """Return how much less noise the first design has than plain Gaussian noise, if it has."""
    least = met[0].expected_l2
    plain = next((design.expected_l2 for design in met if design.name == "naive_gaussian"), None)
    if least is None or plain is None or least.value >= plain.value:
        return ""
    return f", {1 - least.value / plain.value:.0%} less than naive_gaussian ({_cost(plain)})"


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


def _has_table(design: Design) -> bool:
    return any(error.table is not None for error in design.errors)


def _table(designs: Iterable[Design]) -> Grid:
    names = ("design", "scale", "sd", "95% ±", "mean ±", "reached", "sampled")
    all_rows = [
        (
            design.name,
            _scale(design),
            *_of_cells(design),
            "" if design.met is None else bound_text(design.met),
            _SAMPLED[design.sampling],
        )
        for design in designs
    ]
    kept = [at for at in range(len(names)) if not at or any(row[at] for row in all_rows)]
    notes = ["reached: the number that an audit of the design proves."]
    if len(kept) == len(names):
        notes.insert(
            0,
            "sd, 95% ±, mean ±: of the error of a cell, its standard deviation, the size that it "
            "does not exceed with probability 95%, and its mean size; ≈ from samples.",
        )
        if any(design.sampling == "approximate" and not design.errors for design in designs):
            notes.insert(1, WALK)
    return Grid(
        "Designs that meet the target",
        tuple(names[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in all_rows),
        tuple(1 < at < 6 for at in kept),
        tuple(notes),
    )


def _of_cells(design: Design) -> tuple[str, ...]:
    for error in design.errors:
        if error.cells or not error.by:
            numbers = (error.deviation, error.margin_of_error, error.absolute)
            sign = "" if error.runs is None else _SIGNS["estimate"]
            return sign + size_text(numbers[0]), *map(size_text, numbers[1:])
    return ("", "", "")


def found_text(design: Design) -> str:
    """Return one line on a design that was checked, before all are."""
    if not design.meets:
        return f"{design.name}: not for this target"
    deviation = _of_cells(design)[0]
    return f"{design.name}: {_scale(design)}" + f", sd {deviation}" * bool(deviation)


def _cost(cost: Cost) -> str:
    return f"{_SIGNS[cost.side]}{cost.value:.5g}"


def _scale(design: Design) -> str:
    if design.scale is None:
        return "matrix" if design.matrix else ""
    return f"{_PARAMETERS.get(design.parameter, design.parameter)} {short_text(design.scale, 'up')}"


def _missing(calibration: Calibration) -> tuple[str, ...]:
    left = sorted(
        (d for d in calibration.designs if not d.meets), key=lambda design: design.refused
    )
    return tuple(
        f"{', '.join(design.name for design in designs)}: {plain_note(why)}"
        for why, designs in groupby(left, key=lambda design: design.refused)
    )


def _notes(calibration: Calibration, designs: Sequence[Design]) -> Iterator[str]:
    for design in designs:
        if len(designs) == 1:
            yield f"{design.name}: {plain_note(design.description)}"
        if design.not_sampled:
            yield f"{design.name} cannot be sampled: {design.not_sampled}"
        yield from (f"{design.name}: {plain_note(note)}" for note in design.notes)
    yield from calibration.notes
