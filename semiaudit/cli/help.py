"""The help of a command: its options by subject, and two examples."""

from __future__ import annotations

import click

OPTIONS = "Options"
GROUPS: dict[str, tuple[str, ...]] = {
    OPTIONS: (),
    "Output": (
        *("form", "outputs", "figures", "style", "verbose", "only_failures"),
        *("ignore", "times", "reports", "sort", "quiet"),
    ),
    "Time, memory, and precision": (
        *("time_limit", "kill_after", "memory_limit", "tolerance", "jobs", "executor", "resume"),
    ),
    "Files and values": ("root", "allow_engines", "show_values"),
}
"""The headings of options, with the parameters below each; the first has all others."""

EXAMPLES: dict[str, tuple[str, str]] = {
    "analyze": ("release.yaml", "release.yaml -o html=report.html -o json=report.json"),
    "check": ("releases/", "release.yaml --policy policy.yaml --format github"),
    "batch": ("releases/", "releases/ -o csv=audits.csv --jobs 4"),
    "compare": ("before.yaml after.yaml", "report.json release.yaml -o html=comparison.html"),
    "ablate": ("release.yaml", "release.yaml -o csv=invariants.csv"),
    "convert": ("'gaussian: {sigma: 2}'", "'zcdp: {rho: 0.5}' --delta 1e-6 --delta 1e-9"),
    "calibrate": (
        "release.yaml --target mu=1",
        "release.yaml --target rho=0.5 -o csv=designs.csv",
    ),
    "sample": (
        "release.yaml -o csv=noisy.csv",
        "release.yaml --draws 100 --seed 1 -o csv=noisy.csv",
    ),
    "describe": ("release.yaml", "release.yaml --time-limit 300"),
    "odds-ratio": (
        "--margins 12,10,11 --noisy-count 8.25 --epsilon 1",
        "--spec release.yaml --attributes sex,outcome --epsilon 1",
    ),
    "export": ("release.yaml", "release.yaml --facts facts.yaml -o yaml=entry.yaml"),
    "review": ("entry.yaml", "entry.yaml --fail-on warning"),
    "reproduce": ("--list", "-o json=numbers.json"),
    "verify": (
        "release.yaml --command 'Rscript release.R {input} {output}'",
        "release.yaml --function release:noisy --import-path src -o junit=verify.xml",
    ),
    "init": ("release.yaml", "release.yaml --from persons.csv --margin region --margin sex,age"),
    "glossary": ("'a(t)'", "semi_dp"),
    "rule": ("SA013", "budget-exceeded"),
    "schema": ("spec", "policy"),
}
"""Two lines of arguments of every command, by the last word of its name."""


class HelpfulCommand(click.Command):
    """A command whose help groups its options, and ends with two examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options below their headings."""
        records: dict[str, list[tuple[str, str]]] = {heading: [] for heading in GROUPS}
        for parameter in self.get_params(ctx):
            is_option = isinstance(parameter, click.Option)
            record = parameter.get_help_record(ctx) if is_option else None
            names = (heading for heading, those in GROUPS.items() if parameter.name in those)
            if record is not None:
                records[next(names, OPTIONS)].append(record)
        for heading, rows in records.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples; no line is wrapped, so that it can be copied."""
        with formatter.section("Examples"):
            for arguments in EXAMPLES.get(ctx.info_name or "", ()):
                formatter.write(f"  {ctx.command_path} {arguments}\n")
