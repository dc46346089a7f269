"""Run a campaign, keep its record, and write the page.

    python -m tests.trust.run NAME [--instead "COMMAND"]

With ``--instead`` a part of the campaign is run, and the page shows that command. A campaign that
fails, or that ran on a program with changes that are not committed, leaves no record.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime

from tests.places import ROOT, commit_of_the_tree
from tests.trust.campaigns import CAMPAIGNS
from tests.trust.page import PAGE, page
from tests.trust.records import Record, digests, keep


def figures_of(output: str, pattern: str) -> list[str]:
    """The lines of an output that are figures, without the frames of pytest and of tables."""
    lines = (line.strip("= |\n") for line in output.splitlines() if re.search(pattern, line))
    return [line for line in lines if line.strip("-| ")]


def main() -> int:
    """Run one campaign."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=[campaign.name for campaign in CAMPAIGNS])
    parser.add_argument("--instead", metavar="COMMAND")
    asked = parser.parse_args()
    (campaign,) = [one for one in CAMPAIGNS if one.name == asked.name]
    command = asked.instead or campaign.command
    covered = digests(campaign)
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "semiaudit"], cwd=ROOT).returncode:
        sys.stderr.write("semiaudit/ has changes that are not committed\n")
        return 2
    commit = commit_of_the_tree()
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    sys.stdout.write(done.stdout)
    figures = figures_of(done.stdout, campaign.figures)
    if done.returncode or not figures:
        sys.stderr.write("the campaign failed, or printed no figures; no record is kept\n")
        return done.returncode or 2
    day = datetime.now(UTC).date().isoformat()
    keep(campaign, Record(day, commit, command, figures, covered))
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
