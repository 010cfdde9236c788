with hands as (
    select * from {{ ref('hands') }}
)

select
    game,
    dataset,
    day,
    count(*) as hands,
    count(*) filter (where status = 'complete') as complete_hands,
    count(*) filter (where status = 'aborted') as aborted_hands
from hands
group by all
