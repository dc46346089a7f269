"""The view of a verification: the verdict, findings, tests with bounds and claims, the pair."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit.commands.verify.model import FACTORS, ClaimTest, Verified
from semiaudit.model.bound import Bound
from semiaudit.model.number_text import Rounding, ordered_texts, short_text
from semiaudit.report.blocks.conclusion import draft_sentence
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

SYMBOLS = {"epsilon": "ε", "mu": "μ", "rho": "ρ", "e_process": "curve", "one_run": "p-value"}

NOT_PROVEN = (
    "Consistent is not proven: the test compares one pair of datasets by a few events. For ρ, it "
    "says nothing about tails."
)

MOST_CELLS = 12
"""The most cells in which the datasets differ that are listed."""


def view_of(verified: Verified) -> View:
    """Arrange a verification."""
    blocks: list[Block | None] = [
        Lines("Answer", tuple(("", text) for text in answer_of(verified))),
        _findings(verified),
        _tests(verified),
        _power(verified),
        _runs(verified),
        _pair(verified),
    ]
    late = heading(verified.incomplete_because)
    subtitle = f"{verified.path} · verification of code · semiaudit {__version__}{late}"
    return View(verified.title, subtitle, tuple(block for block in blocks if block is not None))


def answer_of(verified: Verified) -> list[str]:
    """Return the verdict in a sentence, and what it does not say."""
    at = f"at confidence {verified.confidence:g}"
    draft = draft_sentence(verified.placeholder)
    texts = [draft] if draft else []
    match verified.verdict:
        case "violated":
            texts.append(f"Violated: the code does not do what the spec says ({at}).")
            texts += [f"{f.cell}: {f.message}." for f in verified.findings if f.proven]
            texts += [refutation(test) for test in verified.tests if test.rejects]
        case "consistent":
            texts.append(f"Consistent: no test refutes the claim of the spec ({at}).")
            texts.append(NOT_PROVEN)
        case "undecided":
            why = "the runs could not detect a claim or noise that is wrong by a factor of 3"
            if verified.findings:
                why = "a finding is not explained by the claim, and does not refute it"
            elif sum(verified.runs) < 2 * sum(some.on_x + some.on_y for some in verified.failures):
                why = "most runs failed"
            texts.append(f"Undecided: no test refutes the claim, but {why} ({at}).")
        case "not run":
            texts.append("Not run: no run gave an output.")
    return [*texts, *verified.notes]


def refutation(test: ClaimTest) -> str:
    """Return why a test refutes the claim."""
    order = "" if test.order == "both" else f" for the order {test.order}"
    bound, claim = _texts(test)
    if test.kind == "e_process":
        return f"The claimed (ε, δ) curve is refuted{order} after {test.at_run} judged runs."
    if test.kind == "one_run":
        of = f"Of {test.runs[1]} guesses, {test.hits[0]} are right"
        return f"{of}: too many for ε = {claim} at δ = {test.delta:g}."
    return f"{_name(test)} is at least {bound}{order}; the claim is {claim}."


def _texts(test: ClaimTest) -> tuple[str, str]:
    """Return a bound rounded down (a p-value up) and a claim rounded up, in their true order."""
    if test.claim is None or test.kind == "one_run":
        side: Rounding = "up" if test.kind == "one_run" else "down"
        claim = "-" if test.claim is None else short_text(Fraction(test.claim), "up")
        return short_text(Fraction(test.bound), side), claim
    bound = Bound(Fraction(test.bound), "lower", "", "")
    return ordered_texts(bound, Bound(Fraction(test.claim), "upper", "", ""))


def _name(test: ClaimTest) -> str:
    symbol = "ε" if test.kind == "exact" else SYMBOLS[test.kind]
    return f"{symbol} at δ = {test.delta:g}" if test.delta else symbol


def _findings(verified: Verified) -> Lines | None:
    items = tuple((f.cell, f"{f.message}.") for f in verified.findings)
    return Lines("What the output shows exactly", items) if items else None


def _tests(verified: Verified) -> Grid | None:
    rows = []
    for test in verified.tests:
        bound, claim = _texts(test)
        hits = f"{test.hits[0]} of {test.runs[0]}, {test.hits[1]} of {test.runs[1]}"
        if test.kind == "one_run":
            hits = f"{test.hits[0]} of {test.runs[1]} right"
        name = f"{_name(test)} (exact number)" if test.kind == "exact" else _name(test)
        bound = f"ln M = {bound}" if test.kind == "e_process" else bound
        outcome = "violated" if test.rejects else "consistent"
        rows.append((name, test.order, claim, bound, hits, outcome))
    if not rows:
        return None
    note = (
        "Lower confidence bounds; the confidence is that of all tests together. "
        "Each event was fixed by the first part of the runs, which is not counted."
    )
    columns = ("number", "order", "claim", "lower bound", "hits", "result")
    numeric = (False, False, True, True, False, False)
    title = f"Tests at confidence {verified.confidence:g}"
    return Grid(title, columns, tuple(rows), numeric, (note,))


def _power(verified: Verified) -> Grid | None:
    tests = [test for test in verified.tests if test.needed]
    rows = tuple(
        (
            _name(test),
            test.order,
            "-" if test.detectable is None else f"{test.detectable:.3g}",
            *("-" if number is None else f"{number:,}" for number in test.needed),
            *(("yes" if found else "no") for found in test.controls),
        )
        for test in tests
    )
    if not rows:
        return None
    columns = (
        "number",
        "order",
        "detectable factor",
        *(f"runs for {factor:g}×" for factor in FACTORS),
        *(f"noise / {factor:g} found" for factor in FACTORS[: len(tests[0].controls)]),
    )
    notes = (
        "By how much the claim may be wrong to be detected by the judged runs with a probability "
        "of 90%, and how many judged runs detect given factors.",
        "The last columns test the same claim on these runs with deviations that are made smaller.",
    )
    return Grid("Power", columns, rows, (False,) * 2 + (True,) * (len(columns) - 2), notes)


def _runs(verified: Verified) -> Lines:
    on_x, on_y = verified.runs
    labels = "a fair coin for each" if verified.coins else "fixed numbers"
    items = [
        ("code", verified.what),
        ("runs", f"{on_x} on X and {on_y} on Y ({labels})"),
        ("first part", f"{verified.first} runs chose the events, and are not judged"),
        ("score", verified.score),
    ]
    if verified.moves is not None:
        guesses = [f"; {test.runs[1]} guessed" for test in verified.tests]
        items[1:3] = [("moves", f"{verified.moves} with a fair coin each{''.join(guesses)}")]
    for some in verified.failures:
        items.append((some.kind, f"{some.on_x} runs on X, {some.on_y} on Y: {some.message}"))
    items += [(file.path, f"SHA-256 {file.sha256}") for file in verified.code]
    return Lines("Runs", tuple(items))


def _pair(verified: Verified) -> Grid:
    pair = verified.pair
    start, end = dict(pair.start), dict(pair.end)
    changed = [c for c in {**start, **end} if start.get(c, 0) != end.get(c, 0)]
    rows = tuple(
        (", ".join(map(str, cell)), f"{start.get(cell, 0):,}", f"{end.get(cell, 0):,}")
        for cell in changed[:MOST_CELLS]
    )
    return Grid(
        f"The pair at distance {pair.distance}: {pair.source}",
        ("cell", "X", "Y"),
        rows,
        (False, True, True),
        tuple(_pair_notes(verified, len(changed))),
    )


def _pair_notes(verified: Verified, changed: int) -> Iterator[str]:
    if changed > MOST_CELLS:
        yield f"{changed - MOST_CELLS} more cells differ."
    if verified.pair.attains is not None:
        does = "has" if verified.pair.attains else "does not have"
        yield f"This pair {does} the audited loss: the certified number for the distance in use."
    if not verified.pair.inside:
        yield "The datasets have different invariants."
