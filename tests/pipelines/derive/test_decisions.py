"""Training rows: the mask, what came of the choice, and, in Kaiser, that nobody sees through cards."""

import numpy as np
import pytest

from cardlog.models.kaiser import decisions as kaiser_decisions
from cardlog.models.kaiser.state import DECK_TEXT
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import Action
from tests.support.csv_rows import HEADER, dump, dump_lines, field
from tests.support.decision_rows import decision_rows
from tests.support.shared import logged_games
from tests.support.soak import long
from tests.support.stores import ask, one

DECK = [DECK_TEXT[i : i + 2] for i in range(0, 64, 2)]
DECK_LIST = "[" + ", ".join(f"'{card}'" for card in DECK) + "]"


# ---------------------------------------------------------------- all rows


@pytest.mark.parametrize("name", ["edge", *long("whole")])
def test_every_bid_and_every_card_is_a_decision(name: str, request: pytest.FixtureRequest) -> None:
    store: Store = request.getfixturevalue(name)
    action = f"""
        case when kind = 'play' then list_position({DECK_LIST}, cards) - 1
             when action = 'trump' then 26 + instr('CDHS', suit) - 1
             when action = 'pass' then 0
             else 2 * amount + (suit is not distinct from 'N')::int end
    """
    events = f"""
        select hand_id, seq, kind, seat, {action} as action,
               row_number() over (partition by hand_id order by seq) - 1 as step
        from events where kind in ('bid', 'play')
    """
    rows = "select hand_id, seq, kind, seat, action, step from decisions"
    assert ask(store, f"({events}) except all ({rows})") == []
    assert one(store, "select count(*) from decisions") == one(store, f"select count(*) from ({events})")


@pytest.fixture
def logged() -> Store:
    """Hands of every game."""
    return logged_games()


@pytest.mark.parametrize("name", ["edge", "logged", *long("whole")])
def test_reward_and_return_are_those_of_the_tables(name: str, request: pytest.FixtureRequest) -> None:
    store: Store = request.getfixturevalue(name)
    of_teams = "game in ('kaiser', 'belote', 'pinochle')"
    sql = f"""
        select count(*), count(*) filter (kind = 'play' and reward is not null), count("return")
        from (
            select *, case when kind = 'play' then
                (row_number() over (partition by hand_id, kind order by step) - 1) // 4 end as trick_no
            from decisions
            where {of_teams}
        ) as d
        left join tricks using (hand_id, trick_no)
        join playedhand as p using (hand_id)
        where d.reward is not distinct from
                  case when kind = 'bid' then 0 when d.seat % 2 = winner_team then points else -points end
          and d."return" is not distinct from (team_0_score - team_1_score) * (1 - 2 * (d.seat % 2))
          and d.status = p.status
    """
    ((rows, rewarded, returned),) = ask(store, sql)
    assert rows == one(store, f"select count(*) from decisions where {of_teams}")
    assert rewarded == 4 * one(store, "select count(*) from tricks")
    complete = "hand_id in (select hand_id from playedhand where status = 'complete')"
    assert returned == one(store, f"select count(*) from decisions where {of_teams} and {complete}")


def _pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(0, len(text), 2)]


# ---------------------------------------------------------------- what a seat knows


def seen_after_a_pass(first_taken: dict[int, int]) -> dict[tuple[int, int], list[int]]:
    """What seats 0 and 2 see of a hand in which every seat took two cards from its partner, by seat
    and step. `first_taken` says where they are among the seat's cards after the pass."""
    (read,) = playedhand_csv.read(dump(dump_lines()[0]), Source("0" * 64, "-", "test", HEADER))
    batch = judge(read).batch
    after = batch.events[1:5]["cards"].copy()
    taken = [after[seat][first_taken[seat] : first_taken[seat] + 2] for seat in range(4)]
    events = np.insert(batch.events, [5] * 4, batch.events[1:5])
    for seat in range(4):
        start, partner = first_taken[seat], (seat + 2) % 4
        events[1 + seat]["cards"][start : start + 2] = taken[partner]
        events[5 + seat]["action"], events[5 + seat]["count"] = Action.DEAL_PASS, 2
        events[5 + seat]["cards"][:2] = taken[partner]
    batch.events, batch.offsets = events, np.array([0, len(events)])
    rows = decision_rows(batch)
    return {(row["seat"], row["step"]): row["observation"] for row in rows if row["seat"] % 2 == 0}


def test_what_others_pass_is_hidden_and_what_one_gives_is_not() -> None:
    """No CSV row shows the pass of cards, so it is put into the events here."""
    seen = seen_after_a_pass({0: 0, 1: 0, 2: 0, 3: 0})
    assert seen_after_a_pass({0: 0, 1: 2, 2: 0, 3: 5}) == seen
    # Seat 0 gives other cards; its partner, who got others, holds the same hand and sees the same.
    other = seen_after_a_pass({0: 0, 1: 0, 2: 3, 3: 0})
    assert {seat for seat, step in seen if seen[seat, step] != other[seat, step]} == {0}
    first = min(step for seat, step in seen if seat == 0)
    hand = _pairs(field(dump_lines()[0], "player_2_hand"))
    for found, gave in ((seen, hand[:2]), (other, hand[3:5])):
        given = {DECK[n] for n, value in enumerate(found[0, first][:32]) if value == kaiser_decisions.GIVEN}
        assert given == set(gave)
