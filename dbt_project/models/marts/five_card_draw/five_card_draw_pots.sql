-- Main pot and side pots by chips and cards alone; tests compare them with the fold's.
{{ config(materialized='incremental') }}

with players as (
    select * from {{ new_rows(ref('five_card_draw_players')) }}
    where hand_status = 'complete'
),

levels as (
    select distinct
        hand_id,
        chips_put_in as chips_level
    from players
    where chips_put_in > 0
),

bounds as (
    select
        hand_id,
        chips_level,
        chips_level - coalesce(lag(chips_level) over (partition by hand_id order by chips_level), 0) as height
    from levels
),

-- A slice of the chips is what all who put in at least as much as some player put in between that and the
-- next smaller sum. It can be won by those of them who have not folded; whoever mucks at
-- PokerStars can't win.
slices as (
    select
        bounds.hand_id,
        bounds.chips_level,
        max(players.ingest_no) as ingest_no,
        (bounds.height * count(*))::integer as chips,
        bit_or(
            case
                when players.folded or (players.mucked and players.dialect = 'pokerstars') then 0
                else 1 << players.seat
            end
        )::integer as contenders
    from bounds
    inner join players on bounds.hand_id = players.hand_id and bounds.chips_level <= players.chips_put_in
    group by bounds.hand_id, bounds.chips_level, bounds.height
),

pots as (
    select
        hand_id,
        contenders,
        max(ingest_no) as ingest_no,
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
        pots.ingest_no,
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
)

select
    hand_id,
    pot_no::tinyint as pot_no,
    chips,
    contenders::tinyint as contenders,
    is_known,
    max(best_rank) filter (where is_known and contenders > 1) as winning_rank,
    nullif(count(*) filter (where is_known and is_best), 0)::tinyint as winners,
    bit_or(1 << seat) filter (where is_known and is_best)::integer as winner_seats,
    max(ingest_no) as ingest_no
from judged
group by hand_id, pot_no, chips, contenders, is_known
