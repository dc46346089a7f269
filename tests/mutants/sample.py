"""Which mutants a seed stands for: a uniform sample of the statements, and one change of each.

A statement's rank is a hash of the seed and of the statement: its module, the definition that it is
in, its own text, and its place among equal ones there. The sample is the statements of the lowest
ranks, so it stays the same if other code changes, and it stays uniform.
"""

from __future__ import annotations

import ast
import hashlib
import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from tests.mutants.operators import Mutation, changed_line, first_line, mutation_of, statements
from tests.places import ROOT

PACKAGES = tuple(sorted(path.parent.name for path in (ROOT / "semiaudit").glob("*/__init__.py")))
"""All packages of the program."""


@dataclass(frozen=True, slots=True)
class Place:
    """A statement that can be mutated.

    Attributes:
        path: of the module, below the tree's root.
        number: among the statements of the module that can be mutated.
        definition: the qualified name of the function or method that it is in.
        text: its first line.
        occurrence: its number among those of the same text in definitions of the same name.
        function: the syntax of the definition.
        node: the syntax of the statement.
    """

    path: str
    number: int
    definition: str
    text: str
    occurrence: int
    function: ast.FunctionDef
    node: ast.stmt


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a statement.

    Attributes:
        name: its rank in the sample of the seed, as the first digits of a number in base 16.
        change: the number of the change, among those of the statement.
        after: the first line of the statement after the change.
    """

    name: str
    place: Place
    change: int
    after: str

    @property
    def code(self) -> str:
        """A digest of the change, and of the definition without its docstrings and comments."""
        around = definitions(ast.unparse(self.place.function))
        return _digest(*around, self.place.text, self.after)[:12]

    def mutation(self) -> Mutation:
        """The mutated module."""
        source = (ROOT / self.place.path).read_text("utf-8")
        return mutation_of(source, self.place.number, self.change)


def places_of(path: str, source: str) -> list[Place]:
    """Every statement of a module that can be mutated, in the order of the source."""
    tree = ast.parse(source)
    around = {
        id(node): (name, function)
        for name, function in _functions(tree)
        for node in ast.walk(function)
    }
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for number, node in enumerate(statements(tree)):
        name, function = around[id(node)]
        text = first_line(node)
        found.append(Place(path, number, name, text, seen[name, text], function, node))
        seen[name, text] += 1
    return found


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions and methods that are in no other function, with their qualified names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield prefix + child.name, child
        else:
            inner = f"{child.name}." if isinstance(child, ast.ClassDef) else ""
            yield from _functions(child, prefix + inner)


@cache
def places(packages: tuple[str, ...] = PACKAGES) -> tuple[Place, ...]:
    """Every statement of some packages that can be mutated, module by module."""
    return tuple(
        place
        for package in packages
        for path in sorted((ROOT / "semiaudit" / package).rglob("*.py"))
        for place in places_of(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    )


def ranks(seed: int, among: Iterable[Place]) -> Iterator[tuple[str, Place]]:
    """The rank of every statement in the sample of a seed."""
    for place in among:
        yield _digest(seed, place.path, place.definition, place.text, place.occurrence), place


def sample(seed: int, number: int, among: Iterable[Place] | None = None) -> list[Mutant]:
    """The mutants of the lowest ranks: the first of any larger sample of the seed."""
    every = ranks(seed, places() if among is None else among)
    return [mutant_of(*one) for one in heapq.nsmallest(number, every, key=lambda one: one[0])]


def mutant_of(rank: str, place: Place) -> Mutant:
    """One change of a statement, chosen uniformly by the last digits of its rank."""
    return Mutant(rank[:16], place, *changed_line(place.node, int(rank[-16:], 16)))


def _digest(*parts: str | int) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def definitions(source: str) -> list[str]:
    """The code of every definition of a module: of functions, methods, and other statements.

    Docstrings and comments are no code. Imports are none either: a definition that moves to another
    module is the same.
    """
    tree = _Code().visit(ast.parse(source))
    return list(_definitions(tree.body))


def _definitions(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            methods = [line for line in node.body if isinstance(line, FUNCTIONS)]
            yield from (f"{node.name}.{ast.unparse(method)}" for method in methods)
            node.body = [line for line in node.body if line not in methods]
        yield ast.unparse(node)


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Code(ast.NodeTransformer):
    """Leaves out docstrings and imports."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)
