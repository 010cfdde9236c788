-- Main pot and side pots by chips and cards alone; tests compare them with the fold's.
{{ config(materialized='incremental') }}

with

slices as (
    select * from {{ ref('int_five_card_draw_slices') }}
),

players as (
    select * from {{ of_new_hands(ref('five_card_draw_players')) }}
    where hand_status = 'complete'
),

pots as (
    select
        hand_id,
        contenders,
        sum(chips)::integer as chips,
        row_number() over (partition by hand_id order by min(chips_level)) - 1 as pot_no
    from slices
    group by hand_id, contenders
),

contended as (
    select
        pots.hand_id,
        pots.pot_no,
        pots.chips,
        players.seat,
        players.rank_after,
        count(*) over (partition by pots.hand_id, pots.pot_no) as contenders,
        count(players.rank_after) over (partition by pots.hand_id, pots.pot_no) as known,
        min(players.rank_after) over (partition by pots.hand_id, pots.pot_no) as best_rank
    from pots
    inner join players
        on pots.hand_id = players.hand_id and (pots.contenders >> players.seat) & 1 = 1
),

-- A mucked hand is worse than one that was shown. So the best known hand is the best of all, and a pot that
-- its player contends for is decided, as is one in which no hand is hidden.
judged as (
    select
        *,
        known = contenders
        or contenders = 1
        or coalesce(best_rank = min(best_rank) over (partition by hand_id), false) as is_known,
        contenders = 1 or coalesce(rank_after = best_rank, false) as is_best
    from contended
),

final as (
    select
        hand_id,
        pot_no::tinyint as pot_no,
        chips,
        contenders::tinyint as contenders,
        is_known,
        max(best_rank) filter (where is_known and contenders > 1) as winning_rank,
        nullif(count(*) filter (where is_known and is_best), 0)::tinyint as winners,
        bit_or(1 << seat) filter (where is_known and is_best)::integer as winner_seats
    from judged
    group by hand_id, pot_no, chips, contenders, is_known
)

select * from final
