-- The seats of Ruter Sju whose finishing place by the order of their last acts is not that of playedhand,
-- which comes from the fold; and those whose source reported another place. By R10 not every seat leaves
-- with its last card.
with exits as (
    select
        hand_id,
        seat,
        row_number() over (partition by hand_id order by seq) as place
    from {{ untested(ref('int_ruter_sju_visits')) }}
    where is_leaving
),

seats as (
    select
        hand_id,
        seat,
        place
    from {{ untested(ref('int_ruter_sju_seats')) }}
),

reported as (
    select
        hand_id,
        seat,
        amount as place
    from {{ untested(ref('stg_events')) }}
    where game = 'ruter_sju' and kind = 'score' and action = 'place'
)

select
    seats.hand_id,
    seats.seat,
    seats.place as by_the_fold,
    exits.place as by_acts,
    reported.place as by_the_source
from seats
left join exits on seats.hand_id = exits.hand_id and seats.seat = exits.seat
left join reported on seats.hand_id = reported.hand_id and seats.seat = reported.seat
where
    seats.place is distinct from exits.place
    or seats.place <> reported.place
