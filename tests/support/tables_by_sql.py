"""A second implementation of `tricks`, `plays`, `seats` and `bids`: SQL over events, `playedhand` and the
oldest columns of `tricks`, which shares nothing with the fold but these, and the names of poker hands."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb

from cardlog.pipelines.sql.poker import add_functions
from cardlog.schemas.tables import MOST_SEATS, PROJECTIONS

SEEDS = Path(__file__).parents[2] / "dbt_project" / "seeds"


def _by_seat(column: str) -> str:
    return "[" + ", ".join(f"player_{seat}_{column}" for seat in range(MOST_SEATS)) + "]"


def _count(letter: str) -> str:
    return f"(length(known) - length(replace(known, '{letter}', '')))::tinyint"


def _high(ranks: str) -> str:
    points = " + ".join(f"{4 - place} * {_count(rank)}" for place, rank in enumerate(ranks))
    return f"({points}) // 2 * 2"


VIEWS = {
    # Games with tricks; all of them have teams.
    "trick_games": """
        from (values ('kaiser', false), ('belote', true), ('pinochle', false)) as games(game, trump_is_bid)
    """,
    "card_points": f"""
        select 'kaiser' as game, null as trump, card, points from read_csv('{SEEDS}/kaiser_cards.csv')
        union all select 'pinochle', null, card, counters from read_csv('{SEEDS}/pinochle_cards.csv')
        union all select 'belote', trump, rank || suit, if(suit = trump, trump_points, plain_points)
        from read_csv('{SEEDS}/belote_ranks.csv', types = {{'rank': 'varchar'}}),
            (select unnest(['C', 'D', 'H', 'S']) as trump), (select unnest(['C', 'D', 'H', 'S']) as suit)
    """,
    # What a poker player was dealt: as told, or the hand shown by one who exchanged nothing. Only hands told
    # at the deal have a category.
    "poker": """
        select
            hand_id, seat,
            nullif(max(cards) filter (where kind = 'deal' and action = 'hand'), '??????????') as told,
            bool_or(action = 'discard') and max(cards) filter (where action = 'discard') is null as kept,
            nullif(max(cards) filter (where action = 'show'), '??????????') as shown,
            coalesce(told, if(kept, shown, null)) as seen
        from events where game = 'five_card_draw' and seat is not null group by all
    """,
    "sitting": """
        select
            hand_id,
            from_json(detail, '{"players": [{"name": "VARCHAR", "kind": "VARCHAR"}]}').players as players,
            unnest(players) as player, unnest(range(length(players)))::tinyint as seat,
            (detail -> '$.match.score')::integer[] as score, detail ->> '$.settings.dialect' as dialect_told
        from events where seq = 0
    """,
    "scores": """
        select
            hand_id, seat, max(amount) filter (where action = 'match') as match_score,
            max(amount) filter (where action = 'place') as place_told
        from events where kind = 'score' group by all
    """,
    "dealt": f"""
        select
            playedhand.*, seat, player, players, score, dialect_told,
            trick_games.game is not null as has_tricks,
            if(has_tricks, seat % 2, null)::tinyint as team,
            if(has_tricks, (seat + 2) % 4, null)::tinyint as partner_seat,
            coalesce(poker.seen, {_by_seat("hand")}[seat + 1]) as held,
            if(trim(held, '?') = '', null, held) as cards,
            if(contains(held, '?'), null, cards) as known,
            hand_name(poker.told) as category
        from sitting
        inner join playedhand using (hand_id)
        left join trick_games on playedhand.game = trick_games.game
        left join poker using (hand_id, seat)
        where sitting.player is not null
    """,
    "held": "select *, unnest(regexp_extract_all(known, '..')) as card from dealt",
    "valued": """
        select hand_id, seat, sum(card_points.points)::integer as card_points
        from held inner join card_points using (game, card)
        where card_points.trump is null or card_points.trump = held.trump group by all
    """,
    "strengths": f"""
        select hand_id, seat, max(points)::smallint // 10 * 10 as strength
        from (
            select hand_id, seat, card_points.trump, sum(card_points.points) as points
            from held inner join card_points using (game, card) where game = 'belote' group by all
        ) group by all
        union all select hand_id, seat, {_high("AKQJ")} from dealt where game = 'kaiser'
        union all select hand_id, seat, {_high("ATKQ")} from dealt where game = 'pinochle'
    """,
    "seats_by_sql": f"""
        select
            game, dealt.hand_id, match_id, hand_no, status as hand_status, dataset, dealt.seat,
            player.name as player_name, player.kind as player_kind, team, partner_seat,
            players[partner_seat + 1].name as partner_name, players[partner_seat + 1].kind as partner_kind,
            dealt.seat = dealer as is_dealer, dealt.seat = declarer as is_declarer,
            if(has_tricks, ['declarer', 'left_defender', 'partner', 'right_defender'][
                (dealt.seat - declarer + 4) % 4 + 1
            ], null) as role,
            {_by_seat("bid")}[dealt.seat + 1] as bid,
            cards, regexp_extract_all(cards, '..') as card_list,
            {_count("C")} as clubs, {_count("D")} as diamonds,
            {_count("H")} as hearts, {_count("S")} as spades,
            if(has_tricks, (clubs = 0)::tinyint + (diamonds = 0)::tinyint + (hearts = 0)::tinyint
                + (spades = 0)::tinyint, null) as voids,
            {_count("A")} as aces, card_points, strength, category as poker_category,
            if(dealt.seat % 2 = 0, team_0_points, team_1_points) as team_points,
            if(dealt.seat % 2 = 0, team_0_score, team_1_score) as team_score,
            if(dealt.seat % 2 = 0, team_1_score, team_0_score) as other_score,
            {_by_seat("place")}[dealt.seat + 1] as place, {_by_seat("net")}[dealt.seat + 1] as net,
            case
                when status <> 'complete' then null
                when team_score is not null then team_score > other_score
                when place is not null then place = list_min({_by_seat("place")})
                when net is not null then net > 0
            end as won,
            dialect_told as dialect, score[coalesce(team, dealt.seat) + 1] as score_before,
            after.match_score as score_after, placed.place_told::tinyint as reported_place
        from dealt
        left join valued using (hand_id, seat)
        left join strengths using (hand_id, seat)
        left join scores as after on dealt.hand_id = after.hand_id and coalesce(team, dealt.seat) = after.seat
        left join scores as placed on dealt.hand_id = placed.hand_id and dealt.seat = placed.seat
    """,
    "tricks_by_sql": """
        select
            tricks.game, hand_id, playedhand.dataset, status as hand_status, trick_no, leader, cards,
            cards[2] as suit_led, winner, winner_team,
            substr(cards, 1 + 2 * ((winner - leader + 4) % 4), 2) as winning_card, points,
            winner = leader as kept_lead,
            coalesce(suit_led <> trump and suffix(winning_card, trump), false) as ruffed,
            winner_team = declarer % 2 as taken_by_bidders
        from tricks inner join playedhand using (hand_id)
    """,
    "turns": """
        select
            hand_id, seq, seat, cards as card, cards[2] as suit,
            row_number() over (partition by hand_id order by seq) - 1 as play_no,
            count(*) over (partition by hand_id, seat, cards[2] order by seq) as played_of_suit
        from events where kind = 'play' and action = 'card'
    """,
    "plays_by_sql": """
        select
            seats.game, turns.hand_id, seats.dataset, seats.hand_status,
            if(trick_games.game is not null, turns.play_no // 4, null)::tinyint as trick_no,
            if(trick_games.game is not null, turns.play_no % 4, null)::tinyint as order_in_trick,
            turns.seq, turns.seat, seats.player_name, seats.player_kind,
            turns.card, turns.card[1] as rank, turns.suit, order_in_trick = 0 as is_led,
            if(order_in_trick > 0, turns.suit = led.suit, null) as followed,
            if(
                order_in_trick > 0, not followed and coalesce(turns.suit = hands.trump, false), null
            ) as trumped,
            turns.seat = tricks.winner as won,
            if(turns.seat = tricks.winner, tricks.points, 0 * tricks.points) as points,
            if(seats.clubs is not null,
                len(list_filter(seats.card_list, lambda each: each[2] = turns.suit)) - turns.played_of_suit,
                null
            )::tinyint as cards_left_in_suit
        from turns
        inner join playedhand as hands on turns.hand_id = hands.hand_id
        inner join seats_by_sql as seats on turns.hand_id = seats.hand_id and turns.seat = seats.seat
        left join trick_games on hands.game = trick_games.game
        left join turns as led on turns.hand_id = led.hand_id and turns.play_no // 4 * 4 = led.play_no
        left join tricks on turns.hand_id = tricks.hand_id and turns.play_no // 4 = tricks.trick_no
    """,
    "bids_by_sql": """
        select
            events.game, events.hand_id, hands.dataset, hands.status as hand_status,
            (row_number() over (partition by events.hand_id order by seq) - 1)::smallint as bid_no,
            seat, action = 'pass' as is_pass, amount, suit, coalesce(suit = 'N', false) as is_no_trump,
            coalesce(seat = dealer, false) as is_dealer,
            coalesce(
                action <> 'pass' and seat = declarer and (amount = contract or amount is null), false
            ) as is_winning
        from events
        inner join trick_games on events.game = trick_games.game
        inner join playedhand as hands on events.hand_id = hands.hand_id
        where kind = 'bid' and (action in ('pass', 'bid') or (action = 'trump' and trump_is_bid))
    """,
}
"""Views, each of those before it; the last ones are what the tables must hold."""
TABLES = ("tricks", "plays", "seats", "bids")
IN_MARTS = {"expected_net": "null", "poker_category": "if(game = 'hold_em', null, poker_category)"}
"""What `test_hold_em_marts.py` recomputes of hold'em, and what is compared in its place."""


def differences_from_sql(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Any]]:
    """Some rows of each table that either it or its second implementation lacks, of a database with `events`
    and the projections."""
    with suppress(duckdb.CatalogException):  # of those that another comparison has added
        add_functions(connection)
    for name, sql in VIEWS.items():
        kind = "table" if name.endswith("_by_sql") else "view"
        connection.execute(f"create or replace temp {kind} {name} as {sql}")
    found = {}
    for name in TABLES:
        compared = [column for column in PROJECTIONS[name].names if column != "ingest_no"]
        columns = ", ".join(IN_MARTS.get(column, column) for column in compared)
        for one, other in ((name, f"{name}_by_sql"), (f"{name}_by_sql", name)):
            sql = f"select {columns} from {one} except all select {columns} from {other} limit 3"
            if rows := connection.execute(sql).fetchall():
                found[f"in {one} only"] = rows
    return found
