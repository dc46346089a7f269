"""The least rho of pairs of distributions, from their probabilities at 50 digits.

Divergences are sums or integrals of p^a q^(1 - a); no closed form of a divergence is used. The
pair of a tradeoff function composed with itself is read off its vertices, which are found by
composing the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tests.oracles.curves import mp, renyi, renyi_of_lists

Pair = tuple[list[Any], list[Any]]

ORDERS = tuple(
    1 + mp.mpf(text) for text in ("1e-4", "0.01", "0.1", "0.3", "0.7", "1.5", "4", "11", "60")
)


def discrete_laplace(move: int, scale: Any) -> Pair:
    """Mass proportional to e^(-|x| / scale) at x and at x - move; the tails are joined at the ends.

    Beyond 0 and beyond the move the ratio is constant, so that joined outcomes lose nothing.
    """
    share = mp.exp(-1 / scale)
    unit = (1 - share) / (1 + share)
    inside = [unit * share**x for x in range(1, move)]
    low, high = unit / (1 - share), unit * share**move / (1 - share)
    return [low, *inside, high], [high, *reversed(inside), low]


def response(epsilon: Any, levels: int) -> Pair:
    """Two rows of the randomised response that keeps a value with odds e^epsilon to each other."""
    total = mp.exp(epsilon) + levels - 1
    kept, other = mp.exp(epsilon) / total, 1 / total
    rest = [other] * (levels - 2)
    return [kept, other, *rest], [other, kept, *rest]


def composed_response(epsilon: Any, times: int) -> Pair:
    """The pair whose tradeoff function is f_{epsilon,0} composed so often: one outcome a piece.

    In Su's form f_(k+1)(a) = f(1 - f_k(a)); its vertices are those of f_k, and where 1 - f_k
    passes the corner of f.
    """
    corner = 1 / (1 + mp.exp(epsilon))

    def f(a: Any) -> Any:
        return max(1 - mp.exp(epsilon) * a, mp.exp(-epsilon) * (1 - a))

    points = [(mp.mpf(0), mp.mpf(1)), (corner, corner), (mp.mpf(1), mp.mpf(0))]
    for _ in range(times - 1):
        following = [(x, f(1 - y)) for x, y in points]
        for (x0, y0), (x1, y1) in pairwise(points):
            if y1 < 1 - corner < y0:
                following.append((x0 + (x1 - x0) * (y0 - 1 + corner) / (y0 - y1), corner))
        points = sorted(following)
    pieces = list(pairwise(points))
    return [x1 - x0 for (x0, _), (x1, _) in pieces], [y0 - y1 for (_, y0), (_, y1) in pieces]


def laplace_divergence(shift: Any, order: Any) -> Any:
    """D_a of Laplace noise of scale 1 from itself moved, by quadrature of the densities."""
    far = 60 + shift

    def density(centre: Any) -> Any:
        return lambda x: mp.exp(-abs(x - centre)) / 2

    middle = [shift * k / 8 for k in range(1, 8)]
    breaks = [-far, -far / 4, -far / 16, 0, *middle, shift]
    breaks += [shift + far / 16, shift + far / 4, shift + far]
    return renyi(density(mp.mpf(0)), density(shift), order, breaks)


def kullback_leibler(first: Sequence[Any], second: Sequence[Any]) -> Any:
    """The divergence of order 1."""
    return mp.fsum(p * mp.log(p / q) for p, q in zip(first, second, strict=True))


def largest_ratio(pair: Pair) -> Any:
    """The largest D_a / a over ``ORDERS`` and the limit of order 1, in both directions."""
    found = [kullback_leibler(*pair), kullback_leibler(*reversed(pair))]
    for order in ORDERS:
        found += [renyi_of_lists(*way, order) / order for way in (pair, pair[::-1])]
    return max(found)
