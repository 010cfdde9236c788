select
    game,
    hand_id,
    dataset,
    hand_status,
    trick_no,
    leader,
    cards,
    suit_led,
    winner,
    winner_team,
    winning_card,
    points,
    kept_lead,
    ruffed,
    taken_by_bidders
from {{ ref('stg_tricks') }}
