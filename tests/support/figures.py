"""Summaries of long tests, one line each, printed at the end of the pytest run."""

LINES: list[str] = []


def report(line: str) -> None:
    """Keep a line for the end, in a form ready for docs/reliability.md."""
    LINES.append(line)
