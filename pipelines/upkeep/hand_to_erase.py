"""Which hand to erase: its exact name, and what it is, so that nobody erases another by mistake."""

import json
from datetime import UTC, datetime

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.sql.hand_lookup import HandNotFound, is_hex
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import ID_DIGITS
from cardlog.pipelines.text.visible import is_text, shown
from cardlog.pipelines.upkeep import quarantine
from cardlog.schemas.events import NO_TIME


def id_of(store: Store, name: str) -> str:
    """The id of the hand with exactly this id or source key, stored or in quarantine, or whose entry there
    has this id; a whole id that no hand has, as it is.

    Raises HandNotFound if no hand has the key, or more than one, or its hand has no id; StoreError.
    """
    if not is_text(name):
        raise HandNotFound("the key is not valid UTF-8")
    entries = hand_lookup.quarantined(store, name)
    hands = {(entry["hand_id"], entry["dataset"]) for entry in entries}
    hand_id = hand_lookup.only(name, sorted({*hand_lookup.ids_of(store, name), *hands}))
    if hand_id is None and len(name) == ID_DIGITS and is_hex(name):
        return _id_in_entry(store, name) or name.lower()
    if hand_id is None:
        raise HandNotFound(
            f"no hand has the key '{shown(name)}', stored or in quarantine; "
            f"give all {ID_DIGITS} digits of an id, or a source's key as it is"
        )
    return hand_id


def _id_in_entry(store: Store, name: str) -> str | None:
    """The id of the hand of an entry of quarantine; None if there is no such entry. Raises HandNotFound."""
    try:
        found = quarantine.entry(store, name, whole=True)
    except quarantine.NoSuchEntry:
        return None
    if found["hand_id"] is None:
        raise HandNotFound(
            f"the hand of entry {name} has no id, and is erased with its data set, {found['dataset']}"
        )
    return str(found["hand_id"])


def described(store: Store, hand_id: str) -> str:
    """A hand in a line: game, id, key, match and number, time and players; of a hand in quarantine its source
    and reason."""
    try:
        return _described(hand_lookup.find(store, hand_id))
    except HandNotFound as error:
        return str(error) if error.entry else f"hand {hand_id}: it is not in this store"


def _described(batch: Batch) -> str:
    opening = json.loads(batch.details[int(batch.events["detail"][0])])
    words = [f"{models.game(batch.game).title} hand {batch.hand_ids[0].decode()}"]
    if key := batch.keys[0].as_py():
        words.append(f"no. {key}")
    if batch.match_of[0] >= 0:
        words.append(f"match {batch.matches[batch.match_of[0]]}, hand {batch.hand_nos[0]}")
    if (at := int(batch.events["at"][0])) != NO_TIME:
        words.append(f"{datetime.fromtimestamp(at // 1_000_000, UTC):%Y-%m-%d %H:%M:%S} UTC")
    names = [player.get("name") or player.get("kind") or "?" for player in opening.get("players", [])]
    return "  ·  ".join([*words, ", ".join(names)])
