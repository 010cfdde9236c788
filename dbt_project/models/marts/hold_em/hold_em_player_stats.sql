{% set grain = ['dataset', 'player_name', 'is_computer'] %}
{% set of = {
    'hands': 'true',
    'hands_played': 'could_act',
    'three_bet_chances': 'could_three_bet',
    'three_bets_faced': 'faced_three_bet',
    'steal_chances': 'could_steal',
    'c_bet_chances': 'could_c_bet',
    'c_bets_faced': 'faced_c_bet',
    'flops_seen': 'saw_flop',
    'showdowns': 'went_to_showdown'
} %}
{% set rates = {
    'vpip_rate': ('vpip', 'hands_played'),
    'pfr_rate': ('pfr', 'hands_played'),
    'three_bet_rate': ('three_bet', 'three_bet_chances'),
    'fold_to_three_bet_rate': ('folded_to_three_bet', 'three_bets_faced'),
    'steal_rate': ('stole', 'steal_chances'),
    'c_bet_rate': ('c_bet', 'c_bet_chances'),
    'fold_to_c_bet_rate': ('folded_to_c_bet', 'c_bets_faced'),
    'went_to_showdown_rate': ('went_to_showdown and saw_flop', 'flops_seen'),
    'won_at_showdown_rate': ('won_at_showdown', 'showdowns')
} %}

with by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        {{ counted(of, rates) }},
        sum(raises_after_flop) as raises,
        sum(calls_after_flop) as calls,
        sum(raises_after_flop + calls_after_flop + folds_after_flop) as acts_after_flop,
        {{ bb_sums('bb_per_100', 'net') }}
    from {{ ref('hold_em_players') }}
    where hand_status = 'complete'
    group by all
)

select
    {{ grain | join(', ') }},
    {{ rated(of, rates) }},
    sum(acts_after_flop)::bigint as acts_after_flop,
    {{ rate('aggression_rate', 'raises', 'acts_after_flop') }},
    sum(raises) / nullif(sum(calls), 0) as aggression_factor,
    {{ mean('bb_per_100') }}
from by_cluster
group by {{ grain | join(', ') }}
