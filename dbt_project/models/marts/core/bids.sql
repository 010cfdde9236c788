{{ config(materialized='incremental') }}

with

events as (
    select events.*
    from {{ ref('stg_events') }} as events
    inner join {{ ref('hand_rules') }} as rules on events.game = rules.game
    where
        events.kind = 'bid'
        and (events.action in ('pass', 'bid') or (events.action = 'trump' and rules.trump_is_bid))
),

hands as (
    select * from {{ of_new_hands(ref('hands')) }}
),

final as (
    select
        events.game,
        events.hand_id,
        hands.dataset,
        hands.status as hand_status,
        (row_number() over (partition by events.hand_id order by events.seq) - 1)::smallint as bid_no,
        events.seat,
        events.action = 'pass' as is_pass,
        events.amount,
        events.suit,
        coalesce(events.suit = 'N', false) as is_no_trump,
        coalesce(events.seat = hands.dealer, false) as is_dealer,
        coalesce(
            events.action <> 'pass'
            and events.seat = hands.declarer
            and (events.amount = hands.contract or events.amount is null),
            false
        ) as is_winning
    from events
    left join hands on events.hand_id = hands.hand_id
)

select * from final
