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
            reported.team_0_match_score + reported.team_1_match_score is not null
            {% for team in range(2) %}
            and reported.team_{{ team }}_before = case
                when hands.hand_no > 0 then lag(reported.team_{{ team }}_match_score) over in_match else 0
            end
            {% endfor %},
            false
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
        count(distinct hand_no) = hands and max(hand_no) = hands - 1
        and hands_aborted = 0 and bool_and(follows_on) as is_unbroken,
        arg_max(team_0_match_score, hand_no)::integer as team_0_total,
        arg_max(team_1_match_score, hand_no)::integer as team_1_total,
        coalesce(sum(team_0_score), 0)::integer as team_0_scores,
        coalesce(sum(team_1_score), 0)::integer as team_1_scores,
        max(ingest_no) as ingest_no
    from followed
    group by match_id
),

won as (
    select
        by_match.*,
        case
            when greatest(by_match.team_0_total, by_match.team_1_total) < rules.target then null
            when by_match.team_0_total > by_match.team_1_total then 0
            when by_match.team_1_total > by_match.team_0_total then 1
        end::tinyint as winner
    from by_match
    inner join {{ ref('match_rules') }} as rules on rules.game = 'belote'
)

select {{ contracted_columns() }}
from won
