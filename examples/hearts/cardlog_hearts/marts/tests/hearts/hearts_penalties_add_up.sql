-- Complete hands whose tricks are not worth 26 in all, or 16 with the bonus for the jack of diamonds.
select
    hand_id,
    sum(points) as points
from {{ untested(ref('stg_tricks')) }}
where game = 'hearts' and hand_status = 'complete'
group by hand_id
having sum(points) not in (26, 16)
