{% set grain = ['dataset', 'player_name', 'is_computer'] %}
{% set of = {
    'hands': 'true',
    'all_ins': 'all_in_on is not null and went_to_showdown',
    'all_ins_known': 'went_to_showdown and expected_net is not null'
} %}
{% set rates = {'all_in_rate': ('all_in_on is not null and went_to_showdown', 'hands')} %}

with by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        {{ counted(of, rates) }},
        {{ bb_sums('bb_per_100', 'net') }},
        {{ bb_sums('adjusted_bb_per_100', 'adjusted_net') }},
        {{ bb_sums('luck_bb_per_100', '(net - adjusted_net)') }}
    from {{ ref('hold_em_players') }}
    where hand_status = 'complete'
    group by all
)

select
    {{ grain | join(', ') }},
    {{ rated(of, rates) }},
    {{ mean('bb_per_100') }},
    {{ mean('adjusted_bb_per_100') }},
    {{ mean('luck_bb_per_100') }}
from by_cluster
group by {{ grain | join(', ') }}
