{{ config(materialized='incremental') }}

with plays as (
    select * from {{ new_rows(ref('stg_plays')) }}
    where trick_no = 0 and is_led and hand_status = 'complete'
),

led as (
    select
        plays.game,
        plays.dataset,
        seats.role as leader,
        plays.rank,
        coalesce(plays.suit = hands.trump, false) as is_trump,
        plays.won as is_taken,
        seats.won as is_won,
        hands.hand_id,
        hands.match_id,
        plays.ingest_no
    from plays
    inner join {{ new_rows(ref('hands')) }} as hands on plays.hand_id = hands.hand_id
    inner join {{ new_rows(ref('stg_seats')) }} as seats
        on plays.hand_id = seats.hand_id and plays.seat = seats.seat
)

select
    game,
    dataset,
    leader,
    rank,
    is_trump,
    {{ cluster() }},
    count(*) as leads,
    count(*) filter (where is_taken) as tricks_taken,
    count(*) filter (where is_won) as hands_won,
    max(ingest_no) as ingest_no
from led
group by all
