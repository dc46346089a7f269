"""The command line: the only code that prints, exits, or looks at the terminal."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence

import click

from semiaudit.cli.analyze import analyze
from semiaudit.cli.batch import batch
from semiaudit.cli.check import check
from semiaudit.cli.init import init
from semiaudit.cli.interrupts import cleaning_up
from semiaudit.cli.schema import schema
from semiaudit.errors import SemiauditError
from semiaudit.version import __version__

INTERNAL_ERROR = 4
INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", prog_name="semiaudit")
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def cli(debug: bool) -> None:
    """Audit what a release guarantees when noisy statistics and exact counts meet.

    Start with `semiaudit init`, then `semiaudit analyze spec.yaml`.

    Exit codes: 0 every budget holds; 1 a budget does not hold; 2 the audit could not be made;
    3 nothing to audit; 4 internal error.
    """


cli.add_command(analyze)
cli.add_command(batch)
cli.add_command(check)
cli.add_command(init)
cli.add_command(schema)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing but the report goes to stdout."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        with cleaning_up():
            result = cli.main(list(arguments), prog_name="semiaudit", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except SemiauditError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line of defence: one line, exit code 4
        if "--debug" in arguments:
            traceback.print_exc()
        kind = type(error).__name__
        click.echo(
            f"internal error: {kind}: {error} (see `semiaudit --debug ...`; please report it)",
            err=True,
        )
        return INTERNAL_ERROR
