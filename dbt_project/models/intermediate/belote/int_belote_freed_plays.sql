-- What a seat still holds is what it plays later, so only whole hands are used.
{{ config(materialized='incremental') }}

with hands as (
    select
        hand_id,
        trump
    from {{ new_rows(ref('stg_playedhand')) }}
    where game = 'belote' and status = 'complete'
),

plays as (
    select
        plays.*,
        hands.trump
    from {{ new_rows(ref('stg_plays')) }} as plays
    inner join hands on plays.hand_id = hands.hand_id
),

with_held as (
    select
        *,
        first_value(suit) over (partition by hand_id, trick_no order by order_in_trick) as suit_led,
        bool_or(suit = 'D') over still_held as holds_diamond,
        bool_or(suit = trump) over still_held as holds_trump
    from plays
    window still_held as (
        partition by hand_id, seat order by trick_no rows between current row and unbounded following
    )
)

select
    hand_id,
    trick_no,
    seat,
    card,
    trump,
    case when holds_diamond then 'did not follow' else 'did not trump' end as deed,
    ingest_no
from with_held
where
    suit_led = 'D'
    and order_in_trick > 0
    and suit <> 'D'
    and (holds_diamond or (holds_trump and suit <> trump))
