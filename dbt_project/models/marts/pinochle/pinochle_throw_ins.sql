with

hands as (
    select * from {{ ref('int_pinochle_hands') }}
    where status = 'complete'
),

final as (
    select
        dialect,
        is_stuck,
        count(*) as hands,
        count(*) filter (where thrown_in) as hands_thrown_in,
        avg(thrown_in::integer) as thrown_in_rate,
        count(*) filter (where thrown_in and is_played) as hands_played_on,
        count(*) filter (where thrown_in and made) as hands_made,
        avg(contract) filter (where thrown_in) as mean_contract,
        avg(declarer_score) filter (where thrown_in) as mean_score
    from hands
    group by all
)

select * from final
