-- Where the programs' rules differ from the book's. By the book a run may end in the ace, and among equal
-- declarations the first after the dealer is best; a side's best is judged by its points alone.
with hands as (
    select
        hand_id,
        dataset,
        dialect
    from {{ ref('stg_playedhand') }}
    where game = 'belote' and status = 'complete'
),

freed_plays as (
    select
        hand_id,
        count(*) as plays,
        count(*) filter (where deed = 'did not follow') as not_followed
    from {{ ref('int_belote_freed_plays') }}
    group by all
),

ace_runs as (
    select
        hand_id,
        count(*) as runs,
        count(*) filter (where cards = 3) as runs_of_three
    from {{ ref('int_belote_ace_runs') }}
    group by all
),

best_of_sides as (
    select
        hand_id,
        max(points) filter (where seat % 2 = 0) as best_0,
        max(points) filter (where seat % 2 = 1) as best_1
    from {{ ref('int_belote_declarations') }}
    group by all
)

select
    hands.dataset,
    hands.dialect,
    count(*) as hands,
    coalesce(sum(freed_plays.plays), 0)::bigint as freed_plays,
    coalesce(sum(freed_plays.not_followed), 0)::bigint as freed_from_following,
    count(freed_plays.hand_id) as hands_with_freed_plays,
    coalesce(sum(ace_runs.runs), 0)::bigint as runs_ending_in_ace,
    coalesce(sum(ace_runs.runs_of_three), 0)::bigint as runs_of_three_ending_in_ace,
    count(*) filter (where best_of_sides.best_0 = best_of_sides.best_1) as tied_declarations
from hands
left join freed_plays on hands.hand_id = freed_plays.hand_id
left join ace_runs on hands.hand_id = ace_runs.hand_id
left join best_of_sides on hands.hand_id = best_of_sides.hand_id
group by all
