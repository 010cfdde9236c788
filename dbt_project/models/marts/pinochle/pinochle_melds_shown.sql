with melds as (
    select * from {{ ref('stg_events') }}
    where game = 'pinochle' and kind = 'meld'
),

seats as (
    select * from {{ ref('stg_seats') }}
    where game = 'pinochle'
),

hands as (
    select * from {{ ref('hands') }}
    where game = 'pinochle'
)

select
    melds.hand_id,
    seats.match_id,
    seats.dataset,
    seats.hand_status,
    melds.seat,
    seats.player_name,
    seats.player_kind,
    seats.is_declarer,
    seats.team = hands.declarer_team as is_declaring,
    coalesce(melds.amount, 0)::integer as points,
    melds.cards,
    (coalesce(length(melds.cards), 0) // 2)::tinyint as card_count
from melds
inner join hands on melds.hand_id = hands.hand_id
inner join seats on melds.hand_id = seats.hand_id and melds.seat = seats.seat
