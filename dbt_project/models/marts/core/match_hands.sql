{{ config(materialized='incremental', unique_key='match_id') }}

with

hands as (
    select * from {{ of_new_matches(ref('hands')) }}
    where match_id is not null and hand_no is not null
),

team_games as (
    select * from {{ ref('match_rules') }}
),

openings as (
    select
        openings.hand_id,
        openings.dialect,
        case when team_games.game is not null then openings.match_score_before end as match_score_before
    from {{ of_new_matches(ref('int_openings')) }} as openings
    left join team_games on openings.game = team_games.game
),

reported as (
    select reported.*
    from {{ of_new_matches(ref('int_reported_scores')) }} as reported
    inner join team_games on reported.game = team_games.game
),

scored as (
    select
        hands.game,
        hands.match_id,
        hands.hand_no,
        hands.hand_id,
        hands.dataset,
        hands.is_simulated,
        hands.status,
        openings.dialect,
        hands.declarer_team,
        hands.contract,
        hands.trump,
        hands.made,
        hands.team_0_score,
        hands.team_1_score,
        openings.match_score_before as points_before,
        case
            when lead(hands.hand_no) over in_match = hands.hand_no + 1
                then lead(openings.match_score_before) over in_match
        end as next_points_before,
        reported.team_0_match_score,
        reported.team_1_match_score
    from hands
    inner join openings on hands.hand_id = openings.hand_id
    left join reported on hands.hand_id = reported.hand_id
    window in_match as (partition by hands.game, hands.match_id order by hands.hand_no)
),

final as (
    select
        game,
        match_id,
        hand_no,
        hand_id,
        dataset,
        is_simulated,
        status,
        dialect,
        declarer_team,
        contract,
        trump,
        made,
        points_before[1] as team_0_before,
        points_before[2] as team_1_before,
        team_0_score,
        team_1_score,
        coalesce(
            team_0_match_score, next_points_before[1], points_before[1] + coalesce(team_0_score, 0)
        ) as team_0_after,
        coalesce(
            team_1_match_score, next_points_before[2], points_before[2] + coalesce(team_1_score, 0)
        ) as team_1_after
    from scored
)

select * from final
