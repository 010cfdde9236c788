with

totals as (
    {{ totals(
        ref('int_five_card_draw_betting_sums'),
        by=['dataset', 'player_name', 'is_computer'],
        counts=[
            'acts', 'raises', 'raises_of_pots', 'acts_after_raise', 'folds_to_raise',
            'raises_known', 'bluffs', 'bluffs_won'
        ],
        means=['mean_raise', 'mean_raise_of_pot']
    ) }}
),

final as (
    select
        dataset,
        player_name,
        is_computer,
        acts,
        raises,
        {{ rate('raise_rate', 'raises', 'acts') }},
        {{ mean_of_sums('mean_raise') }},
        raises_of_pots,
        {{ mean_of_sums('mean_raise_of_pot') }},
        acts_after_raise,
        folds_to_raise,
        {{ rate('fold_to_raise_rate', 'folds_to_raise', 'acts_after_raise') }},
        raises_known,
        bluffs,
        {{ rate('bluff_rate', 'bluffs', 'raises_known') }},
        bluffs_won,
        {{ rate('bluff_won_rate', 'bluffs_won', 'bluffs') }}
    from totals
)

select * from final
