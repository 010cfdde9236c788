-- The statistics that the author's program writes, and next to them what one would expect by their names.
{{ config(materialized='incremental', unique_key='hand_id') }}

with

-- A log that was ingested as it grew is several sources of one path, in which lines have the same numbers.
sources as (
    select
        source_id,
        dataset,
        min(source_path) as source_path
    from {{ ref('stg_ingests') }}
    group by all
),

hands as (
    select
        hands.*,
        sources.source_path
    from {{ new_paths(ref('int_ruter_sju_hands')) }} as hands
    inner join sources
        on hands.source_id = sources.source_id and hands.dataset is not distinct from sources.dataset
    where hands.status = 'complete'
),

seats as (
    select seats.*
    from {{ ref('int_ruter_sju_seats') }} as seats
    inner join hands on seats.hand_id = hands.hand_id
),

acts as (
    select acts.*
    from {{ ref('ruter_sju_acts') }} as acts
    inner join hands on acts.hand_id = hands.hand_id
),

mixes as (
    select
        hand_id,
        count(*) filter (where kind = 'smart')::tinyint as num_smart,
        count(*) filter (where kind = 'dumb')::tinyint as num_dumb,
        count(*) filter (where kind = 'random')::tinyint as num_random,
        string_agg(kind, ',' order by seat) as kinds
    from seats
    group by hand_id
),

-- The program's own number of a game in its mix is not in the log. Its script plays mix after mix, equally
-- often, so it is the position in a run of games of the same mix; two equal mixes in a row, as there are
-- with three players, share a run in equal parts.
runs as (
    select
        hands.hand_id,
        hands.num_players,
        mixes.num_smart,
        mixes.num_dumb,
        mixes.num_random,
        mixes.kinds,
        hands.source_path,
        hands.dataset,
        hands.source_line,
        coalesce(
            (mixes.kinds, hands.num_suits, hands.cards_per_suit) is distinct from lag(
                (mixes.kinds, hands.num_suits, hands.cards_per_suit)
            ) over (partition by hands.source_path, hands.dataset order by hands.source_line, hands.hand_id),
            true
        ) as is_first
    from hands
    inner join mixes on hands.hand_id = mixes.hand_id
),

numbered_runs as (
    select
        *,
        sum(is_first::integer) over (
            partition by source_path, dataset order by source_line, hand_id
        ) as run_no
    from runs
),

numbered_games as (
    select
        *,
        row_number() over (
            partition by source_path, dataset, run_no order by source_line, hand_id
        ) - 1 as game_no,
        count(*) over (partition by source_path, dataset, run_no) as games
    from numbered_runs
),

schedule as (
    select
        *,
        mix - row_number() over (
            partition by num_players, num_smart, num_dumb, num_random order by mix
        ) as block
    from {{ ref('ruter_sju_mixes') }}
),

blocks as (
    select
        num_players,
        num_smart,
        num_dumb,
        num_random,
        block,
        count(*) as mixes_alike
    from schedule
    group by all
),

longest_blocks as (
    select
        num_players,
        num_smart,
        num_dumb,
        num_random,
        max(mixes_alike) as mixes_alike
    from blocks
    group by all
),

games as (
    select
        numbered_games.hand_id,
        numbered_games.num_smart,
        numbered_games.num_dumb,
        numbered_games.num_random,
        (
            case
                when
                    coalesce(longest_blocks.mixes_alike, 1) > 1
                    and numbered_games.games % longest_blocks.mixes_alike = 0
                    -- The script seats the smart ones first, then the dumb, then the random.
                    and numbered_games.kinds = rtrim(
                        repeat('smart,', numbered_games.num_smart)
                        || repeat('dumb,', numbered_games.num_dumb)
                        || repeat('random,', numbered_games.num_random),
                        ','
                    )
                    then numbered_games.game_no % (numbered_games.games // longest_blocks.mixes_alike)
                else numbered_games.game_no
            end
        )::integer as game
    from numbered_games
    left join longest_blocks
        on
            numbered_games.num_players = longest_blocks.num_players
            and numbered_games.num_smart = longest_blocks.num_smart
            and numbered_games.num_dumb = longest_blocks.num_dumb
            and numbered_games.num_random = longest_blocks.num_random
),

totals as (
    select
        hand_id,
        count(*) filter (where not is_going_on)::integer as turns,
        max(round_no)::integer as rounds,
        (max(lap_no) + 1)::integer as true_rounds,
        arg_min(seat, seq) as first_seat
    from acts
    group by hand_id
),

-- What a player did under one round number of the program.
entries as (
    select
        hand_id,
        seat,
        round_no,
        bool_or(action = 'block') as has_taken,
        bool_or(action in ('block', 'blocked')) as has_block
    from acts
    where action <> 'pass'
    group by all
),

{{ block_totals('entries', 'round_no', 'round_no') }},

-- The same by actual turns.
turns as (
    select
        hand_id,
        seat,
        visit_no,
        min(lap_no) as lap_no,
        bool_or(action = 'block' and not is_going_on) as has_taken,
        bool_or(action = 'blocked' or (action = 'block' and not is_going_on)) as has_block
    from acts
    group by all
),

{{ block_totals('turns', 'visit_no', 'lap_no') }},

final as (
    select
        hands.hand_id,
        hands.match_id,
        hands.dataset,
        seats.seat,
        hands.num_players,
        games.num_smart,
        games.num_dumb,
        games.num_random,
        games.game,
        totals.turns,
        totals.rounds,
        seats.player_name,
        seats.kind,
        seats.cards_dealt,
        entries_totals.steps as rounds_player,
        (
            (seats.seat - totals.first_seat + hands.num_players) % hands.num_players
        )::tinyint as starting_position,
        (seats.place - 1)::tinyint as final_position,
        entries_totals.times_taken as times_block_taken,
        entries_totals.with_block as total_rounds_with_block,
        entries_totals.with_block
        / nullif(totals.rounds, 0)::double as total_rounds_with_block_prop,
        entries_totals.most_with_block as most_rounds_with_block,
        entries_totals.most_with_block / nullif(totals.rounds, 0)::double as most_rounds_with_block_prop,
        coalesce(entries_totals.first_taken, -1) as turn_with_first_block,
        coalesce(entries_totals.first_taken, -1)
        / nullif(totals.rounds, 0)::double as turn_with_first_block_prop,
        seats.num_center,
        seats.num_opener,
        seats.num_extremes,
        {% for suit in range(6) %}
        seats.suit{{ suit }}_extremes,
        {% endfor %}
        totals.true_rounds,
        turns_totals.steps as true_turns_player,
        turns_totals.times_taken as true_times_block_taken,
        turns_totals.with_block as true_turns_with_block,
        turns_totals.with_block / turns_totals.steps::double as true_turns_with_block_prop,
        turns_totals.most_with_block as true_most_turns_with_block,
        turns_totals.most_with_block
        / turns_totals.steps::double as true_most_turns_with_block_prop,
        turns_totals.first_taken as true_first_block_lap,
        turns_totals.first_taken / totals.true_rounds::double as true_first_block_lap_prop,
        hands.ingest_no
    from hands
    inner join seats on hands.hand_id = seats.hand_id
    inner join games on hands.hand_id = games.hand_id
    inner join totals on hands.hand_id = totals.hand_id
    inner join entries_totals on seats.hand_id = entries_totals.hand_id and seats.seat = entries_totals.seat
    inner join turns_totals on seats.hand_id = turns_totals.hand_id and seats.seat = turns_totals.seat
)

select * from final
