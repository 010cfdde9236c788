{% set grain = ['dataset', 'is_after_draw', 'is_raised', 'category_no', 'category'] %}

with bets as (
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

held as (
    select
        bets.*,
        categories.category_no
    from bets
    inner join categories on bets.category = categories.category
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as acts,
        count(*) filter (where action = 'fold') as folds,
        count(*) filter (where action = 'raise') as raises,
        {{ sums('mean_raise', 'raised_by') }},
        {{ raises_of_pots() }}
    from held
    group by all
)

select
    {{ grain | join(', ') }},
    sum(acts)::bigint as acts,
    sum(folds)::bigint as folds,
    {{ rate('fold_rate', 'folds', 'acts') }},
    sum(raises)::bigint as raises,
    {{ rate('raise_rate', 'raises', 'acts') }},
    {{ mean('mean_raise') }},
    {{ median_raise_of_pot() }}
from by_cluster
group by {{ grain | join(', ') }}
