{{ config(materialized='incremental') }}

with

events as (
    select * from {{ ref('stg_events') }}
    where game = 'pinochle' and kind = 'meld'
),

seats as (
    select * from {{ of_new_hands(ref('seats')) }}
),

hands as (
    select * from {{ of_new_hands(ref('hands')) }}
),

final as (
    select
        events.hand_id,
        hands.dataset,
        hands.status as hand_status,
        events.seat,
        seats.player_name,
        seats.player_kind,
        seats.is_declarer,
        seats.team = hands.declarer_team as is_declaring,
        coalesce(events.amount, 0)::integer as points,
        events.cards,
        (coalesce(length(events.cards), 0) // 2)::tinyint as card_count
    from events
    inner join hands on events.hand_id = hands.hand_id
    left join seats on events.hand_id = seats.hand_id and events.seat = seats.seat
)

select * from final
