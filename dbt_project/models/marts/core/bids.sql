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
    is_winning
from {{ ref('stg_bids') }}
