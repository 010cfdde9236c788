-- Cards of the client at seat 0 that the server refused before it took one.
with plays as (
    select
        hand_id,
        dataset,
        seq,
        trick_no
    from {{ ref('stg_plays') }}
    where game = 'pinochle' and seat = 0
),

hands as (
    select
        hand_id,
        match_id
    from {{ ref('int_pinochle_hands') }}
),

refusals as (
    select
        hand_id,
        seq,
        json_array_length(detail, '$.refused') as refused
    from {{ ref('stg_events') }}
    where game = 'pinochle' and kind = 'play' and detail is not null
)

select
    plays.hand_id,
    hands.match_id,
    plays.dataset,
    plays.trick_no,
    coalesce(refusals.refused, 0)::integer as refused
from plays
inner join hands on plays.hand_id = hands.hand_id
left join refusals on plays.hand_id = refusals.hand_id and plays.seq = refusals.seq
