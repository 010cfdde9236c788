with

source as (
    select * from {{ source('store', 'plays') }}
),

renamed as (
    select
        game,
        hand_id,
        dataset,
        hand_status,
        trick_no,
        order_in_trick,
        seq,
        seat,
        player_name,
        player_kind,
        card,
        rank,
        suit,
        is_led,
        followed,
        trumped,
        won,
        points,
        cards_left_in_suit,
        ingest_no
    from source
)

select * from renamed
