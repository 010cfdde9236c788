with

complete_hands as (
    select
        hand_id,
        dataset,
        seats_shown
    from {{ ref('int_pinochle_hands') }}
    where status = 'complete'
),

melds as (
    select
        melds.*,
        complete_hands.dataset
    from {{ ref('int_pinochle_melds') }} as melds
    inner join complete_hands on melds.hand_id = complete_hands.hand_id
),

kinds as (
    select * from {{ ref('pinochle_melds') }}
),

shown as (
    select
        dataset,
        sum(seats_shown)::bigint as seats_shown
    from complete_hands
    group by dataset
),

summed as (
    select
        dataset,
        meld,
        count(*) as seats,
        sum(times)::bigint as times,
        sum(points)::bigint as points
    from melds
    group by dataset, meld
),

final as (
    select
        summed.dataset,
        kinds.meld,
        kinds.points as worth,
        summed.seats,
        summed.times,
        summed.points,
        shown.seats_shown,
        {{ rate('seats_rate', 'summed.seats', 'shown.seats_shown') }}
    from summed
    inner join kinds on summed.meld = kinds.meld
    inner join shown on summed.dataset is not distinct from shown.dataset
)

select * from final
