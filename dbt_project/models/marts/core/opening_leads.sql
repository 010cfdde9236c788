{% set grain = ['game', 'dataset', 'leader', 'rank', 'is_trump'] %}

with by_cluster as (
    {{ clusters(
        ref('int_opening_leads_sums'),
        grain,
        ['leads', 'tricks_taken', 'hands_won']
    ) }}
)

select
    {{ grain | join(', ') }},
    sum(leads)::bigint as leads,
    sum(tricks_taken)::bigint as tricks_taken,
    {{ rate('taken_rate', 'tricks_taken', 'leads') }},
    sum(hands_won)::bigint as hands_won,
    {{ rate('win_rate', 'hands_won', 'leads') }}
from by_cluster
group by {{ grain | join(', ') }}
