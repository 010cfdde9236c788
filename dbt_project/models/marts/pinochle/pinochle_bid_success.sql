with

played as (
    select * from {{ ref('int_pinochle_hands') }}
    where status = 'complete' and not thrown_in
),

final as (
    select
        dataset,
        dialect,
        contract,
        trump,
        is_stuck,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        {{ rate('made_rate', 'hands_made', 'hands') }},
        {{ mean('mean_meld', 'declarer_meld') }},
        {{ mean('mean_counters', 'declarer_points') }},
        {{ mean('mean_score', 'declarer_score') }},
        {{ mean('mean_defender_meld', 'defender_meld') }},
        {{ mean('mean_defender_score', 'defender_score') }}
    from played
    group by all
)

select * from final
