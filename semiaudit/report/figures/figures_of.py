"""Figures of audits and of curves, in plain numbers. Only numbers of reports are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from textwrap import shorten

from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure, Role, Series
from semiaudit.model.frameworks import ADVERTISED, LEADING, UniverseName
from semiaudit.model.guarantee import GuaranteeCurve, Numbers
from semiaudit.model.labels import label, secret_label
from semiaudit.model.number_text import bound_text
from semiaudit.model.topdown import Semantic
from semiaudit.report.blocks.curves import (
    READ_AT,
    Line,
    Points,
    epsilon_line,
    joint,
    tradeoff_line,
)

CUT = "Some points were skipped for time; a larger time limit gives a finer curve."

_ROLES: dict[str, Role] = {LEADING: "leading", ADVERTISED: "reference"}

_LEAST_SHARE = Fraction(1, 10)
"""A figure looks empty if a smaller part of the places has a number."""

_QUANTILE = -1.6448536269514722
"""The normal quantile of ``READ_AT``."""

_MOST_DIGITS = 6
"""The most decimals of a percentage."""

MOST_TITLES, TITLE = 6, 144
"""The most releases or invariants that are named below a figure, and the most letters of each."""


def figures_of(audit: Audit) -> tuple[Figure, ...]:
    """Return every figure with known numbers, of an audit with its curves."""
    names = {name: label(name) for name in _ROLES}
    return (
        *attack_figures(audit),
        *curve_figures(audit.curves, names, _ROLES),
        *dots_of_semantics(audit.semantics),
    )


def attack_figures(audit: Audit) -> tuple[Figure, ...]:
    """Return how many datasets an attacker detects at most; nothing without an effective bound."""
    least = {curve.name: _held(curve.tradeoff) for curve in audit.curves}
    powers = [(n, 1 - held) for n in (ADVERTISED, LEADING) if (held := least.get(n)) is not None]
    if LEADING not in dict(powers):
        return ()
    shown = [
        (label(name), power, f"at most {_percent(power)}", _ROLES[name]) for name, power in powers
    ]
    shown.append(("Guess without the release", READ_AT, f"{float(READ_AT):.0%}", ""))
    series = tuple(
        Series("", ((float(place), float(100 * power)),), (text,), role)
        for place, (_, power, text, role) in enumerate(shown)
    )
    return (
        Figure(
            "attack",
            f"What an attacker detects at a {float(READ_AT):.0%} false-positive rate",
            "",
            "changes detected, in percent (TPR)",
            series,
            categories=tuple(name for name, *_ in shown),
            end=100.0,
            note=_assumption(audit),
        ),
    )


def _held(points: Points) -> Fraction | None:
    """Return the certified type II error at ``READ_AT``: that of the next point."""
    known = (bound.value for place, bound in points if place >= READ_AT)
    value = next(known, None)
    return value if isinstance(value, Fraction) else None


def _percent(share: Fraction) -> str:
    """Return a share, rounded up at the first digit of what is missing to 100%."""
    rest = float(100 * (1 - share))
    if rest < 10.0**-_MOST_DIGITS:
        return "100%"
    digits = max(2, -math.floor(math.log10(rest)))
    return f"{math.ceil(100 * share * 10**digits) / 10**digits:.{digits}f}%"


def _assumption(audit: Audit) -> str:
    """Say what is known of the noise."""
    rows: dict[str, Numbers] = {r.guarantee.framework: r.numbers for r in audit.rows}
    if any(rows[name].operating_points_from != "cks20_envelope" for name in _ROLES):
        return ""
    rates = []
    for name in (ADVERTISED, LEADING):
        rho = rows[name].zcdp
        if rho is None or not is_finite(rho):
            return ""
        # The normal distribution function of _QUANTILE + mu, with mu of Gaussian noise.
        power = math.erfc(-_QUANTILE / math.sqrt(2) - math.sqrt(float(rho))) / 2
        rates.append(_percent(Fraction(power)))
    return f"Only ρ is known of the noise. Gaussian noise would give at most {' and '.join(rates)}."


def curve_figures(
    curves: Sequence[GuaranteeCurve],
    names: Mapping[str, str],
    roles: Mapping[str, Role] | None = None,
    of: str = "",
    note: str = "",
) -> tuple[Figure, ...]:
    """Return the figures of tradeoff functions and of ε over δ, if there is something to draw.

    Args:
        curves: one for each guarantee.
        names: the displayed name of each drawn curve.
        roles: the emphasis of curves.
        of: the end of the titles, which names the release.
        note: text below the figures.
    """
    known = [curve for curve in curves if curve.name in names]
    cut = [] if all(curve.complete for curve in known) else [CUT]
    below = "\n".join([*cut, *([note] if note else [])])
    tradeoff = Figure(
        "tradeoff",
        f"Tradeoff functions{of}",
        "false-positive rate (type I error)",
        "type II error, at least",
        _lines([(c.name, c.tradeoff, _tradeoff_line(c)) for c in known], names, roles),
        note=below,
        unit_square=True,
    )
    epsilon = Figure(
        "epsilon",
        f"ε over δ{of}",
        "δ",
        "ε, at most",
        _lines([(c.name, c.epsilons, epsilon_line(c.epsilons)) for c in known], names, roles),
        logarithmic=frozenset("x"),
        note=below,
    )
    figures = [tradeoff] * bool(tradeoff.series)
    figures += [logarithmic(figure) for figure in figures]
    if epsilon.series and not _looks_empty(epsilon):
        figures.append(epsilon)
    return tuple(figures)


def logarithmic(figure: Figure) -> Figure:
    """Return a figure of errors on logarithmic axes."""
    name, title = f"{figure.name}_logarithmic", f"{figure.title}, logarithmic axes"
    return replace(figure, name=name, title=title, logarithmic=frozenset("xy"))


def _tradeoff_line(curve: GuaranteeCurve) -> Line:
    """Return the largest of the certified lines; without any, steps through the points.

    Between two points of a curve without lines, only that of the larger type I error is certified.
    """
    line = tradeoff_line(curve)
    if line:
        return line
    steps, before = [], 0.0
    for place, bound in curve.tradeoff:
        steps += [(before, float(bound)), (float(place), float(bound))]
        before = float(place)
    return tuple(steps)


def _looks_empty(figure: Figure) -> bool:
    places = {place for series in figure.series for place, _ in series.certified}
    finite = {
        place for series in figure.series for place, bound in series.certified if is_finite(bound)
    }
    return len(finite) < _LEAST_SHARE * len(places)


def _lines(
    curves: Iterable[tuple[str, Points, Line]],
    names: Mapping[str, str],
    roles: Mapping[str, Role] | None,
) -> tuple[Series, ...]:
    """Return a line for each curve with a number; equal curves are one, with all names."""
    lines = {points: line for _, points, line in curves}
    found = []
    for keys, points in joint((name, points) for name, points, _ in curves):
        if lines[points]:
            emphasis = {(roles or {}).get(key, "") for key in keys}
            role: Role = next((r for r in _ROLES.values() if r in emphasis), "")
            shown = ", ".join(names[key] for key in keys)
            found.append(Series(shown, lines[points], role=role, certified=points))
    return tuple(found)


def dots_of_semantics(secrets: Sequence[Semantic]) -> tuple[Figure, ...]:
    """Return ρ of each kind of secret of a hierarchical release, in D and inside Dₜ."""
    names = list(dict.fromkeys(secret.name for secret in secrets if secret.zcdp is not None))
    if not names or all(secret.universe == "D_t" for secret in secrets):
        return ()  # noise on queries: one table says it

    def largest(name: str, universe: UniverseName) -> Bound | None:
        bounds = (s.zcdp for s in secrets if (s.name, s.universe) == (name, universe))
        return max((b for b in bounds if b and is_finite(b)), key=lambda b: b.value, default=None)

    known = [(largest(name, "D"), largest(name, "D_t")) for name in names]
    same = [bool(one and two and one.value == two.value) for one, two in known]
    split = [pair if not equal else (None, None) for pair, equal in zip(known, same, strict=True)]
    series: list[tuple[str, list[Bound | None], Role]] = [
        (f"in {label('D')} and {label('D_t')}",
         [pair[0] if equal else None for pair, equal in zip(known, same, strict=True)], ""),
        (f"in {label('D')}", [one for one, _ in split], "reference"),
        (f"in {label('D_t')}", [two for _, two in split], "leading"),
    ]  # fmt: skip
    shown = [replace(dots(name, bounds), role=role) for name, bounds, role in series]
    return (
        Figure(
            "semantics",
            "ρ of each kind of secret",
            "",
            "ρ, at most",
            tuple(one for one in shown if one.points),
            categories=tuple(map(secret_label, names)),
        ),
    )


def dots(name: str, bounds: Iterable[Bound | None]) -> Series:
    """Return one dot for each known number, at its place among all."""
    known = [(place, bound) for place, bound in enumerate(bounds) if bound is not None]
    points = tuple((float(place), float(bound)) for place, bound in known)
    return Series(name, points, tuple(bound_text(bound) for _, bound in known))


def is_finite(bound: Bound) -> bool:
    """Return whether a number can be drawn."""
    return not isinstance(bound.value, float)  # only an infinite number is a float


def captions(named: Sequence[tuple[str, str]]) -> str:
    """Explain short names in lines below a figure."""
    lines = [f"{name}: {shorten(text, TITLE, placeholder='…')}" for name, text in named]
    more = len(lines) - MOST_TITLES
    return "\n".join([*lines[:MOST_TITLES], *([f"{more} more"] if more > 0 else [])])
