"""Measure speed, memory and size against their targets: ``python -m benchmarks``.

docs/measurements.md says how, and what limits each figure.
"""
