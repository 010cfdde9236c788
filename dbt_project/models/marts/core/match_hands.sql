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
        max(seats.score_before) filter (where seats.team = {{ team }}) as team_{{ team }}_before,
        max(seats.score_after) filter (where seats.team = {{ team }}) as team_{{ team }}_reported,
        {% endfor %}
        seats.hand_id
    from {{ new_matches(ref('stg_seats')) }} as seats
    group by seats.hand_id
),

scored as (
    select
        {% for team in range(2) %}
        scores.team_{{ team }}_before,
        coalesce(
            scores.team_{{ team }}_reported,
            case
                when lead(hands.hand_no) over in_match = hands.hand_no + 1
                    then lead(scores.team_{{ team }}_before) over in_match
            end,
            scores.team_{{ team }}_before + coalesce(hands.team_{{ team }}_score, 0)
        ) as team_{{ team }}_after,
        {% endfor %}
        hands.*,
        dialects.dialect
    from hands
    inner join dialects on hands.hand_id = dialects.hand_id
    left join scores on hands.hand_id = scores.hand_id
    window in_match as (partition by hands.game, hands.match_id order by hands.hand_no)
)

select {{ contracted_columns() }}
from scored
