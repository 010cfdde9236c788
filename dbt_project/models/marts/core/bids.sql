{{ config(materialized='incremental') }}

with

events as (
    select * from {{ ref('stg_events') }}
    where kind = 'bid' and action in ('pass', 'bid')
),

hands as (
    select * from {{ of_new_hands(ref('hands')) }}
),

final as (
    select
        events.game,
        events.hand_id,
        hands.status as hand_status,
        (row_number() over (partition by events.hand_id order by events.seq) - 1)::smallint as bid_no,
        events.seat,
        events.action = 'pass' as is_pass,
        events.amount,
        coalesce(events.suit = 'N', false) as is_no_trump,
        coalesce(events.seat = hands.dealer, false) as is_dealer,
        coalesce(
            events.action = 'bid' and events.seat = hands.declarer and events.amount = hands.contract, false
        ) as is_winning
    from events
    left join hands on events.hand_id = hands.hand_id
)

select * from final
