{{ config(materialized='table') }}
{% set grain = ['game', 'dataset', 'player_kind', 'contract', 'trump'] %}

with declared as (
    select
        costs.*,
        hands.made,
        -- In these games who makes the contract scores more than the others, and who fails to scores less.
        case
            when costs.is_par_exact and costs.game in ('kaiser', 'belote') then costs.par >= 0
        end as is_made_at_par,
        case costs.trump when 'N' then hand_rules.no_trump_factor else 1 end as factor
    from {{ ref('int_seat_costs') }} as costs  -- noqa: RF04
    inner join {{ ref('hands') }} as hands on costs.hand_id = hands.hand_id
    left join {{ ref('hand_rules') }} as hand_rules on costs.game = hand_rules.game
    where costs.role = 'declarer'
),

-- In Kaiser the two sides take ten points together, so par says what the declarer's side takes.
with_margins as (
    select
        *,
        case
            when game <> 'kaiser' then null
            when is_made_at_par then (par + 10) / (factor + 1) - contract
            when not is_made_at_par then par + 10 + contract * (factor - 1)
        end as margin
    from declared
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        {{ sums('mean_par', 'par', type='double') }},
        {{ sums('mean_return', 'lead', type='double') }},
        count(is_made_at_par) as hands_judged,
        count(*) filter (where is_made_at_par) as hands_made_at_par,
        count(margin) as hands_measured,
        count(*) filter (where margin > 0) as hands_underbid,
        {{ sums('mean_margin', 'margin', type='double') }}
    from with_margins
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    {{ bounded_mean('mean_par', 'game, dataset') }},
    {{ bounded_mean('mean_return', 'game, dataset') }},
    sum(hands_made)::bigint as hands_made,
    {{ rate('made_rate', 'hands_made', 'hands') }},
    sum(hands_judged)::bigint as hands_judged,
    sum(hands_made_at_par)::bigint as hands_made_at_par,
    {{ rate('made_at_par_rate', 'hands_made_at_par', 'hands_judged') }},
    (sum(hands_judged) - sum(hands_made_at_par))::bigint as hands_overbid,
    sum(hands_measured)::bigint as hands_measured,
    sum(hands_underbid)::bigint as hands_underbid,
    {{ rate('underbid_rate', 'hands_underbid', 'hands_measured') }},
    {{ bounded_mean('mean_margin', 'game, dataset') }}
from by_cluster
group by {{ grain | join(', ') }}
