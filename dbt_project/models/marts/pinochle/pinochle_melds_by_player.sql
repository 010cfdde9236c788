with

melds as (
    select * from {{ ref('pinochle_melds_shown') }}
    where hand_status = 'complete'
),

final as (
    select
        dataset,
        player_name,
        player_kind,
        count(*) as hands,
        count(*) filter (where points > 0) as hands_with_meld,
        {{ rate('meld_rate', 'hands_with_meld', 'hands') }},
        {{ mean('mean_points', 'points') }},
        max(points) as most_points,
        {{ mean('mean_cards', 'card_count') }},
        count(*) filter (where is_declaring) as hands_declaring,
        {{ mean('mean_points_declaring', 'points', 'is_declaring') }}
    from melds
    group by all
)

select * from final
