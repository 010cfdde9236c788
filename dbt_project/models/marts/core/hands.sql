with sided as (
    select
        *,
        regexp_replace(match_id, '~[0-9a-f]{16}$', '') as match_key,
        list_aggregate([
            {%- for seat in range(6) %}
            player_{{ seat }}_is_computer{{ "," if not loop.last }}
            {%- endfor %}
        ], 'bool_and') as is_simulated,
        declarer % 2 as declarer_team,
        case declarer % 2 when 0 then team_0_points when 1 then team_1_points end as declarer_points,
        case declarer % 2 when 0 then team_1_points when 1 then team_0_points end as defender_points,
        case declarer % 2 when 0 then team_0_score when 1 then team_1_score end as declarer_score,
        case declarer % 2 when 0 then team_1_score when 1 then team_0_score end as defender_score
    from {{ ref('stg_playedhand') }}
)

select
    game,
    hand_id,
    match_id,
    hand_no,
    source_hand_no,
    added_date,
    day,
    status,
    min_bid,
    pass_cards,
    no_trump_bid_out,
    game_over_at_minus_52,
    dealer,
    declarer,
    declarer_team,
    contract,
    trump,
    declarer_score > 0 as made,
    trick_winners,
    team_0_points,
    team_1_points,
    team_0_score,
    team_1_score,
    declarer_points,
    defender_points,
    declarer_score,
    defender_score,
    dataset,
    source_key,
    match_key,
    is_simulated,
    source_id,
    source_line,
    ingest_no
from sided
