with sided as (
    select
        *,
        regexp_replace(match_id, '~[0-9a-f]{16}$', '') as match_key,
        list_aggregate([
            {%- for seat in range(10) %}
            player_{{ seat }}_is_computer{{ "," if not loop.last }}
            {%- endfor %}
        ], 'bool_and') as is_simulated,
        case declarer_team when 0 then team_0_points when 1 then team_1_points end as declarer_points,
        case declarer_team when 0 then team_1_points when 1 then team_0_points end as defender_points,
        case declarer_team when 0 then team_0_score when 1 then team_1_score end as declarer_score,
        case declarer_team when 0 then team_1_score when 1 then team_0_score end as defender_score,
        declarer_score > 0 as made
    from {{ ref('stg_playedhand') }}
)

select {{ contracted_columns() }}
from sided
