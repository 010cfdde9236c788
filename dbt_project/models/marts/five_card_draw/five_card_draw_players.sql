{{ config(materialized='incremental') }}

with hands as (
    select * from {{ new_rows(ref('int_five_card_draw_hands')) }}
),

ranked as (
    select * from {{ new_rows(ref('int_five_card_draw_ranked_hands')) }}
),

playedhand as (
    select
        hand_id,
        status,
        unnest(range(6))::tinyint as seat,
        unnest({{ by_seat('net', 6) }}) as net
    from {{ new_rows(ref('stg_playedhand')) }}
    where game = 'five_card_draw'
)

select
    seats.hand_id,
    seats.match_id,
    seats.hand_no,
    seats.dataset,
    playedhand.status as hand_status,
    seats.dialect,
    seats.seat,
    seats.player_name,
    seats.player_kind = 'computer' as is_computer,
    seats.seat = seats.dealer as is_dealer,
    seats.dealing_position,
    seats.players_in_hand,
    seats.hand_dealt is not null as known_from_deal,
    hands.hand_before,
    ranked_before.rank as rank_before,
    case when known_from_deal then ranked_before.category end as category_before,
    seats.cards_exchanged,
    hands.hand_after,
    ranked_after.rank as rank_after,
    ranked_after.category as category_after,
    seats.folded,
    seats.cards_shown is not null as shown,
    seats.mucked,
    seats.raises,
    seats.chips_before,
    seats.chips_put_in,
    seats.chips_put_in = seats.chips_before as all_in,
    playedhand.net + seats.chips_put_in as chips_won,
    playedhand.net,
    seats.chips_before + playedhand.net as chips_after,
    seats.ingest_no
from {{ new_rows(ref('int_five_card_draw_seats')) }} as seats
left join hands on seats.hand_id = hands.hand_id and seats.seat = hands.seat
left join playedhand on seats.hand_id = playedhand.hand_id and seats.seat = playedhand.seat
left join ranked as ranked_before
    on
        seats.hand_id = ranked_before.hand_id
        and seats.seat = ranked_before.seat
        and ranked_before.moment = 'before'
left join ranked as ranked_after
    on
        seats.hand_id = ranked_after.hand_id
        and seats.seat = ranked_after.seat
        and ranked_after.moment = 'after'
