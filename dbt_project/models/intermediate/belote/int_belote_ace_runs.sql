-- A run that ends in the ace goes down to the first missing card.
{{ config(materialized='incremental') }}

with hands as (
    select
        hand_id,
        ingest_no,
        unnest(range(4))::tinyint as seat,
        unnest({{ by_seat('hand', 4) }}) as held
    from {{ new_rows(ref('stg_playedhand')) }}
    where game = 'belote' and status = 'complete'
),

suits as (
    select unnest(['C', 'D', 'H', 'S']) as suit
),

by_suit as (
    select
        hands.hand_id,
        hands.ingest_no,
        hands.seat,
        hands.held,
        suits.suit
    from hands
    cross join suits
),

measured as (
    select
        *,
        list_transform(
            ['A', 'K', 'Q', 'J', 'T', '9', '8', '7'], lambda rank: contains(held, rank || suit)
        ) as holds,
        coalesce(list_position(holds, false), 9) - 1 as cards
    from by_suit
)

select
    hand_id,
    seat,
    suit,
    cards::tinyint as cards,
    ingest_no
from measured
where cards >= 3
