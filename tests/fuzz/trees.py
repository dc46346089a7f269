"""Directories as people and attackers leave them: unusual names, near misses, links."""

from __future__ import annotations

import os

from tests.fuzz.cases import FOLDER, Case, Line
from tests.fuzz.chance import Chance
from tests.fuzz.damage import damaged, misnamed
from tests.fuzz.options import outputs, printed_as, some_options
from tests.fuzz.releases import specs, table_specs, written
from tests.fuzz.specs import spaces
from tests.fuzz.tables import SECRET, Content

FILES = (
    "release.yaml", "release.yml", "a.semiaudit.yaml", "semiaudit.yml", "x.YAML", "Release.Yml",
    "-x.yaml", "--policy=weak.yaml", "-.yaml", "-h.semiaudit.yaml", "a b.yaml", "caf\u00e9.yaml",
    "cafe\u0301.yaml", "x\ny.yaml", "x\ty.yaml", "[a].yaml", "*.yaml", "?.yaml", "\u202etxt.yaml",
    "::error::.yaml", "%0A.yaml", "$(touch x).yaml", "'.yaml", '".yaml', "\udcff.yaml", "#x.yaml",
    "~.yaml", "a=b.yaml", "x" * 200 + ".yaml", "\x1b[31m.yaml", "<b>.yaml", "a&b.yaml", ";.yaml",
    "policy.yaml", "docker-compose.yaml", ".yaml.yaml", "spec.yaml.yaml", "\\.yaml", "|.yaml",
)  # fmt: skip
FOLDERS = (
    "", "", "sub/", "-sub/", "a b/", "[x]/", "caf\u00e9/", "x\ny/", "\udcfe/", "deep/er/still/",
    "a.semiaudit.yaml/", "::warning::/", "%41/",
)  # fmt: skip
OTHERS: tuple[tuple[str, bytes], ...] = (
    ("ci.yaml", b"on: push\njobs: {test: {steps: [run: make]}}\n"),
    ("notes.txt", b"semiaudit: 1\n"),
    ("list.yaml", b"- 1\n- two\n"),
    ("empty.yaml", b""),
    ("words.yaml", b"just words\n"),
    ("damaged.yaml", b"a: [}\n"),
    ("policy2.yaml", b"semiaudit_policy: 1\nleast: {metric: hamming}\n"),
    (".hidden/x.yaml", b"semiaudit: 1\n"),
)
"""Files that are no specs."""


def trees(chance: Chance) -> Case:
    """`check` or `batch` of a directory, or of the names of files in it."""
    files: dict[str, Content] = {}
    links: dict[str, str] = {}
    hard: dict[str, str] = {}
    meant: list[str] = []
    for _ in range(chance.randint(1, 4)):
        name = f"{FOLDER}/d/{chance.choice(FOLDERS)}{chance.choice(FILES)}"
        if _is_taken(name, files):
            continue
        files[name] = _content(chance)
        meant.append(name)
    for name, content in chance.some(OTHERS, 0, 2):
        files.setdefault(f"{FOLDER}/d/{name}", content)
    if chance.rarely(5):
        files["outside/real.yaml"] = _content(chance)
        links[f"{FOLDER}/d/linked.yaml"] = "../../outside/real.yaml"
        meant.append(f"{FOLDER}/d/linked.yaml")
    if chance.rarely(8):
        links[f"{FOLDER}/d/loop"] = chance.choice([".", "..", "loop", "/nowhere"])
    if chance.rarely(8):
        hard[f"{FOLDER}/d/same.yaml"] = meant[0]
        meant.append(f"{FOLDER}/d/same.yaml")
    if chance.rarely(12):
        files[f"{FOLDER}/d/pipe.yaml"] = os.mkfifo
    return _search(chance, files, links, hard, meant)


def _search(
    chance: Chance,
    files: dict[str, Content],
    links: dict[str, str],
    hard: dict[str, str],
    meant: list[str],
) -> Case:
    command = chance.choice(["check", "check", "batch"])
    paths: Line = ("d",)
    if command == "check" and chance.rarely(4):
        paths = tuple(name.removeprefix(f"{FOLDER}/") for name in meant)
        named = [path.removeprefix("d/") for path in paths if path.count("/") == 1]
        if named and chance.often():  # as the hook does, from inside
            files = {name.replace(f"{FOLDER}/d/", f"{FOLDER}/"): c for name, c in files.items()}
            paths, links, hard, meant = ("--", *named), {}, {}, []
    options = _without_files(some_options(chance, (command,)))
    line = (
        command, *options, "--time-limit", "0.1", *outputs(chance, (command,)),
        *printed_as(chance, (command,)), "-o", "json=verdicts.json", *paths,
    )  # fmt: skip
    return Case(
        "tree", files, (line,), 0.1, meant=tuple(meant), links=links, hard=hard,
        written=("journal", "journal.key", "reports"), secrets=(SECRET,),
    )  # fmt: skip


def _without_files(options: Line) -> Line:
    """Options without those that name files which are not there."""
    gone = {"--policy", "--waivers", "--baseline", "--hook"}
    found: list[str] = []
    skip = False
    for word in options:
        if skip:
            skip = False
        elif word in gone:
            skip = word != "--hook"
        else:
            found.append(word)
    return tuple(found)


def _is_taken(name: str, files: dict[str, Content]) -> bool:
    """Whether a file is there, or one where this one has a folder, or the other way round."""
    return any(
        known == name or known.startswith(f"{name}/") or name.startswith(f"{known}/")
        for known in files
    )


def _content(chance: Chance) -> bytes:
    """A spec; one that its key does not show; or a damaged one whose key is whole."""
    tree = table_specs(chance, spaces(chance)) if chance.often() else specs(chance)[0]
    match chance.randrange(6):
        case 0:
            return misnamed(chance, tree)
        case 1:
            text = damaged(chance, {key: tree[key] for key in tree if key != "semiaudit"})
            return b"semiaudit: 1\n" + text.removeprefix(b"{")
        case _:
            return written(tree).encode("utf-8", "surrogatepass")
