{{ config(materialized='table') }}
{% set grain = ['game', 'dataset', 'leader', 'is_opening', 'rank', 'is_trump'] %}

with led as (
    select
        costs.*,
        costs.role as leader,
        costs.trick_no = 0 as is_opening,
        costs.card[1] as rank,  -- noqa: RF04
        coalesce(costs.card[2] = costs.trump, false) as is_trump
    from {{ ref('int_card_costs') }} as costs  -- noqa: RF04
    inner join {{ ref('stg_tricks') }} as tricks
        on costs.hand_id = tricks.hand_id and costs.trick_no = tricks.trick_no and costs.seat = tricks.leader
    where costs.hand_status = 'complete' and costs.legal_actions > 1
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as leads,
        count(*) filter (where exact) as leads_exact,
        count(*) filter (where cost_open > 0) as costly,
        {{ sums('mean_cost_open', 'cost_open', type='double') }},
        count(cost_known) as leads_known,
        {{ sums('mean_cost_known', 'cost_known', type='double') }}
    from led
    group by all
)

select
    {{ grain | join(', ') }},
    sum(leads)::bigint as leads,
    sum(leads_exact)::bigint as leads_exact,
    sum(costly)::bigint as costly,
    {{ rate('costly_rate', 'costly', 'leads') }},
    {{ bounded_mean('mean_cost_open', 'game, dataset') }},
    sum(leads_known)::bigint as leads_known,
    {{ bounded_mean('mean_cost_known', 'game, dataset') }}
from by_cluster
group by {{ grain | join(', ') }}
