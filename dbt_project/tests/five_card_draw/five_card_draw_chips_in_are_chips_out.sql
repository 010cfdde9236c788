-- The complete hands in which chips appear or vanish, or which have no button or a single player. PokerStars
-- takes a rake of a tenth at most, and its button may be at an empty seat.
select
    hand_id,
    sum(chips_put_in) as chips_put_in,
    sum(chips_won) as chips_won
from {{ untested(ref('five_card_draw_players')) }}
where hand_status = 'complete'
group by hand_id
having
    not coalesce(
        sum(chips_put_in) = sum(chips_won) - sum(net)
        and sum(net) between
        case when any_value(dialect) = 'pokerstars' then -(sum(chips_before) // 9 + count(*)) else 0 end
        and 0
        and sum(chips_before) = sum(chips_after) - sum(net)
        and min(chips_after) >= 0
        and min(chips_won) >= 0
        and count(*) = any_value(players_in_hand)
        and count(*) between 2 and 6
        and (count_if(is_dealer) = 1 or (count_if(is_dealer) = 0 and any_value(dialect) = 'pokerstars'))
        and max(dealing_position) = count(*) - 1
        and bool_and(not is_dealer or dealing_position = players_in_hand - 1),
        false
    )
