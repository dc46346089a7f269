"""Privacy losses of each kind of secret of a hierarchical release, as tables for reading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from string import ascii_uppercase

from semiaudit.model.audit import Audit
from semiaudit.model.labels import label, secret_label
from semiaudit.model.number_text import bound_text
from semiaudit.model.topdown import Semantic
from semiaudit.numeric.rationals import decimal_text_up, rational_text
from semiaudit.report.blocks.guarantees_table import MOST_PLACES
from semiaudit.report.text.layout import Grid

_NONE = "no pair"
_FACTOR = "factor: ρ divided by the ρ of the whole mechanism at distance 1 in D, rounded up."
_GUESS = (
    "prior: probability of the less likely value; without the release, the best guess is right "
    "with probability 1 - prior. log odds: how much the log odds of the truth grow, except with "
    "the given probability."
)
_NO_PAIR = f"{_NONE}: the universe has no such pair at that distance."
_OF_ONE = ("attribute:", "geography:")


def semantics_blocks(audit: Audit, *, caveats: bool) -> list[Grid]:
    """Return the privacy loss of each kind of secret inside Dₜ, at its worst place.

    Args:
        caveats: instead, of a hierarchy, return a table for one attribute, or the place, of one
            record, one for all other secrets, and the success probabilities of the best guess, in
            which equal results in D and inside Dₜ share a row, and places have letters; of noise on
            queries, also name the pairs that do not exist.
    """
    if not audit.semantics:
        return []
    if all(semantic.universe == "D_t" for semantic in audit.semantics):
        return [_of_queries(audit.semantics, verbose=caveats)]
    if not caveats:
        return [_of_queries(_worst(audit.semantics), verbose=False)]
    letters = letters_of(audit.semantics)
    of_one = [s for s in audit.semantics if s.name.startswith(_OF_ONE)]
    others = [s for s in audit.semantics if not s.name.startswith(_OF_ONE)]
    return [
        _grid("Privacy loss for one attribute, or the place, of one record", of_one, letters, 1),
        _grid("Privacy loss for whole records", others, letters, None),
        *_guesses(audit.semantics, letters),
    ]


def _worst(semantics: Sequence[Semantic]) -> list[Semantic]:
    """Return the largest loss of each kind of secret inside Dₜ, over distances and places."""
    worst: dict[str, Semantic] = {}
    for one in semantics:
        if one.universe == "D_t" and one.has_pair:
            worst[one.name] = max(worst.get(one.name, one), one, key=_size)
    return list(worst.values())


def _size(semantic: Semantic) -> tuple[float, float]:
    """Return what orders the losses of one secret; one that is not known is the largest."""
    epsilon = float(semantic.approx_dp[0].epsilon) if semantic.approx_dp else math.inf
    return (math.inf if semantic.zcdp is None else float(semantic.zcdp)), epsilon


def _of_queries(semantics: Sequence[Semantic], *, verbose: bool) -> Grid:
    """Return the pairs inside D_t of noise on queries; equal losses share a row."""
    deltas = [point.delta for s in semantics for point in s.approx_dp][:1]
    groups: dict[tuple[str, ...], dict[str, list[str]]] = {}
    none: dict[str, list[str]] = {}
    for s in semantics:
        kind, colon, attribute = s.name.partition(":")
        most = "at most " * (s.zcdp is not None and s.zcdp.side != "exact")
        epsilons = [bound_text(p.epsilon) for p in s.approx_dp if p.delta in deltas]
        cells = str(s.distance), f"{most}{_rho_text(s)}", *(epsilons or ["-"] * len(deltas))
        group = groups.setdefault(cells, {}) if s.has_pair else none
        group.setdefault(f"{kind}{colon}", []).append(attribute)
    rows = tuple((_listed(kinds), *cells) for cells, kinds in groups.items())
    columns = "what changes", "distance", "ρ", *(f"ε at δ = {rational_text(d)}" for d in deltas)
    notes = (f"No two datasets differ only by this: {_listed(none)}.",) if none and verbose else ()
    numeric = (False, *(True for _ in columns[1:]))
    return Grid("Privacy loss inside Dₜ, by what changes", columns, rows, numeric, notes)


def _listed(kinds: dict[str, list[str]]) -> str:
    return "; ".join(secret_label(f"{kind}{', '.join(of)}") for kind, of in kinds.items())


def _guesses(semantics: Sequence[Semantic], letters: dict[str, str]) -> list[Grid]:
    known = [one for one in semantics if one.has_pair]
    priors = list(dict.fromkeys(prior for s in known for prior, _ in s.best_guess))
    deltas = list(dict.fromkeys(delta for s in known for delta, _ in s.posterior_odds))[:1]
    if not priors:
        return []
    priors_shown = [f"prior {rational_text(prior)}" for prior in priors]
    odds = [f"log odds, except {rational_text(delta)}" for delta in deltas]
    rows = []
    for group in merged(known):
        first = group[0]
        guesses = dict(first.best_guess)
        growth = dict(first.posterior_odds)
        rows.append(
            (
                name_of(first, letters),
                ", ".join(label(semantic.universe) for semantic in group),
                str(first.distance),
                *(bound_text(guesses[prior]) if prior in guesses else "-" for prior in priors),
                *(bound_text(growth[delta]) if delta in growth else "-" for delta in deltas),
            )
        )
    columns = ("secret", "universe", "distance", *priors_shown, *odds)
    numeric = (False, False, *(True for _ in columns[2:]))
    title = "Success probability of the best guess between two values of a secret, at most"
    decisive = tuple(range(3, len(columns)))
    return [Grid(title, columns, tuple(rows), numeric, (_GUESS,), decisive=decisive)]


def _grid(
    title: str, semantics: Sequence[Semantic], letters: dict[str, str], distance: int | None
) -> Grid:
    deltas = list(dict.fromkeys(p.delta for s in semantics for p in s.approx_dp))[:MOST_PLACES]
    rows = tuple(_row(group, letters, deltas, distance) for group in merged(semantics))
    distance_column = () if distance else ("distance",)
    single = len(deltas) == 1
    epsilon_columns = ("ε",) if single else tuple(f"ε at {rational_text(d)}" for d in deltas)
    if single:
        title += f"; ε at δ = {rational_text(deltas[0])}"
    columns = ("secret", "universe", *distance_column, "ρ", "factor", *epsilon_columns)
    numeric = (False, False, *(True for _ in columns[2:]))
    notes = [_FACTOR]
    notes += [_NO_PAIR] if any(not s.has_pair for s in semantics) else []
    locations = [where for s in semantics for where in s.where.split("; ") if where]
    used = [f"{letters[where]}: {where}" for where in dict.fromkeys(locations)]
    notes += [f"{'; '.join(used)}."] if used else []
    decisive = (*range(len(columns) - len(epsilon_columns), len(columns)), columns.index("ρ"))
    return Grid(title, columns, rows, numeric, tuple(notes), decisive=decisive)


def letters_of(semantics: Sequence[Semantic]) -> dict[str, str]:
    """Return a letter for each kind of place."""
    locations = [where for s in semantics for where in s.where.split("; ") if where]
    kinds = list(dict.fromkeys(locations))
    if len(kinds) > len(ascii_uppercase):
        return {kind: kind for kind in kinds}
    return dict(zip(kinds, ascii_uppercase, strict=False))


def _row(
    group: Sequence[Semantic],
    letters: dict[str, str],
    deltas: Sequence[Fraction],
    distance: int | None,
) -> tuple[str, ...]:
    first = group[0]
    return (
        name_of(first, letters),
        ", ".join(label(semantic.universe) for semantic in group),
        *(() if distance else (str(first.distance),)),
        _rho_text(first),
        "-" if first.factor is None else decimal_text_up(first.factor, 3),
        *(_epsilon_text(first, delta) for delta in deltas),
    )


def _epsilon_text(semantic: Semantic, delta: Fraction) -> str:
    return next((bound_text(p.epsilon) for p in semantic.approx_dp if p.delta == delta), "-")


def _rho_text(semantic: Semantic) -> str:
    if not semantic.has_pair:
        return _NONE
    return "-" if semantic.zcdp is None else bound_text(semantic.zcdp)


def name_of(semantic: Semantic, letters: dict[str, str]) -> str:
    """Return the kind of secret, with the letters of its places."""
    where = "+".join(letters[kind] for kind in semantic.where.split("; ") if kind)
    name = secret_label(semantic.name)
    return f"{name} {where}" if where else name


def merged(semantics: Sequence[Semantic]) -> list[list[Semantic]]:
    """Merge rows with the same results for D and for D_t."""
    groups: list[list[Semantic]] = []
    for semantic in semantics:
        same = next((group for group in groups if _says_the_same(group[0], semantic)), None)
        if same is None:
            groups.append([semantic])
        else:
            same.append(semantic)
    return groups


def _says_the_same(first: Semantic, other: Semantic) -> bool:
    return _said(first) == _said(other)


def _said(s: Semantic) -> tuple[object, ...]:
    return (s.name, s.distance, s.where, s.has_pair, s.zcdp, s.approx_dp)
