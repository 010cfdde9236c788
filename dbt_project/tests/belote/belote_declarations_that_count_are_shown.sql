-- The belote hands whose declarations by the cards are not those that the events have.
with melds as (
    select
        hand_id,
        sum(amount) filter (where seat % 2 = 0) as team_0_declared,
        sum(amount) filter (where seat % 2 = 1) as team_1_declared
    from {{ untested(ref('stg_events')) }}
    where game = 'belote' and kind = 'meld' and action = 'declare'
    group by hand_id
)

select
    hands.hand_id,
    hands.team_0_declared,
    hands.team_1_declared,
    melds.team_0_declared as team_0_in_events,
    melds.team_1_declared as team_1_in_events
from {{ untested(ref('belote_recomputed_points')) }} as hands
left join melds on hands.hand_id = melds.hand_id
where
    hands.team_0_declared <> coalesce(melds.team_0_declared, 0)
    or hands.team_1_declared <> coalesce(melds.team_1_declared, 0)
