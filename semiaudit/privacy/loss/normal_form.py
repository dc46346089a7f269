"""A privacy loss in its simplest form: nothing trivial, equal parts together, one Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)


@dataclass(frozen=True, slots=True)
class NormalForm:
    """Parts that lose something, each once, and all Gaussian parts as one.

    Attributes:
        gaussian: the sum of mu squared over all Gaussian parts.
        parts: every other part with how often it occurs.
    """

    gaussian: Fraction
    parts: tuple[tuple[Loss, int], ...]

    @property
    def symmetric(self) -> bool:
        """Whether both orders of the product have the same loss."""
        return not any(
            isinstance(part, FiniteLoss | SubsampledGaussianLoss) for part, _ in self.parts
        )


def normal_form(loss: PrivacyLoss) -> NormalForm:
    """Drop what loses nothing, merge Gaussian parts, count equal parts together.

    N(0, 1) against N(mu, 1) composes to one such pair with the sum of all mu squared.

    Raises:
        ValueError: a parameter outside of its range.
    """
    gaussian = Fraction(0)
    counts: dict[Loss, int] = {}
    for part, repeat in loss.parts:
        _require(repeat >= 1, "a part occurs at least once")
        _check(part)
        simple = _simplified(part)
        if isinstance(simple, GaussianLoss):
            gaussian += repeat * simple.mu_squared
        elif simple is not None:
            counts[simple] = counts.get(simple, 0) + repeat
    return NormalForm(gaussian, tuple(counts.items()))


def only_part(loss: PrivacyLoss) -> Loss | None:
    """What the normal form consists of if that is one pair, once, and no Gaussian; else None.

    A product of one entry needs no normal form for this, which costs as much as a closed form.

    Raises:
        ValueError: a parameter outside of its range.
    """
    if len(loss.parts) != 1:
        form = normal_form(loss)
        lonely = not form.gaussian and len(form.parts) == 1 and form.parts[0][1] == 1
        return form.parts[0][0] if lonely else None
    ((part, repeat),) = loss.parts
    _require(repeat >= 1, "a part occurs at least once")
    _check(part)
    simple = _simplified(part) if repeat == 1 else None
    return None if isinstance(simple, GaussianLoss) else simple


def _simplified(part: Loss) -> Loss | None:
    match part:
        case LaplaceLoss(shift=shift):
            return LaplaceLoss(abs(shift)) if shift else None
        case DiscreteGaussianLoss(shift=shift, sigma_squared=variance):
            if shift > 0:
                return part
            return DiscreteGaussianLoss(-shift, variance) if shift else None
        case DiscreteLaplaceLoss(shift=shift, scale=scale):
            return DiscreteLaplaceLoss(abs(shift), scale) if shift else None
        case RandomizedResponseLoss(epsilon=epsilon):
            return part if epsilon else None
        case ApproxLoss(epsilon=epsilon, delta=delta):
            return part if epsilon or delta else None
        case FiniteLoss(first=first, second=second):
            return part if first != second else None
        case SubsampledGaussianLoss(sigma_squared=variance, rate=rate):
            if rate == 1:
                return GaussianLoss(1 / variance)
            return part if rate else None
        case _:
            return part if part.mu_squared else None


def _check(part: Loss) -> None:
    match part:
        case GaussianLoss(mu_squared=square):
            _require(square >= 0, "mu squared is at least 0")
        case DiscreteGaussianLoss(sigma_squared=variance):
            _require(variance > 0, "sigma squared is positive")
        case DiscreteLaplaceLoss(scale=scale):
            _require(scale > 0, "a scale is positive")
        case RandomizedResponseLoss(epsilon=epsilon, levels=levels):
            _require(epsilon >= 0, "epsilon is at least 0")
            _require(levels >= 2, "there are two levels or more")
        case ApproxLoss(epsilon=epsilon, delta=delta):
            _require(epsilon >= 0, "epsilon is at least 0")
            _require(0 <= delta <= 1, "delta lies in [0, 1]")
        case FiniteLoss(first=first, second=second):
            _require(len(first) == len(second), "both distributions have the same outcomes")
            for masses in (first, second):
                _require(all(mass >= 0 for mass in masses), "a probability is at least 0")
                _require(sum(masses) == 1, "probabilities sum to 1")
        case SubsampledGaussianLoss(sigma_squared=variance, rate=rate):
            _require(variance > 0, "sigma squared is positive")
            _require(0 <= rate <= 1, "a sampling rate lies in [0, 1]")
        case LaplaceLoss():
            pass


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
