"""Training rows: the mask, what came of the choice, and, in Kaiser, that nobody sees through cards."""

import pytest

from cardlog.models.kaiser.state import DECK_TEXT
from cardlog.pipelines.storage.store import Store
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
