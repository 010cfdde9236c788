-- The hands in which what the players could expect is not what they won in all, only some have an
-- expectation, or one could expect more than the others have put in.
with players as (
    select
        *,
        sum(chips_put_in) over (partition by hand_id) - chips_put_in as most
    from {{ untested(ref('hold_em_players')) }}
    where hand_status = 'complete'
)

select
    hand_id,
    sum(expected_net) as expected,
    sum(net) as won
from players
group by hand_id
having
    count(expected_net) not in (0, count(*))
    or abs(sum(expected_net) - sum(net)) > 1e-6 * sum(chips_put_in)
    or bool_or(expected_net not between -chips_put_in - 1e-6 and most + 1e-6)
