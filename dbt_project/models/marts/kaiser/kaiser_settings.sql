{% set settings = ['min_bid', 'pass_cards', 'no_trump_bid_out', 'game_over_at_minus_52'] %}
with

complete_hands as (
    select * from {{ ref('hands') }}
    where game = 'kaiser' and status = 'complete'
),

final as (
    {% for setting in settings %}
    select
        dataset,
        '{{ setting }}' as setting,
        {{ setting }}::varchar as setting_value,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        {{ rate('made_rate', 'hands_made', 'hands') }},
        count(*) filter (where trump = 'N') as hands_no_trump,
        {{ rate('no_trump_rate', 'hands_no_trump', 'hands') }},
        {{ mean('mean_contract', 'contract') }},
        {{ mean('mean_points', 'declarer_points') }},
        {{ mean('mean_score', 'declarer_score') }},
        {{ mean('mean_defender_score', 'defender_score') }}
    from complete_hands
    group by all
    {{ "union all" if not loop.last }}
    {% endfor %}
)

select * from final
