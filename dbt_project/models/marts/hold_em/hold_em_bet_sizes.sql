{% set grain = ['dataset', 'structure', 'street', 'is_raise', 'least_part'] %}
{% set of = {'bets': 'true'} %}
{% set rates = {
    'fold_rate': ("answer = 'fold'", 'bets'),
    'call_rate': ("answer = 'call'", 'bets'),
    'raise_rate': ("answer = 'raise'", 'bets'),
    'showdown_rate': ('went_to_showdown', 'bets'),
    'win_rate': ('net > 0', 'bets')
} %}

with bets as (
    select
        players.*,
        actions.part_of_pot,
        actions.answer,
        ['preflop', 'flop', 'turn', 'river'][actions.street + 1] as street,
        actions.street = 0 or actions.raises_before > 0 as is_raise,
        case
            when actions.part_of_pot >= 2 then 2
            when actions.part_of_pot >= 1 then 1
            when actions.part_of_pot >= 0.75 then 0.75
            when actions.part_of_pot >= 0.5 then 0.5
            else 0
        end::double as least_part
    from {{ ref('int_hold_em_actions') }} as actions
    inner join {{ ref('hold_em_players') }} as players
        on actions.hand_id = players.hand_id and actions.seat = players.seat
    where actions.part_of_pot is not null and players.hand_status = 'complete'
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        {{ counted(of, rates) }},
        {{ sums('mean_part', 'part_of_pot', type='double') }},
        {{ bb_sums('bb_per_100', 'net') }}
    from bets
    group by all
)

select
    {{ grain | join(', ') }},
    {{ rated(of, rates) }},
    {{ mean('mean_part') }},
    {{ mean('bb_per_100') }}
from by_cluster
group by {{ grain | join(', ') }}
