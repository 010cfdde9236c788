"""What the five-card draw program prints on a terminal and into a pipe: prompts with and without an echo,
corrected input, Ctrl-C, crashes, games without a hand. All of it is stored, or known not to be a hand."""

import gzip
from collections import Counter
from functools import partial

import pytest

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers import detect
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS
from tests.support import damaged_logs
from tests.support.five_card_draw_hands import FIXTURES
from tests.support.opinions import opening_of

Outcome = partial(damaged_logs.Outcome, reader.FORMAT)
EXAMPLES = {path.name.split(".")[0]: path for path in sorted((FIXTURES / "examples").glob("*.txt.gz"))}
CRASH = """\
Traceback (most recent call last):
  File "fivecarddraw.py", line 1577, in <module>
    PlayGame()
EOFError: EOF when reading a line
"""
PRESS = "Press 1 to play, or 0 to spectate."
NAME = "What's your name?"
BET = "How much would you like to put in the pot?"
SWAP = "Which cards would you like to swap? (00000 for none, 11111 for all)"
SET_UP = "[SETUP] All players have been given 50 chips.\n[SETUP] The ante has been set to 5 chips.\n"


def example(name: str) -> str:
    return gzip.decompress(EXAMPLES[name].read_bytes()).decode().replace("\r\n", "\n")


def first_events(batch: Batch) -> list[tuple[str, int, str]]:
    """The events of the first hand: action, seat, cards."""
    return [
        (ACTIONS[one["action"]].name, int(one["seat"]), cards.texts(one["cards"][: int(one["count"])]))
        for one in batch.events[: batch.offsets[1]]
    ]


def humans(batch: Batch) -> list[str]:
    players = [player for hand in range(len(batch)) for player in opening_of(batch, hand)["players"]]
    return [player["name"] for player in players if player and player["kind"] == "human"]


@pytest.mark.parametrize(
    ("name", "done", "aborted"),
    [
        ("ante_0", 4, 0), ("ctrl_c", 0, 1), ("folded_ante", 3, 0), ("folded_ante_raise", 3, 0),
        ("mask_digit", 6, 0), ("piped", 1, 0), ("real_terminal_spectate", 4, 0), ("won_0", 8, 0),
    ],
)  # fmt: skip
def test_the_examples_are_stored(name: str, done: int, aborted: int) -> None:
    text = gzip.decompress(EXAMPLES[name].read_bytes())
    assert detect(text) == reader.FORMAT
    found = Outcome(text)
    assert (found.reasons, int(found.done.sum()), int((~found.done).sum())) == ([], done, aborted)
    for change in (text.replace(b"\r\n", b"\n"), text.replace(b"\r", b"").replace(b"\n", b"\r\n")):
        assert Outcome(change).content == found.content


def echoed(text: str) -> str:
    """The piped example as a terminal would have shown it."""
    for prompt, typed in ((PRESS, "1"), (NAME, "Ann Lee"), (BET, "495"), (SWAP, "11100")):
        text = text.replace(prompt, f"{prompt}{typed}\n")
    return text


def test_what_is_piped_is_stored_as_what_is_typed() -> None:
    """The turn order identifies the human; the new hand shows which cards it discarded. Also where the hand
    is read again by itself."""
    piped = example("piped")
    found, typed = Outcome(piped.encode()), Outcome(echoed(piped).encode())
    assert humans(found.batch) == humans(typed.batch) == ["Ann Lee"]
    events = first_events(found.batch)
    assert events == first_events(typed.batch)
    assert next(shown for name, _, shown in events if name == "discard") == "4C5S7C"
    [read] = reader.read(piped.encode(), Source("0" * 64, "-", reader.FORMAT))
    again = Outcome(read.raw_of(0), context=read.context_of(0))
    assert list(again.content.values()) == list(found.content.values()) == list(typed.content.values())


@pytest.mark.parametrize("echo", [None, "", "^C", "20^C", "^D\b\b"])
def test_a_game_that_ends_at_a_prompt_leaves_a_hand_that_is_aborted(echo: str | None) -> None:
    """Piped, or with what was typed; the human's cards are known from the first prompt on. Another game may
    run on there, if the traceback went elsewhere."""
    text = example("piped") if echo is None else echoed(example("piped"))
    for prompt in (BET, SWAP):
        at = text.index(prompt) + len(prompt)
        found = Outcome((text[:at] + (echo or "") + CRASH).encode())
        assert (found.reasons, found.done.tolist(), humans(found.batch)) == ([], [False], ["Ann Lee"])
        assert ("hand", 1, "4C5S7CADTH") in first_events(found.batch)
        for again in (text, text.removeprefix(PRESS), example("real_terminal_spectate")) * (echo is None):
            found = Outcome((text[:at] + again).encode())
            assert (found.reasons, found.done.tolist()) == ([], [False] + [True] * again.count("[NEW ROUND]"))


def test_what_crashes_the_program_is_not_taken_for_what_it_says() -> None:
    """What was typed is not a number. The traceback may have empty lines, and another game may follow."""
    text = echoed(example("piped"))
    text = text[: text.index(BET) + len(BET)]
    twice = CRASH + "\nDuring handling of the above exception, another exception occurred:\n\n" + CRASH
    for typed, done in ((f"[ACTION] Ann Lee has folded.\n{CRASH}", 0), (f"x\n{twice}{example('won_0')}", 8)):
        found = Outcome((text + typed).encode())
        assert (found.reasons, found.done.tolist()) == ([], [False] + [True] * done)
        assert first_events(found.batch)[-1][0] == "call"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann Lee", "Ann Lee"), (" Ann Lee ", " Ann Lee "), ("Ann Lee", "Annn\b \b Lee"),
        ("Ann Lee", "Bob\b \b\b \b\b \bAnn Lee"), ("Åsa", "Åså\b \ba"), ("Zoëx", "Zoëä\b \b\b \bx"),
        ("a\x0bb\x01", "a^Kb^A"), ("a\x01b", "a^\b^Ab"),
        *((line, line) for line in ("Traceback (most recent call last):", PRESS, SET_UP.splitlines()[0])),
    ],
)  # fmt: skip
def test_the_name_is_found_as_the_terminal_shows_it(name: str, shown: str) -> None:
    """It may be anything, also a line of the program's own."""
    text = echoed(example("piped")).replace("Ann Lee", name).replace(f"{NAME}{name}\n", f"{NAME}{shown}\n")
    found = Outcome(text.encode())
    assert (found.reasons, humans(found.batch)) == ([], [name])


@pytest.mark.parametrize(
    ("bet", "mask"),
    [
        ("495", "11100"), ("+495", "99900"), (" 495 ", "222"), ("0495", "1110000"), ("4_95", "11100"),
        ("1\b \b495", "1\b \b11100"), ("٤٩٥", "１１１００"),
    ],
)  # fmt: skip
def test_numbers_may_be_written_as_the_program_takes_them(bet: str, mask: str) -> None:
    plain = echoed(example("piped"))
    text = plain.replace(f"{BET}495", f"{BET}{bet}").replace(f"{SWAP}11100", f"{SWAP}{mask}")
    assert Outcome(text.encode()).content == Outcome(plain.encode()).content


@pytest.mark.parametrize(
    "text",
    [
        f"{PRESS}^C{CRASH}",
        f"{PRESS}1\n{NAME}^C{CRASH}",
        f"{PRESS}1\n{NAME}\n{CRASH}",
        f"{PRESS}1\n{NAME}Phil Ivey\n{CRASH}",
        f"{PRESS}1\n{NAME}Bo\n{SET_UP.replace('50', '0')}[END] Game over Bo, better luck next time.\n"
        "[END] Thanks for playing!\n",
        f"{NAME}Bo\n{SET_UP}[END] Bo has won!\n[END] Thanks for playing!\n",
        f"{PRESS}0\n{SET_UP}[END] Phil Ivey has won!\n[END] Thanks for playing!\n",
        f"{SET_UP.replace('50', '0')}{CRASH}",
        f"{PRESS}1\n{NAME}Bo",
    ],
)
def test_games_without_a_hand_leave_nothing(text: str) -> None:
    assert detect(text.encode()) == reader.FORMAT
    before, after = example("ante_0"), example("won_0")
    for final in (False, True):
        [found] = reader.read(text.encode(), Source("0" * 64, "-", reader.FORMAT, final=final))
        assert (len(found.batch), found.rejects) == (0, [])
        assert found.other_lines == found.lines_read
    if text.endswith("\n"):
        whole = judge(reader.read((before + text + after).encode(), Source("0" * 64, "-", reader.FORMAT))[0])
        assert whole.rejects == []
        assert len(whole.batch) == 12


def test_games_one_after_the_other_need_no_marks() -> None:
    """As a terminal's, which begin with the question what to do; also after a crash or an end at a prompt."""
    games = [example("real_terminal_spectate"), example("ctrl_c"), example("piped")]
    found = Outcome("".join([*games, *games[::-1]]).encode())
    assert found.reasons == []
    assert Counter(found.done.tolist()) == {True: 10, False: 2}
    assert len(set(found.batch.matches)) == 3  # each is there twice


def test_a_crash_at_the_first_ante_leaves_those_who_are_known_to_play() -> None:
    """If the ante takes all chips of the first to pay, the program crashes in the first hand."""
    text = (
        f"{NAME}Bo\n{SET_UP}\n[NEW ROUND]\n[CARDS] The deck has been shuffled.\n"
        "[BUTTON] The button was given to Çelik Ö..\n"
        f"[ANTE] The ante forced Bo to go all-in with 5 chips!\n{CRASH}"
    ).replace("given 50", "given 5")
    found = Outcome(text.encode())
    assert (found.reasons, found.done.tolist()) == ([], [False])
    players = [{"kind": "computer", "name": "Çelik Ö."}, {"kind": "human", "name": "Bo"}]
    assert opening_of(found.batch, 0)["players"] == players
    assert first_events(found.batch) == [("open", -1, ""), ("ante", 1, "")]
