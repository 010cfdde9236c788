{{ config(materialized='incremental') }}

with

bets as (
    select
        *,
        action = 'fold' as is_fold,
        action = 'raise' as is_raise,
        raises_before > 0 as is_raised,
        action = 'raise' and is_after_draw and known_from_deal and category is not null as is_known_raise
    from {{ of_new_hands(ref('five_card_draw_bets')) }}
    where hand_status = 'complete'
),

final as (
    select
        dataset,
        player_name,
        is_computer,
        count(*) as acts,
        count(*) filter (where is_raise) as raises,
        {{ sums('mean_raise', 'raised_by') }},
        count(*) filter (where is_raise and pot_before > 0) as raises_of_pots,
        {{ sums('mean_raise_of_pot', 'raised_by / nullif(pot_before, 0)', type='double') }},
        count(*) filter (where is_raised) as acts_after_raise,
        count(*) filter (where is_raised and is_fold) as folds_to_raise,
        count(*) filter (where is_known_raise) as raises_known,
        count(*) filter (where is_known_raise and category = 'high card') as bluffs,
        count(*) filter (where is_known_raise and category = 'high card' and won_unseen) as bluffs_won
    from bets
    group by all
)

select * from final
