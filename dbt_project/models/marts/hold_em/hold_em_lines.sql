{% set of = {'showdowns': 'true', 'hands_known': 'category is not null'} %}
{% set rates = {
    'won_rate': ('won_at_showdown', 'showdowns'),
    'high_card_rate': ("category = 'high card'", 'hands_known'),
    'pair_rate': ("category = 'pair'", 'hands_known'),
    'two_pair_rate': ("category = 'two pair'", 'hands_known'),
    'better_rate': ("category not in ('high card', 'pair', 'two pair')", 'hands_known')
} %}

with by_cluster as (
    select
        dataset,
        line,
        {{ cluster() }},
        {{ counted(of, rates) }},
        {{ bb_sums('bb_per_100', 'net') }}
    from {{ ref('hold_em_players') }}
    where went_to_showdown
    group by all
)

select
    dataset,
    line,
    {{ rated(of, rates) }},
    {{ mean('bb_per_100') }}
from by_cluster
group by dataset, line
