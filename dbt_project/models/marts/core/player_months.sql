{% set player = ['game', 'dataset', 'player_name', 'player_kind'] %}
{% set grain = player + ['month'] %}

with seats as (
    select
        seats.*,
        date_trunc('month', hands.day)::date as month,
        seats.is_declarer and hands.made is not null as has_contract,
        seats.is_declarer and hands.made as has_made
    from {{ ref('stg_seats') }} as seats
    inner join {{ ref('hands') }} as hands on seats.hand_id = hands.hand_id
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where hand_status = 'complete') as complete_hands,
        count(*) filter (where won) as hands_won,
        count(*) filter (where has_contract) as contracts,
        count(*) filter (where has_made) as contracts_made,
        {{ sums('mean_score_difference', 'team_score - other_score') }},
        {{ sums('mean_place', 'place', "hand_status = 'complete'") }},
        sum(net)::bigint as net
    from seats
    group by all
),

results as (
    select
        {{ grain | join(', ') }},
        sum(hands)::bigint as hands,
        sum(complete_hands)::bigint as complete_hands,
        sum(hands_won)::bigint as hands_won,
        {{ rate('share_won', 'hands_won', 'complete_hands') }},
        {{ bounded_mean('mean_score_difference', 'game, dataset') }},
        {{ bounded_mean('mean_place', 'game, dataset') }},
        sum(net)::bigint as net,
        sum(contracts)::bigint as contracts,
        {{ rate('made_rate', 'contracts_made', 'contracts') }}
    from by_cluster
    group by {{ grain | join(', ') }}
),

rated as (
    select
        {{ player | join(', ') }},
        date_trunc('month', match_date)::date as month,
        arg_max(rating, match_no) as rating,
        arg_max(uncertainty, match_no) as uncertainty
    from {{ ref('ratings') }}
    where not is_pair
    group by all
)

select {{ contracted_columns() }}
from (
    select
        results.*,
        priced.hands_analysed,
        priced.mean_cost_of_a_hand,
        priced.mean_cost_of_a_hand_low,
        priced.mean_cost_of_a_hand_high,
        rated.rating,
        rated.uncertainty
    from results
    left join {{ ref('int_player_month_costs') }} as priced on {{ same(grain, 'results', 'priced') }}
    left join rated on {{ same(grain, 'results', 'rated') }}
)
