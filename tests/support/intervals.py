"""Intervals of rates and means by their definitions, in plain Python, to compare those of the marts with."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from itertools import accumulate
from math import atan, cos, floor, fsum, pi, sin, sqrt
from operator import mul
from statistics import NormalDist

Interval = tuple[float, float | None, float | None]
"""A figure with the ends of its 95 % interval; None where it has none."""

Z = NormalDist().inv_cdf(0.975)


def rate(hits: float, rows: float) -> Interval:
    """Wilson, of independent rows: the ends are the rates that are 1.96 of their own standard errors from the
    observed one."""
    observed = hits / rows

    def is_out(true: float) -> bool:
        return abs(observed - true) > Z * sqrt(true * (1 - true) / rows)

    return observed, _boundary(is_out, 0, observed), _boundary(is_out, 1, observed)


LEAST_CLUSTERS = 5
"""With fewer, a figure has no interval."""


def clustered(rows: Sequence[tuple[Hashable, float]], bounds: tuple[float, float] | None = None) -> Interval:
    """The mean of some rows, each with the cluster it belongs to; clusters don't depend on one another.

    Without bounds the ends are as many standard errors away as Student's t says for the effective number of
    clusters. With bounds they are the means that are this many of their own standard errors from the observed
    one. Those are as much smaller than the greatest possible ones as the clusters found say, of which one
    more is taken to be as independent rows at the bounds would be.
    """
    clusters = defaultdict(list)
    for cluster, value in rows:
        clusters[cluster].append(float(value))
    observed = fsum(float(value) for _, value in rows) / len(rows)
    effective = len(rows) ** 2 / sum(len(values) ** 2 for values in clusters.values())
    if effective < LEAST_CLUSTERS:
        return observed, None, None
    residuals = [fsum(value - observed for value in values) for values in clusters.values()]
    variance = fsum(one**2 for one in residuals) / len(rows) ** 2 * effective / (effective - 1)
    t = t_quantile(floor(effective) - 1)
    if bounds is None:
        if variance <= 1e-12 * observed**2:
            return observed, None, None
        return observed, observed - t * sqrt(variance), observed + t * sqrt(variance)
    low, high = bounds
    if low == high:
        return observed, None, None
    independent = 1 / len(rows)
    greatest = (observed - low) * (high - observed)
    share = variance / greatest if greatest > 0 else independent
    share = (effective * share + independent) / (effective + 1)

    def is_out(true: float) -> bool:
        return abs(observed - true) > t * sqrt(share * (true - low) * (high - true))

    return observed, _boundary(is_out, low, observed), _boundary(is_out, high, observed)


@cache
def t_quantile(freedom: int) -> float:
    """Where Student's t leaves 2.5 % above."""
    return _boundary(lambda t: within(t, freedom) > 0.95, 20, 0)


def within(t: float, freedom: int) -> float:
    """The probability that Student's t lies between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = atan(t / sqrt(freedom))
    if freedom % 2 == 0:
        factors = [(step - 1) / step * cos(angle) ** 2 for step in range(2, freedom, 2)]
        return sin(angle) * (1 + sum(accumulate(factors, mul)))
    factors = [(step - 1) / step * cos(angle) ** 2 for step in range(3, freedom, 2)]
    terms = cos(angle) * (1 + sum(accumulate(factors, mul))) if freedom > 1 else 0
    return 2 / pi * (angle + sin(angle) * terms)


def _boundary(is_out: Callable[[float], bool], outer: float, inner: float) -> float:
    """Between a number for which the condition holds and one for which it does not."""
    for _ in range(60):
        middle = (outer + inner) / 2
        outer, inner = (middle, inner) if is_out(middle) else (outer, middle)
    return inner
