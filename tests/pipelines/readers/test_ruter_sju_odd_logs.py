"""Ruter Sju's logs with odd names, without marks, with input from a file, crashes, and odd answers."""

import json
import re
from typing import Any

import pytest

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.schemas.events import Action
from tests.support.ruter_sju_logs import ODD, SOURCE, games_of, read_text, text_of

FINAL = Source(SOURCE.source_id, SOURCE.path, SOURCE.dataset, final=True)
CRASH = """Traceback (most recent call last):
  File "play.py", line 14, in <module>
    gamedata = g.ruter_sju()
KeyError: 9
"""
WHICH = "Which card will you place (number, suit separated by space): "
PROMPTS = re.compile(
    r"(?m)^(Which player starts\?: |Place another\? \(y/n\): |" + re.escape(WHICH) + r").*\n"
)


def part(gid: str, name: str = ODD) -> tuple[str, str]:
    """The mark and the text of a game."""
    text = text_of(name).decode()
    start = text.index(f"=== GAME {gid} ")
    end = text.find("\n=== GAME ", start) + 1 or len(text)
    mark, _, rest = text[start:end].partition("\n")
    return mark + "\n", rest


def players_of(text: str) -> list[str]:
    read = read_text(text.encode())
    return [player["name"] for player in json.loads(read.batch.details[0])["players"]]


def acts_of(text: str, source: Source = SOURCE) -> list[list[tuple[Any, ...]]]:
    """What is done in each game, none of which is refused."""
    verdicts = judge(read_text(text.encode(), source))
    assert [reject.message for reject in verdicts.rejects] == []
    batch = verdicts.batch
    hands = []
    for hand in range(len(batch)):
        events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
        hands.append(
            [(int(e["action"]), int(e["seat"]), tuple(e["cards"].tolist()), int(e["amount"])) for e in events]
        )
    return hands


def renamed(game: tuple[str, str], names: list[str]) -> tuple[str, str]:
    """A game whose players are called otherwise, as the program would have printed it."""
    mark, text = game
    kinds = re.findall(r"(?:=|,)([^,]+?):(smart|dumb|random|human)", mark[mark.index("players") :])
    for seat, (old, _) in enumerate(kinds):
        ends = r":$| places | takes the block\.\.\.$| is blocked\.\.\.$| is out!$"
        text = re.sub(rf"(?m)^(\d\. |){re.escape(old)}(?=$|{ends})", rf"\g<1><<{seat}>>", text)
    for seat, new in enumerate(names):
        text = text.replace(f"<<{seat}>>", new)
    players = ",".join(f"{name}:{kind}" for name, (_, kind) in zip(names, kinds, strict=True))
    return re.sub(r"players=.*? ===", lambda _: f"players={players} ===", mark), text


# ---------------------------------------------------------------- names

NAMES = [
    ["1. Eva", "2. Eva", "3. 1. Eva", "Eva"],
    [" Ana", "Ana", "Ana ", "  Ana  "],
    ["GAME OVER", "Final Order:", "Enter a valid card!", "d: "],
    ["x takes the block...", "x is out!", "x", "x places 7 of"],
    ["a,b", "a:smart b", "n=1", "a b"],
    ["", " ", "å" * 60, "😀"],
]


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("gid", ["T00001", "T00008"])
def test_players_may_be_called_anything(gid: str, marked: bool, names: list[str]) -> None:
    game = part(gid)
    names = names + ["5. Eva", "0"][: game[0].count(":") - 4]
    odd = renamed(game, names)
    text = "".join(odd) if marked else odd[1]
    found = players_of(text)
    assert found == names if marked else sorted(found) == sorted(names)
    turn = found.index(names[0])
    [expected] = acts_of("".join(game))
    [acts] = acts_of(text)
    seats = len(names)
    moved = [(a, (s + turn) % seats if s >= 0 else s, c, n) for a, s, c, n in expected]
    assert sorted(acts[1 : seats + 1]) == sorted(moved[1 : seats + 1])
    assert acts[seats + 1 :] == moved[seats + 1 :]


def test_a_final_order_ends_where_the_next_game_begins() -> None:
    """Which may begin with a player whose name goes on counting."""
    game = part("T00010")
    first = renamed(game, ["1. Eva", "2. Eva", "3. Eva"])[1]
    next_names = ["4. Eva", "1. Eva", "2. Eva"]
    starter = first[: first.index(":\n")].removeprefix("1. ").removeprefix("2. ")
    assert starter
    second = renamed(game, next_names)[1]
    verdicts = judge(read_text((first + second).encode()))
    assert verdicts.rejects == []
    assert verdicts.done.tolist() == [True, True]


# ---------------------------------------------------------------- people

PEOPLE = [gid for gid, game in games_of("odd_games").items() if game["mode"].startswith("human")]


@pytest.mark.parametrize("gid", PEOPLE)
def test_input_from_a_file_is_not_echoed(gid: str) -> None:
    """The next line runs on behind the prompt; what was answered shows in what is done."""
    mark, text = part(gid)
    expected = acts_of(mark + text, FINAL)
    piped = PROMPTS.sub(r"\1", text)
    assert acts_of(mark + piped, FINAL) == expected
    assert readers.detect(piped.encode()) == "ruter-sju-transcript"


@pytest.mark.parametrize("gid", [gid for gid in PEOPLE if games_of("odd_games")[gid]["status"] == "complete"])
def test_seats_are_found_without_a_mark(gid: str) -> None:
    """Where the program asked who starts; else names that are numbers tell them."""
    mark, text = part(gid)
    game = games_of("odd_games")[gid]
    names = [name for name, _ in game["players"]]
    if text.startswith("Which player") or all(name.isdigit() for name in names):
        assert players_of(text) == names
        assert acts_of(text)[0][1:] == acts_of(mark + text)[0][1:]


@pytest.mark.parametrize("typed", ["", "9 9\n", "^C"])
def test_a_crash_ends_the_game(typed: str) -> None:
    """At a prompt a suit that there is not, or Ctrl-C; in both it is aborted, and the next one is read."""
    mark, text = part(PEOPLE[0])
    prompts = list(PROMPTS.finditer(text))
    at = prompts[len(prompts) // 2]
    before = text[: at.start()]
    expected = acts_of(mark + before, FINAL)
    crashed = mark + before + at[1] + typed + CRASH
    assert acts_of(crashed) == expected
    assert judge(read_text(crashed.encode())).done.tolist() == [False]
    read = read_text(crashed.encode())
    again = Source(SOURCE.source_id, SOURCE.path, SOURCE.dataset, context=read.context_of(0))
    assert judge(read_text(read.raw_of(0), again)).done.tolist() == [False]
    both = judge(read_text((crashed + "\n" + text).encode()))
    assert both.rejects == []
    assert both.done.tolist() == [False, True]


def test_a_first_player_counted_from_the_last_is_not_held_by_the_block() -> None:
    """``-2`` of three players is seat 1; the program forgets that he took the block."""
    mark = "=== GAME a numPlayers=3 numSuits=1 cardsPerSuit=5 players=A:human,B:human,C:human ===\n"
    shown = "B:\nGAME\nd: \n\n" + WHICH + "0 0\nB takes the block...\n\n"
    others = "".join(
        f"{name}:\nGAME\nd: \n\n{WHICH}-1 -1\nGoing back to last player input...\n\n" for name in "CA"
    )
    for answer, then in (("-2", Action.PLAY_PASS), ("1", Action.PLAY_BLOCK)):
        again = shown if answer == "-2" else "B is blocked...\n\n"
        [acts] = acts_of(mark + f"Which player starts?: {answer}\n" + shown + others + again, FINAL)
        after = Action.PLAY_BLOCK if answer == "-2" else Action.PLAY_BLOCKED
        assert [(action, seat) for action, seat, _, _ in acts[4:]] == [
            (then, 1), (Action.PLAY_PASS, 2), (Action.PLAY_PASS, 0), (after, 1),
        ]  # fmt: skip
