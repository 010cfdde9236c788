with

hands as (
    select * from {{ ref('int_pinochle_hands') }}
    where status = 'complete' and not thrown_in
),

final as (
    select
        dialect,
        contract,
        trump,
        is_stuck,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        avg(made::integer) as made_rate,
        avg(declarer_meld) as mean_meld,
        avg(declarer_points) as mean_counters,
        avg(declarer_score) as mean_score,
        avg(defender_meld) as mean_defender_meld,
        avg(defender_score) as mean_defender_score
    from hands
    group by all
)

select * from final
