-- The players whose reported chips are not the fold's, or whose hand before the draw is not that of
-- playedhand.
with seats as (
    select * from {{ untested(ref('int_five_card_draw_seats')) }}
),

players as (
    select * from {{ untested(ref('five_card_draw_players')) }}
),

playedhand as (
    select
        hand_id,
        unnest(range(6))::tinyint as seat,
        unnest({{ by_seat('hand', 6) }}) as hand
    from {{ untested(ref('stg_playedhand')) }}
    where game = 'five_card_draw'
)

select
    players.hand_id,
    players.seat,
    players.chips_won,
    seats.chips_won_told,
    players.chips_after,
    seats.chips_after_told,
    players.hand_before,
    playedhand.hand
from players
left join seats on players.hand_id = seats.hand_id and players.seat = seats.seat
left join playedhand on players.hand_id = playedhand.hand_id and players.seat = playedhand.seat
where
    coalesce(players.chips_won <> seats.chips_won_told, false)
    or coalesce(players.chips_after <> seats.chips_after_told, false)
    or players.hand_before is distinct from nullif(playedhand.hand, '??????????')
