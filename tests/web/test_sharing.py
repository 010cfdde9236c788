"""A shared hand: one file that needs nothing, a picture, text; and links that open one hand only."""

import random
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from cardlog import models
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import Action
from cardlog.web import hands
from cardlog.web.access import KEY, Links
from cardlog.web.views.share import bundled, named
from tests.support.commands import runner
from tests.support.pages import ORIGIN, client_of, hand_of, made
from tests.support.stores import ingest
from tests.support.tables import Viewer, in_loop, play_hand, seated, stranger_to

PLAYERS = ("</script><script>alert(1)</script>", "Åsa & Co", "Ben", "\u202eCleo")
FORMS = {"html": "text/html", "svg": "image/svg+xml", "txt": "text/plain"}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, str]:
    """A store with one hand of named players, and its id."""
    folder = tmp_path_factory.mktemp("shared")

    def play() -> tuple[bytes, str]:
        room, viewer, paper = seated("kaiser", people=4)
        for seat, name in enumerate(PLAYERS):
            room.rename(seat, name)
        viewers = [viewer, *(Viewer(room, seat) for seat in range(1, 4))]
        play_hand(viewers, random.Random(1))
        room.next()
        play_hand(viewers, random.Random(2))
        return paper.finished[1].text, room.hand.hand_id

    text, hand_id = in_loop(play)
    (folder / "hand.jsonl").write_bytes(text)
    store = Store(str(folder / "store"))
    ingest(store, folder / "hand.jsonl")
    return store, hand_id


@pytest.mark.parametrize("game", list(models.GAMES))
def test_the_file_has_all_it_needs_and_the_picture_has_the_deal(store: Store, game: str) -> None:
    """And the policy of the file allows one script."""
    batch = hand_lookup.find(store, hand_of(store, game, "status = 'complete'"))
    text = made(store, batch, "html", anonymous=False)
    assert re.findall(r'(?:src|href)="([^"#]*)"', text) == ["data:,"]
    assert not re.search(r"url\(|@import|fetch\(|WebSocket|\bimport [{*]", text)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert text.index("Content-Security-Policy") < text.index("<script")
    [script] = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in unescape(policy)
    assert f'"id": "{batch.hand_ids[0].decode()}"' in text
    svg = ElementTree.fromstring(made(store, batch, "svg", anonymous=False))
    words = [element.text or "" for element in svg.iter() if element.tag.endswith("text")]
    dealt = batch.events[batch.events["action"] == Action.DEAL_HAND]
    known = sum(int((row["cards"][: row["count"]] != UNKNOWN).sum()) for row in dealt)
    assert sum(word in "♣♦♥♠" for word in words if word) == known
    assert sum(element.tag.endswith("rect") for element in svg.iter()) == 1 + dealt["count"].sum()
    assert dealt["count"].sum() >= 2 * len(dealt) >= 4
    assert {element.tag.partition("}")[2] for element in svg.iter()} == {"svg", "title", "rect", "text"}


@pytest.mark.parametrize("form", FORMS)
def test_names_are_text_and_can_be_replaced(own: tuple[Store, str], form: str) -> None:
    store, hand_id = own
    batch = hand_lookup.find(store, hand_id)
    text = made(store, batch, form, anonymous=False)
    assert ("Ben" in text, "\u202e" in text) == (True, False)
    assert "<script>alert" not in text or form == "txt"
    hidden = made(store, batch, form, anonymous=True)
    assert not [name for name in (*PLAYERS, "Cleo", "alert(1)", "Åsa") if name in hidden]
    assert all(f"Player {letter}" in hidden for letter in "ABCD")
    assert hands.view(named(batch, anonymous=True))["match"] is None
    assert "Ben" in "".join(batch.details), "the hand itself is as it was"


def test_modules_become_one_script_once_each() -> None:
    script = bundled(["hand.js"])
    assert script.count("const of_cards_js = ") == script.count("const of_felt_js = ") == 1
    assert script.index("of_cards_js = ") < script.index("of_felt_js = ") < script.index("of_hand_js = ")
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)


def test_the_command_writes_what_the_ending_says(
    own: tuple[Store, str], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cardlog, share = runner(capsys, monkeypatch), ("share", own[1][:8], "--store", own[0].root)
    for form in FORMS:
        found = cardlog(*share, "--out", f"hand.{form}", "--anonymous")
        assert (found.code, found.out) == (0, f"hand.{form}\n")
        assert "Player A" in Path(f"hand.{form}").read_text("utf-8")
    found = cardlog(*share, "--out", "hand.pdf")
    assert (found.code, "must end in .html, .svg, .txt" in found.err) == (2, True)
    found = cardlog(*share)
    assert (found.code, Path(found.out.strip()).exists()) == (0, True)
    assert "already" in cardlog(*share).err


@pytest.fixture(scope="module")
def host(own: tuple[Store, str]) -> Iterator[TestClient]:
    with client_of(own[0]) as found:
        yield found


def test_a_link_opens_one_hand_and_nothing_else(host: TestClient, own: tuple[Store, str]) -> None:
    hand_id = own[1]
    page = host.get(f"/hand/{hand_id}/share").text
    with_names, without = re.findall(r"http://127.0.0.1:8765(/shared/[0-9a-f/]+)", page)
    friend = stranger_to(host)
    for link, named_ in ((with_names, True), (without, False)):
        answer = friend.get(link)
        assert (answer.status_code, "Ben" in answer.text) == (200, named_)
        for part in ("script-src 'sha256-", "default-src 'none'", "frame-ancestors 'none'"):
            assert part in answer.headers["content-security-policy"]
        assert friend.post(link, headers=ORIGIN).status_code in (401, 405)
    last = "0" if with_names[-1] != "0" else "1"
    wrong = [with_names[:-1] + last, with_names + "/", with_names.replace(hand_id, "0" * 32), "/shared/x/y"]
    for path in (*wrong, "/", f"/hand/{hand_id}", f"/hand/{hand_id}/share", "/hands", "/static/page.css"):
        assert friend.get(path).status_code == 401, path
    assert not friend.cookies
    for form, kind in FORMS.items():
        answer = host.get(f"/hand/{hand_id}/share/{form}?anonymous=1")
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["content-disposition"].startswith('attachment; filename="kaiser-')
        assert "Player A" in answer.text
    assert host.get(f"/hand/{hand_id}/share/pdf").status_code == 404


def test_the_key_of_links_is_the_users_own_and_stays(tmp_path: Path) -> None:
    links = Links(tmp_path / "play")
    assert links.reads("/shared/" + "a" * 32 + "/" + "b" * 64) is None
    assert not (tmp_path / "play").exists(), "nothing is written until there is a link"
    path = links.path_of("a" * 32, anonymous=True)
    assert links.reads(path) == ("a" * 32, True)
    assert Links(tmp_path / "play").path_of("a" * 32, anonymous=True) == path
    assert (tmp_path / "play" / KEY).stat().st_mode & 0o777 == 0o600
    assert Links(tmp_path / "other").reads(path) is None
