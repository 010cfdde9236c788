"""Decisions of a batch with what each seat knew and might do, as dicts: what training rows are made of."""

from typing import Any

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import STATUSES, check_legal
from cardlog.pipelines.export.encoders import DEFAULT, encoder


def decision_rows(batch: Batch, name: str = DEFAULT) -> list[dict[str, Any]]:
    """The decisions of some legal hands, by an encoder."""
    replayed = encoder(batch.game, name).encode(batch)
    check_legal(batch, replayed.folded)
    kinds = models.game(batch.game).decisions.kinds
    found = []
    for row, mask, observation in zip(replayed.rows, replayed.masks, replayed.observations, strict=True):
        hand = int(row["hand"])
        numbers = {name: row[name].item() for name in ("step", "seat", "action", "reward", "return")}
        found.append(
            {name: None if number != number else number for name, number in numbers.items()}
            | {
                "hand_id": batch.hand_ids[hand].decode(),
                "kind": kinds[row["kind"]],
                "seq": int(row["event"] - batch.offsets[hand]),
                "status": STATUSES[int(replayed.folded.done[hand])],
                "observation": observation.tolist(),
                "action_mask": mask[: row["width"]].tolist(),
            }
        )
    return found
