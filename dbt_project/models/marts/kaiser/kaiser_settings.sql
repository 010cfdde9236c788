{% set settings = ['min_bid', 'pass_cards', 'no_trump_bid_out', 'game_over_at_minus_52'] %}
with

{% for setting in settings %}
by_{{ setting }} as (
    {{ totals(
        ref('int_kaiser_settings_sums'),
        by=['dataset', "'" ~ setting ~ "' as setting", setting ~ '::varchar as setting_value'],
        counts=['hands', 'hands_made', 'hands_no_trump'],
        means=['mean_contract', 'mean_points', 'mean_score', 'mean_defender_score']
    ) }}
),
{% endfor %}

totals as (
    {% for setting in settings %}
    select * from by_{{ setting }}
    {{ "union all" if not loop.last }}
    {% endfor %}
),

final as (
    select
        dataset,
        setting,
        setting_value,
        hands,
        hands_made,
        {{ rate('made_rate', 'hands_made', 'hands') }},
        hands_no_trump,
        {{ rate('no_trump_rate', 'hands_no_trump', 'hands') }},
        {{ mean_of_sums('mean_contract') }},
        {{ mean_of_sums('mean_points') }},
        {{ mean_of_sums('mean_score') }},
        {{ mean_of_sums('mean_defender_score') }}
    from totals
)

select * from final
