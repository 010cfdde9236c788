{% set of = {'hands': 'true', 'hands_played': 'could_act', 'showdowns': 'went_to_showdown'} %}
{% set rates = {
    'vpip_rate': ('vpip', 'hands_played'),
    'pfr_rate': ('pfr', 'hands_played'),
    'win_rate': ('net > 0', 'hands'),
    'won_at_showdown_rate': ('won_at_showdown', 'showdowns')
} %}

with by_cluster as (
    select
        dataset,
        starting_hand,
        {{ cluster() }},
        {{ counted(of, rates) }},
        {{ bb_sums('bb_per_100', 'net') }},
        {{ bb_sums('adjusted_bb_per_100', 'adjusted_net') }}
    from {{ ref('hold_em_players') }}
    where hand_status = 'complete' and starting_hand is not null
    group by all
)

select
    dataset,
    starting_hand,
    {{ rated(of, rates) }},
    {{ mean('bb_per_100') }},
    {{ mean('adjusted_bb_per_100') }}
from by_cluster
group by dataset, starting_hand
