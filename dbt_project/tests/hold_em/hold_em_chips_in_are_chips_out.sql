-- The complete hands in which chips appear, or more vanish than a rake of a tenth.
select
    hand_id,
    sum(net) as lost,
    sum(greatest(net, 0)) as won
from {{ untested(ref('hold_em_players')) }}
where hand_status = 'complete'
group by hand_id
having
    not coalesce(
        sum(net) between -(sum(chips_before) // 9 + count(*)) and 0
        and count(*) = any_value(players_in_hand)
        and count(*) between 2 and 10
        and count_if(is_dealer) <= 1
        and max(dealing_position) = count(*) - 1,
        false
    )
