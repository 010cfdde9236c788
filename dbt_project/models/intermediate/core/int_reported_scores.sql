{{ config(materialized='incremental') }}

with

scores as (
    select * from {{ ref('stg_events') }}
    where kind = 'score'
),

final as (
    select
        game,
        hand_id,
        match_id,
        source_id,
        count(*) as scores,
        max(amount) filter (where action = 'match' and seat = 0) as team_0_match_score,
        max(amount) filter (where action = 'match' and seat = 1) as team_1_match_score,
        max(seat % 2) filter (where action = 'place' and amount = 1)::tinyint as winner_team
    from scores
    group by all
)

select * from final
