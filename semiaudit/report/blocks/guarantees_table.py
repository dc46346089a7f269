"""The table of guarantees: what each privacy definition guarantees, with all of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import FrameworkGuarantee, Numbers
from semiaudit.model.labels import DEFINITION, label, percent
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import leading_numbers
from semiaudit.report.text.layout import Grid

MOST_PLACES = 4
"""Of more δs or FPRs, the table has only the first; JSON and CSV have all of them."""

_COMMON_RATE = Fraction(1, 20)
"""The FPR of the table if it has only one."""

_PAIRS = "D: all datasets; Dₜ: those that agree on the invariants; number: distance."
_RATES = "TPR, FPR: an attacker's true and false positive rates; advantage: the largest TPR − FPR."
_FITTED = (
    "If the regret is above 0, μ is the smallest certified value; the regret bounds how far its "
    "tradeoff function is below the certified one."
)
_SOURCES = {
    "gaussian_exact": "from the exact Gaussian tradeoff function",
    "tradeoff_exact": "from the mechanism's tradeoff function",
    "tradeoff_merged": "from a tradeoff function with merged pieces, which is looser, and valid",
    "loss_distribution": "from the privacy-loss distribution of the noise",
    "cks20_envelope": "upper bounds for any mechanism with this ρ",
}
_MEASURES: tuple[tuple[str, Callable[[Numbers], Bound | None]], ...] = (
    ("ρ", lambda numbers: numbers.zcdp),
    ("μ", lambda numbers: numbers.gdp),
    ("regret", lambda numbers: numbers.gdp_regret),
    ("ε at δ = 0", lambda numbers: numbers.pure_dp),
)

Column = tuple[str, Callable[[Numbers], Bound | None]]


def guarantees_block(audit: Audit, *, caveats: bool = False, verbose: bool) -> Grid:
    """Return the privacy definitions with their numbers; equal rows are one row.

    Args:
        caveats: explain the columns, and what each definition means.
        verbose: show every privacy measure, conversion, δ, and FPR.
    """
    columns = [*_measures(audit, verbose=verbose), *_epsilons(audit, verbose=verbose)]
    columns += _attacks(audit, verbose=verbose)
    named: dict[tuple[str, ...], list[str]] = {}
    for row in audit.rows:
        guarantee = row.guarantee
        covers = ("yes" if guarantee.covers_joint_release else "no",) * verbose
        cells = (_pairs(guarantee), *covers, *(_text(of(row.numbers)) for _, of in columns))
        named.setdefault(cells, []).append(label(guarantee.framework))
    texts = ("covers invariants",) * verbose
    names = (DEFINITION, "pairs", *texts, *(name for name, _ in columns))
    rows = tuple((", ".join(definitions), *cells) for cells, definitions in named.items())
    numeric = (*(False for _ in range(2 + len(texts))), *(True for _ in columns))
    glued = frozenset(i for i, name in enumerate(names) if name == "regret")
    numbers = tuple(range(2 + len(texts), len(names)))
    notes = tuple(_notes(audit, caveats=caveats, verbose=verbose))
    return Grid("Guarantees", names, rows, numeric, notes, glued, decisive=numbers)


def _pairs(guarantee: FrameworkGuarantee) -> str:
    if guarantee.refused or guarantee.distance is None:
        return "-"
    return f"{label(guarantee.universe)}, {guarantee.distance}"


def _text(bound: Bound | None) -> str:
    return "-" if bound is None else bound_text(bound)


def _measures(audit: Audit, *, verbose: bool) -> list[Column]:
    if not verbose:
        leading = {f"{number.symbol}{number.at}" for number in leading_numbers(audit)[:1]}
        return [column for column in _MEASURES if column[0] in leading]
    # A row without a mu of its own has one that was fitted to another measure. Its regret bounds
    # how far that function is below the certified one. Without such a row every regret is 0.
    known = [column for column in _MEASURES if any(column[1](r.numbers) for r in audit.rows)]
    return [column for column in known if column[0] != "regret" or _is_fitted(audit)]


def _is_fitted(audit: Audit) -> bool:
    return any(row.numbers.gdp and not row.numbers.own_gdp for row in audit.rows)


def _deltas(audit: Audit) -> list[Fraction]:
    points = (point.delta for row in audit.rows for point in row.numbers.approx_dp)
    return sorted(dict.fromkeys(points), reverse=True)


def _epsilons(audit: Audit, *, verbose: bool) -> list[Column]:
    deltas = _deltas(audit)
    if not verbose or len(deltas) > MOST_PLACES:
        return [(f"ε at δ = {rational_text(delta)}", epsilon_at(delta)) for delta in deltas[:1]]
    columns: list[Column] = []
    for delta in deltas:
        points = (point for row in audit.rows for point in row.numbers.approx_dp)
        conversions = dict.fromkeys(p.conversion for p in points if p.delta == delta)
        at = f"ε at δ = {rational_text(delta)}"
        columns += [(f"{at}, {label(name)}", _converted(delta, name)) for name in conversions]
    return columns


def epsilon_at(delta: Fraction) -> Callable[[Numbers], Bound | None]:
    """Return a function of numbers: the tightest ε at a δ, or None without one."""
    return lambda numbers: next((p.epsilon for p in numbers.tightest if p.delta == delta), None)


def _converted(delta: Fraction, name: str) -> Callable[[Numbers], Bound | None]:
    def epsilon(numbers: Numbers) -> Bound | None:
        points = numbers.approx_dp
        return next((p.epsilon for p in points if (p.delta, p.conversion) == (delta, name)), None)

    return epsilon


def _rates(audit: Audit) -> list[Fraction]:
    return list(dict.fromkeys(r for row in audit.rows for r, _ in row.numbers.tpr_at_fpr))


def _attacks(audit: Audit, *, verbose: bool) -> list[Column]:
    if all(row.numbers.advantage is None for row in audit.rows):
        return []
    rates = _rates(audit)
    if not verbose or len(rates) > MOST_PLACES:
        rates = [rate for rate in rates if rate == _COMMON_RATE] or rates[-1:]
    columns = [(f"TPR at FPR {percent(rate)}", _power(rate)) for rate in rates]
    return [("advantage", lambda numbers: numbers.advantage), *columns]


def _power(rate: Fraction) -> Callable[[Numbers], Bound | None]:
    return lambda numbers: dict(numbers.tpr_at_fpr).get(rate)


def _notes(audit: Audit, *, caveats: bool, verbose: bool) -> list[str]:
    notes = [_PAIRS, f"{_order(audit, verbose=verbose)} {_basis(audit, verbose=verbose)}".strip()]
    sources = [r.numbers.operating_points_from for r in audit.rows if r.numbers.advantage]
    if caveats:
        notes += ["All numbers but distances are upper bounds on the privacy loss, rounded up."]
        notes += [f"TPR and advantage: {_SOURCES[source]}." for source in sources[:1]]
        notes += [_FITTED] * (verbose and _is_fitted(audit))
    number = len(_deltas(audit)), len(_rates(audit))
    many = verbose and max(number) <= MOST_PLACES
    more = [f"ε at {number[0]} values of δ"] * (number[0] > 1 and not many)
    more += [f"TPR at {number[1]} FPRs"] * (number[1] > MOST_PLACES)
    where = "In JSON and CSV" if max(number) > MOST_PLACES else "With --verbose"
    notes += [f"{where}: {' and '.join(more)}."] if more else []
    remarks: dict[str, list[str]] = {}
    for row in audit.rows:
        guarantee = row.guarantee
        said = guarantee.framework == LEADING and audit.universe.semi_adjacency.own is not None
        specific = "" if said else guarantee.specific  # the head of the report says it
        parts = guarantee.note.split("; ") if caveats else []
        general = "; ".join(part for part in parts if part not in specific.split("; "))
        for note in [guarantee.refused] if guarantee.refused else [general, specific]:
            remarks.setdefault(note, []).append(label(guarantee.framework))
    notes += [f"{', '.join(names)}: {note}." for note, names in remarks.items() if note]
    notes += cut_short_notes((label(row.guarantee.framework), row.numbers) for row in audit.rows)
    return [note for note in notes if note]


def _order(audit: Audit, *, verbose: bool) -> str:
    """Return which guarantee follows from which."""
    implied = {(o.stronger, o.weaker) for o in audit.ordering}
    strict = {(o.stronger, o.weaker) for o in audit.ordering if o.strict}
    groups: list[list[str]] = []
    for row in audit.rows:
        name = row.guarantee.framework
        for group in groups:
            if all({(name, other), (other, name)} <= implied - strict for other in group):
                group.append(name)
                break
        else:
            groups.append([name])
    if len(groups) == 1:
        return f"All {len(audit.rows)} guarantees are equal."
    equal = [f"{_and(group)} are equal" for group in groups if len(group) > 1]
    followed = [
        f"{_and(below)} {'follow' if len(below) > 1 else 'follows'} from {_and(above)}"
        for above in groups
        for below in groups
        if all((stronger, weaker) in strict for stronger in above for weaker in below)
    ]
    by = " (Definition 20)" if verbose else ""
    orders = "; ".join([*followed, *equal])
    return f"{orders}{by}. No other order is proven." if orders else f"No order{by} is proven."


def _and(names: Sequence[str]) -> str:
    """The names of privacy definitions in one enumeration."""
    *others, last = map(label, names)
    return f"{', '.join(others)} and {last}" if others else last


def _basis(audit: Audit, *, verbose: bool) -> str:
    """Return what TPR and advantage are, and the conversions of ε if there are several."""
    deltas = _deltas(audit)
    conversions: dict[str, list[str]] = {}
    for row in audit.rows:
        for point in row.numbers.tightest:
            if point.delta == deltas[0]:
                names = conversions.setdefault(label(point.conversion), [])
                names.append(label(row.guarantee.framework))
    texts = [
        name if len(conversions) == 1 else f"{name} ({', '.join(names)})"
        for name, names in conversions.items()
    ]
    parts = [f"ε: {'; '.join(texts)}."] if len(texts) > 1 and not verbose else []
    parts += [_RATES] if any(r.numbers.advantage for r in audit.rows) else []
    return " ".join(parts)


def cut_short_notes(rows: Iterable[tuple[str, Numbers]]) -> list[str]:
    """Return which numbers the time limit cut short, in one sentence for each list of numbers."""
    named: dict[str, list[str]] = {}
    for name, numbers in rows:
        if numbers.cut_short:
            named.setdefault(_all_cut_short(numbers.cut_short), []).append(name)
    return [
        f"{', '.join(filter(None, names)) or 'The mechanism'}: the time limit cut short {numbers}; "
        "these numbers hold, and can be loose."
        for numbers, names in named.items()
    ]


def _all_cut_short(cut_short: Sequence[tuple[str, Fraction]]) -> str:
    places: dict[str, list[str]] = {}
    for measure, at in cut_short:
        text = percent(at) if measure == "type_ii" else rational_text(at)
        places.setdefault(CUT_SHORT_AT[measure], []).append(text)
    return " and ".join(f"{name} {', '.join(at)}" for name, at in places.items())


CUT_SHORT_AT = {"epsilon": "ε at δ =", "delta": "δ at ε =", "type_ii": "the attack at FPR"}
