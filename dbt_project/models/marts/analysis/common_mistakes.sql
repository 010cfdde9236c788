{{ config(materialized='table') }}
{% set grain = ['game', 'dataset', 'player_kind', 'role', 'trick_no', 'order_in_trick', 'move'] %}

with played as (
    select
        costs.*,
        plays.order_in_trick,
        case
            when plays.is_led and coalesce(costs.card[2] = costs.trump, false) then 'leads trump'
            when plays.is_led then 'leads a plain suit'
            when plays.followed then 'follows'
            when plays.trumped then 'trumps'
            else 'discards'
        end as move  -- noqa: RF04
    from {{ ref('int_card_costs') }} as costs  -- noqa: RF04
    inner join {{ ref('stg_plays') }} as plays
        on costs.hand_id = plays.hand_id and costs.trick_no = plays.trick_no and costs.seat = plays.seat
    where costs.hand_status = 'complete' and costs.legal_actions > 1
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as decisions,
        count(*) filter (where exact) as decisions_exact,
        count(*) filter (where cost_open > 0) as costly,
        {{ sums('mean_cost_open', 'cost_open', type='double') }},
        count(cost_known) as decisions_known,
        count(*) filter (where cost_known > 0) as costly_known,
        {{ sums('mean_cost_known', 'cost_known', type='double') }}
    from played
    group by all
)

select
    {{ grain | join(', ') }},
    sum(decisions)::bigint as decisions,
    sum(decisions_exact)::bigint as decisions_exact,
    sum(mean_cost_open_total) as total_cost,
    sum(costly)::bigint as costly,
    {{ rate('costly_rate', 'costly', 'decisions') }},
    {{ bounded_mean('mean_cost_open', 'game, dataset') }},
    sum(decisions_known)::bigint as decisions_known,
    sum(costly_known)::bigint as costly_known,
    {{ rate('costly_known_rate', 'costly_known', 'decisions_known') }},
    {{ bounded_mean('mean_cost_known', 'game, dataset') }}
from by_cluster
group by {{ grain | join(', ') }}
