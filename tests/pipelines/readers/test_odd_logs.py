"""Logs of the programs on a terminal with odd names, people who type, input from a file, and crashes."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from cardlog.pipelines import readers
from cardlog.schemas.events import Action
from tests.support.belote_logs import text_of
from tests.support.damaged_logs import checked
from tests.support.formats import piece
from tests.support.ruter_sju_logs import games_of
from tests.support.steps import events_of, opening_of

BELOT, RUTER_SJU = "belot-transcript", "ruter-sju-transcript"
KEYS = {BELOT: ("C001", "B001", "R005"), RUTER_SJU: ("T00001", "T00008")}
"""A game in each wording."""
ODD_GAMES = games_of("odd_games")
PEOPLE = {
    BELOT: ["C030", "B030"],
    RUTER_SJU: [key for key, game in ODD_GAMES.items() if game["mode"].startswith("human")],
}
"""Games with a person at the keyboard."""
PLACES = {
    BELOT: r"(?<!\w)(?:NAME)(?!\w)",
    RUTER_SJU: r"(?m)(?:^|(?<=^\d\. ))(?:NAME)(?=$|:$| places | takes the block| is blocked| is out!$)"
    r"|(?<=[=,])(?:NAME)(?=:(?:smart|dumb|random|human)\b)",
}
"""Where the programs print a name."""
PROMPTS = {
    BELOT: r"(Broj karte: |Ticket number:: |Broj boje \(ENTER za dalje\): |Color number \(ENTER for further: "
    r"|Zvati belu \(da / ne\)\? |Call it white \(yes/no\) )(.*)",
    RUTER_SJU: r"(?m)^(Which player starts\?: |Place another\? \(y/n\): "
    r"|Which card will you place \(number, suit separated by space\): )(.*)",
}
CRASH = 'Traceback (most recent call last):\n  File "play.py", line 9, in play\n    choice = input(x)\n'


def outcome(form: str, text: str, **how: Any) -> Any:
    """What comes of a text, of which nothing is refused."""
    [found] = checked(form, text.encode(), **how)
    assert [reject.message for reject in found.rejects] == []
    return found


def acts_of(form: str, text: str, final: bool = False) -> list[list[tuple[int, ...]]]:
    """What is done in each hand, whoever the players are."""
    batch = outcome(form, text, final=final).batch
    names = ("action", "seat", "suit", "count", "amount")
    return [
        [(*(int(one[name]) for name in names), *one["cards"].tolist()) for one in events_of(batch, hand)]
        for hand in range(len(batch))
    ]


def players_of(form: str, text: str) -> list[str]:
    return [player["name"] for player in opening_of(outcome(form, text, final=True).batch, 0)["players"]]


def renamed(form: str, text: str, names: list[str]) -> str:
    """The log with other players, as the program would have printed it."""
    for seat, old in enumerate(players_of(form, text)):
        text = re.sub(PLACES[form].replace("NAME", re.escape(old)), f"\0{seat}", text)
    for seat, new in enumerate(names):
        text = text.replace(f"\0{seat}", new)
    return text


def text_without_mark(text: str) -> str:
    return text.split("\n", 1)[1]


def each(keys: dict[str, Any]) -> list[tuple[str, str]]:
    """The formats and keys of some games."""
    return [(form, key) for form in keys for key in keys[form]]


# ---------------------------------------------------------------- names

NAMES = {
    BELOT: [
        ["Ana i", "i Eva", "i", "Ana i i"],
        [" Ana", "Ana", "Ana ", " Ana "],
        ["Ana kaže dalje", "Eva says further", "X have won!", "Y su pobjedili!"],
        ["A zove 2", "B calling 3", "C calling 1 Suit.HERC", "D nisu prošli!"],
        ["Karte dijeli Ana", "Card dealer: Eva", "PAR A: X i", "> Štih (3) kupi Y"],
        ["Player Ana", "Ana", "Player Player Ana", "Player"],
        ["PIK ♠ VII", "must True", "[1] X", "---------- Y ----------"],
        ["x: [{PIK ♠ X}]", "a: 100", "0.5", "tensor("],
        ["Bob they did not pass!", "A they made all stiche (sword)", "B su napravili štih mač!", "Traceback"],
        ["", "  ", ".", "李 😀"],
        ["\tTab", "a\tb", "Killed", "Total points:"],
    ],
    RUTER_SJU: [
        ["1. Eva", "2. Eva", "3. 1. Eva", "Eva"],
        [" Ana", "Ana", "Ana ", "  Ana  "],
        ["GAME OVER", "Final Order:", "Enter a valid card!", "d: "],
        ["x takes the block...", "x is out!", "x", "x places 7 of"],
        ["a,b", "a:smart b", "n=1", "a b"],
        ["", " ", "å" * 60, "😀"],
    ],
}


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(
    ("form", "key", "names"), [(form, key, names) for form, key in each(KEYS) for names in NAMES[form]]
)
def test_players_may_be_called_anything(form: str, key: str, names: list[str], marked: bool) -> None:
    """Also what looks like the program's own lines. Without a mark Ruter Sju's seats count from the first."""
    text = piece(form, key).decode()
    names = names + ["5. Eva", "0"][: len(players_of(form, text)) - 4]
    odd = renamed(form, text, names)
    odd = odd if marked else text_without_mark(odd)
    found = players_of(form, odd)
    assert found == names or (form == RUTER_SJU and not marked and sorted(found) == sorted(names))
    turn, seats = found.index(names[0]), len(names)
    for acts, expected in zip(acts_of(form, odd), acts_of(form, text), strict=True):
        moved = [
            (what, (seat + turn) % seats if seat >= 0 else seat, *rest) for what, seat, *rest in expected
        ]
        deals = slice(1, seats + 1)
        assert sorted(acts[deals]) == sorted(moved[deals])
        assert acts[seats + 1 :] == moved[seats + 1 :]


def test_blanks_of_names_are_found_though_tabs_became_blanks() -> None:
    """Then a pair's line begins with blanks of which nobody knows whose they are."""
    text = piece(BELOT, "B001").decode()
    odd = renamed(BELOT, text, [" Ana", "Eva", "Mia ", "Iva"]).replace("\t", "    ")
    assert acts_of(BELOT, odd) == acts_of(BELOT, text)
    assert players_of(BELOT, odd) == [" Ana", "Eva", "Mia ", "Iva"]


def test_a_final_order_ends_where_the_next_game_begins() -> None:
    """Which may begin with a player whose name goes on counting."""
    game = piece(RUTER_SJU, "T00010").decode()
    first, second = (
        text_without_mark(renamed(RUTER_SJU, game, names))
        for names in (["1. Eva", "2. Eva", "3. Eva"], ["4. Eva", "1. Eva", "2. Eva"])
    )
    assert re.match(r"[12]\. .+:\n", first)
    assert outcome(RUTER_SJU, first + second).done.tolist() == [True, True]


@pytest.mark.parametrize("key", [key for key in PEOPLE[RUTER_SJU] if ODD_GAMES[key]["status"] == "complete"])
def test_seats_are_found_without_a_mark(key: str) -> None:
    """Where the program asked who starts; else names that are numbers tell them."""
    marked = piece(RUTER_SJU, key).decode()
    text, names = text_without_mark(marked), [name for name, _ in ODD_GAMES[key]["players"]]
    if text.startswith("Which player") or all(name.isdigit() for name in names):
        assert players_of(RUTER_SJU, text) == names
        assert acts_of(RUTER_SJU, text) == acts_of(RUTER_SJU, marked)


# ---------------------------------------------------------------- people


@pytest.mark.parametrize(("form", "key"), each(PEOPLE))
def test_input_from_a_file_is_not_echoed(form: str, key: str) -> None:
    """The next line runs on behind the prompt; what was answered shows in what is done."""
    text = piece(form, key).decode()
    piped, prompts = re.subn(PROMPTS[form] + "\n", r"\1", text)
    assert prompts > 100 or form == RUTER_SJU
    assert acts_of(form, piped, final=True) == acts_of(form, text, final=True)
    assert readers.detect(text_without_mark(piped).encode()) == form


@pytest.mark.parametrize(("form", "key"), [*each(PEOPLE)][:3])
@pytest.mark.parametrize("typed", ["", "^C", "1^C", "9 9\n"])
def test_a_crash_at_a_prompt_ends_the_hand(form: str, key: str, typed: str) -> None:
    """Ctrl-C, the end of the input, or a suit that there is not: the traceback begins behind the prompt."""
    text = piece(form, key).decode()
    prompts = [*re.finditer(PROMPTS[form], text)]
    at = prompts[len(prompts) // 2]
    crashed = text[: at.end(1)] + typed + CRASH + "KeyboardInterrupt\n"
    assert acts_of(form, crashed) == acts_of(form, text[: at.start()] + "\n", final=True)
    found = outcome(form, crashed)
    assert not found.done[-1]
    last = int(found.kept[-1])
    ends_before = form == BELOT  # so that the traceback is not in the hand's own text
    again = {"context": found.read.context_of(last), "final": ends_before}
    assert outcome(form, found.read.raw_of(last).decode(), **again).done.tolist() == [False]
    assert outcome(form, crashed + text_without_mark(text)).done[-1]


def with_pauses(text: str, typed: str) -> Iterator[str]:
    """Belot's log with what a person types where the program waits, before each hand and each trick."""
    cards = named = 0
    for line in text.split("\n"):
        if "=================" in line:
            yield typed
            cards = named = 0
        named |= bool(re.search(r" (?:zove|calling) \d", line)) and not line.startswith("[")
        if named and cards % 4 == 0 and re.match(r" ?---------- .* ----------", line):
            yield typed
        cards += bool(re.match(r"(?:KARO|HERC|PIK|TREF) ", line))
        yield line


TYPED = "hello|1||   |PIK ♠ VII|Total points:|Sharing Points:|x zove 2|^C|\tx: 3x"


@pytest.mark.parametrize("typed", TYPED.split("|"))
@pytest.mark.parametrize("key", KEYS[BELOT])
def test_what_is_typed_at_a_pause_is_noise(key: str, typed: str) -> None:
    text = piece(BELOT, key).decode()
    paused = "\n".join(with_pauses(text, typed))
    assert paused.count("\n") > text.count("\n") + 50
    assert acts_of(BELOT, paused) == acts_of(BELOT, text)


def test_what_is_typed_elsewhere_is_not() -> None:
    text = piece(BELOT, "B001").decode()
    header = text.index("---------- ", text.index("Zvanja:"))
    behind = text.index("\n", header) + 1
    for damaged in (text[:behind] + "hello\n" + text[behind:], text[:header] + 2 * "hello\n" + text[header:]):
        [found] = checked(BELOT, damaged.encode())
        assert [reject.reason.code for reject in found.rejects] == ["unparsable"]


@pytest.mark.parametrize("answer", ["PIK ♠ VII", "x zove 2", "BELA!", "x", "[1] PIK", "0", "Broj karte: "])
@pytest.mark.parametrize("key", PEOPLE[BELOT])
def test_whatever_is_answered_wrongly_is_asked_again(key: str, answer: str) -> None:
    text = piece(BELOT, key).decode()
    out: list[str] = []
    first = 0
    for before, line in pairwise(["", *text.split("\n")]):
        first = len(out) if line.startswith("[1] ") and not before.startswith("[") else first
        if prompt := re.fullmatch(PROMPTS[BELOT], line):
            out.append(prompt[1] + answer)
            asks_bela = "(da" in line or "(yes" in line
            out += [] if asks_bela else out[first:-1]
        out.append(line)
    assert acts_of(BELOT, "\n".join(out)) == acts_of(BELOT, text)


def test_a_first_player_counted_from_the_last_is_not_held_by_the_block() -> None:
    """``-2`` of three players is seat 1; the program forgets that he took the block."""
    mark = "=== GAME a numPlayers=3 numSuits=1 cardsPerSuit=5 players=A:human,B:human,C:human ===\n"
    turn = "{}:\nGAME\nd: \n\nWhich card will you place (number, suit separated by space): "
    shown = turn.format("B") + "0 0\nB takes the block...\n\n"
    others = "".join(turn.format(name) + "-1 -1\nGoing back to last player input...\n\n" for name in "CA")
    passes = [Action.PLAY_PASS] * 2
    for answer, again, acts in (
        ("-2", shown, [Action.PLAY_PASS, *passes, Action.PLAY_BLOCK]),
        ("1", "B is blocked...\n\n", [Action.PLAY_BLOCK, *passes, Action.PLAY_BLOCKED]),
    ):
        text = mark + f"Which player starts?: {answer}\n" + shown + others + again
        [found] = acts_of(RUTER_SJU, text, final=True)
        assert [act[:2] for act in found[4:]] == [*zip(acts, (1, 2, 0, 1), strict=True)]


@pytest.mark.parametrize(("name", "hands"), [("real_torch", 1), ("train_py", 7), ("name_ends_in_i", 10)])
def test_kinds_of_logs_that_were_refused_once(name: str, hands: int) -> None:
    text = text_of(f"examples/{name}.txt.gz").decode()
    assert outcome(BELOT, text).done.tolist() == [True] * hands
    if name == "name_ends_in_i":
        assert players_of(BELOT, text) == ["> Bob", "Ana i", "Player Two", "Markus (RL)"]
