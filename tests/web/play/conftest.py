"""Journals that tests of the tables begin."""

from collections.abc import Iterator

import pytest

from cardlog.web.play.journal import Journal


@pytest.fixture(autouse=True)
def closed_journals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the files of those that a test leaves as a killed server would."""
    begun: list[Journal] = []
    begin = Journal.__init__

    def noted(self: Journal, *args: object) -> None:
        begun.append(self)
        begin(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Journal, "__init__", noted)
    yield
    for journal in begun:
        journal.close()
