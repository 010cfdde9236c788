-- Each player of a hand, by the events alone, not by the fold.
{{ config(materialized='incremental') }}

with events as (
    select * from {{ new_rows(ref('stg_events')) }}
    where game = 'five_card_draw'
),

openings as (
    select
        hand_id,
        match_id,
        hand_no,
        dataset,
        ingest_no,
        (detail ->> '$.dealer')::tinyint as dealer,
        detail ->> '$.settings.dialect' as dialect,
        (detail ->> '$.settings.ante')::integer as ante,
        (detail -> '$.match.score')::integer[] as chips,
        (detail -> '$.players')::json[] as players,
        unnest(range(6))::tinyint as seat
    from events
    where seq = 0
),

players as (
    select
        *,
        person(players[seat + 1] ->> '$.name') as player_name,
        players[seat + 1] ->> '$.kind' as player_kind,
        chips[seat + 1] as chips_before,
        row_number() over (partition by hand_id order by (seat - dealer + 5) % 6) - 1 as dealing_position,
        count(*) over (partition by hand_id) as players_in_hand
    from openings
    where chips[seat + 1] > 0
),

doings as (
    select
        hand_id,
        seat,
        coalesce(sum(amount) filter (where kind = 'bid'), 0) as chips_put_in,
        coalesce(sum(amount) filter (where kind = 'bid' and action = 'raise'), 0) as chips_raised,
        count(*) filter (where kind = 'bid' and action = 'raise') as raises,
        coalesce(bool_or(kind = 'bid' and action = 'fold'), false) as folded,
        max(cards) filter (where kind = 'deal' and action = 'hand') as hand_dealt,
        coalesce(bool_or(action = 'discard'), false) as drew,
        max(cards) filter (where action = 'discard') as cards_put_away,
        max(cards) filter (where action = 'draw') as cards_drawn,
        max(cards) filter (where action = 'show' and not contains(cards, '?')) as cards_shown,
        coalesce(bool_or(action = 'show' and cards = '??????????'), false) as mucked,
        sum(amount) filter (where kind = 'score' and action in ('hand', 'uncalled')) as chips_won_told,
        max(amount) filter (where kind = 'score' and action = 'match') as chips_after_told
    from events
    where seat is not null
    group by all
)

select
    players.hand_id,
    players.match_id,
    players.hand_no,
    players.dataset,
    players.seat,
    players.player_name,
    players.player_kind,
    players.dealer,
    players.dialect,
    players.ante,
    players.dealing_position::tinyint as dealing_position,
    players.players_in_hand::tinyint as players_in_hand,
    players.chips_before,
    coalesce(doings.chips_put_in, 0)::integer as chips_put_in,
    coalesce(doings.raises, 0)::integer as raises,
    coalesce(doings.folded, false) as folded,
    coalesce(doings.drew, false) as drew,
    case when doings.drew then coalesce(length(doings.cards_put_away), 0) // 2 end::tinyint
        as cards_exchanged,
    nullif(doings.hand_dealt, '??????????') as hand_dealt,
    doings.cards_put_away,
    doings.cards_drawn,
    doings.cards_shown,
    coalesce(doings.mucked, false) as mucked,
    doings.chips_won_told::integer as chips_won_told,
    doings.chips_after_told,
    players.ingest_no
from players
left join doings on players.hand_id = doings.hand_id and players.seat = doings.seat
