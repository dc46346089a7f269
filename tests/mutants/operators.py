"""The changes that a statement can undergo, each of which a reader would call a mistake."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
FUNCTIONS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "float_up": "float_down",
    "float_down": "float_up",
    "floor": "ceil",
    "ceil": "floor",
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one statement.

    Attributes:
        line: of the statement, from 1.
        before, after: the first lines of the statement.
        source: of the whole module, changed.
    """

    line: int
    before: str
    after: str
    source: str


def statements(tree: ast.Module) -> list[ast.stmt]:
    """The statements in functions that can be mutated, in the order of the source."""
    inside = [
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node is not function
    ]
    unique = {id(node): node for node in inside}.values()
    return sorted(
        (node for node in unique if any(True for _ in _changes(node))),
        key=lambda node: (node.lineno, node.col_offset),
    )


def mutations(source: str, place: int) -> list[Mutation]:
    """Every mutation of a statement, given by its place among all that can be mutated."""
    number = sum(1 for _ in _changes(statements(ast.parse(source))[place]))
    return [mutation_of(source, place, change) for change in range(number)]


def mutation_of(source: str, place: int, change: int) -> Mutation:
    """One mutation of a statement, given by its place among all of the statement."""
    tree = ast.parse(source)
    node = statements(tree)[place]
    before = first_line(node)
    list(_changes(node))[change].apply()
    text = ast.unparse(ast.fix_missing_locations(tree))
    return Mutation(node.lineno, before, first_line(node), text)


def changed_line(statement: ast.stmt, number: int) -> tuple[int, str]:
    """One of a statement's changes, chosen by a large number, and the first line after it."""
    copied = copy.deepcopy(statement)
    every = list(_changes(copied))
    every[number % len(every)].apply()
    return number % len(every), first_line(ast.fix_missing_locations(copied))


def first_line(statement: ast.stmt) -> str:
    """The first line of a statement, as it is written without comments."""
    return ast.unparse(statement).partition("\n")[0]


@dataclass(frozen=True, slots=True)
class _Change:
    """A field of a node, or one item of it, and its new value."""

    node: ast.AST
    field: str
    value: object
    place: int | None = None

    def apply(self) -> None:
        if self.place is None:
            setattr(self.node, self.field, self.value)
        else:
            getattr(self.node, self.field)[self.place] = self.value


def _changes(statement: ast.stmt) -> Iterator[_Change]:
    """Every change of the statement's own expressions; nested statements have their own."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        yield _Change(statement, "value", ast.Constant(None))
    if isinstance(statement, ast.AugAssign) and type(statement.op) in ARITHMETIC:
        yield _Change(statement, "op", ARITHMETIC[type(statement.op)]())
    if isinstance(statement, ast.If | ast.While):
        yield _Change(statement, "test", ast.UnaryOp(ast.Not(), statement.test))
    for expression in _expressions(statement):
        for node in _parts(expression):
            yield from _of_expression(node)


def _parts(expression: ast.AST) -> Iterator[ast.AST]:
    """All nodes but ``strict=True`` of ``zip``, which only guards against another mistake."""
    if not isinstance(expression, ast.keyword) or expression.arg != "strict":
        yield expression
        for node in ast.iter_child_nodes(expression):
            yield from _parts(node)


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement itself, without those of its annotations."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Assert):
        return
    for name, value in ast.iter_fields(statement):
        if name == "annotation":
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.expr) and not _is_docstring(statement):
                yield item


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _of_expression(node: ast.AST) -> Iterator[_Change]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            yield _Change(node, "ops", COMPARISONS[type(operator)](), place)
    elif isinstance(node, ast.BoolOp):
        yield _Change(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield _Change(node, "op", ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _Change(node, "op", ast.UAdd())
    elif isinstance(node, ast.IfExp):
        yield _Change(node, "test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _Change(node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield _Change(node, "value", node.value + 1)
    elif isinstance(node, ast.Name) and node.id in FUNCTIONS and isinstance(node.ctx, ast.Load):
        yield _Change(node, "id", FUNCTIONS[node.id])
