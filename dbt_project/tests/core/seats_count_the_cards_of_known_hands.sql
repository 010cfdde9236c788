-- The seats whose cards of four suits are not all of their cards.
select
    game,
    hand_id,
    seat,
    cards
from {{ untested(ref('stg_seats')) }}
where game <> 'ruter_sju' and clubs + diamonds + hearts + spades <> length(cards) // 2
