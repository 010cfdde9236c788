"""What long runs tried and what came of it: one line each, shown when pytest is done."""

LINES: list[str] = []


def report(line: str) -> None:
    """Keep a line for the end; it can go into docs/reliability.md as it is."""
    LINES.append(line)
