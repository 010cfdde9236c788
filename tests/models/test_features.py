"""What is in training rows has a version: whoever changes the numbers raises it.

`encoders.json` has a digest of the rows of fixed hands, by game and version. It is written by hand, from the
message.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from cardlog import models
from cardlog.models.simulation import Simulation
from cardlog.pipelines.export import encoders
from cardlog.pipelines.export.simulate import batches

GOLDEN = Path(__file__).parents[1] / "fixtures" / "training" / "encoders.json"
ENCODERS = [(game, name) for game in models.GAMES for name in encoders.names(game)]
HANDS, SEED = 60, 24


def digest(encoder: encoders.NamedEncoder) -> str:
    """Of the observations, legal actions, actions and outcomes of hands by all rules of a game."""
    found = hashlib.sha256()
    for rules in models.game(encoder.game).playing().rules:
        for batch in batches(encoder.game, "test", Simulation(encoder.game, SEED, rules=rules), HANDS):
            made = encoder.encode(batch)
            rows = made.rows
            legal = made.masks & (np.arange(made.masks.shape[1]) < rows["width"][:, None])
            for array in (made.observations, legal, *(rows[name] for name in rows.dtype.names or ())):
                found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:32]


@pytest.mark.parametrize(("game", "name"), ENCODERS)
def test_rows_change_only_with_the_version(game: str, name: str) -> None:
    encoder = encoders.encoder(game, name)
    key = f"{game} {name} {encoder.version}"
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = digest(encoder)
    assert golden.get(key) == found, (
        f"the rows of {game}'s encoder {name} are not those of version {encoder.version}: raise the version "
        f'where it stands, and add "{game} {name} VERSION": "{found}" to {GOLDEN.name}'
    )


def test_every_version_that_there_was_stays_listed() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for game, name in ENCODERS:
        for version in range(1, encoders.encoder(game, name).version + 1):
            assert f"{game} {name} {version}" in golden
