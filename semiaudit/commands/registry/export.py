"""Export a spec as an entry of the OpenDP deployments registry: the claim, with its basis.

The command reads the entry back as a check. The invariants are the unprotected quantities, the
relation is the privacy unit's details, and the effective numbers are the parameters. Information
that is not in a spec comes from the user's facts, or stays a placeholder. All texts are Markdown;
words of the spec are escaped in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any, TypeGuard, assert_never

import click

from semiaudit.auditing.run import audit_file
from semiaudit.cli.interrupts import hard_limits
from semiaudit.cli.options import (
    STANDARD_INPUT,
    access_of,
    access_options,
    hard_limit_options,
    output_option,
    spec_of_standard_input,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.output import parse_outputs, write_stdout
from semiaudit.cli.output_files import write_text
from semiaudit.cli.status_line import watching
from semiaudit.errors import SemiauditError, one_line
from semiaudit.library.report import refusal_of
from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import LEVELS, Audit
from semiaudit.model.bound import Bound, describe
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import ApproxPoint, GuaranteeRow, Numbers
from semiaudit.model.labels import label
from semiaudit.model.number_text import decimals_text
from semiaudit.model.results.registry import PLACEHOLDER, SCHEMA_COMMIT, Node, Placeholder, slug_of
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.report.blocks.distance_sentence import distance_said
from semiaudit.report.blocks.numbers import number
from semiaudit.report.markup.to_markdown import escaped
from semiaudit.report.text.symbols import in_ascii
from semiaudit.spec.registry.entry import load_entry
from semiaudit.spec.registry.facts import load_facts
from semiaudit.spec.registry.writing import entry_text
from semiaudit.version import __version__

MOST_NAMED = 200
"""The most invariants that are named; the others are counted."""

_RHO_DIGITS = 15

PER_UNIT = "invariant_dp"

_BASIC: dict[str, Node] = {
    "name": f"{PLACEHOLDER}: the name of the data product",
    "data_curators": [f"{PLACEHOLDER}: the publisher"],
    "intended_use": f"{PLACEHOLDER}: the purpose",
    "data_product_type": Placeholder("Summary statistics", "the kind of data product"),
    "data_product_region": f"{PLACEHOLDER}: the region of the data",
    "description": f"{PLACEHOLDER}: the data product in a few words",
    "publication_date": Placeholder("0001-01-01", "the day of publication"),
}


def entry_of(audit: Audit, facts: dict[str, Node]) -> dict[str, Node]:
    """Return the keys and values of an entry.

    Args:
        facts: the user's part of an entry, without audited values.
    """
    given = _part(facts, "deployment")
    basic: dict[str, Node] = dict(_BASIC)
    if audit.release.title:
        basic["name"] = _word(audit.release.title)
    basic |= _part(given, "basic")
    deployment: dict[str, Node] = {
        "basic": basic,
        "dp_variant": _variant(audit),
        "privacy_loss": _loss(audit),
        **{key: dict(_part(given, key)) for key in ("deployment_model", "accounting")},
        "implementation": _joined(_part(given, "implementation"), "mechanisms", _mechanisms(audit)),
        "administrative": _administrative(audit, _part(given, "administrative")),
    }
    modelled = bool(_part(given, "deployment_model"))
    return {
        "url_slug": facts.get("url_slug", _slug(basic)),
        "status": facts.get("status", "Draft"),
        "tier": facts.get("tier", 3 if modelled else 1),
        "deployment": {key: value for key, value in deployment.items() if value != {}},
    }


def _part(node: dict[str, Node], key: str) -> dict[str, Node]:
    section = node.get(key, {})
    return section if isinstance(section, dict) else {}


def _joined(given: dict[str, Node], key: str, lines: Sequence[str]) -> dict[str, Node]:
    own = given.get(key, "")
    before = [own.rstrip("\n")] if isinstance(own, str) and own else []
    return {**given, key: _block([*before, *lines])} if lines else given


def _slug(basic: dict[str, Node]) -> str:
    name, curators, day = (basic[key] for key in ("name", "data_curators", "publication_date"))
    date = day.value if isinstance(day, Placeholder) else str(day)
    return slug_of(str(name), curators if isinstance(curators, list) else [], date)


def _word(text: str) -> str:
    return escaped(one_line(text)).replace("\\\\", "&#92;").replace("$", "&#36;")


def _block(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _bullets(sentences: Iterable[str]) -> str:
    return _block(f"- {sentence}" for sentence in sentences)


def _rows(audit: Audit) -> dict[str, GuaranteeRow]:
    return {row.guarantee.framework: row for row in audit.rows}


def _variant(audit: Audit) -> dict[str, Node]:
    return {
        "variant_name": _variant_name(_rows(audit)[LEADING].numbers),
        "data_domain": _block([_word(audit.statement.domain)]),
        "unprotected_quantities": _bullets(_unprotected(audit)),
    }


def _finite(bound: Bound | None) -> TypeGuard[Bound]:
    return bound is not None and isinstance(bound.value, Fraction)


def _variant_name(numbers: Numbers) -> str:
    if _finite(numbers.pure_dp):
        return "Pure DP"
    if _finite(numbers.zcdp):
        return "Zero-concentrated DP"
    return "Approximate DP" if _least_delta(numbers) is not None else "Custom"


def _least_delta(numbers: Numbers) -> ApproxPoint | None:
    finite = [point for point in numbers.tightest if _finite(point.epsilon)]
    return min(finite, key=lambda point: point.delta, default=None)


def _unprotected(audit: Audit) -> Iterator[str]:
    invariants = audit.release.published_invariants
    if not invariants:
        yield "None: nothing is published exactly."
    yield from (_word(str(invariant)) for invariant in invariants[:MOST_NAMED])
    more = len(invariants) - MOST_NAMED
    if more > 0:
        yield f"{more} more; the spec lists them."


def _loss(audit: Audit) -> dict[str, Node]:
    numbers = _rows(audit)[LEADING].numbers
    parameters = _parameters(numbers)
    return {
        "privacy_unit": _word(audit.release.dataspace.unit),
        "privacy_unit_details": _bullets(_relation(audit)),
        **({"privacy_parameters": parameters} if parameters else {}),
        "privacy_parameters_details": _bullets(_intensity(audit)),
    }


def _parameters(numbers: Numbers) -> dict[str, Node]:
    """Return the effective numbers of the variant.

    For zCDP also an epsilon, with its delta in quotes.
    """
    if _finite(numbers.pure_dp):
        return {"epsilon": _epsilon(numbers.pure_dp)}
    parameters: dict[str, Node] = {}
    point = _least_delta(numbers)
    if point is not None:
        parameters = {"epsilon": _epsilon(point.epsilon), "delta": str(number(point.delta))}
    if _finite(numbers.zcdp):
        parameters["rho"] = _rho(numbers.zcdp)
    return parameters


def _epsilon(bound: Bound) -> Fraction:
    return Fraction(decimals_text(bound))


def _rho(bound: Bound) -> Fraction:
    """Return rho with more digits, so that epsilon is not below what the printed rho proves."""
    value = Fraction(bound.value)
    rounded = Context(prec=_RHO_DIGITS, rounding=ROUND_CEILING).divide(
        Decimal(value.numerator), Decimal(value.denominator)
    )
    return Fraction(rounded)


def _relation(audit: Audit) -> Iterator[str]:
    release, semi = audit.release, audit.universe.semi_adjacency
    metric = release.adjacency.metric
    distance = _rows(audit)[LEADING].guarantee.distance
    yield f"The metric is `{metric}`: {_metric(metric)}."
    inside = "all datasets of the domain" if audit.universe.whole else (
        "datasets of the domain that agree on every unprotected quantity (the universe D_t)"
    )  # fmt: skip
    if distance:
        yield f"The guarantee compares {inside}, at a distance of at most {distance}."
    else:
        yield f"The guarantee would compare {inside}, but no two of them differ."
    readings = (("covering", semi.covering), ("definition_13", semi.definition_13))
    readings_text = "; ".join(f"{_ends(interval)} ({label(name)})" for name, interval in readings)
    of = "" if semi.own is None else f" of {semi.own.covered}"
    yield (
        f"The semi-adjacent parameter a(t){_word(of)} is {readings_text}; the guarantees use the "
        f"{label(semi.reading)}."
    )
    yield f"a(t) in words: {_word(distance_said(audit).text)}."
    if semi.a_min is not None and semi.a_min > 1:
        yield f"No two such datasets are closer than {semi.a_min}."


def _metric(metric: Metric) -> str:
    match metric:
        case "hamming":
            return "the number of places at which two datasets of equal size have different records"
        case "multiset_hamming":
            return "the number of records to replace in one dataset to get the other one"
        case "symmetric_difference":
            return "the number of records to add and remove to get from one dataset to the other"
        case _:
            assert_never(metric)


def _ends(parameter: Parameter) -> str:
    lower, upper = parameter.lower, parameter.upper
    if lower == upper:
        return str(lower)
    return f"{lower} to {'an unknown upper bound' if upper is None else upper}"


def _intensity(audit: Audit) -> Iterator[str]:
    rows = _rows(audit)
    leading, advertised, per_unit = rows[LEADING], rows[ADVERTISED], rows[PER_UNIT]
    if leading.guarantee.refused:
        yield (
            "There are no parameters: only one dataset agrees with the unprotected quantities, so "
            "nothing is protected."
        )
    else:
        where = "all datasets of the domain" if audit.universe.whole else (
            "datasets that agree on the unprotected quantities (D_t)"
        )  # fmt: skip
        own = audit.universe.semi_adjacency.own
        of = " and the unprotected quantities together" if own is None else ""
        yield (
            f"{label(LEADING)}: the guarantee of the noisy output{of}, for {where} at a "
            f"distance of at most {leading.guarantee.distance}: {_text(leading.numbers)}."
        )
        if own is not None:
            yield (
                f"That distance is not known to be a(t): {_word(own.not_joint)}. The guarantee "
                "does not cover a record that cannot change within it, while every unprotected "
                "quantity stays the same."
            )
    if not advertised.guarantee.refused:
        covers = "covers" if advertised.guarantee.covers_joint_release else "does not cover"
        yield (
            f"{label(ADVERTISED)}: the guarantee for all datasets of the domain at a "
            f"distance of 1: {_text(advertised.numbers)}. It {covers} the unprotected quantities."
        )
    if not per_unit.guarantee.refused:
        yield f"{label(PER_UNIT)}: the loss per unit of distance in D_t: {_text(per_unit.numbers)}."
    yield "All numbers are upper bounds, rounded up."


def _text(numbers: Numbers) -> str:
    values = []
    if numbers.pure_dp is not None:
        values.append(f"epsilon {decimals_text(numbers.pure_dp)}")
    if _finite(numbers.zcdp):
        values.append(f"rho {float(_rho(numbers.zcdp))}")
    if numbers.own_gdp is not None:
        values.append(f"mu {decimals_text(numbers.own_gdp)}")
    values += [
        f"epsilon {decimals_text(point.epsilon)} at delta {number(point.delta)} "
        f"by the conversion {in_ascii(label(point.conversion))} (`{point.conversion}`)"
        for point in numbers.tightest
    ]
    return ", ".join(values) if values else "no number is known"


def _mechanisms(audit: Audit) -> list[str]:
    return [f"From the spec: {_word(audit.statement.standard)}."]


def _administrative(audit: Audit, given: dict[str, Node]) -> dict[str, Node]:
    release = audit.release
    authors: dict[str, Node] = {"registry_authors": [f"{PLACEHOLDER}: who wrote this entry"]}
    fields = _joined(given, "sources", [f"- {_word(text)}" for text in release.references])
    fields = _joined(fields, "notes", [f"- {line}" for line in _notes(audit)])
    return fields if "registry_authors" in fields else fields | authors


def _notes(audit: Audit) -> Iterator[str]:
    for text in audit.release.leaves_out:
        yield f"Not in this audit: {_word(text)}."
    for finding in sorted(audit.findings, key=lambda item: LEVELS.index(item.level)):
        yield f"{finding.rule}, {finding.level}: {_word(finding.message)}."
    if not audit.complete:
        why = describe(audit.incomplete_because)
        yield f"The audit is incomplete: {why}. The numbers hold, and can be loose."
    yield f"Audited by semiaudit {__version__}; SHA-256 of the spec: {audit.release.sha256}."


REMARK = (
    f"An entry of the OpenDP deployments registry (schema at commit {SCHEMA_COMMIT[:7]}). Check it "
    "with `semiaudit registry review`."
)


def entry_of_spec(
    spec: str,
    facts: str | None,
    time_limit: float,
    tolerance: float,
    access: Access,
    standard_input: bytes | None = None,
) -> str:
    """Return an entry as YAML.

    Args:
        spec: the path of a file. facts: the path of a file with
            information that no spec has.
        time_limit: seconds for all computations.
        tolerance: the relative bracket width of a composed loss.
        standard_input: the content of standard input, if the spec comes from there.

    Raises:
        SpecError: the spec or the facts cannot be read, or the spec cannot be audited.
        SemiauditError: there is no effective guarantee.
    """
    given: dict[str, Node] = load_facts(facts) if facts is not None else {}
    audit = audit_file(spec, time_limit, tolerance, access=access, text=standard_input)
    refused = refusal_of(audit)
    if refused:
        raise SemiauditError(
            f"{spec}: {refused}; without an effective guarantee, there is no entry to export"
        )
    text = entry_text(entry_of(audit, given), REMARK)
    load_entry("the entry of " + spec, text.encode("utf-8"))
    return text


_FORM = "yaml"


@click.command()
@click.argument("spec", type=click.Path())
@click.option(
    "--facts",
    type=click.Path(),
    metavar="FILE",
    help="Facts that the spec does not contain, with the keys of an entry. Without it, the entry "
    "has placeholders.",
)
@output_option("Write the entry to FILE, as yaml=FILE, instead of standard output.")
@time_limit_option("Time limit for the audit.")
@hard_limit_options(
    "Stop after this time with exit code 2, in every case. Default: no limit.",
    "Maximum address space of the process. Default: no limit.",
)
@tolerance_option()
@access_options()
def export(
    spec: str,
    facts: str | None,
    outputs: tuple[str, ...],
    time_limit: float,
    kill_after: float | None,
    memory_limit: int | None,
    tolerance: float,
    **given: Any,
) -> int:
    """Audit SPEC, and print it as an entry of the OpenDP deployments registry, in YAML.

    The invariants become the unprotected quantities, the adjacency becomes the details of the
    privacy unit, and the effective guarantee becomes the privacy parameters. Use - to read the spec
    from standard input.

    Exit code 2: the spec cannot be audited, or has no effective guarantee.
    """
    inputs = [spec] if facts is None else [spec, facts]
    files = parse_outputs(outputs, *inputs, formats=(_FORM,))
    access = access_of(given)
    with watching("starting"), hard_limits(kill_after, memory_limit):
        standard_input = spec_of_standard_input(files) if spec == STANDARD_INPUT else None
        text = entry_of_spec(spec, facts, time_limit, tolerance, access, standard_input)
    if not files:
        write_stdout(text)
    for _, output in files:
        write_text(output, text)
    return 0
