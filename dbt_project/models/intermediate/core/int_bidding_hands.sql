select
    game,
    hand_id,
    match_id,
    dataset,
    seat,
    strength,
    greatest(clubs, diamonds, hearts, spades) as longest_suit,
    bid <> 'pass' as has_bid,
    is_declarer,
    case when is_declarer then team_score > 0 end as made,
    team_score - other_score as lead,
    ingest_no
from {{ ref('stg_seats') }}
where hand_status = 'complete' and is_declarer is not null and strength is not null
