select
    analysis.*,  -- noqa: AM04, its columns are those of stg_analysis
    seats.dataset,
    seats.match_id,
    seats.hand_status,
    seats.team,
    seats.player_name,
    seats.player_kind,
    seats.role,
    hands.contract,
    hands.trump
from {{ ref('stg_analysis') }} as analysis
inner join {{ ref('stg_seats') }} as seats on analysis.hand_id = seats.hand_id and analysis.seat = seats.seat
inner join {{ ref('stg_playedhand') }} as hands on analysis.hand_id = hands.hand_id
