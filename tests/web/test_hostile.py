"""Names and lines of logs are text, whatever they say."""

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from cardlog.pipelines import runs
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


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A hand whose players, match and data set have such names, and another in quarantine."""
    from cardlog.pipelines.export.simulate import simulate

    folder = tmp_path_factory.mktemp("hostile")
    simulate("belote", 2, 1, str(folder / "played.jsonl"))
    lines = [json.loads(line) for line in (folder / "played.jsonl").read_text().splitlines()]
    for line in lines:
        line["match_id"] = NAMES[0] if line.get("match_id") else line.get("match_id")
        detail = line.get("detail")
        if isinstance(detail, str):
            detail = json.loads(detail)
        if detail and "players" in detail:
            for player, name in zip(detail["players"], NAMES, strict=True):
                player["name"] = name
            line["detail"] = detail
    log = folder / "<img src=x>.jsonl"
    log.write_text(
        "\n".join(map(json.dumps, lines))
        + "\n"
        + json.dumps({**lines[0], "seq": 7, "hand_id": "<b>x"})
        + "\n"
    )
    store = Store(str(folder / "store"))
    runs.ingest(store, [str(log)], Reading(dataset="<i>data</i>", final=True))
    simulate("belote", 1, 2, str(folder / "more.jsonl"))
    runs.ingest(store, [str(folder / "more.jsonl")], Reading(dataset=DATA_SET))
    runs.build(store)
    build_marts(store)
    return store


@pytest.fixture(scope="module")
def client(hostile: Store) -> Iterator[TestClient]:
    with client_of(hostile) as found:
        yield found


def pages(store: Store, client: TestClient) -> dict[str, str]:
    [(hand_id, match_id)] = asked(
        store, ["events"], "select hand_id, match_id from events where seq = 0 limit 1"
    )
    paths = ["/", "/hands", "/matches", "/players", "/quarantine", f"/hand/{hand_id}", f"/hand/{hand_id}/log"]
    paths += [f"/match/{quote(match_id)}", "/sql?q=select+*+from+seats", "/sql?q=from+quarantine"]
    paths += [
        f"/quarantine/{row[0]}"
        for row in asked(store, ["quarantine"], "select quarantine_id from quarantine")
    ]
    return {path: client.get(path).text for path in paths}


DRAWN = {"svg", "title", "desc", "g", "path", "line", "text"}
"""All elements of a chart."""


def test_no_name_becomes_markup(hostile: Store, client: TestClient) -> None:
    for path, text in pages(hostile, client).items():
        without = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
        tags = set(re.findall(r"<(script|img|svg|i|b)\b([^>]*)", without))
        assert all(
            ' src="/' in rest or not rest.strip() or "aria" in rest or "data-" in rest for _, rest in tags
        ), path
        for svg in re.findall(r'(?<=<div class="plot">)<svg.*?</svg>(?=</div>)', text):
            assert set(re.findall(r"<(\w+)", svg)) <= DRAWN
            assert not re.search(r"<[^>]* (on\w+|href|style)=", svg)
            text = text.replace(svg, "")
        for forbidden in ("alert(1)</script>", "<img", "<svg"):
            assert forbidden not in text, path
        assert "\u202e" not in text, path


INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\x1b]")
ECHOES = (
    "/charts?game=belote",
    "/charts?game=belote&dataset={}",
    "/hands?player={}&dataset={}&rules={}&contract={}",
    "/hands?since={}",
    "/matches?game={}",
    "/quarantine?reason={}",
    "/quarantine?said={}",
    "/sql?q=select+'{}'+as+\"a{}\"",
    '/sql?q=select+\'{}\'+as+"{}",+1+as+"a{}"&as=chart',
    "/sql?q={}",
    "/{}",
    "/hand/{}",
    "/match/{}",
    "/quarantine/{}",
)


@pytest.mark.parametrize("path", ECHOES)
def test_what_was_typed_is_shown_as_text_without_invisible_characters(client: TestClient, path: str) -> None:
    """In the page, and in what its script draws."""
    text = client.get(path.replace("{}", quote(TYPED))).text
    assert not INVISIBLE.search(text)
    assert "<script>alert" not in text
    for data in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL):
        assert not INVISIBLE.search(json.dumps(json.loads(data), ensure_ascii=False))


def test_long_names_are_cut(hostile: Store, client: TestClient) -> None:
    for path, text in pages(hostile, client).items():
        longest = max(map(len, re.findall("L+", text)), default=0)
        is_text = path.endswith("/log") or path.startswith("/quarantine/")
        assert longest <= (10_000 if is_text else 1000), path
