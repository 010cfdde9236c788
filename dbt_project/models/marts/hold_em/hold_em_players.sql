{{ config(materialized='incremental') }}

with openings as (
    select
        hand_id,
        match_id,
        dataset,
        ingest_no,
        (detail ->> '$.dealer')::tinyint as dealer,
        detail ->> '$.settings.dialect' as dialect,
        detail ->> '$.settings.structure' as structure,
        detail ->> '$.settings.currency' as currency,
        (detail ->> '$.settings.unit')::integer as unit,
        (detail ->> '$.settings.small_bet')::integer as big_blind,
        (detail -> '$.match.score')::integer[] as chips,
        (detail -> '$.players')::json[] as players,
        unnest(range(10))::tinyint as seat
    from {{ new_rows(ref('stg_events')) }}
    where game = 'hold_em' and seq = 0
),

players as (
    select
        *,
        person(players[seat + 1] ->> '$.name') as player_name,
        players[seat + 1] ->> '$.kind' as player_kind,
        chips[seat + 1] as chips_before,
        row_number() over (partition by hand_id order by (seat - dealer + 9) % 10) - 1 as dealing_position,
        count(*) over (partition by hand_id) as players_in_hand
    from openings
    where chips[seat + 1] > 0
),

doings as (
    select
        hand_id,
        seat,
        sum(chips)::integer as chips_bet,
        coalesce(bool_or(street = 0 and action in ('call', 'raise')), false) as vpip,
        coalesce(bool_or(street = 0 and action = 'raise'), false) as pfr,
        coalesce(bool_or(
            street = 0 and raises_before = 1 and raised_by <> seat and action in ('fold', 'call', 'raise')
        ), false) as could_three_bet,
        coalesce(bool_or(street = 0 and raises_before = 1 and raised_by <> seat and action = 'raise'), false)
            as three_bet,
        coalesce(bool_or(street = 0 and raises_before = 2 and has_raised), false) as faced_three_bet,
        coalesce(bool_or(street = 0 and raises_before = 2 and has_raised and action = 'fold'), false)
            as folded_to_three_bet,
        count(*) filter (where action = 'raise')::integer as raises,
        count(*) filter (where action = 'call')::integer as calls,
        max(street) filter (where action = 'fold') as folded_on
    from {{ new_rows(ref('int_hold_em_actions')) }}
    group by all
),

shows as (
    select
        hand_id,
        seat,
        max(cards) filter (where kind = 'deal' and not contains(cards, '?')) as hole_cards,
        coalesce(bool_or(kind = 'score' and action = 'show' and not contains(cards, '?')), false) as shown
    from {{ new_rows(ref('stg_events')) }}
    where game = 'hold_em' and seat is not null and (action = 'show' or (kind = 'deal' and action = 'hand'))
    group by all
),

streets as (
    select
        hand_id,
        count(*) filter (where coalesce(amount, 1) = 1)::tinyint as boards_dealt
    from {{ new_rows(ref('stg_events')) }}
    where game = 'hold_em' and action = 'board'
    group by hand_id
),

playedhand as (
    select
        hand_id,
        status,
        unnest(range(10))::tinyint as seat,
        unnest({{ by_seat('net', 10) }}) as net
    from {{ new_rows(ref('stg_playedhand')) }}
    where game = 'hold_em'
)

select
    players.hand_id,
    players.match_id,
    players.dataset,
    playedhand.status as hand_status,
    players.dialect,
    players.structure,
    players.currency,
    players.unit,
    players.big_blind,
    players.seat,
    players.player_name,
    players.player_kind = 'computer' as is_computer,
    players.seat = players.dealer as is_dealer,
    players.dealing_position::tinyint as dealing_position,
    players.players_in_hand::tinyint as players_in_hand,
    shows.hole_cards,
    coalesce(doings.vpip, false) as vpip,
    coalesce(doings.pfr, false) as pfr,
    coalesce(doings.could_three_bet, false) as could_three_bet,
    coalesce(doings.three_bet, false) as three_bet,
    coalesce(doings.faced_three_bet, false) as faced_three_bet,
    coalesce(doings.folded_to_three_bet, false) as folded_to_three_bet,
    coalesce(doings.raises, 0) as raises,
    coalesce(doings.calls, 0) as calls,
    doings.folded_on,
    coalesce(streets.boards_dealt, 0) > 0 and coalesce(doings.folded_on > 0, true) as saw_flop,
    coalesce(shows.shown, false) as shown,
    players.chips_before,
    playedhand.net,
    players.chips_before + playedhand.net as chips_after,
    players.ingest_no
from players
left join doings on players.hand_id = doings.hand_id and players.seat = doings.seat
left join shows on players.hand_id = shows.hand_id and players.seat = shows.seat
left join streets on players.hand_id = streets.hand_id
left join playedhand on players.hand_id = playedhand.hand_id and players.seat = playedhand.seat
