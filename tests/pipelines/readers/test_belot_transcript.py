"""The reader of belot's transcripts: names, cut texts, damage by kind, and hands read by themselves."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import readers, runs
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.belot_transcript import reader as belot_transcript
from cardlog.pipelines.readers.belot_transcript.lines import parse_card
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.pipelines.readers.test_belot_fuzz import GAMES, base, check, game, lines_of
from tests.support.belote_logs import FIXTURES, hands_of, source, text_of
from tests.support.damaged_logs import damaged
from tests.support.soak import soak
from tests.support.stores import PROJECTIONS, assert_same, dicts, ingest

CRASH = b"Traceback (most recent call last):"
SAMPLE = FIXTURES / "transcripts_sample.txt"


def contents(text: bytes, final: bool = False) -> dict[bytes, int]:
    """The hands that are stored, and a digest of what each says."""
    [read] = belot_transcript.read(text, source(final))
    batch = judge(read).batch
    return dict(zip(batch.hand_ids.tolist(), batch.content().tolist(), strict=True))


# ---------------------------------------------------------------- what a file looks like


def test_the_format_is_detected_by_the_beginning_of_a_file() -> None:
    for name in ("cesmak", "bornabesic", "readme", "rl_cesmak", "rl_bornabesic"):
        assert readers.detect(text_of(f"{name}_transcripts.txt.gz")[:65536]) == belot_transcript.FORMAT
    for path in (FIXTURES / "edge").glob("*.gz"):
        assert readers.detect(text_of(f"edge/{path.name}")[:65536]) == belot_transcript.FORMAT
    for head in (b"", b"hello\n", b"id,added_date\n", b'{"game":"belote"}\n', b"PAR\n", b"=== GAME x ===\n"):
        assert not belot_transcript.sniff(head)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PIK ♠ VII", "7S"),
        ("HERC ♥ DEČKO", "JH"),
        ("TREF ♣ KRALJ", "KC"),
        ("KARO ♦ King", "KD"),
        ("KARO X", "TD"),
        ("PIK ? AS", "AS"),
        ("PIK â™\xa0 AS", "AS"),
        ("KARO ♦ DE?KO", "JD"),
        ("KARO ♦ DECKO", "JD"),
        ("KARO ♦ Bube", "JD"),
        ("HERC ♥ DAMA", "QH"),
        ("HERC ♥ VIII", "8H"),
        ("HERC ♥ IX", "9H"),
        ("PIK ♥ VII", None),
        ("PIK ♠VII", None),
        ("PIK♠ VII", None),
        ("PIK ♠ VIIII", None),
        ("PIK ♠ vii", None),
        ("PIC ♠ VII", None),
        ("PIK ♠", None),
        ("PIK", None),
        ("PIK x VII", None),
        ("KARO ♦ DEXXKO", None),
        ("", None),
    ],
)
def test_cards_are_known_by_their_words(text: str, expected: str | None) -> None:
    assert parse_card(text.encode()) == (cards.code(expected) if expected else None)


def test_spoilt_jacks_are_jacks() -> None:
    for letter in ("Č".encode("cp1250"), "Č".encode().decode("cp1252").encode(), b"?", "Č".encode()):
        assert parse_card(b"PIK ? DE" + letter + b"KO") == cards.code("JS")


NAMES = {"Borna": "Ana i Iva", "Mislav": "Ž", "Luka": "a [b] (c)", "Lovro": "i"}


def test_names_may_hold_anything_even_what_parts_them() -> None:
    text = game("bornabesic", 1).decode()
    for old, new in NAMES.items():
        text = re.sub(rf"\b{old}\b", new, text)
    verdicts = check(text.encode())
    assert not verdicts.rejects
    assert verdicts.done.all()
    for _, _, opening, _ in hands_of(verdicts.batch):
        assert [player["name"] for player in opening["players"]] == ["Ana i Iva", "a [b] (c)", "Ž", "i"]


def test_a_spoilt_header_does_not_take_the_names_from_a_match() -> None:
    text = game("bornabesic", 1).decode()
    for old, new in NAMES.items():
        text = re.sub(rf"\b{old}\b", new, text)
    damaged = text.replace("---------- Ž ----------", "---------- Ž? ----------", 1)
    verdicts = check(damaged.encode())
    assert len(verdicts.rejects) == 1
    assert contents(damaged.encode()).items() <= contents(text.encode()).items()


def test_totals_name_the_pairs_where_the_lines_at_the_beginning_do_not() -> None:
    text = game("bornabesic", 1)
    hands = len(judge(belot_transcript.read(text, source())[0]).kept)
    for spoil in (lambda line: b"", lambda line: line.replace(b"Borna", b"Bozna")):
        lines = text.split(b"\n")
        lines[1] = spoil(lines[1])
        verdicts = check(b"\n".join(lines))
        assert len(verdicts.kept) == hands


def test_nobody_is_named_in_a_text_without_pairs_and_totals() -> None:
    text = b"\n".join(game("bornabesic", 1).split(b"\n")[3:40]) + b"\n"
    verdicts = check(text, final=True)
    assert [reject.reason.code for reject in verdicts.rejects] == ["incomplete"]
    assert "players are not named" in verdicts.rejects[0].message


def test_marks_name_matches_and_the_others_are_named_by_their_first_hand() -> None:
    plain = game("bornabesic", 1).split(b"\n", 1)[1]
    other = game("cesmak", 1).split(b"\n", 1)[1]
    [read] = belot_transcript.read(b"=== GAME one ===\n" + plain + other, source())
    names = [match for match, number, *_ in hands_of(read.batch) if number == 0]
    assert names[0] == "one"
    assert re.fullmatch("[0-9a-f]{16}", names[1])
    [alone] = belot_transcript.read(other, source())
    assert alone.batch.matches == [names[1]]
    assert set(alone.batch.hand_ids) < set(read.batch.hand_ids)


# ---------------------------------------------------------------- cut and grown


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("marked", [True, False])
def test_a_text_that_grows_stores_what_the_whole_one_does(name: tuple[str, int], marked: bool) -> None:
    """Whatever is stored early is stored in the end, with the same words."""
    text = game(*name)
    text = text if marked else text.split(b"\n", 1)[1]
    whole = contents(text)
    rng = random.Random(name[1])
    ends = [index + 1 for index in range(len(text)) if text[index : index + 1] == b"\n"]
    cuts = sorted({rng.randrange(len(text)) for _ in range(20)} | set(rng.sample(ends, 30)))
    reached = set()
    for cut in cuts:
        found = contents(text[:cut])
        assert found.items() <= whole.items(), cut
        reached |= set(found)
        assert (
            len(found) >= len(whole) - text[cut:].count(b"DIJELJENJE =") - text[cut:].count(b"SHARING =") - 1
        )
    assert len(reached) >= len(whole) - 1


def test_the_end_of_a_hand_is_seen_at_the_last_line_of_totals() -> None:
    """Before it the hand may go on; with --final it is stored as far as it goes."""
    text = game("bornabesic", 1)
    [read] = belot_transcript.read(text, source())
    lines = text.split(b"\n")
    last = int(read.last_lines[0])
    for stop in range(4, last + 1):
        piece = b"\n".join(lines[:stop]) + b"\n"
        verdicts = check(piece)
        assert len(verdicts.kept) == (stop == last)
        assert [reject.reason.code for reject in verdicts.rejects] == ["incomplete"] * (stop != last)
        final = check(piece, final=True)
        assert len(final.kept) == (stop > 4)
        if stop > 4:
            plays = (
                piece.count(b"\nPIK ")
                + piece.count(b"\nKARO ")
                + piece.count(b"\nHERC ")
                + piece.count(b"\nTREF ")
            )
            assert final.done[0] == (plays == 32)
    unfinished = b"\n".join(lines[:last])
    assert check(unfinished).kept.size == 1  # with a digit less they are wrong
    for end in range(1, len(lines[last - 1])):
        assert not check(unfinished[:-end]).kept.size


def test_an_unfinished_last_line_is_not_read_as_another_card() -> None:
    """``PIK ♠ VII`` may become ``PIK ♠ VIII``."""
    text = game("bornabesic", 1)
    offset = text.index(b"VIII\n", 2000)
    piece = text[: offset + 3]
    [read] = belot_transcript.read(piece, source())
    [whole] = belot_transcript.read(text, source())
    last = read.batch.events[read.batch.offsets[-2] :]
    full = whole.batch.events[whole.batch.offsets[len(read.batch) - 1] :]
    played = last["cards"][last["action"] == Action.PLAY_CARD][:, 0].tolist()
    assert played == full["cards"][full["action"] == Action.PLAY_CARD][:, 0].tolist()[: len(played)]
    assert read.cut is not None
    assert read.cut.tolist() == [False] * (len(read.batch) - 1) + [True]


@pytest.mark.parametrize("after", [CRASH + b"\n", b"Killed\n", None, b"PAR A: a i b\n"])
def test_a_hand_that_will_not_go_on_is_aborted(after: bytes | None) -> None:
    text = game("bornabesic", 1)
    [whole] = belot_transcript.read(text, source())
    lines = text.split(b"\n")
    piece = b"\n".join(lines[: int(whole.first_lines[2]) + 20]) + b"\n"
    rest = after if after is not None else b"\n".join(lines[int(whole.first_lines[3]) - 1 :])
    verdicts = check(piece + rest)
    assert verdicts.done[:3].tolist() == [True, True, False]
    assert not verdicts.rejects


# ---------------------------------------------------------------- damage by kind

KINDS = [
    ("a line is nothing", r"PIK ♠ (\w+)\n", r"PIK ♠ \1\nwhat is this\n", "unparsable"),
    ("a name nobody has", r"---------- Luka ----------", "---------- Luca ----------", "unparsable"),
    ("no card", r"\nPIK ♠ (\w+)\n", r"\nPIK ♠ Joker\n", "unknown_card"),
    ("a card is missing", r"(---------- Luka ----------\n)(?:PIK|HERC).*\n", r"\1", "incomplete"),
    ("who took a trick is missing", r"> Štih.*\n", "", "incomplete"),
    ("another took it", r"(> Štih \(\d+\) kupi) (?:Luka|Lovro)", r"\1 Borna", "score_mismatch"),
    ("a trick is worth more", r"> Štih \((\d+)\)", r"> Štih (9\1)", "score_mismatch"),
    ("other points", r"(\tBorna i Mislav: )(\d+)", r"\g<1>1", "score_mismatch"),
    ("declarations are missing", r"\tNema zvanja\n", "", "incomplete"),
    (
        "a dealer passes",
        r"(Karte dijeli Borna\n)",
        r"\1---------- Borna ----------\nBorna kaže dalje\n",
        "wrong_turn",
    ),
    ("no dealer", r"Karte dijeli \w+\n", "", "incomplete"),
    ("a bid comes twice", r"((\w+) zove \d)\n", r"\1\n\1\n", "out_of_order"),
    ("a bela that none has", r"(---------- Luka ----------\n)(PIK|HERC)", r"\1BELA!\n\2", "not_in_hand"),
    (
        "declares what it has not",
        r"\tNema zvanja",
        "\tLuka: [{PIK ♠ VII, PIK ♠ VIII, PIK ♠ IX}]",
        "not_in_hand",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "reason"), [kind[1:] for kind in KINDS], ids=[kind[0] for kind in KINDS]
)
def test_damage_is_named(old: str, new: str, reason: str) -> None:
    """And the hands around it are stored."""
    text = game("bornabesic", 1).decode()
    hands = len(belot_transcript.read(text.encode(), source())[0].batch)
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    verdicts = check(changed.encode())
    assert [reject.reason.code for reject in verdicts.rejects] == [reason]
    assert len(verdicts.kept) == hands - 1


CARDS = r"\n((?:PIK|HERC|KARO|TREF) .*)"
AGAINST_THE_RULES = [
    ("a dealer passes", r"(Karte dijeli Borna\n)", r"\1---------- Borna ----------\nBorna kaže dalje\n"),
    ("another names trump", r"\w+ -+\n\w+ (zove \d)", r"Borna ----------\nBorna \1"),
    ("two change turns", rf"(\w+)( -+{CARDS}\n-+ )(\w+)( -+{CARDS})", r"\4\2\1\5"),
    ("a card is played twice", rf"{CARDS}(\n-+ .*){CARDS}", r"\n\1\2\n\1"),
    ("a bela that none has", r"(---------- Luka ----------\n)(PIK|HERC)", r"\1BELA!\n\2"),
    ("no hand is dealt", r"Player  3 Cards.*\n", ""),
    ("a hand is dealt twice", r"(Player  1 Cards: )(.*)((?:\n.*)*?\nPlayer  2 Cards: ).*", r"\1\2\3\2"),
]
LATER = [
    (r"(?m)^( ?-+ .*\n)", r"\1what is this\n", "unparsable"),
    (r"(?m)^> .*\n", "", "incomplete"),
    (r"(?m)^(> .*\n)", r"\1\1", "out_of_order"),
]


@pytest.mark.parametrize("later", LATER, ids=lambda later: later[2])
@pytest.mark.parametrize("broken", AGAINST_THE_RULES, ids=lambda broken: broken[0])
def test_a_line_that_cannot_be_read_is_named_before_what_the_rules_forbid(
    broken: tuple[str, str, str], later: tuple[str, str, str]
) -> None:
    """So reading goes on behind what they forbid, and the turns and tricks are those of the text."""
    what, old, new = broken
    text = game("cesmak" if "dealt" in what else "bornabesic", 1).decode()
    illegal = re.sub(old, new, text, count=1)
    [reject] = check(illegal.encode()).rejects
    assert reject.message.startswith("Event ")
    start = next(at for at, (a, b) in enumerate(zip(illegal, text, strict=False)) if a != b)
    third = [found.start() for found in re.finditer(r"(?m)^> ", illegal) if found.start() > start][2]
    [reject] = check((illegal[:third] + re.sub(*later[:2], illegal[third:], count=1)).encode()).rejects
    assert reject.message.startswith("Line ")
    assert reject.reason.code == later[2]


def test_a_wrong_must_is_rejected() -> None:
    text = game("cesmak", 1).replace(b"must False", b"must True", 1)
    [reject] = check(text).rejects
    assert reject.reason.code == "bad_bid"


def test_a_wrong_winner_is_rejected() -> None:
    text = game("bornabesic", 1)
    [winner] = re.findall(rb"\n(.*) su pobjedili!", text)
    pairs = {b"Borna i Mislav", b"Luka i Lovro"}
    [loser] = pairs - {winner}
    [reject] = check(text.replace(winner + b" su pob", loser + b" su pob")).rejects
    assert reject.reason.code == "score_mismatch"


@pytest.mark.parametrize("which", [0, 1])
def test_spoilt_totals_take_their_own_hand_alone(which: int) -> None:
    """The next hand's score before it is the one that its own totals fit."""
    text = game("bornabesic", 1).decode()
    before = r"Ukupni bodovi:\n" + which * r".*\n" + r"\t.*: "
    index = [found.end() for found in re.finditer(before, text)][2]
    damaged = text[:index] + "1" + text[index:]
    verdicts = check(damaged.encode())
    assert [reject.reason.code for reject in verdicts.rejects] == ["score_mismatch"]
    openings = {number: opening for _, number, opening, _ in hands_of(verdicts.batch)}
    [read] = belot_transcript.read(text.encode(), source())
    expected = {number: opening for _, number, opening, _ in hands_of(read.batch)}
    assert 2 not in openings
    assert openings[3] == expected[3]
    assert openings[4] == expected[4]


# ---------------------------------------------------------------- by themselves


def test_a_hand_is_the_same_when_it_is_read_by_itself() -> None:
    text = base()
    [read] = belot_transcript.read(text, source())
    digests = read.batch.content()
    for hand in range(0, len(read.batch), 3):
        first = int(read.first_lines[hand])
        alone = source(context=read.context_of(hand))
        [one] = belot_transcript.read(read.raw_of(hand), alone, first)
        assert not one.rejects
        assert one.batch.hand_ids.tolist() == read.batch.hand_ids[hand : hand + 1].tolist()
        assert one.batch.content().tolist() == [digests[hand]]
        assert (one.first_lines[0], one.last_lines[0]) == (first, read.last_lines[hand])


def test_rejected_hands_have_names_and_can_be_read_again() -> None:
    """Once the damage is mended, the kept text gives the hand it would have been."""
    text = game("bornabesic", 1)
    [whole] = belot_transcript.read(text, source())
    digests = dict(zip(whole.batch.hand_ids.tolist(), whole.batch.content().tolist(), strict=True))
    lines = text.split(b"\n")
    for hand in range(len(whole.batch)):
        damaged = lines.copy()
        index = int(whole.first_lines[hand]) + 8
        damaged[index] += b"!"
        [read] = belot_transcript.read(b"\n".join(damaged), source())
        [reject] = read.rejects
        assert reject.hand_id == whole.batch.hand_ids[hand].decode()
        mended = reject.raw.replace(damaged[index], lines[index])
        [one] = belot_transcript.read(mended, source(context=reject.context), reject.first_line)
        assert one.batch.hand_ids.tolist() == [whole.batch.hand_ids[hand]]
        if hand:
            assert one.batch.content().tolist() == [digests[whole.batch.hand_ids[hand]]]


# ---------------------------------------------------------------- whole ingests


@pytest.mark.long
def test_a_growing_file_ends_in_the_same_tables(tmp_path: Path) -> None:
    text = game("bornabesic", 1) + game("cesmak", 1)
    grown, whole = Store(str(tmp_path / "grown")), Store(str(tmp_path / "whole"))
    rng = random.Random(4)
    path = tmp_path / "log.txt"
    for cut in sorted(rng.sample(range(100, len(text)), 2)):
        path.write_bytes(text[:cut])
        ingest(grown, path)
    for store in (grown, whole):
        path.write_bytes(text)
        ingest(store, path)
        runs.build(store)
    without = ("source_id",)
    assert_same(whole, grown, ["events", *PROJECTIONS], without=without)
    assert dicts(whole, "from quarantine") == []
    assert quarantine.waiting(grown) == 0


@pytest.mark.long
def test_blocks_of_a_file_give_what_the_whole_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cardlog.pipelines.ingest import sources

    one, split = Store(str(tmp_path / "one")), Store(str(tmp_path / "split"))
    ingest(one, SAMPLE)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1000)
    ingest(split, SAMPLE)
    assert_same(one, split, ["events", "quarantine"])


def test_every_line_of_the_edge_files_is_accounted_for(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    paths = sorted((FIXTURES / "edge").glob("*.gz"))
    result = ingest(store, *paths)
    for row in result.rows:
        text = text_of(f"edge/{Path(row['source_path']).name}")
        assert row["lines_read"] == lines_of(text)
        assert row["hands_read"] == row["hands_stored"] + row["duplicates"] + row["quarantined"]
    kept: list[dict[str, Any]] = dicts(store, "from quarantine")
    assert [row["reason"] for row in kept] == ["incomplete"] * 2


# ---------------------------------------------------------------- noise

NOISE = (
    b"",
    b"0:27:35.980478",
    b"[RL] A i B - 40.0% (40 / 100)",
    b"knowledge:",
    b"localTable {}",
    b"tensor([3])",
    b"         0.0312, 0.0000, 0.0000, 0.0000]], grad_fn=<MulBackward0>)",
    b"[-0.6931, -1.0986]",
    b"trickValue 13",
    b"{<PlayerRole.ME: 0>: [{PIK VII}]}",
    b"Categorical(probs: torch.Size([1, 32]))",
    b"self.rewards",
    b"  ",
)


@pytest.mark.parametrize("seed", range(4))
def test_noise_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    text = game(*GAMES[seed])
    mark, *lines = text.split(b"\n")
    for _ in range(200):
        lines.insert(rng.randrange(len(lines)), rng.choice(NOISE))
    noisy = b"\n".join([mark, *lines])
    assert not check(noisy).rejects
    assert contents(noisy) == contents(text)


def test_lines_between_hands_that_say_nothing_are_kept_by_themselves() -> None:
    """The hands around them, and the score of the match, are what they were."""
    text = game("bornabesic", 1)
    [read] = belot_transcript.read(text, source())
    lines = text.split(b"\n")
    index = int(read.first_lines[3]) - 1
    lines[index:index] = [b"who is there", b"", b"nobody"]
    verdicts = check(b"\n".join(lines))
    [reject] = verdicts.rejects
    assert (reject.reason.code, reject.hand_id) == ("unparsable", None)
    assert (reject.first_line, reject.last_line) == (index + 1, index + 3)
    assert contents(b"\n".join(lines)) == contents(text)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", "\ufeff".encode().decode("cp1252").encode()])
def test_byte_order_marks_stand_where_files_were_put_together(mark: bytes) -> None:
    plain = [game("bornabesic", number).split(b"\n", 1)[1] for number in (1, 2)]
    assert contents(mark + plain[0] + mark + plain[1]) == contents(plain[0] + plain[1])


def test_tabs_may_have_become_spaces() -> None:
    text = game("cesmak", 1)
    assert contents(text.replace(b"\t", b"    ")) == contents(text)


def test_a_traceback_is_passed_over_to_its_last_line() -> None:
    text = game("bornabesic", 1)
    trace = b"\n".join(
        [
            CRASH,
            b'  File "train.py", line 35, in <module>',
            b"    points = game.play()",
            b"ValueError: bad",
            b"",
            b"During handling of the above exception, another exception occurred:",
            b"",
            CRASH,
            b'  File "x.py", line 1, in y',
            b"KeyError: 1",
            b"",
        ]
    )
    verdicts = check(trace + text.split(b"\n", 1)[1] + trace)
    assert not verdicts.rejects
    assert verdicts.done.all()


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, *soak(1)])
def test_ingests_of_damaged_transcripts(seed: int, tmp_path: Path) -> None:
    """Whatever is stored can be built, and what is kept can be looked for again."""
    store = Store(str(tmp_path / "store"))
    for number, one in enumerate(GAMES[:3]):
        text = damaged(random.Random(31 * seed + number), game(*one), belot_transcript.FORMAT)
        path = tmp_path / f"{number}.txt"
        path.write_bytes(text)
        result = ingest(store, path)
        verdicts = check(text)
        assert result.rows[0]["hands_stored"] == len(verdicts.kept)
        assert result.rows[0]["quarantined"] == len(verdicts.rejects)
        kept = dicts(store, f"from quarantine where source_path = '{path}'")
        raws = {(row["first_line"], row["raw"].encode(row["raw_encoding"])) for row in kept}
        assert raws == {(reject.first_line, reject.raw) for reject in verdicts.rejects}
    runs.build(store)
    rows = dicts(store, "select status, count(*) as n from playedhand group by all")
    assert sum(row["n"] for row in rows) > 15
    quarantine.retry(store)
    assert quarantine.waiting(store) == len(dicts(store, "from quarantine"))
