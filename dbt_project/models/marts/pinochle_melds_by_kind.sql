with

melds as (
    select * from {{ ref('int_pinochle_melds') }}
),

kinds as (
    select * from {{ ref('pinochle_melds') }}
),

shown as (
    select count(*) as seats
    from {{ ref('stg_events') }}
    where game = 'pinochle' and kind = 'meld'
),

summed as (
    select
        meld,
        count(*) as seats,
        sum(times)::bigint as times,
        sum(points)::bigint as points
    from melds
    group by meld
),

final as (
    select
        kinds.meld,
        kinds.points as worth,
        summed.seats,
        summed.times,
        summed.points,
        summed.seats / shown.seats::double as seats_rate
    from summed
    inner join kinds on summed.meld = kinds.meld
    cross join shown
)

select * from final
order by points desc, meld asc
