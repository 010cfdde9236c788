{% set grain = ['dataset', 'num_suits', 'cards_per_suit', 'num_players', 'tenth'] %}

with hands as (
    select * from {{ ref('int_ruter_sju_dealt_hands') }}
    where not is_for_estimate
),

estimates as (
    select * from {{ ref('ruter_sju_place_estimates') }}
),

-- A hand unlike any before counts as an average one.
estimated as (
    select
        hands.*,
        estimates.hands is null as is_new,
        coalesce(estimates.estimated_place, (hands.num_players + 1) / 2) as estimated_place,
        coalesce(estimates.estimated_win_rate, 1 / hands.num_players) as estimated_win_rate
    from hands
    left join estimates
        on {{ same(
        [
            'dataset', 'num_suits', 'cards_per_suit', 'num_players',
            'kind', 'num_extremes', 'num_center', 'num_opener'
        ],
        'hands', 'estimates'
    ) }}
),

tenths as (
    select
        *,
        ntile(10) over (
            partition by dataset, num_suits, cards_per_suit, num_players
            order by estimated_place, hand_id, seat
        )::tinyint as tenth
    from estimated
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where is_new) as new_hands,
        {{ sums('mean_estimated_place', 'estimated_place', type='double') }},
        {{ sums('mean_place', 'place') }},
        {{ sums('mean_estimated_win_rate', 'estimated_win_rate', type='double') }},
        count_if(place = 1) as wins,
        {{ sums('squared_error', '(place - estimated_place) ** 2', type='double') }},
        {{ sums('squared_error_of_the_middle', '(place - (num_players + 1) / 2) ** 2', type='double') }}
    from tenths
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(new_hands)::bigint as new_hands,
    {{ mean('mean_estimated_place') }},
    {{ bounded_mean('mean_place', 'dataset, num_players') }},
    {{ mean('mean_estimated_win_rate') }},
    {{ rate('win_rate', 'wins', 'hands') }},
    {{ mean('squared_error') }},
    {{ mean('squared_error_of_the_middle') }}
from by_cluster
group by {{ grain | join(', ') }}
