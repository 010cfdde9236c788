{{ config(materialized='table') }}
{% set grain = ['game', 'dataset', 'player_name', 'player_kind'] %}

with by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where is_hand_exact) as hands_exact,
        {{ sums('mean_return', 'lead', type='double') }},
        {{ sums('mean_par', 'par', type='double') }},
        {{ sums('mean_cost_of_a_hand', 'seat_cost', type='double') }},
        {{ sums('mean_partner_cost', 'partner_cost', type='double') }},
        {{ sums('mean_opponents_cost', 'opponents_cost', type='double') }},
        sum(decisions)::bigint as decisions,
        sum(costly)::bigint as costly,
        sum(decisions)::bigint as mean_cost_open_n,
        sum(seat_cost) as mean_cost_open_total,
        min(least_open) as mean_cost_open_least,
        max(most_open) as mean_cost_open_most,
        sum(decisions_known)::bigint as mean_cost_known_n,
        sum(cost_known) filter (where decisions_known > 0) as mean_cost_known_total,
        min(least_known) as mean_cost_known_least,
        max(most_known) as mean_cost_known_most
    from {{ ref('int_seat_costs') }}
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(hands_exact)::bigint as hands_exact,
    {{ bounded_mean('mean_return', 'game, dataset') }},
    {{ bounded_mean('mean_par', 'game, dataset') }},
    {{ bounded_mean('mean_cost_of_a_hand', 'game, dataset') }},
    {{ bounded_mean('mean_partner_cost', 'game, dataset') }},
    {{ bounded_mean('mean_opponents_cost', 'game, dataset') }},
    sum(decisions)::bigint as decisions,
    sum(costly)::bigint as costly,
    {{ rate('costly_rate', 'costly', 'decisions') }},
    {{ bounded_mean('mean_cost_open', 'game, dataset') }},
    sum(mean_cost_known_n)::bigint as decisions_known,
    {{ bounded_mean('mean_cost_known', 'game, dataset') }}
from by_cluster
group by {{ grain | join(', ') }}
