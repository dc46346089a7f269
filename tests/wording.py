"""The text that people read, and how often it has the words that the language replaces.

``python -m tests.wording [FOLDER]...`` counts them in trees of the program, one column each, so
that two versions can be compared. It reads the trees and imports nothing from them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.imports import parsed, statements
from tests.places import ROOT

REJECTED = {
    "told": r"\btold\b",
    "gravest": r"\bgravest\b",
    "mend": r"\bmend(s|ed|ing)?\b",
    "struck (a limit)": r"\bstruck\b|\bstrikes\b",
    "passed over": r"\bpassed over\b",
    "upper end": r"\bupper ends?\b",
    "lower end": r"\blower ends?\b",
    "beside": r"\bbeside\b",
}
"""Words that no text for people has."""

REPLACED = REJECTED | {
    "notion": r"\bnotions?\b",
    "neighbour": r"\bneighbour",
    "tell, tells": r"\btells?\b|\btelling\b",
    "state, stated (a guarantee)": r"\bstated\b|\bstates\b(?! \[)",
    "hold to": r"\bhold(s|ing)? (specs? )?to\b|\bheld to\b|\bheld against\b",
    "draw, drawn (noise)": r"\bdr(aw|aws|awn|ew|awing)\b",
    "perform": r"\bperform(s|ed|ing)?\b",
    "stand, stands": r"\bstands?\b|\bstood\b",
    "speaks of": r"\bspeaks? of\b|\bspoken of\b",
    "is no X": r"\b(is|are|was|were) no (?!longer\b|more\b|less\b|such\b)",
    "N times": r"\b[0-9.]+ times\b",
    "of which": r"\bof which\b",
    "not inside": r"\bnot inside\b",
    "ends of epsilon": r"\bends? of (epsilon|the interval)\b",
    "so far, so many": r"\bso (far|many|much|long)\b",
    "what is guaranteed, costs": r"\bwhat (is guaranteed|is stated|.{1,20} costs)\b",
    "lies, lie": r"\blies?\b",
}
"""Words that the language replaces; some of them have other uses, so that a person decides."""


FROZEN = (
    "semiaudit/model/wording.py",
    "semiaudit/report/reworded/reworded_errors.py",
    "semiaudit/report/reworded/reworded_spec_errors.py",
)
"""Sentences of an earlier version, which only its fingerprints hash, and nobody reads."""


def _docstrings(tree: ast.AST) -> set[int]:
    """The ids of strings that are statements; a command's own docstring is its help."""
    found: set[int] = set()
    for node in (tree, *statements(tree)):
        decorators = [ast.unparse(one) for one in getattr(node, "decorator_list", ())]
        helps = any(re.search(r"\b(command|group)\(", one) for one in decorators)
        found |= {
            id(line.value)
            for line in getattr(node, "body", ())
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and not helps
        }
    return found


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals of a module with their lines, and the help of its commands.

    Names, such as those of keys and columns, have no blanks, and are left out.
    """
    tree = parsed(path.read_text("utf-8"))
    skipped = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in skipped:
            text = str(node.value)
            if " " in text.strip():
                yield node.lineno, text


def docstrings_of(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings of a module with their lines, those of its constants included."""
    tree = parsed(path.read_text("utf-8"))
    for node in (tree, *statements(tree)):
        for line in getattr(node, "body", ()):
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                yield line.lineno, str(line.value.value)


def texts_of(root: Path) -> Iterator[tuple[str, int, str]]:
    """Every text for people of a tree: the file, the line, and the text."""
    for path in sorted((root / "semiaudit").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        for line, text in strings_of(path) if name not in FROZEN else ():
            yield name, line, text
    for path in sorted((root / "semiaudit").rglob("*.md")):
        yield path.relative_to(root).as_posix(), 1, path.read_text("utf-8")


def counts_of(root: Path) -> dict[str, int]:
    """How often each replaced word occurs in the text for people of a tree."""
    texts = [text for _, _, text in texts_of(root)]
    return {
        word: sum(len(re.findall(pattern, text, re.IGNORECASE)) for text in texts)
        for word, pattern in REPLACED.items()
    }


def main() -> None:
    """Print the counts of some trees; without any, of this one."""
    roots = [Path(name) for name in sys.argv[1:]] or [ROOT]
    columns = [counts_of(root) for root in roots]
    for word in REPLACED:
        print(f"{word:30}" + "".join(f"{counts[word]:8}" for counts in columns))
    print(f"{'all':30}" + "".join(f"{sum(counts.values()):8}" for counts in columns))


if __name__ == "__main__":
    main()
