-- The complete belote hands in which not exactly one seat bids, last of all.
select
    hand_id,
    count(*) as bids
from {{ untested(ref('stg_bids')) }}
where game = 'belote' and hand_status = 'complete'
group by hand_id
having
    not coalesce(
        count(*) filter (where is_winning) = 1
        and count(*) filter (where not is_pass) = 1
        and arg_max(is_winning, bid_no)
        and max(suit) is not null,
        false
    )
