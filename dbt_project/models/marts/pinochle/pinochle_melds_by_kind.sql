with complete_hands as (
    select
        hand_id,
        dataset,
        {{ cluster() }},
        seats_shown
    from {{ ref('int_pinochle_hands') }}
    where status = 'complete'
),

shown as (
    select
        dataset,
        cluster,
        sum(seats_shown)::bigint as seats_shown
    from complete_hands
    group by all
),

melds as (
    select
        complete_hands.dataset,
        melds.meld,
        complete_hands.cluster,
        count(*) as seats,
        sum(melds.times)::bigint as times,
        sum(melds.points)::bigint as points
    from {{ ref('int_pinochle_melds') }} as melds
    inner join complete_hands on melds.hand_id = complete_hands.hand_id
    group by all
),

-- A cluster in which nobody has the meld counts too.
by_cluster as (
    select
        shown.dataset,
        kinds.meld,
        kinds.points as worth,
        shown.seats_shown,
        coalesce(melds.seats, 0) as seats,
        coalesce(melds.times, 0) as times,
        coalesce(melds.points, 0) as points
    from shown
    cross join {{ ref('pinochle_melds') }} as kinds
    left join melds
        on {{ same(['dataset', 'cluster'], 'shown', 'melds') }} and kinds.meld = melds.meld
)

select
    dataset,
    meld,
    worth,
    sum(seats)::bigint as seats,
    sum(times)::bigint as times,
    sum(points)::bigint as points,
    sum(seats_shown)::bigint as seats_shown,
    {{ rate('seats_rate', 'seats', 'seats_shown') }}
from by_cluster
group by dataset, meld, worth
having sum(seats) > 0
