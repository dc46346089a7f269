"""`semiaudit init`: a commented spec to start from."""

from __future__ import annotations

import os

import click

from semiaudit.cli.files import write_text
from semiaudit.cli.output import tell
from semiaudit.errors import SemiauditError
from semiaudit.resources import shipped
from semiaudit.spec.modeline import with_modeline

STARTER = "configs/starter.yaml"


@click.command(short_help="Write a commented starter spec.")
@click.argument("path", default="spec.semiaudit.yaml")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def init(path: str, force: bool) -> int:
    """Write a commented starter spec to PATH (default: spec.semiaudit.yaml)."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder):
        raise click.UsageError(f"{path} is a directory, or lies in none that exists")
    if os.path.lexists(path) and not force:
        raise click.UsageError(f"{path} exists; name another file, or use --force")
    starter = shipped(STARTER)
    if starter is None:
        raise SemiauditError(f"the starter spec {STARTER} is missing from this installation")
    write_text(path, with_modeline(starter.read_text(encoding="utf-8")))
    tell(f"wrote {path}; now run: semiaudit analyze {path}")
    return 0
