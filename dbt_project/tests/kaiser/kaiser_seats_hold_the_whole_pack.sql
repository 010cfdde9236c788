-- The complete Kaiser hands in which the four seats do not hold the 32 cards.
select
    hand_id,
    count(*) as seats,
    sum(aces) as aces,
    sum(card_points) as card_points
from {{ untested(ref('stg_seats')) }}
where game = 'kaiser' and hand_status = 'complete'
group by hand_id
having
    not coalesce(
        count(*) = 4
        and sum(aces) = 4
        and sum(card_points) = 2
        and bool_and(clubs + diamonds + hearts + spades = 8)
        and bit_or(1 << partner_seat) = 15,
        false
    )
