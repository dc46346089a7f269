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
from itertools import chain, starmap
from pathlib import PurePath

from semiaudit.checking.discovery import (
    ENDINGS,
    Discovered,
    SpecSearch,
    discovered,
    in_directory,
    shown,
)
from semiaudit.errors import SemiauditError, listed, one_line
from semiaudit.frozen import dataclass
from semiaudit.paths import opened
from semiaudit.spec.recognition import recognised_bytes
from semiaudit.spec.spec_files import words_of
from semiaudit.spec.yaml12 import MAX_BYTES

_FILES = {"100644", "100755", "000000"}
"""The modes of regular files, and of files that are absent before or after the change."""

_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file of git's index, or a change of a file.

    Attributes:
        path: the path relative to the working directory.
        modes, blobs: the modes and the names of its contents, before and after a change.
        status: git's letter for it.
    """

    path: str
    modes: tuple[str, ...]
    blobs: tuple[str, ...]
    status: str

    @property
    def is_submodule(self) -> bool:
        """Return whether it is a submodule, or was one."""
        return _SUBMODULE in self.modes

    @property
    def is_hidden(self) -> bool:
        """Return whether git does not compare it with the working directory."""
        return self.status == "S" or self.status.islower()

    @property
    def is_absent(self) -> bool:
        """Return whether a file of the index is not checked out, and git does not mind."""
        if self.is_submodule:
            return not os.path.lexists(os.path.join(self.path, ".git"))
        return self.is_hidden and not os.path.lexists(self.path)


def staged_specs(
    paths: Sequence[str], pattern: str | None = None, root: str = "", named: Sequence[str] = ()
) -> Discovered | None:
    """Find the specs among the files that git tracks; None if nothing staged concerns them.

    A change concerns them if it is of a spec, of a policy or waivers, of a file that ``named`` or
    a spec names, or of a submodule. All specs are audited if nothing is staged, before a push, and
    if a person runs pre-commit.

    Args:
        paths: files, which are specs, and directories, whose tracked files are examined.
        pattern, root: as for a search in directories.
        named: the other files on the command line, such as the policy.

    Raises:
        SemiauditError: git cannot be run here; another commit is pushed than is checked out; or
            what the audit reads is not merged, not checked out, or not what is staged or pushed.
    """
    index = _index()
    discovery = _tracked_specs(index, paths, pattern, root)
    pushed = _pushed_commits()
    staged, unstaged = _changes(*(pushed or ("--cached",))), _changes(*pushed[1:] if pushed else ())
    hidden = [one for one in index if one.is_hidden and not one.is_absent]
    relevant = _relevant([*staged, *unstaged, *hidden], discovery, paths, named, pattern)
    concerned = [
        one for one in staged if one in relevant or (one.is_submodule and _folder(one.path, paths))
    ]
    # A person may run pre-commit over all files: git gives its index to its own hooks only.
    by_hand = "PRE_COMMIT" in os.environ and "GIT_INDEX_FILE" not in os.environ
    if staged and not (concerned or pushed or by_hand) and all(map(os.path.exists, paths)):
        return None
    differing = [one for one in unstaged if one in relevant]
    _refuse(
        [one for one in differing if one.status == "U"],
        "is not merged; resolve the conflict, and stage the file with `git add`",
    )
    against, remedy, stash = (
        ("the commit that is pushed", "commit the change", "git stash")
        if pushed
        else ("what is staged", "stage the change with `git add`", "git stash --keep-index")
    )
    differs = f"the working directory, which the audit reads, differs from {against}"
    _refuse(differing, f"{differs}; {remedy}, or put it aside with `{stash}`")
    _refuse(
        [one for one in hidden if one in relevant and _differs(one)],
        f"{differs}, and git does not compare the two; let it with `git update-index "
        "--no-assume-unchanged` or `git update-index --no-skip-worktree`",
    )
    absent = {one.path for one in index if one.is_absent}
    _refuse(
        [one for one in concerned if one.path in absent],
        "is not checked out, so that it cannot be audited; check it out with `git sparse-checkout "
        "add DIR` or `git submodule update --init`",
    )
    return discovery


def _refuse(files: Sequence[GitFile], why: str) -> None:
    if files:
        names = listed([one_line(shown(file.path)) for file in files])
        raise SemiauditError(f"--staged: {names}: {why}")


def _pushed_commits() -> tuple[str, str] | None:
    """Return the first and the last commit of the range that pre-commit asks about, if any.

    The first is the empty tree, if the whole history is pushed: then pre-commit gives only the
    branch.
    """
    branch = os.environ.get("PRE_COMMIT_LOCAL_BRANCH")
    ref = os.environ.get("PRE_COMMIT_TO_REF") or branch
    if not ref:
        return None
    pushed, here = (
        _text("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        for name in (ref, "HEAD")
    )
    if pushed != here:
        raise SemiauditError(
            f"--staged: {one_line(branch or ref)} is the commit {pushed[:12]}, but the audit reads "
            f"the checked-out commit, {here[:12]}; check out what you push, and push again"
        )
    before = os.environ.get("PRE_COMMIT_FROM_REF")
    return (before or _text("hash-object", "-t", "tree", "--stdin"), pushed)


def _index() -> list[GitFile]:
    entries = dict[str, GitFile]()
    for line in _listed("--cached", "--stage", "-v"):
        about, _, path = line.partition("\t")
        status, mode, blob, _ = about.split(" ")
        entries[path] = GitFile(path, (mode,), (blob,), status)  # once, if it is not merged
    return [*entries.values()]


def _changes(*between: str) -> list[GitFile]:
    """Return changes; a renamed file is deleted under one name and added under another."""
    asked = ("diff", *between, "--raw", "-z", "--no-renames", "--no-abbrev", "--no-relative")
    fields = os.fsdecode(_git(*asked, "--ignore-submodules=none", "--")).split("\0")
    top, changes = _text("rev-parse", "--show-toplevel"), dict[str, GitFile]()
    for about, name in zip(fields[::2], fields[1::2], strict=False):
        *modes, old, new, status = about.removeprefix(":").split(" ")
        blobs = tuple(blob for blob in (old, new) if blob.strip("0"))
        path = os.path.relpath(os.path.join(top, name))
        changes.setdefault(path, GitFile(path, tuple(modes), blobs, status))
    return [*changes.values()]


def _differs(file: GitFile) -> bool:
    """Return whether a hidden file is not that of the index; a submodule may always differ."""
    if os.path.islink(file.path):
        link = os.fsencode(os.readlink(file.path))
        return _text("hash-object", "--stdin", text=link) not in file.blobs
    return file.is_submodule or _text("hash-object", "--", file.path) not in file.blobs


def _tracked_specs(
    index: Iterable[GitFile], paths: Sequence[str], pattern: str | None, root: str
) -> Discovered:
    search, folders = SpecSearch(pattern, root), tuple(filter(os.path.isdir, paths))
    spec_paths = [path for path in paths if path not in folders and search.is_there(path)]
    for file in index:
        path, folder = file.path, _folder(file.path, folders)
        if folder is None:
            continue
        if file.is_absent:
            search.skip(path, "not checked out")
        elif file.is_submodule:
            spec_paths += in_directory(folder, search, path)
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
    search, untracked = SpecSearch(pattern), []
    for path in _listed("--others", "--exclude-standard"):
        folder = _folder(path, paths)
        if folder is not None and search.is_spec(path, folder):
            untracked.append(one_line(shown(path)))
    return untracked


def _relevant(
    changes: Sequence[GitFile],
    discovery: Discovered,
    paths: Sequence[str],
    named: Sequence[str],
    pattern: str | None,
) -> set[GitFile]:
    """Return the changes of files that an audit reads, or would read before or after them."""
    if not changes:
        return set()
    texts = {one for one in changes if one.path.lower().endswith(ENDINGS)}
    specs = {_place(spec) for spec in discovery.specs}
    of_specs = [one for one in changes if _place(one.path) in specs]
    contents = _contents({blob for one in (*texts, *of_specs) for blob in one.blobs})
    versions = chain(
        ((contents[blob] or b"", one.path) for one in of_specs for blob in one.blobs),
        ((_read(spec), spec) for spec in discovery.specs),
    )
    data = chain.from_iterable(starmap(_named_in, versions))
    read = chain(named, discovery.specs, data)
    found = {_place(one.path) for one in changes}.intersection(_places_of(read))
    search = SpecSearch(pattern)

    def is_relevant(one: GitFile) -> bool:
        folder = _folder(one.path, paths)
        if _place(one.path) in found:
            return True
        if folder is not None and search.is_named_as_a_spec(one.path, folder):
            return True
        if one not in texts:
            return False
        kinds = {_kind(contents[blob]) for blob in one.blobs}
        meant = {"companion"} if folder is None else {"companion", "spec"}
        return not _FILES.issuperset(one.modes) or not meant.isdisjoint(kinds)

    return set(filter(is_relevant, changes))


def _kind(content: bytes | None) -> str:
    return "spec" if content is None else recognised_bytes(content)


def _contents(blobs: Iterable[str]) -> dict[str, bytes | None]:
    """Return the contents of blobs; None for one that git does not have."""
    contents = dict[str, bytes | None]()
    ordered = sorted(blobs)
    rest = _git("cat-file", "--batch", text="".join(f"{blob}\n" for blob in ordered).encode())
    for blob in ordered:
        head, _, rest = rest.partition(b"\n")
        size = head.rpartition(b" ")[2]
        contents[blob] = rest[: int(size)] if size.isdigit() else None
        rest = rest[int(size) + 1 :] if size.isdigit() else rest
    return contents


def _named_in(content: bytes, spec: str) -> Iterator[str]:
    """Yield where the words of a spec lead if they are names of files, which need not exist.

    A word that is the name of a file is taken for one, whatever its key.
    """
    words = words_of(content[: MAX_BYTES + 1])
    for folder in {os.path.dirname(spec), os.path.dirname(os.path.realpath(spec))}:
        yield from (os.path.join(folder, word.rpartition("://")[2]) for word in words if word)


def _read(spec: str) -> bytes:
    try:
        with opened(spec) as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError:
        return b""


def _places_of(paths: Iterable[str]) -> Iterator[str]:
    """Yield the places of paths and of what they lead to, and those of all folders of both."""
    followed: dict[str, str] = {}
    for path in paths:
        if "\0" in path:
            continue
        folder, name = os.path.split(path)
        if folder not in followed:
            followed[folder] = os.path.realpath(folder)
        real = os.path.join(followed[folder], name)
        real = os.path.realpath(real) if os.path.islink(real) else real
        for place in {_place(path), _place(real)}:
            yield place
            yield from map(str, PurePath(place).parents)


def _place(path: str) -> str:
    return unicodedata.normalize("NFC", os.path.abspath(path)).casefold()


def _folder(path: str, folders: Iterable[str]) -> str | None:
    """Return the first of the folders that a path is in, or is; None if there is none."""
    return next((folder for folder in folders if _is_below(path, folder)), None)


def _is_below(path: str, folder: str) -> bool:
    above = os.path.abspath(folder)
    return os.path.commonpath([os.path.abspath(path), above]) == above


def _listed(*options: str) -> list[str]:
    """Return what git lists of the whole repository, with paths from the working directory."""
    return os.fsdecode(_git("ls-files", *options, "-z", "--", ":/")).split("\0")[:-1]


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
