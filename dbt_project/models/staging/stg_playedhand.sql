with

source as (
    select * from {{ source('store', 'playedhand') }}
),

renamed as (
    select
        game,
        hand_id,
        match_id,
        hand_no,
        id as source_hand_no,
        added_date,
        (added_date at time zone 'UTC')::date as day,
        status,
        setting_min_bid as min_bid,
        setting_pass_cards as pass_cards,
        setting_no_trump_bid_out as no_trump_bid_out,
        setting_game_over_at_minus_52 as game_over_at_minus_52,
        dealer::tinyint as dealer,
        {% for seat in range(6) %}
        player_{{ seat }}_bid,
        player_{{ seat }}_hand,
        player_{{ seat }}_ai as player_{{ seat }}_is_computer,
        player_{{ seat }}_place,
        player_{{ seat }}_net,
        {% endfor %}
        played_cards,
        declarer,
        contract,
        trump,
        trick_winners,
        team_0_points,
        team_1_points,
        team_0_score,
        team_1_score,
        dialect,
        dataset,
        source_key,
        source_id,
        source_line,
        scores_reported,
        ingest_no
    from source
)

select * from renamed
