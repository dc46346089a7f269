"""docs/extending.md: the worked example of a pair works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.extending.patches import Patched, applied, in_copy, type_errors

SCRIPT = """\
from fractions import Fraction
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss, UniformLoss
from semiaudit.privacy.composition import compose
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.group import group
from semiaudit.privacy.loss import advantage, delta_at
from semiaudit.privacy.ordering.implication import strongest

one = PrivacyLoss(((UniformLoss(-1, 10), 1),))
(three,) = group((one,), 3)
print(advantage(one).upper, advantage(three).upper)
print(strongest((three,), (one,)) == (one,))
(both, *_) = compose([((one,), 2), ((PrivacyLoss(((LaplaceLoss(Fraction(1)), 1),)),), 1)])
print(delta_at(both, Fraction(1)).lower, delta_at(both, Fraction(1)).upper)
print(numbers_of((one,), [Fraction(1, 5)], [Fraction(1, 2)]).approx_dp[0].epsilon.value)
"""


def test_a_new_pair_is_composed_ordered_moved_and_evaluated(patched: Patched) -> None:
    done = in_copy(patched("pair.patch"), "-c", SCRIPT)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    # One value of ten is left to either law alone, three of ten in three steps.
    assert [float(text) for text in lines[0].split()] == pytest.approx([0.1, 0.3], rel=1e-14)
    assert lines[1] == "True"
    # Beside Laplace noise that loses at most 1, only what is told for sure is left at 1.
    assert [float(text) for text in lines[2].split()] == pytest.approx([0.19, 0.19], rel=1e-9)
    assert float(lines[3]) == 0


def without_its_entry(tmp_path: Path) -> Path:
    copy = applied("pair.patch", tmp_path)
    registry = copy / "semiaudit/privacy/loss/pairs/pair_kinds.py"
    text = registry.read_text("utf-8")
    registry.write_text(
        text.replace("        case UniformLoss():\n            return uniform(pair)\n", ""), "utf-8"
    )
    assert registry.read_text("utf-8") != text
    return copy


def test_without_its_entry_the_pair_is_refused(tmp_path: Path) -> None:
    done = in_copy(without_its_entry(tmp_path), "-O", "-c", SCRIPT)
    assert done.returncode == 1
    assert "group privacy: UniformLoss is a kind that is not known here" in done.stderr


@pytest.mark.lengthy
def test_mypy_names_what_a_new_pair_lacks(tmp_path: Path) -> None:
    errors = type_errors(without_its_entry(tmp_path), "pair-without-its-entry")
    (error,) = re.findall(r".*: error: .*", errors)
    assert error.startswith("semiaudit/privacy/loss/pairs/pair_kinds.py:")
    assert "UniformLoss" in error
