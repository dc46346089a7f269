"""Bailie, Gong and Meng: building blocks, what is sufficient and necessary, small strata, rates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from semiaudit.commands.reproduce.definitions import BITS, ONES, responses_of_three, three_bits
from semiaudit.commands.reproduce.found import (
    Found,
    answered,
    audited,
    floating,
    simulated,
)
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import upper

SOURCE = "Bailie, Gong and Meng (slides)"
STRATA, SEED = 200_000, 1940


def specifications() -> Found:
    """The five building blocks of finite mechanisms, and of TopDown's invariants."""
    response = _blocks(responses_of_three()._section, ONES)
    alone = {"finite": {"rows": "datasets", "probabilities": _ones()}}
    theorems = {
        name: {told["name"]: told["applies"] for told in blocks["theorems"]}
        for name, blocks in (("alone", _blocks(alone, ONES)), ("response", response))
    }
    constants = {
        one["universe"]: one for one in response["intensity"] if one["divergence"] == "mult"
    }
    census = {"size": 20, "attributes": {"state": 3, "sex": 2}}
    kept = audited(census, {"zcdp": {"rho": 1}}, invariants=[{"margin": ["state"]}, "total"])
    states, nation = kept.as_dict()["building_blocks"]["multiverse"]["invariants"]
    sizes = sorted(one["size"] for one in response["multiverse"]["universes"])
    return Found(
        {
            "universes": ", ".join(map(str, sizes)),
            "constant_of_a_response": upper_end(constants[1]["upper"]),
            "constant_in_all_of_d": upper_end(constants[None]["upper"]),
            "invariants_alone_are_free": answered(theorems["alone"]["invariants_alone"]),
            "mechanism_that_varies_is_not": answered(theorems["response"]["mechanism_varies"]),
            "invariant_that_varies_is_infinite": answered(theorems["response"]["invariant_varies"]),
            "states_are_needed": answered(states["needed"]),
            "nation_is_needed": answered(nation["needed"]),
            **_divergences(),
        }
    )


def _blocks(mechanism: dict[str, Any], invariants: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = audited(BITS, mechanism, invariants=invariants).as_dict()
    blocks: dict[str, Any] = found["building_blocks"]
    return blocks


def _ones() -> list[list[int]]:
    """The number of ones, released as it is."""
    return [[int(sum(x) == k) for k in range(4)] for x in three_bits()]


def upper_end(value: Any) -> Ours:
    """The upper end of a JSON report, or its word for infinity."""
    return str(value) if isinstance(value, str) else upper(Fraction(value), "lipschitz", SOURCE)


def _divergences() -> dict[str, Ours]:
    """D_nor of a Gaussian pair, and its limit at order 1 for a finite one."""
    from semiaudit.library.mechanisms import GDP
    from semiaudit.model.loss import FiniteLoss
    from semiaudit.numeric.intervals import Interval
    from semiaudit.privacy.tradeoff.links import kullback_leibler
    from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

    half, quarter = Fraction(1, 2), Fraction(1, 4)
    pair = FiniteLoss((half, half), (quarter, 3 * quarter))
    most = kullback_leibler(tradeoff_from_likelihoods(pair))[1]
    limit = "inf" if isinstance(most, float) else upper(Interval.of(most).sqrt(), "link", SOURCE)
    rho = GDP("1.3").guarantee().rho
    nor = "none" if rho is None else upper(Interval.of(Fraction(rho.value)).sqrt(), "zcdp", SOURCE)
    return {"d_nor_of_a_gaussian": nor, "d_nor_at_order_1": limit}


def strata() -> Found:
    """What small strata lose and move, uniform permutations, and both rates of epsilon 12."""
    from semiaudit.mechanisms.swapping.bounds import published_bound, sizes_up_to, unit_loss

    low, half = Fraction(1, 100), Fraction(1, 2)
    numbers: dict[str, Ours] = {}
    for size in (4, 5, 6, 7, 10, 100):
        own = unit_loss(low, sizes_up_to(size), "derangement", reselection=True).epsilon
        slack = float(published_bound(low, size) - own)
        numbers[f"slack_of_{size}"] = floating(slack, "the difference of two upper bounds")
    half_of_three = unit_loss(half, sizes_up_to(3), "derangement", reselection=True).epsilon
    numbers["stratum_of_3_at_half"] = upper(half_of_three, "swapping", SOURCE)
    for name, rate, size, reselection in (
        ("4_at_0.9", Fraction(9, 10), 4, True),
        ("4_at_0.5", half, 4, True),
        ("3_at_0.01", low, 3, False),
    ):
        found = unit_loss(rate, sizes_up_to(size), "uniform", reselection=reselection).epsilon
        numbers[f"uniform_{name}"] = upper(found, "swapping", SOURCE)
    for size, rate in ((2, Fraction(1, 10)), (3, half)):
        numbers[f"selected_of_{size}"] = _selected(size, rate)
    return Found(numbers | _rates_of_12())


def _selected(size: int, rate: Fraction) -> Ours:
    """The share of records that the listing selects in the end."""
    import numpy as np

    from semiaudit.mechanisms.sampling.randomness import Randomness
    from semiaudit.mechanisms.sampling.swapping import exchange

    sizes = np.full(STRATA, size)
    found = exchange(sizes, rate, deranged=True, reselection=True, source=Randomness(SEED))
    return simulated(float(found.selected.mean()), f"of {STRATA} strata of {size}")


def _rates_of_12() -> dict[str, Ours]:
    """Both swap rates that lose 12 per record that differs, as `mechanism calibrate` finds them."""
    from semiaudit.commands.calibrate.auditor import Question
    from semiaudit.commands.calibrate.run import calibrate
    from semiaudit.commands.reproduce.bailie import LARGEST
    from semiaudit.model.access import Access
    from semiaudit.model.measure import PureDP

    text = (
        "semiaudit: 1\ndataspace: {unit: home}\n"
        f"mechanism:\n  swapping: {{largest_stratum: {LARGEST}}}\n"
    )
    asked = Question("<published>", PureDP(Fraction(12)), "invariant_dp")
    designs = calibrate(asked, 60, 1e-6, Access(), text.encode()).calibration.designs
    return {
        f"{design.name}_of_12": floating(float(design.scale), "rounded to where less is lost")
        if design.scale is not None
        else "none"
        for design in designs
    }
