"""The encoding of training rows has a version, which must be raised when the numbers change.

`encoders.json` has a digest of the rows of fixed hands, by game and version. It is edited by hand, as the
failure message says.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.export import encoders
from cardlog.pipelines.export.simulate import batches

GOLDEN = Path(__file__).parents[1] / "fixtures" / "training" / "encoders.json"
ENCODERS = [(game, name) for game in models.GAMES for name in encoders.names(game)]
HANDS, SEED = 60, 24


def digest(encoder: encoders.NamedEncoder) -> str:
    """A digest of the observations, legal actions, actions and outcomes of hands by all rules of a game."""
    sha256 = hashlib.sha256()
    for rules in models.game(encoder.game).playing().rules:
        for batch in batches(encoder.game, "test", Simulation(encoder.game, SEED, rules=rules), HANDS):
            encoded = encoder.encode(batch)
            rows = encoded.rows
            legal = encoded.masks & (np.arange(encoded.masks.shape[1]) < rows["width"][:, None])
            for array in (encoded.observations, legal, *(rows[name] for name in rows.dtype.names or ())):
                sha256.update(np.ascontiguousarray(array).tobytes())
    return sha256.hexdigest()[:32]


@pytest.mark.parametrize(("game", "name"), ENCODERS)
def test_rows_change_only_with_the_version(game: str, name: str) -> None:
    encoder = encoders.encoder(game, name)
    key = f"{game} {name} {encoder.version}"
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    current = digest(encoder)
    assert golden.get(key) == current, (
        f"the rows of {game}'s encoder {name} are not those of version {encoder.version}: raise the version "
        f'where it stands, and add "{game} {name} VERSION": "{current}" to {GOLDEN.name}'
    )


def test_every_earlier_version_stays_listed() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for game, name in ENCODERS:
        for version in range(1, encoders.encoder(game, name).version + 1):
            assert f"{game} {name} {version}" in golden
