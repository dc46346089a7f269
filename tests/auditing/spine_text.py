"""What a toy of a hierarchical release says, written as a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tests.oracles.spine_pairs import Invariant, Toy

DELTAS = (Fraction(1, 100), Fraction(1, 10**6))


def listed(items: Sequence[str]) -> str:
    return "[" + ", ".join(items) + "]"


def condition_text(condition: Mapping[str, frozenset[str]]) -> str:
    return "{" + ", ".join(f"{name}: {listed(sorted(of))}" for name, of in condition.items()) + "}"


def absolute(weights: Mapping[tuple[str, str], Fraction]) -> list[str]:
    lines = ["    allocation:", "      - [level, query, rho]"]
    return lines + [f"      - [{one}, {name}, {rho}]" for (one, name), rho in weights.items()]


def _invariant(one: Invariant) -> str:
    if one.kind == "total":
        return "  - total"
    if one.kind == "count":
        return f"  - count: {{where: {condition_text(one.where)}}}"
    if one.kind == "at_least":
        return f"  - bound: {{where: {condition_text(one.where)}, at_least: {one.number}}}"
    return f"  - {one.kind}: {listed(one.names)}"


def _nested(toy: Toy, chosen: Mapping[str, str], names: Sequence[str]) -> str:
    if not names:
        assert toy.given is not None
        return str(sum(dict(cell) == dict(chosen) for cell in toy.given))
    head, *others = names
    return listed([_nested(toy, {**chosen, head: level}, others) for level in toy.attributes[head]])


def spec_text(toy: Toy, allocation: list[str], metric: str, times: int) -> str:
    lines = ["semiaudit: 1", "dataspace:", f"  size: {toy.size}", "  attributes:"]
    for name, levels in toy.attributes.items():
        if name in toy.within:
            parent, up = toy.within[name]
            parts = [
                f"{top}: {listed([level for level in levels if up[level] == top])}"
                for top in toy.attributes[parent]
            ]
            lines.append(f"    {name}: {{within: {parent}, levels: {{{', '.join(parts)}}}}}")
        else:
            lines.append(f"    {name}: {listed(levels)}")
    if toy.impossible:
        lines += ["  impossible:", *(f"    - {condition_text(zero)}" for zero in toy.impossible)]
    if toy.invariants:
        lines += ["invariants:", *map(_invariant, toy.invariants)]
    if toy.given is not None:
        lines += ["data:", f"  counts: {_nested(toy, {}, list(toy.attributes))}"]
    lines += [f"adjacency: {{metric: {metric}}}", "mechanism:"]
    if times > 1:
        lines.append(f"  repeat: {times}")
    lines += ["  topdown:", "    spine:"]
    for level in toy.spine:
        parts = [f"level: {level.name}"]
        if level.attribute is not None:
            parts.append(f"attribute: {level.attribute}")
            if level.split == set(toy.attributes[level.attribute]):
                parts.append("split: all")
            elif level.split:
                parts.append(f"split: {listed(sorted(level.split))}")
        lines.append(f"      - {{{', '.join(parts)}}}")
    if toy.recodes:
        lines.append("    recodes:")
        for name, (of, groups) in toy.recodes.items():
            if len(of) == 1:
                parts = [listed(sorted(one[of[0]])) for one in groups]
                lines.append(f"      {name}: {{of: {of[0]}, groups: {listed(parts)}}}")
            else:
                parts = [condition_text(one) for one in groups]
                lines.append(f"      {name}: {{of: {listed(of)}, groups: {listed(parts)}}}")
    lines.append("    queries:")
    for name, query in toy.queries.items():
        parts = [f"tells: {listed(query.tells)}"]
        if query.histogram != "main":
            parts.append(f"histogram: {query.histogram}")
        if query.where is not None:
            parts.append(f"where: {condition_text(query.where)}")
        lines.append(f"      {name}: {{{', '.join(parts)}}}")
    lines += allocation
    lines.append(f"report: {{deltas: {listed(list(map(str, DELTAS)))}, priors: [0.1, 0.5]}}")
    return "\n".join(lines) + "\n"
