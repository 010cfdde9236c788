{{ config(materialized='table') }}
{% set grain = ['game', 'dataset', 'player_kind', 'role', 'trick_no'] %}

with by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as decisions,
        count(*) filter (where exact) as decisions_exact,
        count(*) filter (where cost_open > 0) as costly,
        {{ sums('mean_cost_open', 'cost_open', type='double') }},
        count(cost_known) as decisions_known,
        {{ sums('mean_cost_known', 'cost_known', type='double') }}
    from {{ ref('int_card_costs') }}
    where hand_status = 'complete' and legal_actions > 1 and trick_no is not null
    group by all
)

select
    {{ grain | join(', ') }},
    sum(decisions)::bigint as decisions,
    sum(decisions_exact)::bigint as decisions_exact,
    sum(costly)::bigint as costly,
    {{ rate('costly_rate', 'costly', 'decisions') }},
    {{ bounded_mean('mean_cost_open', 'game, dataset') }},
    sum(decisions_known)::bigint as decisions_known,
    {{ bounded_mean('mean_cost_known', 'game, dataset') }}
from by_cluster
group by {{ grain | join(', ') }}
