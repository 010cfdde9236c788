with by_cluster as (
    select
        dataset,
        trick_no,
        {{ cluster(unit='hand_id') }},
        count(*) as tricks,
        count_if(kept_lead) as kept_lead,
        {{ sums('mean_points', 'points') }}
    from {{ ref('tricks_taken') }}
    where game = 'hearts' and hand_status = 'complete'
    group by all
)

select
    dataset,
    trick_no,
    sum(tricks)::bigint as tricks,
    {{ bounded_mean('mean_points') }},
    {{ rate('kept_lead_rate', 'kept_lead', 'tricks') }}
from by_cluster
group by dataset, trick_no
