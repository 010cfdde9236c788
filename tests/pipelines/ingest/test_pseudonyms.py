"""Ingest with a key: no name of a person is written anywhere, and the same person has the same pseudonym."""

import hashlib
import hmac
import json
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.ingest.source_bytes import SourceError
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.verify import verify
from tests.support.persons import FORMS, NAME, log, saying
from tests.support.stores import FIXTURES, ask, ingest, one

KEY = b"0123456789abcdef"


@pytest.fixture
def key(tmp_path: Path) -> str:
    (tmp_path / "key").write_bytes(KEY)
    return str(tmp_path / "key")


def expected(name: str) -> str:
    return "player-" + hmac.digest(KEY, name.encode(), hashlib.sha256).hex()[:16]


def names(store: Store) -> set[tuple[str | None, str | None]]:
    details = [json.loads(detail) for (detail,) in ask(store, "select detail from events where seq = 0")]
    players = [player for detail in details for player in detail["players"] if player]
    return {(player.get("kind"), player.get("name")) for player in players}


@pytest.mark.parametrize("beam", [(), ("--runner=FnApiRunner",)], ids=["in sequence", "with Beam"])
def test_no_name_is_written(store: Store, tmp_path: Path, key: str, beam: tuple[str, ...]) -> None:
    path = log(tmp_path, "five_card_draw", 1, damaged=2)
    counts = ingest(store, path, pseudonymise=key, beam_options=beam).counts
    assert (counts.hands_stored, counts.quarantined) == (4, 2)
    other = log(tmp_path, "kaiser", 2)
    ingest(store, other, pseudonymise=key)
    assert saying(store.root, (*FORMS, '"Bo"')) == set()
    assert names(store) >= {("human", expected(NAME)), ("human", expected("Bo")), ("computer", "player 2")}
    assert len({name for kind, name in names(store) if kind == "human" and name}) == 2
    notes = ask(store, "select distinct detail ->> '$.note' as note from events where note is not null")
    assert notes == [(f"{expected(NAME)} was late",)]
    assert verify(store).problems == []


def test_quarantine_keeps_lines_and_digest_alone(store: Store, tmp_path: Path, key: str) -> None:
    path = log(tmp_path, "five_card_draw", 1, damaged=1)
    ingest(store, path, pseudonymise=key)
    sql = "select raw, context, first_line, last_line, message from quarantine"
    [(raw, context, first, last, message)] = ask(store, sql)
    assert (raw, context) == ("", None)
    text = b"".join(path.read_bytes().splitlines(keepends=True)[first - 1 : last])
    assert hashlib.sha256(text.rstrip()).hexdigest() in message
    assert quarantine.retry(store).ingest_id is None


def test_what_is_stored_is_compared(store: Store, tmp_path: Path, key: str) -> None:
    """With the same key it is a duplicate; without it contradicts what is stored."""
    path = log(tmp_path, "five_card_draw", 1)
    ingest(store, path, pseudonymise=key)
    path.write_text(path.read_text() + "\n")
    assert ingest(store, path, pseudonymise=key).counts.duplicates == 6
    path.write_text(path.read_text() + "\n")
    counts = ingest(store, path).counts
    assert (counts.hands_stored, counts.quarantined) == (0, 6)
    path.write_text(path.read_text().replace('"Bo"', '"Ida"').replace('"amount":', '"amount": ') + "\n")
    ingest(store, path, pseudonymise=key)
    assert one(store, "select count(*) from quarantine where reason = 'conflict' and raw = ''") == 6
    assert saying(store.root, ("Ida",)) == set()


def test_a_key_has_to_be_long_enough(store: Store, tmp_path: Path) -> None:
    path = log(tmp_path, "kaiser", 1)
    (tmp_path / "key").write_bytes(KEY[:15])
    with pytest.raises(SourceError, match="has 15 bytes and needs at least 16"):
        runs.ingest(store, [str(path)], Reading(pseudonymise=str(tmp_path / "key")))
    with pytest.raises(SourceError, match="can't be read: No such file"):
        runs.ingest(store, [str(path)], Reading(pseudonymise=str(tmp_path / "no key")))
    assert not store.exists


@pytest.mark.long
@pytest.mark.parametrize("log", ["belote/readme", "five_card_draw/games", "ruter_sju/odd"])
def test_logs_of_the_original_programs(store: Store, tmp_path: Path, key: str, log: str) -> None:
    """The same hands are stored under the same ids, each person under a pseudonym."""
    path = FIXTURES.parent / f"{log}_transcripts.txt.gz"
    plain = Store(str(tmp_path / "plain"))
    counts = ingest(plain, path).counts
    assert ingest(store, path, pseudonymise=key).counts == counts
    ids = "select hand_id from events where seq = 0 order by all"
    assert ask(store, ids) == ask(plain, ids)
    people = {name for kind, name in names(plain) if kind != "computer" and name}
    assert people
    assert {name for kind, name in names(store) if kind != "computer" and name} == set(map(expected, people))
    computers = [{name for kind, name in names(one) if kind == "computer"} for one in (plain, store)]
    assert computers[0] == computers[1]
