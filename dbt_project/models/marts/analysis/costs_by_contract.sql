{{ config(materialized='table') }}
{% set grain = ['game', 'dataset', 'player_kind', 'role', 'contract', 'trump'] %}

with by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where is_exact) as hands_exact,
        sum(decisions)::bigint as decisions,
        sum(costly)::bigint as costly,
        {{ sums('mean_cost_of_a_hand', 'seat_cost', type='double') }},
        {{ sums('mean_par', 'par', type='double') }}
    from {{ ref('int_seat_costs') }}
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(hands_exact)::bigint as hands_exact,
    {{ bounded_mean('mean_cost_of_a_hand', 'game, dataset') }},
    {{ bounded_mean('mean_par', 'game, dataset') }},
    sum(decisions)::bigint as decisions,
    sum(costly)::bigint as costly,
    {{ rate('costly_rate', 'costly', 'decisions') }}
from by_cluster
group by {{ grain | join(', ') }}
