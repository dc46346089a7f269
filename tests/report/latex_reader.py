"""A reader of the LaTeX that this program writes: strict, and without any code of the writer.

It knows the few commands that may occur and takes everything else for a fault: a special character
that is not escaped, a brace without its partner, a row with another number of cells than its table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

SYMBOLS = {
    r"\textbackslash": "\\",
    r"\textasciitilde": "~",
    r"\textasciicircum": "^",
    r"\textless": "<",
    r"\textgreater": ">",
    r"\textbar": "|",
    r"\textperiodcentered": "·",
    r"\textendash": "–",
    r"\textemdash": "—",
    r"\textquoteright": "’",
    r"\{": "{",
    r"\}": "}",
    r"\$": "$",
    r"\&": "&",
    r"\#": "#",
    r"\%": "%",
    r"\_": "_",
    r"\i": "i",
    r"\j": "j",
}
ACCENTS = dict(zip([r"\`", r"\'", r"\^", r"\~", r"\"", r"\v", r"\c", r"\H"],
                   "\u0300\u0301\u0302\u0303\u0308\u030c\u0327\u030b", strict=True))  # fmt: skip
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
MATHS = re.compile(
    r"-?[0-9.]+(?: \\times 10\^\{-?[0-9]+\})?|-?10\^\{-?[0-9]+\}|-?\\infty|D(?:_t)?|a\(t\)"
    r"|\\(?:rho|mu|varepsilon|delta|sigma|times|leq|geq|surd)|_t|\^2"
)
NAMES = {
    r"\varepsilon": "ε",
    r"\delta": "δ",
    r"\rho": "ρ",
    r"\mu": "μ",
    r"\sigma": "σ",
    r"\times": "×",
    r"\leq": "≤",
    r"\geq": "≥",
    r"\surd": "√",
    "_t": "ₜ",
    "^2": "²",
}


class LatexFault(ValueError):
    """What LaTeX would not print as it stands."""


@dataclass
class Table:
    """One table as it would be printed."""

    caption: str = ""
    columns: int = 0
    rows: list[list[str]] = field(default_factory=list)


def printed(text: str) -> str:
    """What a piece of text prints, without commands of layout.

    Raises:
        LatexFault: it holds anything but characters and the commands of ``SYMBOLS``.
    """
    said, depth, waiting = [], 0, ""
    tokens = iter(TOKEN.findall(text))
    for token in tokens:
        if token == "$":
            maths = "".join(iter(lambda: next(tokens), "$"))
            if not MATHS.fullmatch(maths):
                raise LatexFault(f"mathematics: {maths}")
            said.append(NAMES.get(maths, maths))
        elif token in (r"\symbol", r"\semiauditchar"):
            said.append(chr(int(_argument(tokens))))
            if token == r"\semiauditchar" and ord(said[-1]) != int(_argument(tokens), 16):
                raise LatexFault("a character by two numbers")
        elif token in ACCENTS:
            waiting = ACCENTS[token]
        elif token in SYMBOLS:
            said.append(SYMBOLS[token])
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            said, waiting = [*said, waiting], ""
            if depth < 0:
                raise LatexFault("a brace too many")
        elif token.startswith("\\") or token in "%#&_~^\n":
            raise LatexFault(f"{token} in {text}")
        else:
            said.append(token)
    if depth:
        raise LatexFault("an open brace")
    return unicodedata.normalize("NFC", "".join(said))


def _argument(tokens: Iterator[str]) -> str:
    found = "".join(iter(lambda: next(tokens), "}"))
    if not re.fullmatch(r"\{[0-9A-F]+", found):
        raise LatexFault(f"an argument {found}")
    return found[1:]


def braced(text: str) -> tuple[str, str]:
    """What stands in the braces that a text begins with, and the rest."""
    depth, at = 0, 0
    for found in TOKEN.finditer(text):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        at = found.end()
        if not depth:
            return text[1 : at - 1], text[at:]
    raise LatexFault("an open brace")


def tables_of(text: str) -> tuple[list[str], list[Table]]:
    """Every line of text that is printed, and every table.

    Raises:
        LatexFault: a line is not understood, or environments do not nest.
    """
    lines, said, tables = text.splitlines(), [], list[Table]()
    assert lines[0].startswith("% ")
    assert lines[1].startswith(r"\providecommand{\semiauditchar}[2]{")
    inside: list[str] = []
    for line in lines[2:]:
        if found := re.fullmatch(r"\\begin\{(table|tabular|description)\}(.*)", line):
            inside.append(found[1])
            if found[1] == "tabular":
                columns = re.sub(r"@\{\}|p\{0\.3\\linewidth\}", "", found[2])
                tables[-1].columns = len(columns) - 2 + found[2].count("p{")
            elif found[1] == "table":
                assert found[2] == "[htbp]"
                tables.append(Table())
        elif found := re.fullmatch(r"\\end\{(table|tabular|description)\}", line):
            if inside.pop() != found[1]:
                raise LatexFault(line)
        elif line in ("", r"\centering", r"\small", r"\toprule", r"\midrule", r"\bottomrule",
                      r"\clearpage"):  # fmt: skip
            continue
        elif found := re.fullmatch(r"\\(?:sub)?section\*(\{.*\})", line):
            title, rest = braced(found[1])
            assert not rest
            said.append(printed(title))
        elif line.startswith(r"\caption["):
            short, _, rest = line.removeprefix(r"\caption[").partition("]{")
            printed(short)
            caption, rest = braced("{" + rest)
            assert not rest
            tables[-1].caption = printed(caption)
        elif line.startswith(r"\item["):
            assert inside == ["description"]
            label, _, rest = line.removeprefix(r"\item[").partition("] ")
            said.append(f"{printed(label)}: {printed(rest)}")
        elif inside[-1:] == ["tabular"]:
            if not line.endswith(r" \\"):
                raise LatexFault(line)
            cells = re.split(r"(?<!\\) ?& ?", line.removesuffix(r" \\"))
            tables[-1].rows.append([printed(cell) for cell in cells])
        else:
            said.append(printed(line))
    if inside or any(len(row) != table.columns for table in tables for row in table.rows):
        raise LatexFault("an environment without an end, or a row of another length")
    return said, tables
