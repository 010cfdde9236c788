{{ config(materialized='incremental') }}

with

events as (
    select * from {{ ref('stg_events') }}
),

final as (
    select
        game,
        hand_id,
        match_id,
        hand_no,
        detail ->> '$.settings.dialect' as dialect,
        (detail -> '$.match.score')::integer[] as match_score_before
    from events
    where seq = 0
)

select * from final
