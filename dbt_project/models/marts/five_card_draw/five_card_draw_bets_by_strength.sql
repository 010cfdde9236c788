with

bets as (
    select
        *,
        raises_before > 0 as is_raised
    from {{ ref('five_card_draw_bets') }}
    where hand_status = 'complete' and known_from_deal and category is not null
),

categories as (
    select distinct
        category_no,
        category
    from {{ ref('five_card_draw_classes') }}
),

final as (
    select
        bets.dataset,
        bets.is_after_draw,
        bets.is_raised,
        categories.category_no,
        categories.category,
        count(*) as acts,
        count(*) filter (where bets.action = 'fold') as folds,
        {{ rate('fold_rate', 'folds', 'acts') }},
        count(*) filter (where bets.action = 'raise') as raises,
        {{ rate('raise_rate', 'raises', 'acts') }},
        {{ mean('mean_raise', 'bets.raised_by') }},
        count(*) filter (where bets.action = 'raise' and bets.pot_before > 0) as raises_of_pots,
        median(bets.raised_by / bets.pot_before) filter (where bets.pot_before > 0) as median_raise_of_pot
    from bets
    inner join categories on bets.category = categories.category
    group by all
)

select * from final
