"""What a git hook audits: the specs that git tracks, if a staged file concerns any of them.

The names come from git itself, with those of deleted files. The contents of specs and data are
those of the working tree. pre-commit makes them equal to the staged contents; without it, a file
that differs is an error, because the audit would not be of the commit's content. Before a push, the
same holds for the commit that is pushed.
"""

from __future__ import annotations

import os
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from semiaudit.checking.discovery import (
    ENDINGS,
    Discovered,
    SpecSearch,
    discovered,
    in_directory,
    shown,
)
from semiaudit.errors import SemiauditError, one_line
from semiaudit.frozen import dataclass
from semiaudit.paths import opened
from semiaudit.spec.recognition import recognised_bytes
from semiaudit.spec.spec_files import words_of
from semiaudit.spec.yaml12 import MAX_BYTES

ABSENT = "not checked out"
"""Why a file or a submodule that git tracks is not audited."""

MOST_NAMED = 3
"""The most files that differ from the staged contents and are named; the others are counted."""

_FILES = ("100644", "100755", "000000")
"""The modes of regular files, and of files that are absent before or after the change."""

_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A staged file: added, changed, or deleted.

    Attributes:
        path: the path relative to the working directory.
        blobs: the names of its contents before and after the change, if there are any.
        is_regular: whether it is a file before and after, and not a link or a submodule.
        is_submodule: whether it is a submodule before or after.
        is_unmerged: whether a conflict about it is not resolved.
    """

    path: str
    blobs: tuple[str, ...]
    is_regular: bool = True
    is_submodule: bool = False
    is_unmerged: bool = False


def staged_changes() -> list[StagedFile]:
    """Return the staged changes; a renamed file is deleted under one name and added under another.

    Raises:
        SemiauditError: this is not a git repository, or git cannot be run.
    """
    return _changes("--cached")


def pushed_commits() -> tuple[str, str] | None:
    """Return the first and the last commit of the range that pre-commit asks about, if any.

    The first is the empty tree, if the whole history is pushed: then pre-commit gives only the
    branch.

    Raises:
        SemiauditError: the last commit is not the one that is checked out.
    """
    branch = os.environ.get("PRE_COMMIT_LOCAL_BRANCH")
    ref = os.environ.get("PRE_COMMIT_TO_REF") or branch
    if not ref:
        return None
    pushed, here = _commit(ref), _commit("HEAD")
    if pushed != here:
        raise SemiauditError(
            f"--staged: {one_line(branch or ref)} is the commit {pushed[:12]}, but the audit reads "
            f"the checked-out commit, {here[:12]}; check out what you push, and push again"
        )
    before = os.environ.get("PRE_COMMIT_FROM_REF")
    return (before or _text("hash-object", "-t", "tree", "--stdin"), pushed)


def refuse_unstaged(
    discovery: Discovered,
    *,
    paths: Sequence[str],
    named: Sequence[str],
    pattern: str | None = None,
    pushed: tuple[str, str] | None = None,
) -> None:
    """Refuse files that the audit reads, if they differ from what is staged, or from a commit.

    Args:
        discovery, paths, named, pattern: as ``is_concerned`` has them.
        pushed: as ``pushed_commits`` returns it; None compares with what is staged.

    Raises:
        SemiauditError: some do, or are not checked out. A file that git does not track is not part
            of any commit.
    """

    def concerned(changes: Sequence[StagedFile]) -> list[StagedFile]:
        if not changes or not _concern(changes, discovery, paths, named, pattern):
            return []
        return [one for one in changes if _concern([one], discovery, paths, named, pattern)]

    differing = concerned(_changes(*(pushed or ())[1:]))
    differing += [one for one in concerned(_hidden()) if _differs(one)]
    if unmerged := [one for one in differing if one.is_unmerged]:
        what = "is not merged; resolve the conflict, and stage the file with `git add`"
        raise SemiauditError(f"--staged: {_names(unmerged)}: {what}")
    if differing:
        against = "the commit that is pushed" if pushed else "what is staged"
        remedy = "commit the change" if pushed else "stage the change with `git add`"
        stash = "git stash" if pushed else "git stash --keep-index"
        raise SemiauditError(
            f"--staged: {_names(differing)}: the working directory, which the audit reads, differs "
            f"from {against}; {remedy}, or put it aside with `{stash}`"
        )
    changes = staged_changes() if pushed is None else _changes(*pushed)
    skipped = {_place(name) for why, names in discovery.skipped for name in names if why == ABSENT}
    submodules = [one for one in changes if one.is_submodule]
    if absent := [s for s in (*submodules, *concerned(changes)) if _place(s.path) in skipped]:
        raise SemiauditError(
            f"--staged: {_names(absent)}: is not checked out, so that it cannot be audited; check "
            "it out with `git sparse-checkout add DIR` or `git submodule update --init`"
        )


def _names(files: Sequence[StagedFile]) -> str:
    paths = [*dict.fromkeys(one_line(shown(file.path)) for file in files)]
    more = len(paths) - MOST_NAMED
    return ", ".join(paths[:MOST_NAMED]) + (f" and {more} more" * (more > 0))


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A file of git's index; ``is_hidden`` from comparisons with the working directory."""

    path: str
    blob: str
    is_submodule: bool
    is_hidden: bool


def _index() -> list[IndexEntry]:
    top, entries = _top(), dict[str, IndexEntry]()
    listed = _git("ls-files", "--cached", "--stage", "--full-name", "-z", "-v", "--", ":/")
    for line in os.fsdecode(listed).split("\0"):
        about, _, name = line.partition("\t")
        if name:
            tag, mode, blob, _ = about.split(" ")
            hidden = tag == "S" or tag.islower()
            entries[name] = IndexEntry(_seen(top, name), blob, mode == _SUBMODULE, hidden)
    return [*entries.values()]


def _hidden() -> list[StagedFile]:
    """Files whose changes git does not show: `--skip-worktree`, `--assume-unchanged`."""
    entries = (one for one in _index() if one.is_hidden and not one.is_submodule)
    return [StagedFile(one.path, (one.blob,)) for one in entries if os.path.lexists(one.path)]


def _differs(file: StagedFile) -> bool:
    if os.path.islink(file.path):
        link = os.fsencode(os.readlink(file.path))
        return _text("hash-object", "--stdin", text=link) not in file.blobs
    return _text("hash-object", "--", file.path) not in file.blobs


def _changes(*more: str) -> list[StagedFile]:
    asked = ("diff", *more, "--raw", "-z", "--no-renames", "--no-abbrev", "--no-relative")
    fields = os.fsdecode(_git(*asked, "--ignore-submodules=none", "--")).split("\0")
    top, changes = _top(), dict[str, StagedFile]()
    for about, name in zip(fields[::2], fields[1::2], strict=False):
        before, after, old, new, status = about.removeprefix(":").split(" ")
        blobs = tuple(blob for blob in (old, new) if blob.strip("0"))
        file = StagedFile(
            _seen(top, name),
            blobs,
            before in _FILES and after in _FILES,
            _SUBMODULE in (before, after),
            status == "U",
        )
        if name not in changes or file.is_unmerged:
            changes[name] = file
    return [*changes.values()]


def tracked_specs(paths: Sequence[str], pattern: str | None = None, root: str = "") -> Discovered:
    """Find the specs among the files that git tracks.

    Args:
        paths: files, which are specs, and directories, whose tracked files are examined.
        pattern, root: as for a search in directories.

    Raises:
        SemiauditError: this is not a git repository, or git cannot be run.
    """
    search, spec_paths = SpecSearch(pattern, root), list[str]()
    folders = tuple(path for path in paths if os.path.isdir(path))
    for path in paths:
        if path not in folders and search.is_there(path):
            spec_paths.append(path)
    for entry in _index():
        path = entry.path
        folder = next((folder for folder in folders if _is_below(path, folder)), None)
        if folder is None:
            continue
        if entry.is_submodule and os.path.lexists(os.path.join(path, ".git")):
            spec_paths += in_directory(folder, search, path)
        elif entry.is_submodule or (entry.is_hidden and not os.path.lexists(path)):
            search.skip(path, ABSENT)
        elif os.path.isdir(path):
            if search.may_lead(path, folder):
                search.skip(path, "a link to a directory")
        elif search.is_spec(path, folder):
            spec_paths.append(path)
    return discovered(spec_paths, search, folders)


def untracked_specs(paths: Sequence[str], pattern: str | None = None) -> list[str]:
    """Return the specs in directories that git neither tracks nor ignores, as a person names them.

    Raises:
        SemiauditError: this is not a git repository, or git cannot be run.
    """
    search, top = SpecSearch(pattern), _top()
    listed = os.fsdecode(_git("ls-files", "--others", "--exclude-standard", "-z", "--", ":/"))
    untracked = []
    for path in (_seen(top, name) for name in listed.split("\0") if name):
        folder = next((path_ for path_ in paths if _is_below(path, path_)), None)
        if folder is not None and search.is_spec(path, folder):
            untracked.append(one_line(shown(path)))
    return untracked


def is_concerned(
    changes: Sequence[StagedFile],
    discovery: Discovered,
    *,
    paths: Sequence[str],
    named: Iterable[str],
    pattern: str | None = None,
) -> bool:
    """Return whether staged changes concern specs, so that the specs must be audited.

    They do if one is a spec or was one, a policy, waivers, or a file that ``named`` or a spec
    names; also if nothing is staged, as in a run over all files.

    Args:
        discovery: the specs.
        paths: where they were searched.
        named: the other files on the command line, such as the policy.
        pattern: the pattern of further specs.
    """
    if not changes or not all(map(os.path.exists, paths)):
        return True
    if any(
        one.is_submodule and any(_is_below(one.path, path) for path in paths) for one in changes
    ):
        return True
    return _concern(changes, discovery, paths, tuple(named), pattern)


def _concern(
    changes: Sequence[StagedFile],
    discovery: Discovered,
    paths: Sequence[str],
    named: Sequence[str],
    pattern: str | None,
) -> bool:
    inside = []
    for change in changes:
        folder = next((path for path in paths if _is_below(change.path, path)), None)
        if folder is not None:
            inside.append(change)
            if SpecSearch(pattern).is_named_as_a_spec(change.path, folder):
                return True
    texts = [change for change in changes if change.path.lower().endswith(ENDINGS)]
    places = {_place(change.path) for change in changes}
    return (
        not all(change.is_regular for change in texts)
        or _is_among((*named, *discovery.specs), places)
        or _were_meant(texts, inside)
        or any(_is_among(_data_of(spec), places) for spec in discovery.specs)
        or any(_is_among(data, places) for data in _data_of_staged(discovery))
    )


def _were_meant(texts: Sequence[StagedFile], inside: Sequence[StagedFile]) -> bool:
    specs = {blob for change in inside for blob in change.blobs}
    for blob, content in _contents({blob for change in texts for blob in change.blobs}):
        kind = "spec" if content is None else recognised_bytes(content)
        if kind == "companion" or (kind == "spec" and blob in specs):
            return True
    return False


def _contents(blobs: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
    """Yield blobs with their contents; None for a content that git does not have."""
    ordered = sorted(blobs)
    if not ordered:
        return
    rest = _git("cat-file", "--batch", text="".join(f"{blob}\n" for blob in ordered).encode())
    for blob in ordered:
        head, _, rest = rest.partition(b"\n")
        size = head.rpartition(b" ")[2]
        if size.isdigit():
            yield blob, rest[: int(size)]
            rest = rest[int(size) + 1 :]
        else:
            yield blob, None


def _data_of(spec: str) -> Iterator[str]:
    """Yield where the words of a spec lead if they are names of files, which need not exist.

    A word that is the name of a file is taken for one, whatever its key.
    """
    try:
        with opened(spec) as stream:
            words = words_of(stream.read(MAX_BYTES + 1))
    except OSError:
        return
    yield from _places_of(words, spec)


def _places_of(words: Iterable[str], spec: str) -> Iterator[str]:
    for folder in {os.path.dirname(spec), os.path.dirname(os.path.realpath(spec))}:
        yield from (os.path.join(folder, word.rpartition("://")[2]) for word in words if word)


def _data_of_staged(discovery: Discovered) -> Iterator[Iterator[str]]:
    specs = {_place(spec) for spec in discovery.specs}
    differing = [change for change in _changes() if _place(change.path) in specs]
    contents = dict(_contents({blob for change in differing for blob in change.blobs}))
    for change in differing:
        for blob in change.blobs:
            words = words_of((contents[blob] or b"")[: MAX_BYTES + 1])
            yield _places_of(words, change.path)


def _is_among(paths: Iterable[str], places: set[str]) -> bool:
    followed: dict[str, str] = {}
    for path in paths:
        if "\0" in path:
            continue
        folder, name = os.path.split(path)
        if folder not in followed:
            followed[folder] = os.path.realpath(folder)
        real = os.path.join(followed[folder], name)
        real = os.path.realpath(real) if os.path.islink(real) else real
        if any(_is_at(place, places) for place in {_place(path), _place(real)}):
            return True
    return False


def _is_at(place: str, places: set[str]) -> bool:
    while place not in places:
        place, below = os.path.dirname(place), place
        if place == below:
            return False
    return True


def _place(path: str) -> str:
    return unicodedata.normalize("NFC", os.path.abspath(path)).casefold()


def _is_below(path: str, folder: str) -> bool:
    above = os.path.abspath(folder)
    return os.path.commonpath([os.path.abspath(path), above]) == above


def _seen(top: str, name: str) -> str:
    return os.path.relpath(os.path.join(top, name))


def _top() -> str:
    return _text("rev-parse", "--show-toplevel")


def _commit(ref: str) -> str:
    return _text("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")


def _text(*arguments: str, text: bytes = b"") -> str:
    return os.fsdecode(_git(*arguments, text=text)).removesuffix("\n")


def _git(*arguments: str, text: bytes = b"") -> bytes:
    try:
        done = subprocess.run(("git", *arguments), input=text, capture_output=True, check=False)
    except OSError as error:
        raise SemiauditError(f"git cannot be run ({error.strerror}); install it") from None
    if done.returncode:
        why = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise SemiauditError(f"git {arguments[0]} failed: {why}")
    return done.stdout
