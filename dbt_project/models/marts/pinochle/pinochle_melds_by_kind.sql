with

complete_hands as (
    select
        hand_id,
        seats_shown
    from {{ ref('int_pinochle_hands') }}
    where status = 'complete'
),

melds as (
    select melds.*
    from {{ ref('int_pinochle_melds') }} as melds
    inner join complete_hands on melds.hand_id = complete_hands.hand_id
),

kinds as (
    select * from {{ ref('pinochle_melds') }}
),

shown as (
    select sum(seats_shown)::bigint as seats_shown
    from complete_hands
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
        shown.seats_shown,
        {{ rate('seats_rate', 'summed.seats', 'shown.seats_shown') }}
    from summed
    inner join kinds on summed.meld = kinds.meld
    cross join shown
)

select * from final
