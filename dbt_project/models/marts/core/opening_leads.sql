with by_cluster as (
    {{ clusters(
        ref('int_opening_leads_sums'),
        ['game', 'dataset', 'leader', 'rank', 'is_trump'],
        ['leads', 'tricks_taken', 'hands_won']
    ) }}
)

select
    game,
    dataset,
    leader,
    rank,
    is_trump,
    sum(leads)::bigint as leads,
    sum(tricks_taken)::bigint as tricks_taken,
    {{ rate('taken_rate', 'tricks_taken', 'leads') }},
    sum(hands_won)::bigint as hands_won,
    {{ rate('win_rate', 'hands_won', 'leads') }}
from by_cluster
group by game, dataset, leader, rank, is_trump
