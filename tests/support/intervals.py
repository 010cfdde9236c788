"""Intervals of rates and means by their definitions, in plain Python, to compare those of the marts with."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from math import atan, cos, pi, sin, sqrt
from operator import mul
from statistics import NormalDist, mean, stdev

Interval = tuple[float, float | None, float | None]
"""A figure with the ends of its 95 % interval; None where it has none."""

Z = NormalDist().inv_cdf(0.975)


def rate(hits: float, rows: float) -> Interval:
    """Wilson: the ends are the rates that are 1.96 of their own standard errors from the observed one."""
    observed = hits / rows

    def is_out(true: float) -> bool:
        return abs(observed - true) > Z * sqrt(true * (1 - true) / rows)

    return observed, _boundary(is_out, 0, observed), _boundary(is_out, 1, observed)


def mean_of(values: Sequence[float]) -> Interval:
    if len(values) < 2:
        return mean(values), None, None
    error = t_quantile(len(values) - 1) * stdev(values) / sqrt(len(values))
    return mean(values), mean(values) - error, mean(values) + error


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
