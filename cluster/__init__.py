"""A Flink cluster with an object store on one machine, for tests, benchmarks and experiments.

`python -m cluster`, or ``make cluster``, starts it. See docs/cluster.md.
"""
