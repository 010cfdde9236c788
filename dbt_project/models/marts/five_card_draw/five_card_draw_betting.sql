with

bets as (
    select
        *,
        action = 'fold' as is_fold,
        action = 'raise' as is_raise,
        raises_before > 0 as is_raised,
        action = 'raise' and is_after_draw and known_from_deal and category is not null as is_known_raise
    from {{ ref('five_card_draw_bets') }}
    where hand_status = 'complete'
),

final as (
    select
        dataset,
        player_name,
        is_computer,
        count(*) as acts,
        count(*) filter (where is_raise) as raises,
        {{ rate('raise_rate', 'raises', 'acts') }},
        {{ mean('mean_raise', 'raised_by') }},
        count(*) filter (where is_raise and pot_before > 0) as raises_of_pots,
        median(raised_by / pot_before) filter (where pot_before > 0) as median_raise_of_pot,
        count(*) filter (where is_raised) as acts_after_raise,
        count(*) filter (where is_raised and is_fold) as folds_to_raise,
        {{ rate('fold_to_raise_rate', 'folds_to_raise', 'acts_after_raise') }},
        count(*) filter (where is_known_raise) as raises_known,
        count(*) filter (where is_known_raise and category = 'high card') as bluffs,
        {{ rate('bluff_rate', 'bluffs', 'raises_known') }},
        count(*) filter (where is_known_raise and category = 'high card' and won_unseen) as bluffs_won,
        {{ rate('bluff_won_rate', 'bluffs_won', 'bluffs') }}
    from bets
    group by all
)

select * from final
