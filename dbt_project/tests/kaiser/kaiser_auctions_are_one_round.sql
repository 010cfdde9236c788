-- The complete Kaiser hands in which not every seat bids once, the dealer last, and one wins.
select
    hand_id,
    count(*) as bids
from {{ untested(ref('stg_bids')) }}
where game = 'kaiser' and hand_status = 'complete'
group by hand_id
having
    not coalesce(
        count(*) = 4
        and bit_or(1 << seat) = 15
        and count(*) filter (where is_winning and not is_pass) = 1
        and bool_or(is_dealer and bid_no = 3)
        and bool_and(is_pass = (amount is null)),
        false
    )
