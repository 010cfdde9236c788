"""Names and lines of logs are text, whatever they say."""

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.sql.marts import build as build_marts
from cardlog.pipelines.storage.store import Store
from tests.support.pages import asked, client_of

pytestmark = pytest.mark.long

NAMES = (
    "<script>alert(1)</script>",
    "\u202egro.elpmaxe\u202c <img src=x onerror=alert(1)>",
    "L" * 10_000,
    '"><svg/onload=alert(1)> {{7*7}} </script><script>alert(1)</script>',
)
DATA_SET = "\u202eatad\u2066"
TYPED = "\u202eab\u200b\x1b<script>alert(1)</script>"
DRAWN = {"svg", "title", "desc", "g", "path", "line", "text"}
"""All elements of a chart."""
INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\x1b]")
JSON = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A hand whose players, match and data set have such names, and another in quarantine."""
    folder = tmp_path_factory.mktemp("hostile")
    store, log = Store(str(folder / "store")), folder / "<img src=x>.jsonl"
    simulate("belote", 2, 1, str(folder / "played.jsonl"))
    lines = [json.loads(line) for line in (folder / "played.jsonl").read_text().splitlines()]
    for line in lines:
        line["match_id"] = NAMES[0]
        for player, name in zip(line.get("detail", {}).get("players", ()), NAMES, strict=False):
            player["name"] = name
    lines.append({**lines[0], "seq": 7, "hand_id": "<b>x"})
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    runs.ingest(store, [str(log)], Reading(dataset="<i>data</i>", final=True))
    simulate("belote", 1, 2, str(folder / "more.jsonl"))
    runs.ingest(store, [str(folder / "more.jsonl")], Reading(dataset=DATA_SET))
    runs.build(store)
    build_marts(store)
    return store


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[TestClient]:
    with client_of(store) as found:
        yield found


def test_no_name_becomes_markup_and_long_ones_are_cut(store: Store, client: TestClient) -> None:
    sql = "select hand_id, match_id from events where seq = 0 order by source_line limit 1"
    [(hand_id, match_id)] = asked(store, ["events"], sql)
    entries = asked(store, ["quarantine"], "select quarantine_id from quarantine")
    texts = [f"/hand/{hand_id}/log", *(f"/quarantine/{row[0]}" for row in entries)]
    pages = ["/", "/hands", "/matches", "/players", "/quarantine", f"/hand/{hand_id}"]
    pages += [f"/match/{quote(match_id)}", "/sql?q=select+*+from+seats", "/sql?q=from+quarantine"]
    for path in (*pages, *texts):
        text = client.get(path).text
        assert max(map(len, re.findall("L+", text)), default=0) <= (10_000 if path in texts else 1000), path
        tags = re.findall(r"<(?:script|img|svg|i|b)\b([^>]*)", JSON.sub("", text))
        assert all(re.search(r' src="/|^\s*$|aria|data-', rest) for rest in tags), path
        for svg in re.findall(r'(?<=<div class="plot">)<svg.*?</svg>(?=</div>)', text):
            assert set(re.findall(r"<(\w+)", svg)) <= DRAWN
            assert not re.search(r"<[^>]* (on\w+|href|style)=", svg)
            text = text.replace(svg, "")
        for forbidden in ("alert(1)</script>", "<img", "<svg", "\u202e"):
            assert forbidden not in text, path


ECHOES = (
    "/charts?game=belote", "/charts?game=belote&dataset={}", "/hands?since={}", "/matches?game={}",
    "/hands?player={}&dataset={}&rules={}&contract={}", "/quarantine?reason={}", "/quarantine?said={}",
    "/sql?q=select+'{}'+as+\"a{}\"", '/sql?q=select+\'{}\'+as+"{}",+1+as+"a{}"&as=chart', "/sql?q={}",
    "/{}", "/hand/{}", "/match/{}", "/quarantine/{}",
)  # fmt: skip


@pytest.mark.parametrize("path", ECHOES)
def test_what_was_typed_is_shown_as_text_without_invisible_characters(client: TestClient, path: str) -> None:
    """In the page, and in what its script draws."""
    text = client.get(path.replace("{}", quote(TYPED))).text
    assert not INVISIBLE.search(text)
    assert "<script>alert" not in text
    for data in JSON.findall(text):
        assert not INVISIBLE.search(json.dumps(json.loads(data), ensure_ascii=False))
