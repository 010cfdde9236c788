{{ config(materialized='incremental', unique_key='match_id') }}

with

hands as (
    select * from {{ of_new_matches(ref('hands')) }}
    where game = 'belote' and match_id is not null
),

openings as (
    select * from {{ ref('int_belote_openings') }}
),

reported as (
    select * from {{ of_new_matches(ref('int_reported_scores')) }}
),

by_match as (
    select
        hands.match_id,
        min(hands.dataset) as dataset,
        min(openings.dialect) as dialect,
        count(*) as hands,
        count(*) filter (where hands.status = 'aborted') as hands_aborted,
        count(distinct hands.hand_no) as hand_nos,
        max(hands.hand_no) as last_hand_no,
        arg_max(reported.team_0_match_score, hands.hand_no)::integer as team_0_total,
        arg_max(reported.team_1_match_score, hands.hand_no)::integer as team_1_total,
        coalesce(sum(hands.team_0_score), 0)::integer as team_0_scores,
        coalesce(sum(hands.team_1_score), 0)::integer as team_1_scores
    from hands
    inner join openings on hands.hand_id = openings.hand_id
    left join reported on hands.hand_id = reported.hand_id
    group by hands.match_id
),

rules as (
    select target
    from {{ ref('match_rules') }}
    where game = 'belote'
),

final as (
    select
        match_id,
        dataset,
        dialect,
        hands,
        hands_aborted,
        hand_nos = hands and last_hand_no = hands - 1 and hands_aborted = 0 as is_unbroken,
        team_0_total,
        team_1_total,
        team_0_scores,
        team_1_scores,
        case
            when greatest(team_0_total, team_1_total) < (select rules.target from rules) then null
            when team_0_total = team_1_total then null
            when team_0_total > team_1_total then 0
            when team_1_total > team_0_total then 1
        end::tinyint as winner
    from by_match
)

select * from final
