-- The seats whose meld, by their cards, is not worth what they declared.
with found as (
    select
        hand_id,
        seat,
        sum(points) as points
    from {{ untested(ref('int_pinochle_melds')) }}
    group by all
),

declared as (
    select
        events.hand_id,
        events.seat,
        events.amount
    from {{ untested(ref('stg_events')) }} as events
    inner join {{ untested(ref('int_pinochle_hands')) }} as hands on events.hand_id = hands.hand_id
    where events.game = 'pinochle' and events.kind = 'meld' and hands.status = 'complete'
)

select
    declared.hand_id,
    declared.seat,
    declared.amount,
    found.points
from declared
left join found on declared.hand_id = found.hand_id and declared.seat = found.seat
where declared.amount <> coalesce(found.points, 0)
