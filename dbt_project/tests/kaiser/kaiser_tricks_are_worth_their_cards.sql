-- The Kaiser tricks whose points are not those of their cards, or that the wrong seat led.
with tricks as (
    select
        *,
        lag(winner) over (partition by hand_id order by trick_no) as winner_before
    from {{ untested(ref('stg_tricks')) }}
    where game = 'kaiser'
)

select
    hand_id,
    trick_no,
    leader,
    cards,
    winner,
    points
from tricks
where
    points <> 1 + if(contains(cards, '5H'), 5, 0) - if(contains(cards, '3S'), 3, 0)
    or winner_team <> winner % 2
    or leader <> winner_before
