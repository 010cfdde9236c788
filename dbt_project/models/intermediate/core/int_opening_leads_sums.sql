{{ config(materialized='incremental') }}

with plays as (
    select * from {{ new_rows(ref('stg_plays')) }}
    where trick_no = 0 and is_led and hand_status = 'complete'
),

led as (
    select
        plays.game,
        plays.dataset,
        seat_relations.to_declarer as leader,
        plays.rank,
        coalesce(plays.suit = hands.trump, false) as is_trump,
        plays.won as is_taken,
        case plays.seat % 2
            when 0 then hands.team_0_score > hands.team_1_score
            else hands.team_1_score > hands.team_0_score
        end as is_won,
        hands.hand_id,
        hands.match_id,
        plays.ingest_no
    from plays
    inner join {{ new_rows(ref('hands')) }} as hands on plays.hand_id = hands.hand_id
    left join {{ ref('seat_relations') }} as seat_relations
        on (plays.seat - hands.declarer + 4) % 4 = seat_relations.steps
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
