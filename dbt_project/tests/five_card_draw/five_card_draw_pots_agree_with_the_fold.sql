-- The players who, by the fold, won other chips than the pots give: each winner of a pot gets an equal part
-- of it and perhaps odd chips, less a rake. Hands with a pot that cards don't decide are left out, and those
-- in which nobody has put in a chip have none.
with pots as (
    select
        *,
        unnest(range(6))::tinyint as seat
    from {{ untested(ref('five_card_draw_pots')) }}
),

shares as (
    select
        hand_id,
        seat,
        bool_and(is_known) as is_known,
        sum(case when (winner_seats >> seat) & 1 = 1 then chips // winners else 0 end) as at_least,
        sum(case when (winner_seats >> seat) & 1 = 1 then chips % winners else 0 end) as odd_chips
    from pots
    group by all
),

players as (
    select
        *,
        -sum(net) over (partition by hand_id) as rake
    from {{ untested(ref('five_card_draw_players')) }}
    where hand_status = 'complete'
)

select
    players.hand_id,
    players.seat,
    players.chips_won,
    shares.at_least,
    shares.odd_chips
from players
left join shares on players.hand_id = shares.hand_id and players.seat = shares.seat
where
    (shares.hand_id is null and players.chips_won > 0)
    or (
        shares.is_known
        and players.chips_won not between shares.at_least - players.rake
        and shares.at_least + shares.odd_chips
    )
