"""Decisions of seats whose own cards the log hides: left out of training data by default, and counted."""

from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cardlog.models.belote import decisions as belote
from cardlog.models.pinochle import decisions as pinochle
from cardlog.models.ruter_sju import decisions as ruter_sju
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.storage.store import Store
from tests.support.exports import export, manifest_of, rows_in
from tests.support.soak import long
from tests.support.stores import ingest

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOGS = {
    "belote": "bornabesic_transcripts.txt.gz",
    "pinochle": "head2014_transcripts.txt.gz",
    "ruter_sju": "odd_transcripts.txt.gz",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Logs of consoles that don't show every hand. Not to be changed."""
    store = Store(str(tmp_path_factory.mktemp("hidden") / "store"))
    ingest(store, *(FIXTURES / game / name for game, name in LOGS.items()))
    return store


def lacks_cards(game: str, kind: str, observations: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether the observation has fewer of the seat's cards than there must be."""
    if game == "ruter_sju":
        cards = observations[:, : ruter_sju.DECK_CARDS]
        return (cards == ruter_sju.IN_HAND).sum(axis=1) != observations[:, ruter_sju.LEFT_AT]
    if game == "belote":
        held = (observations[:, :32] == belote.IN_HAND).sum(axis=1)
        played = np.isin(observations[:, :32], (belote.PLAYED, belote.ON_TABLE)).sum(axis=1)
        return held + played != (6 if kind == "bid" else 8)
    cards = observations[:, : pinochle.BIDS_AT]
    return np.isin(cards, (pinochle.IN_HAND, pinochle.PLAYED, pinochle.ON_TABLE)).sum(axis=1) != 12


@pytest.mark.parametrize(
    ("game", "kind"),
    [("ruter_sju", "play"), *long(("belote", "bid"), ("pinochle", "bid"), ("belote", "play"))],
)
def test_rows_are_left_out_where_the_seats_own_cards_are_hidden(
    game: str, kind: str, store: Store, tmp_path: Path
) -> None:
    for name, hidden_too in (("data", False), ("all", True)):
        selection = Selection(include_hidden_cards=hidden_too)
        export(store, game, "parquet", tmp_path / name, selection=selection)
    shown, every = (rows_in(tmp_path / name, kind).to_pylist() for name in ("data", "all"))
    hidden = lacks_cards(game, kind, np.array([row["observation"] for row in every], np.int8))
    assert hidden.any() == ((game, kind) != ("belote", "play"))
    expected = [row for row, lacks in zip(every, hidden, strict=True) if not lacks]
    by = itemgetter("hand_id", "step")
    assert sorted(shown, key=by) == sorted(expected, key=by)
    manifest = manifest_of(tmp_path / "data")
    left_out = manifest["left_out"]["hidden_cards"].get(kind, {})
    rows, all_rows = (Counter(each["rows"].get(kind)) for each in (manifest, manifest_of(tmp_path / "all")))
    assert left_out == all_rows - rows
    assert sum(left_out.values()) == hidden.sum()
    card = (tmp_path / "data" / "README.md").read_text()
    assert (f"{hidden.sum()} of kind {kind}. `--include-hidden-cards` includes them." in card) == hidden.any()


def test_nothing_but_hidden_cards_is_an_error_that_says_what_to_do(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardlog.pipelines.events.folding import replay_batch
    from cardlog.pipelines.export import encoders

    def all_hidden(batch: Any) -> Any:
        replayed = replay_batch(batch, belote.observe, belote.OBSERVATION_WIDTH)
        replayed.rows["knows_hand"] = False
        return replayed

    monkeypatch.setattr(encoders, "_replay_with", lambda *_: all_hidden)
    with pytest.raises(ExportError, match=r"hides the cards .* all .* belote, .*; --include-hidden-cards"):
        export(store, "belote", "parquet", tmp_path / "data")
    assert list(tmp_path.iterdir()) == []
