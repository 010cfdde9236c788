-- The games whose places or starting positions are not each taken once, or whose turns do not sum up.
select
    hand_id,
    count(*) as seats
from {{ untested(ref('ruter_sju_player_stats')) }}
group by hand_id
having
    not coalesce(
        count(*) = max(num_players)
        and {{ count_of_small('final_position') }} = count(*)
        and min(final_position) = 0
        and max(final_position) = count(*) - 1
        and {{ count_of_small('starting_position') }} = count(*)
        and max(starting_position) = count(*) - 1
        and sum(true_turns_player) = max(turns),
        false
    )
