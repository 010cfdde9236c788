with

source as (
    select * from {{ source('store', 'seats') }}
),

renamed as (
    select
        game,
        hand_id,
        match_id,
        hand_no,
        hand_status,
        dataset,
        seat,
        player_name,
        player_kind,
        team,
        partner_seat,
        partner_name,
        partner_kind,
        is_dealer,
        is_declarer,
        bid,
        cards,
        card_list,
        clubs,
        diamonds,
        hearts,
        spades,
        voids,
        aces,
        card_points,
        poker_category,
        team_points,
        team_score,
        other_score,
        place,
        net,
        won,
        dialect,
        score_before,
        score_after,
        reported_place,
        ingest_no
    from source
)

select * from renamed
