"""Build a release: wheel, source archive, bill of materials, and digests, twice and equal.

    python -m tests.release FOLDER [--without-materials]

Both archives are built from the last commit, in two folders whose paths, times, and permissions
differ; the command fails if a byte differs. The bill of materials (SBOM) is CycloneDX, of a fresh
environment with the wheel and the pinned dependencies; it needs the extra `release`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.places import ROOT

PINS = ROOT / ".github" / "actions" / "semiaudit" / "requirements" / "base.txt"
MATERIALS = "semiaudit.cdx.json"
DIGESTS = "SHA256SUMS"


def run(command: Sequence[str | Path], cwd: Path = ROOT, umask: int = -1) -> bytes:
    """The output of a command that must succeed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment,
        umask=umask,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout


def built(archive: bytes, work: Path, target: Path, umask: int) -> dict[str, str]:
    """The digests of wheel and source archive that are built from a source tree in `work`."""
    work.mkdir(parents=True)
    unpack = ["tar", "--extract", "--touch"]
    subprocess.run(unpack, cwd=work, umask=umask, input=archive, check=True)
    run([sys.executable, "-m", "hatchling", "build", "-d", target], work, umask)
    return digests(target)


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file in a folder."""
    return {path.name: digest_of(path) for path in sorted(folder.iterdir())}


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def archives(source: bytes, target: Path) -> dict[str, str]:
    """Build wheel and source archive of a tree, a tar file, into a folder, and their digests.

    Raises:
        SystemExit: a second build gives other bytes.
    """
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        first = built(source, work / "a", target, 0o022)
        second = built(source, work / "another" / "place", work / "again", 0o077)
    if first != second:
        raise SystemExit(f"two builds differ: {first} and {second}")
    return first


def write_materials(wheel: Path, target: Path) -> int:
    """Write the bill of materials of a fresh environment with a wheel; the number of its parts.

    Raises:
        SystemExit: it does not list what is installed.
    """
    with tempfile.TemporaryDirectory() as name:
        python = Path(name) / "bin" / "python"
        run([sys.executable, "-m", "venv", "--without-pip", name])
        pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python]
        versions = Path(name) / "versions.txt"
        versions.write_text(re.sub(r"\\?\n? +--hash=\S+", "", PINS.read_text("utf-8")), "utf-8")
        run([*pip, "install", "--quiet", "-c", versions, wheel])
        make: list[str | Path] = [
            "environment",
            "--output-reproducible",
            "--pyproject",
            ROOT / "pyproject.toml",
        ]
        run([sys.executable, "-m", "cyclonedx_py", *make, "-o", target, python])
        frozen = run([*pip, "list", "--format", "json"])
    installed = {part["name"].lower() for part in json.loads(frozen)}
    document = json.loads(target.read_text("utf-8"))
    listed = {part["name"].lower() for part in document["components"]}
    if listed | {"semiaudit"} != installed:
        raise SystemExit(f"listed or installed, not both: {listed ^ installed}")
    return len(listed)


def main() -> None:
    """Build everything that a release publishes."""
    parser = argparse.ArgumentParser(description="Build a release, twice.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without-materials", action="store_true")
    asked = parser.parse_args()
    target = asked.folder.resolve()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    made = archives(run(["git", "archive", "HEAD"]), target)
    (wheel,) = target.glob("*.whl")
    print(f"{len(made)} archives, two builds of each, equal")
    if not asked.without_materials:
        parts = write_materials(wheel, target / MATERIALS)
        print(f"{parts} components in the bill of materials, all that is installed")
    lines = [f"{digest}  {name}\n" for name, digest in digests(target).items()]
    (target / DIGESTS).write_text("".join(lines), "utf-8")
    sys.stdout.writelines(lines)


if __name__ == "__main__":
    main()
