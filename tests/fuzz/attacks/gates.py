"""False passes of the gate: states of git, paths that collide, and special numbers."""

from __future__ import annotations

import os
import subprocess
from unittest import mock

from tests.fuzz.attacks.grounds import FAILING, PASSING, ran, unsound, write
from tests.fuzz.chance import Chance
from tests.fuzz.options import SPECIAL, commands, flags
from tests.fuzz.played import contents

WHO = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
HOOK = ("check", "--staged")
NAMES = ("r/x.yaml", "x.yaml", "r/s/a b.yml", "r/\u00e9.semiaudit.yaml")


def git(*words: str, fails: bool = False) -> None:
    clean = {n: v for n, v in os.environ.items() if not n.startswith(("GIT_", "PRE_COMMIT"))}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *WHO, *words], env=clean | settings, capture_output=True, check=False
    )
    assert fails or not done.returncode, done.stderr


def committed(name: str, text: str) -> None:
    write(name, text)
    git("add", "--all")
    git("commit", "--quiet", "--message", "c")


def git_states(chance: Chance, _: str) -> list[str]:
    """A commit or a push of a spec that fails, in some state of git, must not pass."""
    name, hook = chance.choice(NAMES), dict[str, str]()
    git("init", "--quiet", "--initial-branch=main")
    committed(name, PASSING)
    state = chance.choice(
        ["sparse", "assumed", "submodule", "worktree", "conflict", "shallow", "pushed", "all",
         "deleted", "staged"]
    )  # fmt: skip
    match state:
        case "sparse" | "assumed":
            write(name, FAILING)
            git("add", "--all")
            bit = "skip-worktree" if state == "sparse" else "assume-unchanged"
            git("update-index", f"--{bit}", name)
            if chance.often():
                os.remove(name)
            else:
                write(name, chance.choice([PASSING, FAILING]))
        case "submodule":
            git("init", "--quiet", "../other")
            write(f"../other/{name}", FAILING)
            git("-C", "../other", "add", "--all")
            git("-C", "../other", "commit", "--quiet", "--message", "bad")
            allow = ("-c", "protocol.file.allow=always")
            git(*allow, "submodule", "--quiet", "add", os.path.abspath("../other"), "sub")
            match chance.randrange(3):
                case 0:
                    write(f"sub/{name}", PASSING)
                case 1:
                    git("submodule", "--quiet", "deinit", "--force", "sub")
        case "conflict":
            git("checkout", "--quiet", "-b", "other")
            committed(name, FAILING)
            git("checkout", "--quiet", "main")
            committed(name, PASSING + "# ours\n")
            git("merge", "--quiet", "other", fails=True)
            if chance.often():
                write(name, PASSING)
        case "worktree" | "shallow":
            committed("notes", "n")
            if state == "worktree":
                git("worktree", "add", "--quiet", "../tree")
            else:
                git("clone", "--quiet", "--depth", "1", f"file://{os.getcwd()}", "../tree")
            os.chdir("../tree")
            write(name, FAILING)
            git("add", "--all")
        case "pushed":
            git("checkout", "--quiet", "-b", "bad")
            committed(name, FAILING)
            if chance.often():
                git("checkout", "--quiet", "main")
            else:  # the working directory, or the index, has another content
                write(name, PASSING)
                if chance.often():
                    git("add", "--all")
            hook = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/bad"}
            if chance.often():
                hook |= {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "bad"}
        case "all":
            committed(name, FAILING)
            write("notes", "n")
            git("add", "--all")
            hook = {"PRE_COMMIT": "1"}
        case "deleted":
            os.remove(name)
            git("add", "--all")
        case _:
            write(name, FAILING)
            git("add", "--all")
            write(name, chance.choice([PASSING, FAILING]))
    where: tuple[str, ...] = ()
    if chance.rarely(3) and os.path.isdir(os.path.dirname(name)):
        where = (os.path.join(*[".."] * name.count("/")),)
        os.chdir(os.path.dirname(name))
    with mock.patch.dict(os.environ, hook):
        ended = ran(*HOOK, *where)
    return [f"{state}: {what}" for what in unsound(ended, (1, 2, 3))]


def collisions(chance: Chance, _: str) -> list[str]:
    """Of two files of a batch with one path, none is lost, unless nothing is written at all."""
    write("specs/a.yaml", chance.choice([PASSING, FAILING]))
    write("policy.yaml", "semiaudit_policy: 1\nleast: {metric: hamming}\n")
    os.symlink(".", "link")
    os.makedirs("out", exist_ok=True)
    if chance.often():
        write(chance.choice(["j", "j.key", "out/index.html", "out/a.yaml.json"]), b"")
    before = contents(".")
    roads = ["", "./", "link/", "out/../", f"{os.getcwd()}/"]
    targets = {
        "j": ["--resume", "j"], "j.key": ["--resume", "j"],
        "semiaudit-batch.journal": ["--resume", "."],
        "out/index.html": ["--reports", "out"], "out/a.yaml.json": ["--reports", "out"],
        "policy.yaml": ["--policy", "policy.yaml"], "specs/a.yaml": [],
        "o.html": ["-o", "html=o.html"],
    }  # fmt: skip
    target = chance.choice(sorted(targets))
    again = chance.choice(roads) + target
    other = ["-o", f"csv={again}"]
    if chance.rarely(3) and "--resume" not in targets[target]:
        other = ["--resume", again.removesuffix(".key")]
    ended = ran("batch", "specs", "--jobs", "1", "-q", *targets[target], *other)
    wrong = unsound(ended, (2,))
    if contents(".") != before:
        wrong.append(f"{ended.line}: a file was written")
    return wrong


def special_numbers(chance: Chance, _: str) -> list[str]:
    """A number option with a special float is a usage error."""
    write("specs/a.yaml", FAILING)
    words = chance.choice([("check",), ("batch",), ("analyze",), ("compare",), ("ablate",)])
    numeric = [
        flag
        for flag, option in flags(commands()[words]).items()
        if option.type.name in ("float range", "integer range")
    ]
    number = chance.choice(SPECIAL)
    target = "specs" if words == ("batch",) else "specs/a.yaml"
    more = (target,) if words == ("compare",) else ()
    ended = ran(*words, target, *more, f"{chance.choice(numeric)}={number}")
    return unsound(ended, (2,))
