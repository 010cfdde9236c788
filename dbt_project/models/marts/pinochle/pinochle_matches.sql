{{ config(materialized='incremental', unique_key='match_id') }}

with hands as (
    select
        match_id,
        hand_id,
        hand_no,
        dataset,
        thrown_in,
        status,
        dialect,
        ingest_no
    from {{ new_matches(ref('int_pinochle_hands')) }}
    where match_id is not null
),

reported as (
    select
        hand_id,
        max(score_after) filter (where seat = 0) as team_0_match_score,
        max(score_after) filter (where seat = 1) as team_1_match_score,
        max(team) filter (where reported_place = 1) as winner_team
    from {{ new_matches(ref('stg_seats')) }}
    where game = 'pinochle'
    group by hand_id
)

select
    hands.match_id,
    min(hands.dataset) as dataset,
    min(hands.dialect) as dialect,
    count(*) as hands,
    count(*) filter (where hands.thrown_in) as hands_thrown_in,
    arg_max(reported.team_0_match_score, hands.hand_no) as team_0_score,
    arg_max(reported.team_1_match_score, hands.hand_no) as team_1_score,
    max(reported.winner_team) as winner_team,
    max(hands.ingest_no) as ingest_no
from hands
left join reported on hands.hand_id = reported.hand_id
group by hands.match_id
