-- What a seat still holds is what it plays from here on, so only whole hands are looked at.
{{ config(materialized='incremental') }}

with

hands as (
    select
        hand_id,
        trump
    from {{ ref('stg_playedhand') }}
    where game = 'belote' and status = 'complete'
),

tricks as (
    select * from {{ ref('stg_tricks') }}
    where game = 'belote'
),

places as (
    select unnest(range(4)) as place
),

plays as (
    select
        tricks.hand_id,
        tricks.trick_no,
        hands.trump,
        places.place,
        (tricks.leader + places.place) % 4 as seat,
        tricks.cards[2] as suit_led,
        substr(tricks.cards, 1 + 2 * places.place, 2) as card,
        tricks.cards[2 * places.place + 2] as suit
    from tricks
    inner join hands on tricks.hand_id = hands.hand_id
    cross join places
),

with_held as (
    select
        *,
        bool_or(suit = 'D') over still_held as holds_diamond,
        bool_or(suit = trump) over still_held as holds_trump
    from plays
    window still_held as (
        partition by hand_id, seat order by trick_no rows between current row and unbounded following
    )
),

final as (
    select
        hand_id,
        trick_no,
        seat::tinyint as seat,
        card,
        trump,
        case when holds_diamond then 'did not follow' else 'did not trump' end as deed
    from with_held
    where
        suit_led = 'D'
        and place > 0
        and suit <> 'D'
        and (holds_diamond or (holds_trump and suit <> trump))
)

select * from final
