"""Tables in a real browser: whole hands by mouse and by keyboard, two players by link, a cut connection, and
what a player must not see."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from cardlog import models
from cardlog.pipelines.storage.store import Store
from tests.support.browser import MOST_BYTES, Visit, checked, loaded, opened, served, violations
from tests.support.csv_rows import EDGE
from tests.support.seated import AT_ONCE, MAY_CHOOSE, OVER, choose, is_over, sit_down
from tests.support.stores import ingest

pytestmark = pytest.mark.browser
NARROW: dict[str, Any] = {"viewport": {"width": 360, "height": 780}}
MOST_CHOICES = 200
"""Of a seat in a hand; more mean that it does not end."""
LOST = "#notice:has-text('connection')"
CARDS = re.compile(r"(?:[2-9TJQKA][CDHS])+")


@pytest.fixture(scope="module")
def playing(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The tables' address of a server with a store of its own, which hands are added to."""
    store = Store(str(tmp_path_factory.mktemp("play") / "store"))
    ingest(store, EDGE)
    with served(store.root) as found:
        yield found.replace("/?", "/tables?")


@pytest.fixture
def player(browser: Browser, playing: str) -> Iterator[Visit]:
    """A checked window of someone who plays."""
    with checked(browser, playing) as found:
        yield found


def play_out(page: Page) -> int:
    """Play the hand to its end; returns how many choices there were."""
    for number in range(MOST_CHOICES):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), number
        if not choose(page):
            return number
    raise AssertionError("the hand does not end")


# ---------------------------------------------------------------- hands


def test_smoke(player: Visit) -> None:
    """A table is made, and a choice is carried out."""
    page = sit_down(player, "belote")
    assert page.locator(".at-s .card:not(.back)").count() > 0
    assert page.locator(".at-n .cards:not(.meld) .card:not(.back)").count() == 0
    before = page.locator("#log li").count()
    choose(page)
    expect(page.locator("#log li")).not_to_have_count(before)


@pytest.mark.parametrize("game", list(models.GAMES))
def test_a_whole_hand_with_the_mouse(browser: Browser, playing: str, game: str) -> None:
    """At 360 px, where nothing is wider than the window; then the next hand begins."""
    with checked(browser, playing, **NARROW) as visit:
        page = sit_down(visit, game)
        play_out(page)
        assert page.inner_text("#turn")
        page.click(OVER)
        expect(page.locator("#hand-no")).to_have_text("hand 2")


def test_a_whole_hand_with_the_keyboard(player: Visit) -> None:
    """From the list of tables to the end of the hand without a mouse, and the focus is always seen."""
    player.page.add_init_script(AT_ONCE)
    page = player.to("/tables")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Play Kaiser":
            break
    page.keyboard.press("Enter")
    for number in range(MOST_CHOICES):
        page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
        if is_over(page):
            break
        if page.locator(".at-s .pick").count():
            page.keyboard.press("ArrowRight")
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            page.keyboard.press("Enter" if number % 2 else " ")
        else:
            page.keyboard.press("1")
    assert is_over(page)
    page.keyboard.press("1")
    expect(page.locator("#hand-no")).to_have_text("hand 2")


def test_every_bid_has_a_key(player: Visit) -> None:
    """Also the last ones of Kaiser, which has more than there are digits."""
    while True:
        page = sit_down(player, "kaiser")
        buttons = page.locator("#choices button")
        if buttons.count() > 12:
            break
    keys = [button.get_attribute("data-key") for button in buttons.all()]
    assert "".join(map(str, keys)) == "1234567890abc"
    assert [button.get_attribute("aria-label") for button in buttons.all()][-1] == "bid 12 no trump"
    page.keyboard.press("c")
    expect(page.locator("#log")).to_contain_text("Host bids 12 without trump")


SPANS = """([side, size, selectors]) => selectors.map(
    selector => [...document.querySelectorAll(selector)].map(
        cell => { const box = cell.getBoundingClientRect(); return [box[side], box[side] + box[size]]; }))"""


def spans(page: Page, side: str, *selectors: str) -> list[list[tuple[float, float]]]:
    """From where to where the boxes of some selectors go at one moment: across (side x) or down (side y)."""
    size = {"x": "width", "y": "height"}[side]
    found: list[list[tuple[float, float]]] = page.evaluate(SPANS, [side, size, selectors])
    return found


@pytest.mark.parametrize("width", [390, 1280])
def test_each_value_of_the_scoreboard_is_in_line_with_its_name_and_its_team(
    browser: Browser, playing: str, width: int
) -> None:
    """On a telephone a team is a line, elsewhere a column."""
    teams, names, values = ".board thead th", ".board tbody th", ".board tbody td"
    with opened(browser, playing, viewport={"width": width, "height": 844}) as visit:
        page = sit_down(visit, "kaiser")
        of_team, of_name = ("y", "x") if width == 390 else ("x", "y")
        of_values, of_teams = spans(page, of_team, values, teams)
        for n, (start, end) in enumerate(of_values):
            low, high = of_teams[n % 2]
            assert low - 1 <= (start + end) / 2 <= high + 1
        of_values, of_names = spans(page, of_name, values, names)
        for n, (start, end) in enumerate(of_values):
            low, high = of_names[n // 2]
            assert low - 1 <= (start + end) / 2 <= high + 1
        apart = sorted(of_names)
        assert all(one[1] <= other[0] + 1 for one, other in pairwise(apart))
        assert len(apart) >= 3


def test_the_focus_is_kept_for_the_next_card(player: Visit) -> None:
    page = sit_down(player, "pinochle")
    while not page.locator(".at-s .pick").count():
        page.keyboard.press("1")
        page.wait_for_selector(MAY_CHOOSE)
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_selector(".at-s .pick:focus")


def test_cards_to_exchange_are_chosen_one_by_one(player: Visit) -> None:
    page = sit_down(player, "five_card_draw")
    for _ in range(MOST_CHOICES):
        page.wait_for_selector(MAY_CHOOSE)
        if page.locator(".at-s .pick[aria-pressed]").count():
            break
        if is_over(page):
            page.click(OVER)
            page.wait_for_selector(".at-s .card")
            continue
        safe = page.locator("#choices button", has_text=re.compile("Check|Call|All in"))
        (safe.first if safe.count() else page.locator("#choices button").first).click()
    picks = page.locator(".at-s .pick")
    held = [card.strip() for card in page.locator(".at-s .pick .sr").all_inner_texts()]
    picks.nth(0).click()
    picks.nth(3).click()
    picks.nth(0).click()
    assert [mark.get_attribute("aria-pressed") for mark in picks.all()] == ["false"] * 3 + ["true", "false"]
    expect(page.locator("#choices .main")).to_have_text("Exchange 1 card")
    page.click("#choices .main")
    page.wait_for_selector(MAY_CHOOSE)
    now = [card.strip() for card in page.locator(".at-s .card .sr").all_inner_texts()]
    assert len(now) == len(held)
    assert len(set(now) & set(held)) >= len(held) - 1
    assert held[3] not in now


def test_a_raise_may_be_of_any_chips(player: Visit) -> None:
    page = sit_down(player, "five_card_draw")
    field = page.locator("form.amount input[type=number]")
    while not field.count():
        choose(page)
        page.wait_for_selector(MAY_CHOOSE)
        if is_over(page):
            page.click(OVER)
            page.wait_for_selector(MAY_CHOOSE)
    chips = int(field.get_attribute("min") or "") + 3
    field.fill(str(chips))
    field.press("Enter")
    expect(page.locator("#log")).to_contain_text(re.compile(rf"Host (bets|raises, paying) {chips}(?!\d)"))


# ---------------------------------------------------------------- several people


def test_two_players_at_one_table(browser: Browser, playing: str, player: Visit) -> None:
    """A friend comes by link: sits there, plays a hand, and sees nothing else of the site."""
    player.page.add_init_script(AT_ONCE)
    page = player.to("/tables")
    form = page.locator("form", has=page.locator("input[value=belote]"))
    form.locator("summary").click()
    form.locator("input[name=name]").fill("Ann")
    form.locator("select[name=seat2]").select_option("friend")
    form.locator("button.main").click()
    link = page.input_value("[data-seat='2'] input")
    assert link.startswith(player.base)
    context = browser.new_context()
    try:
        friend = context.new_page()
        friend.add_init_script(AT_ONCE)
        friend.goto(link)
        friend.wait_for_selector("html[data-ready]")
        assert friend.locator("nav").count() == 0
        assert link not in friend.content()
        expect(friend.locator(".at-n h2 bdi")).to_have_text("Ann")
        friend.fill("#rename input", "<b>Bert</b>")
        friend.click("#rename button")
        expect(page.locator(".at-n h2 bdi")).to_have_text("<b>Bert</b>")
        for _ in range(MOST_CHOICES):
            for one in (page, friend):
                if one.locator(MAY_CHOOSE).count() and not is_over(one):
                    choose(one)
            if is_over(page) and is_over(friend):
                break
            page.wait_for_timeout(50)
        assert is_over(page)
        scores = [re.findall(r"[+-]\d+", one.inner_text("#turn")) for one in (page, friend)]
        assert scores[0] == scores[1] != []
        assert friend.locator("a[href^='/hand/']").count() == 0
        for path in ("/sql", "/hands", "/", "/tables"):
            assert friend.request.get(player.base + path).status == 401, path
    finally:
        context.close()


def test_a_stored_hand_can_be_looked_at(player: Visit) -> None:
    page = sit_down(player, "kaiser")
    play_out(page)
    page.wait_for_selector("#choices a[href^='/hand/']", timeout=60_000)
    assert page.get_attribute("#sheet a", "href") == page.get_attribute("#choices a", "href")
    page.click("#choices a")
    page.wait_for_selector("#events li")


def test_a_seat_is_left_to_the_computer_and_taken_back(player: Visit) -> None:
    page = sit_down(player, "pinochle")
    page.click("#leave")
    expect(page.locator("#away")).to_contain_text("The computer plays for you.")
    page.click("#back")
    expect(page.locator("#away")).to_be_hidden()
    expect(page.locator("#leave")).to_be_visible()


def test_who_waits_too_long_is_played_for(player: Visit) -> None:
    """The seconds are shown near the end; then the computer plays, until the seat is taken back."""
    page = player.to("/tables")
    form = page.locator("form", has=page.locator("input[value=kaiser]"))
    form.locator("summary").click()
    form.locator("select[name=patience] option").first.evaluate("(option) => (option.value = '3')")
    form.locator("select[name=patience]").select_option("3")
    form.locator("button.main").click()
    expect(page.locator("#clock")).to_contain_text("s, then the computer plays for you", timeout=20_000)
    expect(page.locator("#away")).to_contain_text("The computer plays for you.", timeout=20_000)
    assert not page.locator("#clock").is_visible()
    page.click("#back")
    expect(page.locator("#leave")).to_be_visible()


# ---------------------------------------------------------------- the connection


def test_a_cut_connection_comes_back(browser: Browser, playing: str) -> None:
    """The page says so, offers nothing meanwhile, and goes on where it was."""
    with opened(browser, playing) as visit:
        sockets: list[WebSocketRoute] = []
        refuse = False

        def route(socket: WebSocketRoute) -> None:
            sockets.append(socket)
            if refuse:
                socket.close(code=1011)
            else:
                socket.connect_to_server()

        visit.page.route_web_socket(re.compile("/play/.*/socket"), route)
        page = sit_down(visit, "kaiser")
        for _ in range(3):
            choose(page)
            page.wait_for_selector(MAY_CHOOSE)
        before = page.inner_text("#felt"), page.locator("#log li").count()
        refuse = True
        sockets[-1].close(code=1011)
        page.wait_for_selector(LOST)
        assert page.locator(MAY_CHOOSE).count() == 0
        page.wait_for_timeout(1500)
        refuse = False
        page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
        assert (page.inner_text("#felt"), page.locator("#log li").count()) == before
        assert not page.locator(LOST).count()
        assert len(sockets) > 2
        play_out(page)


def test_a_stale_choice_is_refused_in_a_sentence(browser: Browser, playing: str) -> None:
    """A choice for a table that has gone on since: the page says why, and shows the table."""
    with opened(browser, playing) as visit:
        page = sit_down(visit, "kaiser")
        page.evaluate(
            """() => {
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                send.call(this, text.replace(/"version":\\d+/, '"version":1'));
                WebSocket.prototype.send = send;
            };
        }"""
        )
        before = page.inner_text("#felt")
        choose(page)
        expect(page.locator("#notice")).to_be_visible()
        assert re.search(r"\w+ \w+ \w+", page.inner_text("#notice"))
        page.wait_for_selector(MAY_CHOOSE)
        assert page.inner_text("#felt") == before
        play_out(page)


# ---------------------------------------------------------------- what is sent and shown


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def codes(value: Any) -> set[str]:
    """The cards that the strings of a message are made of."""
    runs = [text for text in strings(value) if CARDS.fullmatch(text)]
    return {card for run in runs for card in re.findall("..", run)}


@pytest.mark.parametrize("game", ["kaiser", "five_card_draw"])
def test_hidden_cards_are_neither_sent_nor_on_the_page(player: Visit, game: str) -> None:
    """All cards in messages and in the page were dealt to the seat or have been laid on the table."""
    views: list[dict[str, Any]] = []

    def received(text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] == "view":
            views.append(message)

    player.page.on("websocket", lambda socket: socket.on("framereceived", received))
    page = sit_down(player, game)
    known: set[str] = set()
    while True:
        for view in views:
            me = view["seat"]
            hidden = [held for seat, held in enumerate(view["step"]["hands"]) if seat != me]
            if not view["over"] and not view["step"].get("paid"):
                assert set("".join(hidden)) <= {"?"}
                known |= codes(view["step"]["hands"][me]) | codes(view["step"].get("table", []))
                known |= {card for trick in view["hand"].get("tricks", []) for card in trick["cards"] if card}
                assert codes(view) <= known
        views.clear()
        if not choose(page):
            break
        names = page.evaluate(
            "[...document.querySelectorAll('.at-w .sr, .at-n .sr, .at-e .sr')].map((e) => e.textContent)"
        )
        assert is_over(page) or {name for name in names if "card" in name or " of " in name} <= {
            "unknown card"
        }
    assert known


def test_a_first_load_is_small(player: Visit) -> None:
    page = sit_down(player, "kaiser")
    assert len(loaded(page)) > 5
    assert sum(loaded(page)) < MOST_BYTES


@pytest.mark.parametrize(
    ("how", "games"),
    [
        ({"color_scheme": "light"}, ["belote", "pinochle", "ruter_sju"]),
        ({"color_scheme": "dark", **NARROW}, ["kaiser", "five_card_draw"]),
    ],
    ids=["light", "dark and narrow"],
)
def test_axe_finds_nothing(browser: Browser, playing: str, how: dict[str, Any], games: list[str]) -> None:
    """On the list, with bids, with cards to play or to exchange, and at the end of a hand."""
    found = {}
    with opened(browser, playing, reduced_motion="reduce", bypass_csp=True, **how) as visit:
        page = visit.to("/tables")
        page.locator("summary").first.click()
        found["tables"] = violations(page)
        for game in games:
            page = sit_down(visit, game)
            found[f"{game}, first choice"] = violations(page)
        choose(page)
        page.wait_for_selector(MAY_CHOOSE)
        found["second choice"] = violations(page)
        play_out(page)
        found["the end"] = violations(page)
    assert not any(found.values()), found


# ---------------------------------------------------------------- what a table teaches

SIZES = ((1280, 800), (1024, 768), (390, 844))
TOO_LARGE = """() => {
    const page = document.documentElement;
    const outside = (one) => {
        const box = one.getBoundingClientRect();
        return box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || box.top < -1 || box.left < -1;
    };
    const shown = [...document.querySelectorAll("#stage :is(.card, button, h2, #turn)")].filter(outside);
    const scrolls = [page.scrollHeight - innerHeight, page.scrollWidth - innerWidth];
    return [...scrolls, ...shown.map((one) => one.outerHTML.slice(0, 90))];
}"""


@pytest.mark.parametrize("game", list(models.GAMES))
def test_nothing_has_to_be_scrolled(player: Visit, game: str) -> None:
    """At each choice of a hand, and at its end, whichever of the windows it is played in."""
    page = sit_down(player, game)
    for number in range(MOST_CHOICES):
        page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(TOO_LARGE) == [0, 0], (width, height, number)
        if not choose(page):
            break


def test_seats_have_names_and_the_match_a_score_and_an_end(player: Visit) -> None:
    page = sit_down(player, "ruter_sju")
    assert page.locator(".seat h2 bdi").all_inner_texts() == ["Host", "Left", "Opposite", "Right"]
    play_out(page)
    assert re.search(r"(Host|Left|Opposite|Right) wins the hand\. ", page.inner_text("#turn"))
    assert re.search(r"[Ss]eat \d", page.inner_text("main")) is None
    assert page.locator("#sheet tbody tr").count() == 1
    expect(page.locator(OVER)).to_have_text("Rematch")
    page.click(OVER)
    expect(page.locator("#hand-no")).to_have_text("hand 2")
    assert page.locator("#sheet tbody tr").count() == 1


def to_a_card(page: Page, wanted: str) -> None:
    """Go on until something is in the window."""
    for _ in range(MOST_CHOICES):
        page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
        if page.locator(wanted).count():
            return
        page.click(OVER) if is_over(page) else choose(page)
        page.wait_for_timeout(20)
    raise AssertionError(wanted)


def test_an_illegal_card_says_why_and_the_rules_are_beside_the_table(player: Visit) -> None:
    page = sit_down(player, "kaiser")
    to_a_card(page, ".at-s .ask")
    before = page.inner_text("#felt")
    card = page.locator(".at-s .ask").first
    name = card.locator(".sr").inner_text().partition(",")[0]
    card.press("Enter")
    expect(page.locator("#notice")).to_contain_text(
        f"{name.capitalize()}: a card was played against the rules while a legal one was held. Legal: "
    )
    assert page.inner_text("#felt") == before
    page.click("#show-rules")
    expect(page.locator("#rules")).to_contain_text("follows suit if he can")
    assert "general" not in page.inner_text("#rules .rules"), "sources are left out"
    page.click("#rules button")
    expect(page.locator("#rules")).to_be_hidden()


def test_a_hint_names_a_legal_choice_and_is_recorded(player: Visit) -> None:
    """Belote's search, whose process starts here; the card that it names is marked."""
    page = sit_down(player, "belote")
    to_a_card(page, ".at-s .pick:nth-child(1) >> nth=1")
    page.click("#hint")
    expect(page.locator("#advice")).to_contain_text("Hint: search would play", timeout=90_000)
    expect(page.locator("#advice")).to_contain_text("What it expects, in points more than the other side: ")
    assert page.locator(".at-s .hinted .pick").count() == 1
    page.click(".at-s .hinted .pick")
    play_out(page)
    page.click("#choices a[href^='/hand/']", timeout=20_000)
    page.goto(page.url.partition("?")[0] + "/log")
    assert page.inner_text("main").count('"hint":') == 1


def test_a_claim_is_refused_in_a_sentence_or_plays_the_hand_out(player: Visit) -> None:
    page = sit_down(player, "kaiser")
    answers = set()
    for _ in range(MOST_CHOICES):
        page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
        if is_over(page):  # the next hand may begin by itself meanwhile
            page.eval_on_selector_all(OVER, "found => found.forEach(each => each.click())")
        elif page.locator("#claim").is_visible():
            page.click("#claim")
            answer = page.locator(f"{OVER}, #notice:has-text('the others can take one of the tricks')")
            expect(answer.first).to_be_visible(timeout=90_000)
            answers.add(is_over(page))
            if is_over(page):
                expect(page.locator("#log")).to_contain_text("points in the match")
            if len(answers) == 2:
                break
        if not is_over(page):
            choose(page)
            page.wait_for_timeout(20)
    assert answers == {True, False}


def test_a_choice_is_taken_back(browser: Browser, playing: str) -> None:
    """At 390 px, where the buttons fit, too; axe finds nothing, and the record says so."""
    with checked(browser, playing, viewport={"width": 390, "height": 844}) as visit:
        page = sit_down(visit, "belote")
        assert page.locator("#undo").is_hidden()
        to_a_card(page, ".at-s .pick >> nth=1")
        before, told = page.inner_text("#felt"), page.locator("#log li").all_text_contents()
        choose(page)
        to_a_card(page, ".at-s .pick >> nth=1")
        assert page.inner_text("#felt") != before
        page.click("#undo")
        expect(page.locator("#log li")).to_have_count(len(told))
        assert page.inner_text("#felt") == before
        assert page.locator("#log li").all_text_contents() == told
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert violations(page) == []
        play_out(page)
        page.wait_for_selector("#choices a[href^='/hand/']", timeout=25_000).click()
        page.goto(page.url.partition("?")[0] + "/log")
        assert page.inner_text("main").count('"undo":') == 1


def test_a_hand_is_played_again_from_its_page_and_from_its_review(player: Visit) -> None:
    """At a new table, which says that it isn't stored; the same cards are there each time."""
    page = sit_down(player, "kaiser")
    held = sorted(page.locator(".at-s .card .face").all_inner_texts())
    play_out(page)
    page.wait_for_selector("#choices a[href^='/hand/']", timeout=25_000)
    table, hand = page.url, page.get_attribute("#choices a", "href")
    page.click("#show-review")
    expect(page.locator("#curve svg")).to_be_visible(timeout=90_000)
    expect(page.locator("#curve figcaption")).to_have_text(
        "What Host and Partner could expect after each card"
    )
    assert violations(page) == []
    page.locator("#costly form button").last.click()
    expect(page.locator("h1")).to_contain_text("played again, not stored")
    assert page.url != table
    player.to(f"{hand}?step=4&seat=0")
    page.click("#again button")
    page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
    assert sorted(page.locator(".at-s .card .face").all_inner_texts()) == held
    play_out(page)
    expect(page.locator(OVER)).to_have_text("Play it again")
    assert page.locator("#choices a").count() == 0
    page.click(OVER)
    expect(page.locator("#hand-no")).to_have_text("hand 2")


def test_the_deal_of_the_day_is_one_hand(player: Visit) -> None:
    player.page.add_init_script(AT_ONCE)
    page = player.to("/tables")
    page.locator("a[href='/daily?game=belote']").click()
    assert violations(page) == []
    page.fill("main input[name=name]", "Ann")
    page.click("button:text-is('Play the deal of today')")
    page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
    expect(page.locator("h1")).to_contain_text("the deal of 20")
    for _ in range(MOST_CHOICES):
        if page.locator("#next").count():
            break
        choose(page)
        page.wait_for_timeout(20)
    page.click("#next")
    expect(page.locator("h1")).to_contain_text("The deal of 20")


def test_the_last_trick_is_shown_on_request(player: Visit) -> None:
    page = sit_down(player, "kaiser")
    to_a_card(page, "#last-trick:not([hidden])")
    now = page.inner_text(".trick")
    page.click("#last-trick")
    assert page.locator(".trick .card").count() == 4
    assert page.locator(".trick .taker").count() == 1
    page.click("#last-trick")
    assert page.inner_text(".trick") == now


@pytest.mark.parametrize("reduced", [False, True])
def test_cards_move_unless_that_is_not_wanted(browser: Browser, playing: str, reduced: bool) -> None:
    how: dict[str, Any] = {"reduced_motion": "reduce"} if reduced else {}
    with checked(browser, playing, **how) as visit:
        visit.page.add_init_script(
            """window.moves = 0;
            const animate = Element.prototype.animate;
            Element.prototype.animate = function (...given) {
                window.moves += 1;
                return animate.apply(this, given);
            };"""
        )
        page = visit.to("/tables")
        page.click("button:text-is('Play Kaiser')")
        page.select_option("#pace", "normal")
        to_a_card(page, ".at-s .pick")
        choose(page)
        page.wait_for_selector("#heard p:has-text('takes the trick')", timeout=20_000, state="attached")
        assert (page.evaluate("window.moves") > 0) == (not reduced)


SMALL = """() => [...document.querySelectorAll("#stage :is(button, input), #menu")]
    .filter((one) => one.getClientRects().length && !one.closest(".layout"))
    .map((one) => [one.textContent, one.closest("li") ?? one])
    .map(([text, one]) => [text, one.getBoundingClientRect()])
    .map(([text, box]) => [text, Math.round(box.height), Math.round(box.width)])
    .filter(([, height, width]) => height < 44 || width < 42)"""


@pytest.mark.parametrize("game", ["kaiser", "five_card_draw", "pinochle"])
def test_what_is_pressed_is_large_and_what_happens_is_heard(
    browser: Browser, playing: str, game: str
) -> None:
    """At 390 px a finger's width, 44 px, but for eight cards in a row; a live region has each sentence."""
    with checked(browser, playing, viewport={"width": 390, "height": 844}) as visit:
        page = sit_down(visit, game)
        for _ in range(MOST_CHOICES):
            page.wait_for_selector(MAY_CHOOSE, timeout=20_000)
            small = [one for one in page.evaluate(SMALL) if one[0]]
            assert small == []
            heard, told = page.locator("#heard p"), page.locator("#log li")
            assert heard.all_text_contents() == told.all_text_contents()
            if not choose(page):
                break
        assert page.get_attribute("#heard", "role") == "log"
