{{ config(materialized='incremental', unique_key='match_id') }}

with hands as (
    select * from {{ new_matches(ref('hands')) }}
    where match_id is not null and hand_no is not null
),

dialects as (
    select
        hand_id,
        dialect
    from {{ new_matches(ref('stg_playedhand')) }}
),

-- What the two teams had before each hand, and after it as far as the source reports that.
scores as (
    select
        {% for team in range(2) %}
        max(seats.score_before) filter (where seats.seat = {{ team }}) as team_{{ team }}_before,
        max(seats.score_after) filter (where seats.seat = {{ team }}) as team_{{ team }}_after,
        {% endfor %}
        seats.hand_id
    from {{ new_matches(ref('stg_seats')) }} as seats
    inner join {{ ref('match_rules') }} as team_games on seats.game = team_games.game
    group by seats.hand_id
),

scored as (
    select
        {% for team in range(2) %}
        scores.team_{{ team }}_before,
        scores.team_{{ team }}_after as team_{{ team }}_reported,
        case
            when lead(hands.hand_no) over in_match = hands.hand_no + 1
                then lead(scores.team_{{ team }}_before) over in_match
        end as team_{{ team }}_next,
        {% endfor %}
        hands.*,
        dialects.dialect
    from hands
    inner join dialects on hands.hand_id = dialects.hand_id
    left join scores on hands.hand_id = scores.hand_id
    window in_match as (partition by hands.game, hands.match_id order by hands.hand_no)
)

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
    team_0_before,
    team_1_before,
    team_0_score,
    team_1_score,
    coalesce(team_0_reported, team_0_next, team_0_before + coalesce(team_0_score, 0)) as team_0_after,
    coalesce(team_1_reported, team_1_next, team_1_before + coalesce(team_1_score, 0)) as team_1_after,
    ingest_no
from scored
