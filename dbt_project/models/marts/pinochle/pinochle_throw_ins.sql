with

complete_hands as (
    select * from {{ ref('int_pinochle_hands') }}
    where status = 'complete'
),

final as (
    select
        dataset,
        dialect,
        is_stuck,
        count(*) as hands,
        count(*) filter (where thrown_in) as hands_thrown_in,
        {{ rate('thrown_in_rate', 'hands_thrown_in', 'hands') }},
        count(*) filter (where thrown_in and is_played) as hands_played_on,
        count(*) filter (where thrown_in and made) as hands_made,
        {{ mean('mean_contract', 'contract', 'thrown_in') }},
        {{ mean('mean_score', 'declarer_score', 'thrown_in') }}
    from complete_hands
    group by all
)

select * from final
