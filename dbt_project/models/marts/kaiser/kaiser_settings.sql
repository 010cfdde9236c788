{% set settings = ['min_bid', 'pass_cards', 'no_trump_bid_out', 'game_over_at_minus_52'] %}
with complete_hands as (
    select * from {{ ref('hands') }}
    where game = 'kaiser' and status = 'complete'
),

by_cluster as (
    {% for setting in settings %}
    select
        dataset,
        '{{ setting }}' as setting,
        {{ setting }}::varchar as setting_value,
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        count(*) filter (where trump = 'N') as hands_no_trump,
        {{ sums('mean_contract', 'contract') }},
        {{ sums('mean_points', 'declarer_points') }},
        {{ sums('mean_score', 'declarer_score') }},
        {{ sums('mean_defender_score', 'defender_score') }}
    from complete_hands
    group by all
    {{ "union all" if not loop.last }}
    {% endfor %}
)

select
    dataset,
    setting,
    setting_value,
    sum(hands)::bigint as hands,
    sum(hands_made)::bigint as hands_made,
    {{ rate('made_rate', 'hands_made', 'hands') }},
    sum(hands_no_trump)::bigint as hands_no_trump,
    {{ rate('no_trump_rate', 'hands_no_trump', 'hands') }},
    {{ bounded_mean('mean_contract') }},
    {{ bounded_mean('mean_points') }},
    {{ bounded_mean('mean_score') }},
    {{ bounded_mean('mean_defender_score') }}
from by_cluster
group by dataset, setting, setting_value
