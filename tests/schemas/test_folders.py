"""The user's folders: for users without a home, too."""

import pwd
import tempfile
from pathlib import Path

import pytest

from cardlog.schemas.errors import CardlogError
from cardlog.schemas.folders import cache_folder, state_folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of a user without a home folder."""

    def unknown(_: int) -> None:
        raise KeyError

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_without_a_home_it_is_a_folder_of_ones_own_and_never_one_of_others(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, own = cache_folder(), cache_folder().parent
    assert (own.parent, own.stat().st_mode & 0o777) == (temporary, 0o700)
    assert (cache_folder(), state_folder()) == (folder, own / ".local/state")
    own.chmod(0o777)
    with pytest.raises(CardlogError, match="set XDG_CACHE_HOME to a folder"):
        cache_folder()
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")
