-- The chips of a hand in slices: a slice is what all who put in at least as much as some player put in
-- between that and the next smaller sum. It can be won by those of them who have not folded.
with

seats as (
    select * from {{ ref('int_five_card_draw_seats') }}
),

levels as (
    select distinct
        hand_id,
        chips_put_in as chips_level
    from seats
    where chips_put_in > 0
),

bounds as (
    select
        hand_id,
        chips_level,
        chips_level - coalesce(lag(chips_level) over (partition by hand_id order by chips_level), 0) as height
    from levels
),

final as (
    select
        bounds.hand_id,
        bounds.chips_level,
        (bounds.height * count(*))::integer as chips,
        bit_or(case when seats.folded then 0 else 1 << seats.seat end)::integer as contenders
    from bounds
    inner join seats on bounds.hand_id = seats.hand_id and bounds.chips_level <= seats.chips_put_in
    group by bounds.hand_id, bounds.chips_level, bounds.height
)

select * from final
