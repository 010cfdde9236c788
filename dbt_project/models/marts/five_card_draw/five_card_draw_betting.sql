with bets as (
    select
        *,
        action = 'fold' as is_fold,
        action = 'raise' as is_raise,
        raises_before > 0 as is_raised,
        action = 'raise' and is_after_draw and known_from_deal and category is not null as is_known_raise
    from {{ ref('five_card_draw_bets') }}
    where hand_status = 'complete'
),

by_cluster as (
    select
        dataset,
        player_name,
        is_computer,
        {{ cluster() }},
        count(*) as acts,
        count(*) filter (where is_raise) as raises,
        {{ sums('mean_raise', 'raised_by') }},
        {{ raises_of_pots() }},
        count(*) filter (where is_raised) as acts_after_raise,
        count(*) filter (where is_raised and is_fold) as folds_to_raise,
        count(*) filter (where is_known_raise) as raises_known,
        count(*) filter (where is_known_raise and category = 'high card') as bluffs,
        count(*) filter (where is_known_raise and category = 'high card' and won_unseen) as bluffs_won
    from bets
    group by all
)

select
    dataset,
    player_name,
    is_computer,
    sum(acts)::bigint as acts,
    sum(raises)::bigint as raises,
    {{ rate('raise_rate', 'raises', 'acts') }},
    {{ mean('mean_raise') }},
    {{ median_raise_of_pot() }},
    sum(acts_after_raise)::bigint as acts_after_raise,
    sum(folds_to_raise)::bigint as folds_to_raise,
    {{ rate('fold_to_raise_rate', 'folds_to_raise', 'acts_after_raise') }},
    sum(raises_known)::bigint as raises_known,
    sum(bluffs)::bigint as bluffs,
    {{ rate('bluff_rate', 'bluffs', 'raises_known') }},
    sum(bluffs_won)::bigint as bluffs_won,
    {{ rate('bluff_won_rate', 'bluffs_won', 'bluffs') }}
from by_cluster
group by dataset, player_name, is_computer
