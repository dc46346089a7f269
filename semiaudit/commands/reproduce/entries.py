"""The entries of `reproduce`: the tables, figures and sections, and what computes each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from semiaudit.commands.reproduce import (
    bailie,
    cho_awan,
    cho_awan_figures,
    definitions,
    gao,
    gao_errors,
    hierarchies,
    procedures,
    specifications,
    su,
    su_orders,
)
from semiaudit.commands.reproduce.found import Found

CHO_AWAN = "Cho and Awan, Formal Privacy Guarantees with Invariant Statistics"
SU = "Su, A Statistical Viewpoint on Differential Privacy"
GAO = "Gao, Gong and Yu, Subspace Differential Privacy"
BAILIE = "Bailie, Gong and Meng, slides on swapping and TopDown"
BUREAU = "US Census Bureau, production code of the 2020 Census"


@dataclass(frozen=True, slots=True)
class Task:
    """One entry.

    Attributes:
        find: computes our numbers and the figures.
    """

    title: str
    source: str
    find: Callable[[], Found]


TASKS: dict[str, Task] = {
    "cho-awan-definitions": Task(
        "Definitions and examples of sections 2 and 3", CHO_AWAN, definitions.definitions
    ),
    "cho-awan-distances": Task(
        "a(t): Examples 2, 3 and 5, Theorem 16", CHO_AWAN, cho_awan.distances
    ),
    "cho-awan-sensitivity": Task(
        "Sensitivity spaces of two-way tables: Proposition 32", CHO_AWAN, cho_awan.sensitivity
    ),
    "cho-awan-calculus": Task(
        "Tradeoff functions, group privacy, composition", CHO_AWAN, cho_awan.calculus
    ),
    "cho-awan-census": Task("The 2020 Census: section 6", CHO_AWAN, cho_awan.census),
    "cho-awan-factor": Task("What takes the place of the factor 4", CHO_AWAN, hierarchies.factors),
    "cho-awan-noise": Task("Projections, hulls and private tests", CHO_AWAN, procedures.noise),
    "cho-awan-canonical": Task("Canonical noise: Lemma 36", CHO_AWAN, cho_awan.canonical),
    "cho-awan-test": Task("The test of an odds ratio: Theorem 37", CHO_AWAN, cho_awan.odds_ratio),
    "cho-awan-figure-2": Task("Figure 2: Gaussian noise", CHO_AWAN, cho_awan_figures.figure_2),
    "cho-awan-figure-3": Task("Figure 3: K-norm noise", CHO_AWAN, cho_awan_figures.figure_3),
    "su-table-1": Task("Table 1: the last iterate", SU, su.table_1),
    "su-orders": Task("Divergences, links and Blackwell's order", SU, su_orders.orders),
    "su-clt": Task("The central limit theorem and the Edgeworth accountant", SU, su.limit),
    "su-dp-sgd": Task("DP-SGD: section 4.1", SU, su.dp_sgd),
    "su-shuffling": Task("Mixtures and shuffling: section 4.3", SU, su.shuffling),
    "su-census": Task("Discrete Gaussian noise: section 4.4", SU, su.discrete_gaussian),
    "su-accounting": Task("What exact accounting saves: section 4.4", SU, su_orders.saved_error),
    "gao-lemma-3-4": Task("The constant of Lemma 3.4", GAO, gao.lemma_3_4),
    "gao-lemma-3-4-limits": Task(
        "Where Lemma 3.4 stops to hold", GAO, gao_errors.limits_of_lemma_3_4
    ),
    "gao-errors": Task("Composition, and errors of designs", GAO, gao_errors.subspaces),
    "gao-5-1": Task("County populations: section 5.1", GAO, gao.counties),
    "gao-5-2": Task("Campus connections: section 5.2", GAO, gao.campus),
    "bailie-swapping": Task("Swap rates", BAILIE, bailie.swapping),
    "bailie-strata": Task("Small strata, and two swap rates", BAILIE, specifications.strata),
    "bailie-1940": Task("The 1940 Census: the shape of the curve", BAILIE, bailie.census_1940),
    "bailie-topdown": Task("TopDown and the divergences", BAILIE, bailie.topdown),
    "bailie-specifications": Task(
        "Building blocks, sufficiency and necessity", BAILIE, specifications.specifications
    ),
    "bureau-totals": Task("rho of the allocations, and their sum", BUREAU, hierarchies.totals),
    "bureau-pl94": Task("P.L. 94-171, persons", BUREAU, hierarchies.redistricting),
    "bureau-dhc-persons": Task("The DHC, persons", BUREAU, hierarchies.dhc_persons),
    "bureau-dhc-units": Task("The DHC, housing units", BUREAU, hierarchies.dhc_units),
}
"""Every entry by its name, in its order."""
