{{ config(materialized='incremental', unique_key='match_id') }}

with hands as (
    select * from {{ new_matches(ref('stg_playedhand')) }}
    where game = 'belote' and match_id is not null
),

reported as (
    select
        {% for team in range(2) %}
        max(score_before) filter (where seat = {{ team }}) as team_{{ team }}_before,
        max(score_after) filter (where seat = {{ team }}) as team_{{ team }}_match_score,
        {% endfor %}
        hand_id
    from {{ new_matches(ref('stg_seats')) }}
    where game = 'belote'
    group by hand_id
),

-- A hand of another log may have taken the place of one of this match.
followed as (
    select
        hands.*,
        reported.team_0_match_score,
        reported.team_1_match_score,
        coalesce(
            reported.team_0_before = lag(reported.team_0_match_score) over in_match
            and reported.team_1_before = lag(reported.team_1_match_score) over in_match,
            true
        ) as follows_on
    from hands
    left join reported on hands.hand_id = reported.hand_id
    window in_match as (partition by hands.match_id order by hands.hand_no)
),

by_match as (
    select
        match_id,
        min(dataset) as dataset,
        min(dialect) as dialect,
        count(*) as hands,
        count(*) filter (where status = 'aborted') as hands_aborted,
        count(distinct hand_no) as hand_nos,
        max(hand_no) as last_hand_no,
        bool_and(follows_on) as follow_on,
        arg_max(team_0_match_score, hand_no)::integer as team_0_total,
        arg_max(team_1_match_score, hand_no)::integer as team_1_total,
        coalesce(sum(team_0_score), 0)::integer as team_0_scores,
        coalesce(sum(team_1_score), 0)::integer as team_1_scores,
        max(ingest_no) as ingest_no
    from followed
    group by match_id
),

rules as (
    select target
    from {{ ref('match_rules') }}
    where game = 'belote'
)

select
    match_id,
    dataset,
    dialect,
    hands,
    hands_aborted,
    hand_nos = hands and last_hand_no = hands - 1 and hands_aborted = 0 and follow_on as is_unbroken,
    team_0_total,
    team_1_total,
    team_0_scores,
    team_1_scores,
    case
        when greatest(team_0_total, team_1_total) < (select rules.target from rules) then null
        when team_0_total = team_1_total then null
        when team_0_total > team_1_total then 0
        when team_1_total > team_0_total then 1
    end::tinyint as winner,
    ingest_no
from by_match
