{% set grain = ['dataset', 'players_in_hand', 'position'] %}
{% set of = {
    'hands': 'true',
    'hands_played': 'could_act',
    'three_bet_chances': 'could_three_bet',
    'steal_chances': 'could_steal'
} %}
{% set rates = {
    'vpip_rate': ('vpip', 'hands_played'),
    'pfr_rate': ('pfr', 'hands_played'),
    'three_bet_rate': ('three_bet', 'three_bet_chances'),
    'steal_rate': ('stole', 'steal_chances'),
    'win_rate': ('net > 0', 'hands')
} %}

with by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        {{ counted(of, rates) }},
        {{ bb_sums('bb_per_100', 'net') }}
    from {{ ref('hold_em_players') }}
    where hand_status = 'complete'
    group by all
)

select
    {{ grain | join(', ') }},
    {{ rated(of, rates) }},
    {{ mean('bb_per_100') }}
from by_cluster
group by {{ grain | join(', ') }}
