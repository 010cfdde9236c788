-- What a seat still holds is what it plays later, so only whole hands are used.
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

play_indices as (
    select unnest(range(4)) as play_index
),

plays as (
    select
        tricks.hand_id,
        tricks.trick_no,
        hands.trump,
        play_indices.play_index,
        (tricks.leader + play_indices.play_index) % 4 as seat,
        tricks.cards[2] as suit_led,
        substr(tricks.cards, 1 + 2 * play_indices.play_index, 2) as card,
        tricks.cards[2 * play_indices.play_index + 2] as suit
    from tricks
    inner join hands on tricks.hand_id = hands.hand_id
    cross join play_indices
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
        and play_index > 0
        and suit <> 'D'
        and (holds_diamond or (holds_trump and suit <> trump))
)

select * from final
