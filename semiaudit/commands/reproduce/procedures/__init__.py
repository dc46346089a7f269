"""Computations and figures that are in no report.

Rows of published.csv and entries.csv call them. Each returns a number, several named numbers, a
value of the library, or figures.
"""

PROCEDURES = {
    name.rpartition(".")[2]: name
    for name in (
        "semiaudit.commands.reproduce.procedures.accounting",
        "semiaudit.commands.reproduce.procedures.additive_noise",
        "semiaudit.commands.reproduce.procedures.approximations",
        "semiaudit.commands.reproduce.procedures.canonical",
        "semiaudit.commands.reproduce.procedures.designs",
        "semiaudit.commands.reproduce.procedures.examples",
        "semiaudit.commands.reproduce.procedures.gaussian",
        "semiaudit.commands.reproduce.procedures.hierarchies",
        "semiaudit.commands.reproduce.procedures.orders",
        "semiaudit.commands.reproduce.procedures.subspaces",
        "semiaudit.commands.reproduce.procedures.swapping",
        "semiaudit.commands.reproduce.procedures.tables",
    )
}
"""The modules by their last names, as calls use them; each is loaded when a row needs it."""
