"""Logs of belot with odd names, people who type, input from a file, crashes, and a real PyTorch."""

import re
from itertools import pairwise

import pytest

from cardlog.pipelines import readers
from cardlog.pipelines.readers.belot_transcript import reader as belot_transcript
from tests.support.belote_logs import check, contents_of, game, hands_of, source, text_of

CRASH = 'Traceback (most recent call last):\n  File "play.py", line 9, in play\n    choice = input(x)\n'
PEOPLE = (("cesmak", 30), ("bornabesic", 30))
"""Games with a person at the keyboard."""
WORDINGS = (("cesmak", 1), ("bornabesic", 1), ("readme", 5))


def names_of(text: bytes) -> list[str]:
    [read] = belot_transcript.read(text, source())
    _, _, opening, _ = next(hands_of(read.batch))
    return [player["name"] for player in opening["players"]]


def renamed(text: str, names: list[str]) -> str:
    """The log with other players, as the program would have printed it."""
    before = names_of(text.encode())
    for seat, old in enumerate(before):
        text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", f"\0{seat}", text)
    for seat, new in enumerate(names):
        text = text.replace(f"\0{seat}", new)
    return text


def same_hands(text: str, other: str) -> None:
    """Both logs hold the same hands, all stored, whoever the players are."""
    found = []
    for one in (text, other):
        verdicts = check(one.encode())
        assert [reject.message for reject in verdicts.rejects] == []
        hands = contents_of(verdicts.read, verdicts.batch)
        found.append([(opening["dealer"], rows) for opening, rows in hands.values()])
    assert found[0] == found[1]


NAMES = [
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
]


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
@pytest.mark.parametrize("which", WORDINGS, ids=lambda which: which[0])
def test_names_may_look_like_what_the_program_prints(which: tuple[str, int], names: list[str]) -> None:
    text = game(*which).decode()
    odd = renamed(text, names)
    assert names_of(odd.encode()) == names
    same_hands(text, odd)


def test_blanks_of_names_are_found_though_tabs_became_blanks() -> None:
    """Then a pair's line begins with blanks of which nobody knows whose they are."""
    text = game("bornabesic", 1).decode()
    odd = renamed(text, [" Ana", "Eva", "Mia ", "Iva"])
    same_hands(text, odd.replace("\t", "    "))
    assert names_of(odd.replace("\t", "    ").encode()) == [" Ana", "Eva", "Mia ", "Iva"]


# ---------------------------------------------------------------- people


def with_pauses(text: str, typed: str) -> str:
    """What a person types where the program waits, before each hand and before each trick."""
    lines = text.split("\n")
    out: list[str] = []
    cards = named = 0
    for line in lines:
        if "=================" in line:
            out.append(typed)
            cards = named = 0
        named |= bool(re.search(r" (?:zove|calling) \d", line)) and not line.startswith("[")
        if named and cards % 4 == 0 and re.match(r" ?---------- .* ----------", line):
            out.append(typed)
        cards += bool(re.match(r"(?:KARO|HERC|PIK|TREF) ", line))
        out.append(line)
    return "\n".join(out)


TYPED = [
    "hello",
    "1",
    "",
    "   ",
    "PIK ♠ VII",
    "Total points:",
    "Sharing Points:",
    "x zove 2",
    "^C",
    "\tx: 3x",
]


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("which", WORDINGS, ids=lambda which: which[0])
def test_what_is_typed_at_a_pause_is_noise(which: tuple[str, int], typed: str) -> None:
    text = game(*which).decode()
    paused = with_pauses(text, typed)
    assert paused.count("\n") > text.count("\n") + 50
    same_hands(text, paused)


def test_what_is_typed_elsewhere_is_not() -> None:
    text = game("bornabesic", 1).decode()
    header = text.index("---------- ", text.index("Zvanja:"))
    inside = text[: text.index("\n", header) + 1] + "hello\n" + text[text.index("\n", header) + 1 :]
    twice = text[:header] + "hello\nhello\n" + text[header:]
    for damaged in (inside, twice):
        assert [reject.reason.code for reject in check(damaged.encode()).rejects] == ["unparsable"]


PROMPT = re.compile(
    r"(Broj karte: |Ticket number:: |Broj boje \(ENTER za dalje\): |Color number \(ENTER for further: "
    r"|Zvati belu \(da / ne\)\? |Call it white \(yes/no\) )(.*)"
)


@pytest.mark.parametrize("which", PEOPLE, ids=lambda which: which[0])
def test_input_from_a_file_is_not_echoed(which: tuple[str, int]) -> None:
    """The next line runs on behind the prompt."""
    text = game(*which).decode()
    piped = re.sub(PROMPT.pattern + r"\n", r"\1", text)
    assert len(PROMPT.findall(piped)) > 100
    same_hands(text, piped)


@pytest.mark.parametrize("answer", ["PIK ♠ VII", "x zove 2", "BELA!", "x", "[1] PIK", "0", "Broj karte: "])
@pytest.mark.parametrize("which", PEOPLE, ids=lambda which: which[0])
def test_whatever_is_answered_wrongly_is_asked_again(which: tuple[str, int], answer: str) -> None:
    text = game(*which).decode()
    lines = text.split("\n")
    out: list[str] = []
    first = 0
    for before, line in pairwise(["", *lines]):
        first = len(out) if line.startswith("[1] ") and not before.startswith("[") else first
        prompt = PROMPT.fullmatch(line)
        if prompt:
            out.append(prompt[1] + answer)
            asks_bela = "(da" in line or "(yes" in line
            out += [] if asks_bela else out[first:-1]
        out.append(line)
    same_hands(text, "\n".join(out))


@pytest.mark.parametrize("which", PEOPLE, ids=lambda which: which[0])
@pytest.mark.parametrize("typed", ["", "^C", "1^C"])
def test_a_crash_at_a_prompt_ends_the_hand(which: tuple[str, int], typed: str) -> None:
    """Ctrl-C, or the end of the input: the traceback begins behind the prompt."""
    text = game(*which).decode()
    prompts = list(PROMPT.finditer(text))
    at = prompts[len(prompts) // 2]
    whole = check((text[: at.start()] + "\n").encode(), final=True)
    crashed = check((text[: at.end(1)] + typed + CRASH + "KeyboardInterrupt\n").encode())
    assert crashed.rejects == []
    assert crashed.done.tolist() == whole.done.tolist()
    assert not crashed.done[-1]
    assert crashed.batch.content().tolist() == whole.batch.content().tolist()


# ---------------------------------------------------------------- a real PyTorch


@pytest.mark.parametrize(("name", "hands"), [("real_torch", 1), ("train_py", 7), ("name_ends_in_i", 10)])
def test_kinds_of_logs_that_were_refused_once(name: str, hands: int) -> None:
    text = text_of(f"examples/{name}.txt.gz")
    assert readers.detect(text[:65536]) == belot_transcript.FORMAT
    verdicts = check(text)
    assert verdicts.rejects == []
    assert verdicts.done.tolist() == [True] * hands
    if name == "name_ends_in_i":
        assert names_of(text) == ["> Bob", "Ana i", "Player Two", "Markus (RL)"]
