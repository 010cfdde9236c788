-- The complete hands of high card that do not have three tricks.
select
    hand_id,
    count(*) as tricks
from {{ untested(ref('stg_tricks')) }}
where game = 'high_card' and hand_status = 'complete'
group by hand_id
having count(*) <> 3
