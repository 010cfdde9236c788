with games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_human = 0
)

select
    seats.hand_id,
    games.match_id,
    seats.seat,
    games.dataset,
    games.num_suits,
    games.cards_per_suit,
    games.num_players,
    seats.kind,
    seats.num_extremes,
    seats.num_center,
    seats.num_opener,
    seats.place,
    -- Ids are digests, so their first digit is random: on average 11 in 16 games are for the estimate.
    seats.hand_id < 'b' as is_for_estimate
from {{ ref('int_ruter_sju_seats') }} as seats
inner join games on seats.hand_id = games.hand_id
