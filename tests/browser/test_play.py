"""Tables in a real browser: a journey for each game, the keyboard alone, two players, a cut connection.

What the server says and refuses is tested in `tests/web/play`; here is what a page makes of it.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from cardlog import models
from cardlog.pipelines.storage.store import Store
from tests.support import seated
from tests.support.browser import MOST_BYTES, Visit, checked, loaded, opened, served, violations
from tests.support.csv_rows import EDGE
from tests.support.seated import AT_ONCE, MAY_CHOOSE, MOST_CHOICES, OVER, PATIENCE, choose, is_over, sit_down
from tests.support.stores import ingest

pytestmark = pytest.mark.browser
THINKING = 90_000
"""Milliseconds until an answer of the solver, which may have to be compiled."""


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


# ---------------------------------------------------------------- whole hands

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
SMALL = """() => [...document.querySelectorAll("#stage :is(button, input), #menu")]
    .filter((one) => one.getClientRects().length && one.textContent && !one.closest(".layout"))
    .map((one) => [one.textContent, (one.closest("li") ?? one).getBoundingClientRect()])
    .map(([text, box]) => [text, Math.round(box.height), Math.round(box.width)])
    .filter(([, height, width]) => height < 44 || width < 42)"""
"""What is smaller than a finger, but for eight cards in a row."""
OUTLINE = """getComputedStyle(
    document.activeElement.querySelector(".face") ?? document.activeElement
).outlineStyle"""
"""Of what has the focus; of a card, which may be raised, around its face."""
NAMES = "[...document.querySelectorAll('.at-w .sr, .at-n .sr, .at-e .sr')].map((e) => e.textContent)"
ENDS = {"ruter_sju": r"(Host|Left|Opposite|Right) wins the hand\. "}


@pytest.mark.parametrize("game", list(models.GAMES))
def test_a_whole_hand(browser: Browser, playing: str, game: str) -> None:
    """With the mouse, in three windows: nothing is scrolled, what is pressed is large on a telephone, a live
    region has each sentence, and axe finds nothing; then the next hand begins."""
    scheme = "dark" if game in ("kaiser", "five_card_draw") else "light"
    with checked(browser, playing, color_scheme=scheme) as visit:
        page = deal_of_today(visit, game) if game == "belote" else sit_down(visit, game)
        assert len(loaded(page)) > 5
        assert sum(loaded(page)) < MOST_BYTES
        for number in range(MOST_CHOICES):
            page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(TOO_LARGE) == [0, 0], (width, height, number)
            assert page.evaluate(SMALL) == []
            if number < 2 or is_over(page):
                assert violations(page) == []
            assert page.locator("#heard p").all_text_contents() == page.locator("#log li").all_text_contents()
            if game in ("kaiser", "five_card_draw") and not is_over(page):
                names = {name for name in page.evaluate(NAMES) if "card" in name or " of " in name}
                assert names <= {"unknown card"}
            if not choose(page):
                break
        assert re.search(ENDS.get(game, r"\S"), page.inner_text("#turn"))
        assert not re.search(r"[Ss]eat \d", page.inner_text("main"))
        assert page.locator("#sheet tbody tr:not(.won)").count() == 1
        page.click(OVER)
        if game == "belote":
            expect(page.locator("h1")).to_contain_text("The deal of 20")
        else:
            expect(page.locator("#hand-no")).to_have_text("hand 2")


def deal_of_today(visit: Visit, game: str) -> Page:
    """Begin the deal of the day, by the link on the list of tables."""
    visit.page.add_init_script(AT_ONCE)
    page = visit.to("/tables")
    page.locator("summary").first.click()
    assert violations(page) == []
    page.locator(f"a[href='/daily?game={game}']").click()
    assert violations(page) == []
    page.fill("main input[name=name]", "Ann")
    page.click("button:text-is('Play the deal of today')")
    page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
    expect(page.locator("h1")).to_contain_text("the deal of 20")
    return page


def test_a_whole_hand_with_the_keyboard(player: Visit) -> None:
    """From the list of tables to the end of the hand without a mouse: every bid has a key, also the last ones
    of Kaiser, which has more than there are digits; and the focus is seen, and kept for the next card."""
    player.page.add_init_script(AT_ONCE)
    buttons = player.page.locator("#choices button")
    while buttons.count() < 13:
        page = player.to("/tables")
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "Play Kaiser":
                break
        page.keyboard.press("Enter")
        page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
    keys = [button.get_attribute("data-key") for button in buttons.all()]
    assert "".join(map(str, keys)) == "1234567890abc"
    assert buttons.last.get_attribute("aria-label") == "bid 12 no trump"
    page.keyboard.press("c")
    expect(page.locator("#log")).to_contain_text("Host bids 12 without trump")
    page.wait_for_selector(".at-s .pick", timeout=PATIENCE)
    for number in range(MOST_CHOICES):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(OUTLINE) != "none"
        page.keyboard.press("Enter" if number % 2 else " ")
        page.wait_for_selector(f"{OVER}, .at-s .pick:focus", timeout=PATIENCE)
        if is_over(page):
            break
    page.keyboard.press("1")
    expect(page.locator("#hand-no")).to_have_text("hand 2")


def test_cards_are_exchanged_one_by_one_and_a_raise_may_be_of_any_chips(player: Visit) -> None:
    page = sit_down(player, "five_card_draw")
    field, picks = page.locator("form.amount input[type=number]"), page.locator(".at-s .pick")
    wanted = {"exchange", "raise"}
    for _ in range(MOST_CHOICES):
        page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
        if is_over(page):
            page.click(OVER)
            page.wait_for_selector(".at-s .card")
        elif page.locator(".at-s .pick[aria-pressed]").count():
            wanted.discard("exchange")
            held = [card.strip() for card in page.locator(".at-s .pick .sr").all_inner_texts()]
            for index in (0, 3, 0):
                picks.nth(index).click()
            pressed = [mark.get_attribute("aria-pressed") for mark in picks.all()]
            assert pressed == ["false"] * 3 + ["true", "false"]
            expect(page.locator("#choices .main")).to_have_text("Exchange 1 card")
            page.click("#choices .main")
            page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
            now = [card.strip() for card in page.locator(".at-s .card .sr").all_inner_texts()]
            assert (len(now), held[3] in now) == (len(held), False)
            assert len(set(now) & set(held)) >= len(held) - 1
        elif "raise" in wanted and field.count():
            wanted.discard("raise")
            chips = int(field.get_attribute("min") or "") + 3
            field.fill(str(chips))
            field.press("Enter")
            said = re.compile(rf"Host (bets|raises, paying) {chips}(?!\d)")
            expect(page.locator("#log")).to_contain_text(said)
        else:
            safe = page.locator("#choices button", has_text=re.compile("Check|Call|All in"))
            (safe.first if safe.count() else page.locator("#choices button").first).click()
        if not wanted:
            return
    raise AssertionError(wanted)


# ---------------------------------------------------------------- several people, and the connection


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
    with opened(browser, link) as visit:
        friend = visit.page
        friend.evaluate(AT_ONCE)
        friend.reload()
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
        scores = [re.findall(r"[+-]\d+", one.inner_text("#turn")) for one in (page, friend)]
        assert scores[0] == scores[1] != []
        assert friend.locator("a[href^='/hand/']").count() == 0


def test_a_cut_connection_comes_back_and_a_stale_choice_is_refused(browser: Browser, playing: str) -> None:
    """The page says what is wrong, offers nothing meanwhile, and goes on where it was."""
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
        page.wait_for_selector("#notice:has-text('connection')")
        assert page.locator(MAY_CHOOSE).count() == 0
        page.wait_for_timeout(1500)
        refuse = False
        page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
        assert (page.inner_text("#felt"), page.locator("#log li").count()) == before
        assert not page.locator("#notice").is_visible()
        assert len(sockets) > 2
        page.evaluate(
            """() => {
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                send.call(this, text.replace(/"version":\\d+/, '"version":1'));
                WebSocket.prototype.send = send;
            };
        }"""
        )
        choose(page)
        expect(page.locator("#notice")).to_have_text("The table has moved on; this is its current state.")
        page.wait_for_selector(MAY_CHOOSE)
        assert page.inner_text("#felt") == before[0]
        seated.play_out(page)


# ---------------------------------------------------------------- what a table teaches


def test_an_illegal_card_says_why_and_the_rules_the_last_trick_and_claims_are_beside_it(
    player: Visit,
) -> None:
    page = sit_down(player, "kaiser")
    seated.to_a_card(page, ".at-s .ask")
    before = page.inner_text("#felt")
    card = page.locator(".at-s .ask").first
    card.press("Enter")
    suit = page.locator(".at-s .pick .sr").first.inner_text().split(",")[0].split()[-1]
    expect(page.locator("#notice")).to_contain_text(f"You must follow {suit}: ")
    assert page.inner_text("#felt") == before
    page.click("#show-rules")
    expect(page.locator("#rules")).to_contain_text("follows suit if he can")
    assert "general" not in page.inner_text("#rules .rules"), "sources are left out"
    page.click("#rules button")
    expect(page.locator("#rules")).to_be_hidden()
    seated.to_a_card(page, "#last-trick:not([hidden])")
    now = page.inner_text(".trick")
    page.click("#last-trick")
    assert (page.locator(".trick .card").count(), page.locator(".trick .taker").count()) == (4, 1)
    page.click("#last-trick")
    assert page.inner_text(".trick") == now
    page.click("#claim")
    refused = page.locator(f"{OVER}, #notice:has-text('the others can take one of the tricks')")
    expect(refused.first).to_be_visible(timeout=THINKING)


def test_the_only_card_plays_itself_if_one_likes(player: Visit) -> None:
    page = sit_down(player, "kaiser")
    page.check("#forced")
    played = 0
    while choose(page):
        played += 1
        page.wait_for_timeout(200)
        assert is_over(page) or page.locator(".at-s .pick, #choices button").count() != 1
    assert played < 1 + 8, "the last card played itself"


def test_hint_and_undo_at_390_px_are_on_record_and_the_hand_can_be_looked_at(
    browser: Browser, playing: str
) -> None:
    """Belote's search, whose process starts here; the card that it names is marked."""
    with checked(browser, playing, viewport={"width": 390, "height": 844}) as visit:
        page = sit_down(visit, "belote")
        assert page.locator("#undo").is_hidden()
        seated.to_a_card(page, ".at-s .pick >> nth=1")
        before, told = page.inner_text("#felt"), page.locator("#log li").all_text_contents()
        page.click("#hint")
        expect(page.locator("#advice")).to_contain_text("Hint: search would play", timeout=THINKING)
        expect(page.locator("#advice")).to_contain_text("in points more than the other side: ")
        assert page.locator(".at-s .hinted .pick").count() == 1
        page.click(".at-s .hinted .pick")
        seated.to_a_card(page, "#undo:not([hidden])")
        page.click("#undo")
        expect(page.locator("#log li")).to_have_count(len(told))
        assert (page.inner_text("#felt"), page.locator("#log li").all_text_contents()) == (before, told)
        assert page.evaluate(TOO_LARGE) == [0, 0]
        assert violations(page) == []
        seated.play_out(page)
        page.wait_for_selector("#choices a[href^='/hand/']", timeout=THINKING)
        assert page.get_attribute("#sheet a", "href") == page.get_attribute("#choices a", "href")
        page.click("#choices a")
        page.wait_for_selector("#events li")
        page.goto(page.url.partition("?")[0] + "/log")
        said = page.inner_text("main")
        assert said.count('"hint":') == said.count('"undo":')
        assert said.count('"hint":') in (1, 2)  # a bela is declared with its card


def test_a_hand_is_played_again_from_its_page_and_from_its_review(player: Visit) -> None:
    """At a new table, which says that it isn't stored; the same cards are there each time."""
    page = sit_down(player, "kaiser")
    held = sorted(page.locator(".at-s .card .face").all_inner_texts())
    seated.play_out(page)
    page.wait_for_selector("#choices a[href^='/hand/']", timeout=THINKING)
    table, hand = page.url, page.get_attribute("#choices a", "href")
    page.click("#show-review")
    expect(page.locator("#curve svg")).to_be_visible(timeout=THINKING)
    caption = "What Host and Partner could expect after each card"
    expect(page.locator("#curve figcaption")).to_have_text(caption)
    assert violations(page) == []
    page.locator("#costly form button").last.click()
    expect(page.locator("h1")).to_contain_text("played again, not stored")
    assert page.url != table
    player.to(f"{hand}?step=4&seat=0")
    page.click("#again button")
    page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
    assert sorted(page.locator(".at-s .card .face").all_inner_texts()) == held
    seated.play_out(page)
    expect(page.locator(OVER)).to_have_text("Play it again")
    assert page.locator("#choices a").count() == 0


def test_cards_move_unless_that_is_not_wanted(player: Visit) -> None:
    player.page.add_init_script(
        """window.moves = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...given) {
            window.moves += 1;
            return animate.apply(this, given);
        };"""
    )
    page = player.to("/tables")
    for motion in ("no-preference", "reduce"):
        page.emulate_media(reduced_motion=motion)
        player.to("/tables").click("button:text-is('Play Kaiser')")
        page.select_option("#pace", "normal")
        seated.to_a_card(page, ".at-s .pick")
        choose(page)
        page.wait_for_selector("#heard p:has-text('takes the trick')", timeout=PATIENCE, state="attached")
        assert (page.evaluate("window.moves") > 0) == (motion != "reduce")
