with

source as (
    select * from {{ source('store', 'bids') }}
),

renamed as (
    select
        game,
        hand_id,
        dataset,
        hand_status,
        bid_no,
        seat,
        is_pass,
        amount,
        suit,
        is_no_trump,
        is_dealer,
        is_winning,
        ingest_no
    from source
)

select * from renamed
