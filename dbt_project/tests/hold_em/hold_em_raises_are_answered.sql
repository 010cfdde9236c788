-- The complete hands with a raise that nobody answered before the last one, or whose raises are not those of
-- the players; and those in which more than one player wins chips without a showdown, or nobody does.
with raises as (
    select
        hand_id,
        count(*) as raises,
        count_if(answer = 'raise') as raised,
        {{ count_of_small('street') }} as streets
    from {{ untested(ref('int_hold_em_actions')) }}
    where action = 'raise'
    group by hand_id
),

players as (
    select
        hand_id,
        sum(raises) as raises,
        count_if(net + chips_put_in > 0) as winners,
        bool_or(went_to_showdown) as has_showdown
    from {{ untested(ref('hold_em_players')) }}
    where hand_status = 'complete'
    group by hand_id
)

select
    players.hand_id,
    players.raises,
    raises.raised,
    players.winners
from players
left join raises on players.hand_id = raises.hand_id
where
    coalesce(raises.raises, 0) <> players.raises
    or coalesce(raises.raised <> raises.raises - raises.streets, false)
    or players.winners < 1
    or (players.winners > 1 and not players.has_showdown)
