"""Which statements a test reaches, and how a running program gets a changed function.

The modules of the sampled packages are imported with a mark before each statement that can be
mutated: one store in an array of bytes. Their files stay as they are.
"""

from __future__ import annotations

import ast
import builtins
import gc
import sys
from collections import Counter
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType

from tests.mutants.operators import statements
from tests.mutants.sample import places
from tests.places import ROOT

MARKS = "__reached__"


def first_numbers() -> dict[str, int]:
    """The number of the first statement of each module, among all places."""
    found: dict[str, int] = {}
    for number, place in enumerate(places()):
        found.setdefault(place.path, number)
    return found


class _Marked(ast.NodeTransformer):
    """A mark before each statement that can be mutated."""

    def __init__(self, tree: ast.Module, first: int) -> None:
        self.numbers = {id(node): first + at for at, node in enumerate(statements(tree))}

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        number = self.numbers.get(id(node))
        self.generic_visit(node)
        if number is None or not isinstance(node, ast.stmt):
            return node
        mark = ast.parse(f"{MARKS}[{number}] = 1").body[0]
        for part in ast.walk(mark):
            ast.copy_location(part, node)
        return [mark, node]


def marked(source: str, file: str, first: int) -> CodeType:
    """The code of a module with its marks.

    Args:
        first: the number of the module's first statement that can be mutated.
    """
    tree = ast.parse(source)
    _Marked(tree, first).visit(tree)
    return compile(tree, file, "exec", dont_inherit=True)


def mark_imports(root: Path = ROOT) -> bytearray:
    """Let the modules that are imported from now on have marks; the array that they mark."""
    firsts = {str(root / path): first for path, first in first_numbers().items()}
    plain = SourceFileLoader.source_to_code

    def source_to_code(
        loader: SourceFileLoader, data: bytes, path: str, *, _optimize: int = -1
    ) -> CodeType:
        first = firsts.get(path)
        if first is None:
            return plain(loader, data, path, _optimize=_optimize)
        return marked(data.decode("utf-8"), path, first)

    SourceFileLoader.source_to_code = source_to_code  # type: ignore[method-assign, assignment]
    marks = bytearray(len(places()))
    setattr(builtins, MARKS, marks)
    return marks


def functions(module: CodeType) -> dict[tuple[str, int], CodeType]:
    """The code of every function of a module, by its name and its place among those of the name."""
    found: dict[tuple[str, int], CodeType] = {}
    seen: Counter[str] = Counter()

    def add(code: CodeType) -> None:
        for part in code.co_consts:
            if isinstance(part, CodeType):
                if not part.co_name.startswith("<"):
                    found[part.co_qualname, seen[part.co_qualname]] = part
                    seen[part.co_qualname] += 1
                add(part)

    add(module)
    return found


def live_functions(files: Mapping[str, str]) -> dict[str, list[FunctionType]]:
    """The functions that exist, by the module of their code.

    Args:
        files: the path of each module below the root, by its whole path.
    """
    found: dict[str, list[FunctionType]] = {path: [] for path in files.values()}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename in files:
            found[files[thing.__code__.co_filename]].append(thing)
    return found


def changes(
    path: str, first: int, mutated: str, live: list[FunctionType], root: Path = ROOT
) -> list[tuple[FunctionType, CodeType]] | None:
    """The functions that a mutant changes, and their new code; None if a new import must do it.

    Args:
        first: the number of the module's first statement that can be mutated.
        mutated: the source of the mutated module.
        live: the functions of the module that exist.
    """
    file = str(root / path)
    source = Path(file).read_text("utf-8")
    plain = functions(compile(ast.unparse(ast.parse(source)), file, "exec", dont_inherit=True))
    mutant = functions(compile(mutated, file, "exec", dont_inherit=True))
    with_marks = functions(marked(source, file, first))
    if not plain.keys() == mutant.keys() == with_marks.keys():
        return None
    changed = [key for key in plain if plain[key] != mutant[key]]
    found = []
    for key in changed:
        of_key = [function for function in live if function.__code__ == with_marks[key]]
        found += [(function, mutant[key]) for function in of_key]
    if not found or any(one.__code__.co_freevars != code.co_freevars for one, code in found):
        return None
    return found


def import_everything(root: Path = ROOT) -> None:
    """Import every sampled module, so that a test does not import a new one."""
    for path in first_numbers():
        name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
        if name not in sys.modules:
            __import__(name)
