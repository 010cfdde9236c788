"""Lists, charts, SQL, quarantine, the store at a glance, a player and puzzles."""

import datetime
import html
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.csv
import pytest
from starlette.testclient import TestClient

import cardlog
from cardlog import models
from cardlog.pipelines.charts import plot
from cardlog.pipelines.charts.catalog import charts
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import process
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.web import asking
from cardlog.web.asking import Asking
from tests.support.csv_rows import EDGE, SAMPLE
from tests.support.pages import BASE, ORIGIN, asked, client_of
from tests.support.stores import ingest, ingest_text

SHOWN = re.compile(r'<a href="/hand/([0-9a-f]{32})">')
MARKED = re.compile(r'<div class="line marked" id="line-(\d+)"')
PLAYER = "O'Neil"


@pytest.fixture
def edge(tmp_path: Path) -> Store:
    """A store of damaged rows of its own, without marts."""
    store = Store(str(tmp_path / "store"))
    ingest(store, EDGE)
    return store


# ---------------------------------------------------------------- hands, matches, players


@pytest.mark.long
@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("game=belote", "game = 'belote'"),
        ("game=kaiser&contract=9", "game = 'kaiser' and contract = 9"),
        ("result=lost&trump=h", "not made and trump = 'H'"),
        ("status=aborted", "status = 'aborted'"),
        ("since=2024-03-02&until=2024-03-02", "day = '2024-03-02'"),
        ("player=Laura+(RL)", "hand_id in (select hand_id from seats where player_name = 'Laura (RL)')"),
        ("rules=jan2013", "hand_id in (select hand_id from playedhand where dialect = 'jan2013')"),
        ("dataset=ruter-sju-transcript", "dataset = 'ruter-sju-transcript'"),
        ("player='+or+true--", "false"),
        ("contract=x", "false"),
    ],
)
def test_hands_are_found(client: TestClient, store: Store, query: str, condition: str) -> None:
    answers = [client.get(f"/hands?{query}&page={number}") for number in (1, 2)]
    found = {name for answer in answers for name in SHOWN.findall(answer.text)}
    tables = ["hands", "seats", "playedhand"]
    wanted = {name for (name,) in asked(store, tables, f"select hand_id from hands where {condition}")}
    assert found <= wanted
    assert bool(wanted) == (condition != "false")
    assert len(found) == min(100, len(wanted))
    assert f"{len(wanted):,} rows" in answers[0].text or len(wanted) < 2


def test_lists_are_sorted_by_a_column_of_theirs_and_by_nothing_else(client: TestClient, store: Store) -> None:
    for sort, order in (("-contract", "desc"), ("contract", "asc")):
        sql = "select contract from hands where game = 'kaiser' order by contract"
        wanted = [str(row[0]) for row in asked(store, ["hands"], f"{sql} {order} nulls last limit 50")]
        rows = rows_of(client.get(f"/hands?game=kaiser&sort={sort}").text, "Hands found")
        assert [row[5].split()[0] for row in rows] == wanted
    usual = client.get("/hands").text
    assert 'aria-sort="descending"' in client.get("/players?sort=-hands").text
    for sort in ("hand_id;--", "net"):
        assert SHOWN.findall(client.get(f"/hands?sort={sort}").text) == SHOWN.findall(usual)


def test_odd_pages_are_pages_or_not_found(client: TestClient) -> None:
    for query in ("page=0", "page=99999999999", "page=-1", "page=%F0%9F%82%A1", "game=nothing"):
        for path in ("/matches", "/players", "/hands"):
            assert client.get(f"{path}?{query}").status_code == 200
    for path, status, said in (
        ("/hands?since=x&until=yesterday", 200, "is not a day"),
        ("/player?game=kaiser&name=%3Cb%3E", 200, "There are no hands of this player"),
        ("/puzzles?game=ruter_sju", 200, "There are no puzzles"),
        ("/puzzles?game=belote&id=x&step=1", 200, "This puzzle is not here"),
        (f"/puzzles?game=belote&id=x&step={'9' * 5000}", 200, "This puzzle is not here"),
        ("/player?game=x&name=Ann", 404, ""), ("/puzzles/values?id=x&event=1", 404, ""),
        ("/match/none", 404, ""), ("/quarantine?reason=nonsense", 404, ""), ("/quarantine/none", 404, ""),
    ):  # fmt: skip
        answer = client.get(path)
        assert (answer.status_code, said in answer.text) == (status, True), path


@pytest.mark.long
def test_a_match_is_a_line_and_its_hands(client: TestClient, store: Store) -> None:
    sql = "select match_id from match_hands where game = 'belote' group by 1 order by count(*) desc limit 1"
    [(match_id,)] = asked(store, ["match_hands"], sql)
    sql = "select hand_id, team_0_after from match_hands where match_id = ? order by hand_no"
    rows = asked(store, ["match_hands"], sql, match_id)
    listed = client.get("/matches?game=belote").text
    [address] = set(re.findall(rf'href="(/match/{re.escape(match_id)})"', listed))
    text = client.get(address).text
    assert SHOWN.findall(text) == [row[0] for row in rows]
    assert numbers_of(text)[-len(rows) :] == [str(row[1]) for row in rows]


def numbers_of(text: str) -> list[str]:
    """The first series of a page's first chart, from the table beside it."""
    table = text.partition("<summary>The numbers")[2].partition("</table>")[0]
    return re.findall(r'</bdi></th><td class="number">(.*?)</td>', table)


def rows_of(text: str, label: str) -> list[list[str]]:
    """The cells of a page's table."""
    table = text.partition(f'aria-label="{label}"')[2].partition("</table>")[0].partition("<tbody>")[2]
    lines = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL) for line in lines]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in cells]


@pytest.mark.long
def test_a_player_has_results_a_trend_partners_and_costs(client: TestClient, store: Store) -> None:
    listed = client.get("/players?game=belote").text
    assert "Laura (RL)" in listed
    assert "five-card" not in listed.split("</select>")[1]
    text = client.get("/player", params={"game": "belote", "name": PLAYER}).text
    mine = "game = 'belote' and player_name = ? and hand_status = 'complete'"
    sql = f"select count(*), avg(won::int) from seats where {mine}"
    [(hands, won)] = asked(store, ["seats"], sql, PLAYER)
    [[_, *results]] = rows_of(text, "Results")
    assert results[:2] == [str(hands), f"{100 * won:.1f} %"]
    assert sum(int(row[1]) for row in rows_of(text, "Partners")) == hands
    assert text.count('class="plot"') == 1
    sql = "select count(*), sum(cost_open) from analysis join seats using (game, hand_id, seat) where"
    [(decisions, cost)] = asked(store, ["analysis", "seats"], f"{sql} {mine} and legal_actions > 1", PLAYER)
    costs = rows_of(text, "Costs")
    assert sum(int(row[1]) for row in costs) == decisions > 0
    assert sum(int(row[1]) * float(row[2]) for row in costs) == pytest.approx(cost, rel=0.01)
    assert {row[0].partition(", ")[2] for row in costs} == {"leads", "follows"}


@pytest.mark.parametrize("game", ["kaiser", "belote"])
def test_a_puzzle_is_what_its_seat_saw(client: TestClient, game: str) -> None:
    """And has one card that is best; the others' cards are not in the page."""
    text = client.get(client.get(f"/puzzles?game={game}").headers["location"]).text
    [found] = re.findall(r'id="puzzle-data">(.*?)</script>', text, re.DOTALL)
    puzzle = json.loads(found)
    assert puzzle["best_card"] in puzzle["step"]["legal"]
    assert puzzle["best_value"] > puzzle["second_value"]
    for seat, held in enumerate(puzzle["step"]["hands"]):
        assert (set(held) == {"?"}) == (seat != puzzle["seat"])
    assert (puzzle["step"]["turn"], puzzle["hand"]["result"]) == (puzzle["seat"], [])
    values = client.get("/puzzles/values", params={"id": puzzle["id"], "event": puzzle["event"]}).json()
    assert sorted(values) == sorted(re.findall("..", puzzle["step"]["legal"]))
    assert next(iter(values.items())) == (puzzle["best_card"], puzzle["best_value"])
    assert list(values.values())[1] == puzzle["second_value"]


def test_without_marts_the_pages_say_so(edge: Store) -> None:
    with client_of(edge) as client:
        for path in ("/hands", "/matches", "/players", "/charts"):
            assert "cardlog build" in client.get(path).text
        assert client.get("/").status_code == client.get("/quarantine").status_code == 200


# ---------------------------------------------------------------- charts and SQL


DATED = ("kaiser",)
"""Games whose logs here say when hands were played; of others nothing can be said by month."""


@pytest.mark.long
@pytest.mark.parametrize("game", list(models.GAMES))
def test_every_chart_is_drawn_or_says_what_makes_it(client: TestClient, store: Store, game: str) -> None:
    text = client.get(f"/charts?game={game}").text
    made = {""} | ({"analyse"} if asked(store, ["pars"], "from pars where game = ?", game) else set())
    drawn = [chart for chart in charts() if chart.game == game and chart.made_by in made]
    titles = [chart.title for chart in drawn if chart.mart != "player_months" or game in DATED]
    lacking = [chart for chart in charts() if chart.game == game and chart.made_by not in made]
    assert bool(lacking) == (game == "pinochle")
    assert text.count("cardlog analyse") == len(lacking) + text.count("Analyse now")
    assert text.count('class="plot"') == len(titles) > 0
    for title in titles:
        assert f"<title>{title}</title>" in text
    assert not re.search(r"<svg[^§]*?(style=|https?://(?!www\.w3\.org/)|aria-label=\"Y-axis)", text)
    of_few_hands = {chart.title for chart in charts() if chart.made_by}
    for svg in re.findall(r"<svg.*?</svg>", text):
        named = re.findall(r"<title>(.*?)</title>", svg)
        assert len(named) > (1 if of_few_hands & {*named} else 2), "a mark has its numbers"
        assert re.search(r"<desc>.*(: the most is|throughout)", svg)


def test_intervals_are_those_of_the_marts(store: Store) -> None:
    """Wilson's interval, summed over rows of a mart, is what the mart has for a single row."""
    columns = "contract, any_value(made_rate_low), any_value(made_rate_high)"
    sql = f"select {columns} from kaiser_bid_success group by contract having count(*) = 1"
    rows = asked(store, ["kaiser_bid_success"], sql)
    [points] = cardlog.open(store.root).chart("kaiser_bid_success").to_dict()["datasets"].values()
    of = {point["x"]: point for point in points}
    for contract, mart_low, mart_high in rows:
        assert (of[contract]["low"], of[contract]["high"]) == pytest.approx((mart_low, mart_high), abs=1e-6)
    assert all(point["low"] <= point["value"] <= point["high"] for point in points)


@pytest.mark.long
def test_a_query_is_a_table_a_chart_and_csv(client: TestClient, store: Store) -> None:
    """Two run at a time, and those that wait are answered too."""
    columns = "contract, count(*) as hands, min(hand_id) as hand_id"
    sql = f"select {columns} from hands where game = 'kaiser' group by 1 order by 1"
    rows = asked(store, ["hands"], sql)
    text = client.get("/sql", params={"q": sql}).text
    assert [name for _, _, name in rows] == SHOWN.findall(text)
    text = client.get("/sql", params={"q": sql, "as": "chart"}).text
    assert numbers_of(text) == [str(row[1]) for row in rows]
    for contract, hands, _ in rows:
        assert f"<title>hands, contract {contract}: {hands:,}</title>" in text
    answer = client.get("/sql.csv", params={"q": sql})
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    table = pyarrow.csv.read_csv(io.BytesIO(answer.content))
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda n: client.get("/sql", params={"q": f"select {n} as n"}), range(16))
        assert {answer.status_code for answer in found} == {200}


@pytest.mark.long
def test_what_is_no_query_gets_the_error_of_the_command(client: TestClient, store: Store) -> None:
    for sql in (
        "delete from hands", "select * from read_csv('/etc/passwd')", "select 1; select 2", "selekt 1",
        "select <script>alert(1)</script>",
    ):  # fmt: skip
        answer = client.get("/sql", params={"q": sql})
        with pytest.raises(QueryError) as error:
            process.ask(store, sql).fetchall()
        assert (answer.status_code, "<script>alert" in answer.text) == (400, False)
        assert str(error.value).splitlines()[0] in html.unescape(answer.text)
        assert client.get("/sql.csv", params={"q": sql}).status_code == 400


@pytest.mark.long
def test_queries_have_limits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_CSV", 4_000_000)
    with client_of(store, asking=Asking(Limits(2**27, 0.5))) as client:
        endless = "select count(*) from range(100000000000) a, range(1000) b"
        assert "took longer than 0.5 s" in client.get("/sql", params={"q": endless}).text
        large = "select list(range) from range(100000000)"
        assert client.get("/sql", params={"q": large}).status_code == 400
        many = client.get("/sql", params={"q": "select range from range(100000)"}).text
        assert "1,000 rows, and there are more" in many
        assert many.count("<tr>") == 1001
        assert "hand_id, match_id" in many
        assert "/sql?q=select+game%2C+dataset" in many
        assert client.get("/sql.csv", params={"q": "from range(100000)"}).text.count("\n") == 100_001
        refused = client.get("/sql.csv", params={"q": "from range(3000000)"})
        assert (refused.status_code, "more than 4,000,000 characters" in refused.text) == (400, True)


def test_only_results_that_can_be_drawn_are() -> None:
    for names, rows, why in (
        ("ab", [("x", "y")], None),
        ("a", [(1,)], None),
        ("abc", [("x", "y", 1), ("x", "y", 2)], "one row for each a and b"),
    ):
        with pytest.raises(plot.NoPlot, match=why):
            plot.of_rows([*names], rows)
    made = plot.of_rows(["a", "b", "b_low", "b_high"], [("x", 1, 0.5, 2.0), ("y", None, None, None)])
    assert (made.kind, made.x, made.intervals) == ("bars", ["x", "y"], {"b": ([0.5, None], [2, None])})
    assert plot.of_rows(["a", "b"], [(2, 1), (1, 1)]).kind == "dots"
    rows = [(datetime.date(2026, 1, 1), "Ann", 1, 0, 2), (datetime.date(2026, 1, 20), "Bo", 3, 2, 4)]
    made = plot.of_rows(["day", "who", "won", "won_low", "won_high"], rows)
    assert (made.is_time, made.x) == (True, ["2026-01-01", "2026-01-20"])
    assert made.series == {"Ann": [1, None], "Bo": [None, 3]}
    assert made.intervals["Bo"] == ([None, 2], [None, 4])
    assert made.altair().to_dict()["layer"][0]["encoding"]["x"]["type"] == "temporal"
    assert plot.of_rows(["a", "b"], [(1, float("nan")), (2, 1)]).series["b"] == [None, 1]


# ---------------------------------------------------------------- quarantine, and the store


@pytest.mark.long
def test_quarantine_counts_lists_and_shows(client: TestClient, store: Store) -> None:
    text = client.get("/quarantine").text
    for count in quarantine.counts(store):
        assert f'href="/quarantine?reason={count["reason"]}"' in text
    for entry in quarantine.entries(store, None, 100):
        shown = client.get(f"/quarantine/{entry['quarantine_id']}").text
        [marked] = MARKED.findall(shown)
        assert entry["first_line"] <= int(marked) <= entry["last_line"]
        assert ("Legal would have been" in shown) == (" Legal: " in entry["message"])
        if entry["hand_id"] and entry["reason"] != "conflict":
            hand = client.get(f"/hand/{entry['hand_id']}")
            assert (hand.status_code, f"/quarantine/{entry['quarantine_id']}" in hand.text) == (404, True)


def test_the_marked_line_is_the_illegal_one(tmp_path: Path) -> None:
    """In a log with a line per event it is the line of the event that the rules forbid."""
    log = tmp_path / "played.jsonl"
    simulate("kaiser", 1, 1, str(log))
    lines = log.read_text().splitlines()
    bad = [n for n, line in enumerate(lines) if json.loads(line)["kind"] == "play"][9]
    lines[bad] = json.dumps(json.loads(lines[bad]) | {"cards": "AS", "seat": None})
    store = Store(str(tmp_path / "store"))
    ingest_text(store, tmp_path, "\n".join(lines).encode(), "log.jsonl", final=True)
    [listed] = quarantine.entries(store, None, 10)
    assert quarantine.wrong_line(quarantine.entry(store, listed["quarantine_id"])) == bad + 1
    with client_of(store) as client:
        text = client.get(f"/quarantine/{listed['quarantine_id']}").text
    assert MARKED.findall(text) == [str(bad + 1)]


def test_the_store_at_a_glance_is_live_and_quarantine_is_read_again(edge: Store) -> None:
    with client_of(edge) as client:
        assert "the books balance" in client.get("/").text
        with client.websocket_connect(f"{BASE.replace('http', 'ws')}/live", headers=ORIGIN) as socket:
            before = after = socket.receive_json()
            assert not before["at_work"]
            ingest(edge, SAMPLE)
            while after["hands"] == before["hands"]:
                after = socket.receive_json()
            assert after["balanced"]
            assert after["hands"]["hands_read"] > before["hands"]["hands_read"]
        with at_work(edge):
            assert "Something writes to the store now" in client.get("/").text
        assert "Nothing writes to the store now" in client.get("/").text
        waiting = quarantine.waiting(edge)
        answer = client.post("/quarantine/retry", headers=ORIGIN)
        assert answer.status_code == 303
        assert quarantine.waiting(edge) == waiting
        assert "None of them can be stored now" in client.get(answer.headers["location"]).text
