"""The catalogue of texts: it is that of the code, nothing bypasses it, and all are told in their language."""

import io
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from starlette.testclient import TestClient

from cardlog import models
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text import texts
from cardlog.web.play.table import Refused
from tests.support import pseudo
from tests.support.catalogue import TEMPLATE, extracted, written
from tests.support.pages import asked, hand_of
from tests.support.tables import Viewer, games, on_loop, play_hand, seated


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pseudo.installed(tmp_path_factory.mktemp("locale")):
        yield


def test_the_catalogue_is_that_of_the_code() -> None:
    assert TEMPLATE.read_bytes() == written(extracted()), "'make messages' writes it anew"


@pytest.mark.parametrize("path", sorted(TEMPLATE.parent.glob("*/LC_MESSAGES/messages.po")), ids=str)
def test_each_language_has_every_text(path: Path) -> None:
    """And what the page reads, which is compiled, is what was translated."""
    with path.open("rb") as file:
        language = read_po(file, locale=path.parts[-3])
    compiled = io.BytesIO()
    write_mo(compiled, language)
    assert path.with_suffix(".mo").read_bytes() == compiled.getvalue()
    found = {each.id: language.get(each.id, each.context) for each in extracted() if each.id}
    assert [text for text, message in found.items() if message is None or not all(forms(message))] == []
    assert list(language.check()) == []


def forms(message: Message) -> tuple[str, ...]:
    """The forms of a translation; none if it is fuzzy."""
    texts = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
    return ("",) if message.fuzzy else texts or ("",)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("uk", "uk"), ("UK-ua", "uk"), ("sv, uk;q=0.5", "uk"), ("en-GB, uk;q=0.9", "en"),
        ("uk;q=0.2, en;q=0.8", "en"), ("uk;q=0", "en"), ("../uk", "en"), (";q=,;;q", "en"),
    ],
)  # fmt: skip
def test_the_first_language_that_there_is_is_chosen(accepted: str, language: str) -> None:
    assert texts.chosen(accepted) == language


PAGES = (
    "/", "/hands", "/hands?since=yesterday", "/hands?contract=99", "/matches", "/players?game=belote",
    "/tables", "/sql", "/sql?q=select+1+as+n", "/sql?q=select+*+from+range(1001)", "/daily", "/nothing",
    "/daily?game=belote&day=2020-01-01", "/quarantine", "/puzzles?game=pinochle",
)  # fmt: skip
OF_A_HAND = ("", "/log", "/deal", "/share", "/share/html")


def read(client: TestClient, path: str) -> str:
    """A page as someone is shown it who reads the other language."""
    answer = client.get(path, headers=pseudo.ASKED)
    if answer.status_code == 303:
        return read(client, answer.headers["location"])
    assert f'<html lang="{pseudo.LANGUAGE}">' in answer.text
    return answer.text


def paths_of(store: Store, game: str) -> Iterator[str]:
    """The pages of a hand, a match and a player."""
    yield from (f"/hand/{hand_of(store, game)}{rest}" for rest in OF_A_HAND)
    for mart, name, path in (
        ("players", "player_name", f"/player?game={game}&name="),
        ("matches", "match_id", "/match/"),
    ):
        sql = f"select min({name}) from {mart} where game = ? having count({name}) > 0"
        yield from (f"{path}{found}" for (found,) in asked(store, [mart], sql, game))


@pytest.mark.parametrize("game", ["", *games(*models.GAMES)])
def test_no_text_of_a_page_bypasses_it(client: TestClient, store: Store, game: str) -> None:
    """But data: names of data sets and rules, the store's path, and those in addresses."""
    rows = asked(store, ["hands_per_day"], "select distinct dataset from hands_per_day")
    rules = {rules for each in models.GAMES.values() for rules in each.playing().rules}
    for path in paths_of(store, game) if game else PAGES:
        said = " ".join([*(name for (name,) in rows), store.root, *rules, *([path] if game else [])])
        assert pseudo.bypassing(read(client, path), set(re.findall(r"[^\W\d_]+", said))) == [], path


def test_the_scripts_of_a_page_are_told_their_texts(client: TestClient) -> None:
    [given] = re.findall(r'id="texts">(.*?)</script>', read(client, "/tables"))
    found = json.loads(given)
    assert found["texts"]["Your turn"] == ["⟦Your turn⟧"]
    assert len(found["texts"]["%(n)s card"]) == 3
    assert [found["plurals"][n] for n in (0, 1, 2, 5, 11, 21, 101, 111)] == [2, 0, 1, 2, 2, 0, 0, 2]
    assert "The store" not in found["texts"]
    assert 'id="texts"' not in client.get("/tables").text


def unmarked(text: str) -> list[str]:
    """The texts in a view for people that have words without marks."""
    view = json.loads(text)
    said = ["".join(part for part in line if isinstance(part, str)) for line in view["log"]]
    said += [tag for tags in view["step"]["tags"] for tag in tags] + [view["step"].get("round", "")]
    said += [one["name"] for one in view["seats"] if one] + [view["hand"].get("unit", "")]
    said += [action["text"] for action in view["choice"]["actions"]] if view["choice"] else []
    return [text for text in said if pseudo.bare(text) not in ([], ["Ann"])]


@pytest.mark.parametrize("game", games(*models.GAMES))
@on_loop
def test_all_at_a_table_are_told_in_their_language_what_happens(game: str) -> None:
    """And what is refused, to who asked."""
    room, english, _ = seated(game, people=2)
    texts.language.set(pseudo.LANGUAGE)
    other, turn = Viewer(room, 1), room.table.turn
    for seat, moment in ((1 - turn % 2, room.table.moment), (turn, (9, 9))):
        with pytest.raises(Refused) as refused:
            room.act(seat, moment, 0, None)
        assert pseudo.bare(str(refused.value)) == []
    assert pseudo.bare(room.table.why_not(turn, "7H")) == []
    texts.language.set(texts.ENGLISH)
    play_hand([english, other], random.Random(5))
    assert not {pseudo.OPEN, pseudo.CLOSE} & set("".join(english.texts))
    assert [unmarked(text) for text in other.texts] == [[]] * len(other.texts)
    plain = json.loads(re.sub("[⟦⟧]", "", other.texts[-1]))
    assert plain["over"]["score"] == json.loads(english.texts[-1])["over"]["score"]
