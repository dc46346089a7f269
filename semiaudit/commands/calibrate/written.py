"""The files of a design: the spec with its section, and the matrix that it names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.model.results.design import AnyDesign, Calibration, target_text, text_of
from semiaudit.report.blocks.plain_words import plain_note
from semiaudit.spec.drafts.restated import with_mechanism
from semiaudit.spec.spec_files import named_files, words_of
from semiaudit.spec.yaml12 import read_file
from semiaudit.spec.yaml12 import text_of as text_of_file


def demand_one(calibration: Calibration) -> Calibration:
    """Return the designs unchanged if one of them meets the target.

    Raises:
        SpecError: no design meets the target; with the reason of each.
    """
    if any(design.meets for design in calibration.designs):
        return calibration
    reasons: dict[str, list[str]] = {}
    for design in calibration.designs:
        reasons.setdefault(plain_note(design.refused), []).append(design.name)
    target = target_text(calibration.target)
    raise SpecError(
        [
            Problem(calibration.path, 0, 0, target, f"not met by {', '.join(names)}: {why}")
            for why, names in reasons.items()
        ]
    )


def files_of_design(calibration: Calibration, name: AnyDesign, path: str) -> list[tuple[str, str]]:
    """Return the files of one design: the spec, and before it the matrix that it names.

    Args:
        path: the path of the spec to write.

    Raises:
        SpecError: the design does not meet the target, or the spec names files relative to
            another folder than the one that it is written to.
    """
    design = next(design for design in calibration.designs if design.name == name)
    if not design.meets or design.mechanism is None:
        demand_one(replace(calibration, designs=(design,)))
        return []
    file = Path(calibration.path)
    data = read_file(file)
    other_files = named_files(words_of(data), file.parent)
    target = Path(path)
    if other_files and target.resolve().parent != file.resolve().parent:
        what = f"refers to files in its own folder, such as {other_files[0].name}"
        remedy = "write the new spec into that folder"
        raise SpecError([Problem(calibration.path, 0, 0, "", what, remedy)])
    files, section = [], design.mechanism
    if design.matrix is not None:
        named = target.with_name(f"{target.stem}.{design.matrix.key}.csv")
        if any(named.exists() and named.samefile(other) for other in other_files):
            what = f"refers to {named}, which the matrix of the design would overwrite"
            remedy = "give the new spec another name"
            raise SpecError([Problem(calibration.path, 0, 0, "", what, remedy)])
        rows = "".join(",".join(map(text_of, row)) + "\n" for row in design.matrix.rows)
        files.append((str(named), rows))
        section = {
            kind: parameters | {design.matrix.key: named.name}
            for kind, parameters in section.items()
        }
    text = with_mechanism(text_of_file(data, str(file)), calibration.path, section)
    return [*files, (path, text)]
