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
        coalesce(summed.seats, 0) as seats,
        coalesce(summed.times, 0) as times,
        coalesce(summed.points, 0) as points,
        summed.seats / nullif(shown.seats, 0)::double as seats_rate
    from kinds
    left join summed on kinds.meld = summed.meld
    cross join shown
)

select * from final
order by points desc, meld asc
