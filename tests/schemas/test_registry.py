"""What installed packages add is found as our own is, and a package that fails takes nothing else with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cardlog.schemas import registry

PACKAGES = {
    "good": ("class Thing(float): name = 'whist'\nwhist = Thing(2)", "whist = good:whist"),
    "broken": ("raise OSError('no disk')", "skat = broken:skat"),
    "wrong": ("poker = 'poker'", "poker = wrong:poker"),
    "odd": ("go = type('T', (float,), {'name': 'chess'})()", "go = odd:go"),
    "first": ("rummy = 1.5", "rummy = first:rummy"),
    "second": ("rummy = 1.5", "rummy = second:rummy\nkaiser = second:rummy"),
}


@pytest.fixture
def things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[registry.Registry[float]]:
    """A registry with Kaiser of our own, and these packages installed."""
    for name, (code, points) in PACKAGES.items():
        (tmp_path / f"{name}.py").write_text(code)
        metadata = tmp_path / f"{name}-1.2.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (metadata / "entry_points.txt").write_text(f"[cardlog.things]\n{points}\n")
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (registry._all_installed, registry._say):
        cached.cache_clear()
    yield registry.Registry("cardlog.things", float, {"kaiser": 1.0}, "thing", "name")
    registry._all_installed.cache_clear()


def test_packages_add_to_ours_and_failures_are_named_once(
    things: registry.Registry[float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dict(things) == {"kaiser": 1.0, "whist": 2.0}
    assert [things.origin(name) for name in things] == ["cardlog", "good 1.2"]
    assert list(things) == ["kaiser", "whist"]
    assert sorted(capsys.readouterr().err.splitlines()) == [
        "cardlog: the package broken 1.2 can't be loaded: OSError: no disk",
        "cardlog: the package odd 1.2 can't be loaded: ValueError: odd:go is named 'chess', not 'go'",
        "cardlog: the package wrong 1.2 can't be loaded: TypeError: wrong:poker is no float",
        "cardlog: the thing 'kaiser' is claimed by cardlog itself and second 1.2; cardlog's own is used",
        "cardlog: the thing 'rummy' is claimed by first 1.2 and second 1.2",
    ]


def test_what_is_missing_is_explained(things: registry.Registry[float]) -> None:
    for name, problem in {
        "tarot": "there is no thing 'tarot'; there are: kaiser, whist",
        "skat": "the package broken 1.2 can't be loaded: OSError: no disk; there are: kaiser, whist",
        "rummy": "the thing 'rummy' is claimed by first 1.2 and second 1.2; there are: kaiser, whist",
    }.items():
        with pytest.raises(KeyError) as raised:
            things.find(name)
        assert raised.value.args == (problem,)


def test_only_what_is_asked_for_is_loaded(
    things: registry.Registry[float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (things["kaiser"], things["whist"]) == (1.0, 2.0)
    assert "broken" not in capsys.readouterr().err
