"""PokerStars' texts: all hands of the fixtures beside the repository against a second reading, which shares
no code and looks only at what the text states of seats, bets, draws and results. Damage is in
test_damage.py."""

import json
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.options import ReadOptions
from cardlog.pipelines.readers.pokerstars import reader
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.forget import forget
from cardlog.pipelines.upkeep.wanted import Wanted
from cardlog.schemas.cards import texts
from cardlog.schemas.events import NO_SEAT, Action
from tests.support.files import beside_checkout
from tests.support.formats import DRAWS, PHH_HANDS, STARS_HANDS
from tests.support.steps import events_of, opening_of
from tests.support.stores import dicts, ingest

FOLDER = beside_checkout("fixtures/hold_em/pokerstars")
AMOUNT = r"[^\d\s]{0,3}([\d,.]*\d)"
NOT_PLAYED = {
    "7 Card Stud Hi/Lo Limit": 18, "7 Card Stud Limit": 16, "Omaha Hi/Lo Limit": 17, "Omaha Pot Limit": 1,
    "Razz Limit": 19, "Triple Draw 2-7 Lowball Limit": 18, "6+ Hold'em": 2, "Split Hold'em": 1,
}  # fmt: skip
"""Hands of games that are not played here, of 42 files."""
NO_BOARD = {"1003659126"}
"""A hand whose summary has no board."""
BETS = (Action.BID_FOLD, Action.BID_CHECK, Action.BID_CALL, Action.BID_RAISE)
CUT = {
    ("tour.NLHE-9max-Freeroll-MTT-201209.concatenated.partial.txt", 110),
    ("tour.NLHE-9max-Freeroll-MTT-201209.concatenated.partial.txt", 1437),
}
"""Files and lines at which a text breaks off in a hand."""


def read_all(text: bytes, timezone: str = "", final: bool = True) -> list[Read]:
    """What is read of each game."""
    options = ReadOptions(timezone=timezone)
    return reader.read(text, Source("0" * 64, "-", "pokerstars", final=final, options=options))


def read(text: bytes, timezone: str = "", final: bool = True, game: str = "hold_em") -> Read:
    """What is read of a game."""
    return next(one for one in read_all(text, timezone, final) if one.batch.game == game)


# ---------------------------------------------------------------- a second reading


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def second_reading(raw: str) -> dict[str, Any]:
    """What the text of a hand states: seats and chips, the button, what each player collected and got back,
    the total pot, the rake, the boards, the draws. Amounts are in the text's own unit."""
    said: dict[str, Any] = {"chips": {}, "names": {}, "won": Counter(), "uncalled": Counter(), "boards": []}
    said |= {"draws": [], "drawn": ""}
    body, _, summary = raw.partition("*** SUMMARY ***")
    for line in map(str.strip, body.splitlines()):
        if seat := re.fullmatch(rf"Seat (\d+): (.+) \({AMOUNT} in chips.*", line):
            said["names"][seat[2]] = int(seat[1]) - 1
            said["chips"][int(seat[1]) - 1] = _number(seat[3])
        elif button := re.search(r"Seat #(\d+) is the button", line):
            said["button"] = int(button[1]) - 1
        elif won := re.fullmatch(rf"(.+) collected {AMOUNT} from .*pot.*", line):
            said["won"][said["names"][won[1]]] += _number(won[2])
        elif back := re.fullmatch(rf"Uncalled bet \({AMOUNT}\) returned to (.+)", line):
            said["uncalled"][said["names"][back[2]]] += _number(back[1])
        elif pat := re.fullmatch(r"(.+): stands pat.*", line):
            said["draws"].append((said["names"][pat[1]], 0, ""))
        elif gone := re.fullmatch(r"(.+): discards (\d) cards?(?: \[(.*)\])?", line):
            shown = (gone[3] or "").replace(" ", "").upper() or "??" * int(gone[2])
            said["draws"].append((said["names"][gone[1]], int(gone[2]), shown))
        elif drawn := re.fullmatch(r"Dealt to .+ \[.+\] \[(.+)\]", line):
            said["drawn"] += drawn[1].replace(" ", "").upper()
    pot = re.search(rf"Total pot {AMOUNT}.*\| Rake {AMOUNT}", summary)
    said["pot"], said["rake"] = map(_number, pot.groups()) if pot else (None, None)
    for board in re.findall(r"(?m)^\s*(?:FIRST |SECOND )?Board \[(.*?)\]", summary):
        said["boards"].append(board.replace(" ", "").upper())
    said["bets"] = len(re.findall(r"(?m): (?:folds|checks|calls|bets|raises)\b(?!.*\")", body))
    return said


def stored(judged: Judged, hand: int, state: Any) -> dict[str, Any]:
    """The same of a hand that is kept, from its events and its last state."""
    batch = judged.batch
    events, opening = events_of(batch, hand), opening_of(batch, hand)
    unit = opening["settings"]["unit"]
    seats = [seat for seat, player in enumerate(opening["players"]) if player is not None]

    def reported(action: int) -> dict[int, Decimal]:
        told = events[(events["action"] == action) & (events["amount"] > 0)]
        return {int(one["seat"]): Decimal(int(one["amount"])) / unit for one in told}

    runs = range(state["boards"] if batch.game == "hold_em" else 0)
    boards = [state["board"][run][: state["board_count"][run]] for run in runs]
    draws = events[events["action"] == Action.PLAY_DISCARD]
    drawn = [texts(one["cards"][: one["count"]]) for one in events[events["action"] == Action.DEAL_DRAW]]
    rake = Decimal(int(state["rake"])) / unit
    assert sum(int(state["stack"][seat] - state["start"][seat]) for seat in seats) == -rake * unit
    return {
        "button": opening["dealer"],
        "names": {opening["players"][seat]["name"]: seat for seat in seats},
        "chips": {seat: Decimal(opening["match"]["score"][seat]) / unit for seat in seats},
        "won": reported(Action.SCORE_HAND),
        "uncalled": reported(Action.SCORE_UNCALLED),
        "pot": reported(Action.SCORE_POT).get(NO_SEAT, 0),
        "rake": rake,
        "boards": [texts(cards) for cards in boards if len(cards)],
        "draws": [(one["seat"], one["count"], texts(one["cards"][: one["count"]])) for one in draws],
        "drawn": "".join(drawn).replace("??", ""),
        "bets": int(np.isin(events["action"], BETS).sum()),
    }


def agree(judged: Judged, where: str) -> None:
    """Check hands that are kept against the second reading of their texts."""
    states = fold_batch(judged.batch).states
    for hand in range(len(judged.batch)):
        raw = judged.read.raw_of(int(judged.kept[hand]))
        try:
            said = second_reading(raw.decode())
        except UnicodeDecodeError:
            said = second_reading(raw.decode("cp1252", "replace"))
        found = stored(judged, hand, states[hand])
        if judged.batch.keys[hand].as_py() in NO_BOARD:
            said["boards"] = found["boards"]
        for field in ("names", "chips"):  # the text also has those who are not dealt in
            assert found[field].items() <= said.pop(field).items(), (where, hand)
            del found[field]
        assert found == said, (where, hand)


@pytest.mark.skipif(not FOLDER.exists(), reason="these hands are not ours to distribute")
def test_every_hand_is_stored_as_a_second_reading_has_it_or_listed() -> None:
    others, cut, kept = Counter[str](), set(), Counter[str]()
    for path in sorted(FOLDER.iterdir()):
        for judged in map(judge, read_all(path.read_bytes())):
            agree(judged, path.name)
            kept[judged.batch.game] += len(judged.batch)
            for reject in judged.rejects:
                if reject.reason.code == "incomplete":
                    cut.add((path.name, reject.last_line))
                else:
                    game = re.search(r"is of (?:.*\()?(.*), which is not supported", reject.message)
                    assert game, reject.message
                    others[game[1]] += 1
    assert others == NOT_PLAYED
    assert (kept, cut) == ({"hold_em": 678, "five_card_draw": 33}, CUT)


# ---------------------------------------------------------------- texts as people have them


TEXT = STARS_HANDS.decode()
FIRST = TEXT.split("\n\n\n")[0] + "\n"
TRANSLATED = (
    "PokerStars Hand #90721705235: Hold'em No Limit (0,01 €/0,02 € EUR) – 2012/12/14 7:59:19 MEZ",
    "Main PokerStars n°213456789: Hold'em No Limit (0.01€/0.02€ EUR) - 2020/05/01 12:00:00 CET",
    "PokerStars Раздача #90721705235: Холдем Безлимитный ($1/$2 USD) - 2012/12/14 7:59:19 MSK",
    "Mano PokerStars n.º 90721705235: Hold'em Sin Límite ($1/$2 USD) - 2012/12/14 7:59:19 CET",
)


@pytest.mark.parametrize(
    ("symbol", "code"), [("€", "EUR"), ("£", "GBP"), ("₹", "INR"), ("C$", "CAD"), ("", "")]
)
def test_a_currency_is_what_the_text_says(symbol: str, code: str) -> None:
    """Amounts may have separators of thousands."""
    text = FIRST.replace("$10 in", "$1,000 in").replace("$", symbol).replace(" USD", f" {code}".rstrip())
    [detail] = judge(read(text.encode())).batch.details
    said = json.loads(detail)
    assert (said["settings"]["currency"], said["settings"]["unit"]) == (code, 100)
    assert said["match"]["score"][0] == 100_000


ET = "2024/11/03 1:30:00 ET"


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (ET, "2024-11-03T05:30:00"), (f"2024/11/03 6:30:00 CET [{ET}]", "2024-11-03T05:30:00"),
        (f"2024/11/03 7:30:00 CET [{ET}]", "2024-11-03T06:30:00"), ("1969/12/31 16:00:00 (PT)", "1970-01-01"),
        (f"2024/11/03 8:00:00 MSK [{ET}]", "2024-11-03T05:30:00"), ("2024/11/03 1:30:00 BST", "NaT"),
        ("2024/03/10 2:30:00 ET", "2024-03-10 02:30:00 is no time of the years 1 to 9999 on the clock"),
        ("2024/02/30 2:30:00 CET", "2024-02-30 02:30:00 is no"), ("9999/12/31 23:00:00 ET", "is no time"),
        ("0001/01/01 0:00:00 CET", "0001-01-01 00:00:00 is no time"), ("0000/01/01 0:00:00 ET", "is no time"),
    ],
)  # fmt: skip
def test_a_time_is_one_that_the_clock_of_its_zone_shows(when: str, expected: str) -> None:
    """Of one that it shows twice, the other time tells which."""
    text = re.sub(r"- 2024/.*\]", f"- {when}", FIRST)
    judged = judge(read(text.encode()))
    at = judged.batch.events["at"][:1].astype("M8[us]").astype(str)
    assert expected in [*at, *(reject.message for reject in judged.rejects)][0]


def test_a_code_page_is_known_by_what_is_not_utf8() -> None:
    [detail] = judge(read(FIRST.replace("$", "€").replace("Ann", "Zoë").encode("cp1252"))).batch.details
    assert json.loads(detail)["players"][0] == {"name": "Zoë"}


@pytest.mark.parametrize("end", ["*** SUMMARY ***", "Rake $0.17", "before Flop"])
def test_a_summary_that_is_cut_off_waits_unless_an_empty_line_or_another_hand_follows(end: str) -> None:
    cut = FIRST[: FIRST.rindex(end) + len(end)]
    [waiting] = read(cut.encode()).rejects
    assert (waiting.reason.code, "an empty line" in waiting.message) == ("incomplete", True)
    ended, followed = (judge(read(text.encode())) for text in (f"{cut}\n\n", cut + TEXT[len(FIRST) - 1 :]))
    assert (len(ended.kept), len(followed.kept)) == (1, 3)
    assert ended.batch.hand_ids[0] == followed.batch.hand_ids[0]


@pytest.mark.parametrize("header", TRANSLATED)
def test_hands_in_other_languages_are_refused(header: str) -> None:
    judged = judge(read(f"{header}\nTisch 'A' 6-max\n\n\n{TEXT}".encode()))
    [reject] = judged.rejects
    assert (reject.reason.code, "in English" in reject.message) == ("unparsable", True), reject.message
    assert len(judged.kept) == 3
    assert reader.sniff(header.encode())


def ids(store: Store) -> set[str]:
    return {row["hand_id"] for row in dicts(store, "from events")}


@pytest.mark.parametrize(
    ("form", "text", "name"), [("txt", TEXT, "Cy Dee"), ("phhs", PHH_HANDS.decode(), "XrM1XlN29Rxm")]
)
def test_logs_of_poker_through_the_store(
    store: Store, tmp_path: Path, form: str, text: str, name: str
) -> None:
    """As UTF-16, in two files, rotated, growing; with pseudonyms; and a person is forgotten."""
    log, older, key = (tmp_path / one for one in (f"log.{form}", f"log.{form}.1", "key"))
    log.write_bytes(("\ufeff" + text[: len(text) // 2].replace("\n", "\r\n")).encode("utf-16-le"))
    ingest(store, log)
    assert {row["reason"] for row in dicts(store, "from quarantine")} == {"incomplete"}
    log.write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode("utf-16-le"))
    ingest(store, log)
    hands = ids(store)
    (tmp_path / f"other.{form}").write_text(text)
    assert ingest(store, tmp_path / f"other.{form}").counts.duplicates == len(hands)
    older.write_text(text[: len(text) // 2])
    log.write_text(text[len(text) // 2 :])
    key.write_bytes(b"k" * 32)
    hidden = Store(str(tmp_path / "hidden"))
    assert ingest(hidden, log, pseudonymise=str(key)).counts.hands_stored == len(hands)
    assert ids(hidden) == hands
    assert name not in json.dumps(dicts(hidden, "from events"), default=str)
    forget(store, Wanted(player=name))
    assert name not in json.dumps(dicts(store, "from events") + dicts(store, "from quarantine"), default=str)
    assert ingest(store, tmp_path / f"other.{form}").counts.hands_stored == 0


# ---------------------------------------------------------------- five-card draw

TEXT_OF_DRAWS = DRAWS.decode()


def judged_draws(text: str) -> Judged:
    return judge(read(text.encode(), game="five_card_draw"))


def test_draws_are_stored_as_a_second_reading_has_them() -> None:
    judged = judged_draws(TEXT_OF_DRAWS)
    agree(judged, "sample")
    assert (len(judged.batch), judged.rejects) == (4, [])


def test_a_text_with_both_games_gives_a_read_of_each() -> None:
    held, drawn = read_all(f"{FIRST}\n\n\n{TEXT_OF_DRAWS}".encode())
    assert (len(held.batch), len(drawn.batch)) == (1, 4)
    assert drawn.first_lines[0] == held.lines_read - len(TEXT_OF_DRAWS.splitlines()) + 1
    assert (drawn.lines_read, drawn.other_lines) == (0, 0)


def test_what_was_discarded_follows_from_what_was_kept() -> None:
    text = TEXT_OF_DRAWS.replace("discards 3 cards [7c 4s 2d]", "discards 3 cards")
    assert judged_draws(text).batch.events.tobytes() == judged_draws(TEXT_OF_DRAWS).batch.events.tobytes()
