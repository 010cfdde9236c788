with complete_hands as (
    select
        hand_id,
        dataset,
        {{ cluster() }},
        seats_shown
    from {{ ref('int_pinochle_hands') }}
    where status = 'complete'
),

melds as (
    select
        melds.*,
        complete_hands.dataset,
        complete_hands.cluster
    from {{ ref('int_pinochle_melds') }} as melds
    inner join complete_hands on melds.hand_id = complete_hands.hand_id
),

shown as (
    select
        dataset,
        cluster,
        sum(seats_shown)::bigint as seats_shown
    from complete_hands
    group by all
),

summed as (
    select
        dataset,
        meld,
        cluster,
        count(*) as seats,
        sum(times)::bigint as times,
        sum(points)::bigint as points
    from melds
    group by all
),

found as (
    select distinct
        dataset,
        meld
    from melds
),

-- A cluster in which nobody has the meld counts too.
by_cluster as (
    select
        found.dataset,
        found.meld,
        shown.seats_shown,
        coalesce(summed.seats, 0) as seats,
        coalesce(summed.times, 0) as times,
        coalesce(summed.points, 0) as points
    from found
    inner join shown on found.dataset is not distinct from shown.dataset
    left join summed
        on
            found.dataset is not distinct from summed.dataset
            and found.meld = summed.meld
            and shown.cluster = summed.cluster
),

figures as (
    select
        dataset,
        meld,
        sum(seats)::bigint as seats,
        sum(times)::bigint as times,
        sum(points)::bigint as points,
        sum(seats_shown)::bigint as seats_shown,
        {{ rate('seats_rate', 'seats', 'seats_shown') }}
    from by_cluster
    group by dataset, meld
)

select
    figures.dataset,
    figures.meld,
    kinds.points as worth,
    figures.seats,
    figures.times,
    figures.points,
    figures.seats_shown,
    figures.seats_rate,
    figures.seats_rate_low,
    figures.seats_rate_high
from figures
inner join {{ ref('pinochle_melds') }} as kinds on figures.meld = kinds.meld
