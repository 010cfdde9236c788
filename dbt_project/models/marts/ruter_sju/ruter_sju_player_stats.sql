-- The statistics that the author's program writes, and beside them what one would expect under their names.
with

hands as (
    select * from {{ ref('int_ruter_sju_hands') }}
    where status = 'complete'
),

seats as (
    select * from {{ ref('int_ruter_sju_seats') }}
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

-- The program's own number of a game in its mix is not in the log. Its script plays mix after mix, each as
-- often, so it is the place in a run of games alike; two mixes that follow one another and are the same, as
-- there are with three players, share a run in equal parts.
runs as (
    select
        hands.hand_id,
        hands.num_players,
        mixes.num_smart,
        mixes.num_dumb,
        mixes.num_random,
        mixes.kinds,
        hands.source_id,
        hands.source_line,
        coalesce(
            (mixes.kinds, hands.num_suits, hands.cards_per_suit) is distinct from lag(
                (mixes.kinds, hands.num_suits, hands.cards_per_suit)
            ) over (partition by hands.source_id order by hands.source_line, hands.hand_id),
            true
        ) as is_first
    from hands
    inner join mixes on hands.hand_id = mixes.hand_id
),

numbered_runs as (
    select
        *,
        sum(is_first::integer) over (partition by source_id order by source_line, hand_id) as run_no
    from runs
),

places_in_runs as (
    select
        *,
        row_number() over (partition by source_id, run_no order by source_line, hand_id) - 1 as place,
        count(*) over (partition by source_id, run_no) as games
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
        places.hand_id,
        places.num_smart,
        places.num_dumb,
        places.num_random,
        (
            case
                when
                    coalesce(longest_blocks.mixes_alike, 1) > 1
                    and places.games % longest_blocks.mixes_alike = 0
                    -- The script seats the smart ones first, then the dumb, then the random.
                    and places.kinds = rtrim(
                        repeat('smart,', places.num_smart)
                        || repeat('dumb,', places.num_dumb)
                        || repeat('random,', places.num_random),
                        ','
                    )
                    then places.place % (places.games // longest_blocks.mixes_alike)
                else places.place
            end
        )::integer as game
    from places_in_runs as places
    left join longest_blocks
        on
            places.num_players = longest_blocks.num_players
            and places.num_smart = longest_blocks.num_smart
            and places.num_dumb = longest_blocks.num_dumb
            and places.num_random = longest_blocks.num_random
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

entry_runs as (
    select
        *,
        count(*) filter (where not has_block) over (
            partition by hand_id, seat order by round_no
        ) as run_no
    from entries
),

entry_run_lengths as (
    select
        hand_id,
        seat,
        run_no,
        count(*) as entries,
        count(*) filter (where has_taken) as taken,
        count(*) filter (where has_block) as with_block,
        min(round_no) filter (where has_taken) as first_taken
    from entry_runs
    group by all
),

entry_totals as (
    select
        hand_id,
        seat,
        sum(entries)::integer as rounds_player,
        sum(taken)::integer as times_block_taken,
        sum(with_block)::integer as total_rounds_with_block,
        max(with_block)::integer as most_rounds_with_block,
        coalesce(min(first_taken), -1)::integer as turn_with_first_block
    from entry_run_lengths
    group by all
),

-- The same by turns, as they were.
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

turn_runs as (
    select
        *,
        count(*) filter (where not has_block) over (
            partition by hand_id, seat order by visit_no
        ) as run_no
    from turns
),

turn_run_lengths as (
    select
        hand_id,
        seat,
        run_no,
        count(*) as turns,
        count(*) filter (where has_taken) as taken,
        count(*) filter (where has_block) as with_block,
        min(lap_no) filter (where has_taken) as first_taken
    from turn_runs
    group by all
),

turn_totals as (
    select
        hand_id,
        seat,
        sum(turns)::integer as turns_player,
        sum(taken)::integer as times_block_taken,
        sum(with_block)::integer as turns_with_block,
        max(with_block)::integer as most_turns_with_block,
        min(first_taken)::integer as first_block_lap
    from turn_run_lengths
    group by all
),

final as (
    select
        hands.hand_id,
        hands.match_id,
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
        entry_totals.rounds_player,
        (
            (seats.seat - totals.first_seat + hands.num_players) % hands.num_players
        )::tinyint as starting_position,
        (seats.place - 1)::tinyint as final_position,
        entry_totals.times_block_taken,
        entry_totals.total_rounds_with_block,
        entry_totals.total_rounds_with_block
        / nullif(totals.rounds, 0)::double as total_rounds_with_block_prop,
        entry_totals.most_rounds_with_block,
        entry_totals.most_rounds_with_block / nullif(totals.rounds, 0)::double as most_rounds_with_block_prop,
        entry_totals.turn_with_first_block,
        entry_totals.turn_with_first_block / nullif(totals.rounds, 0)::double as turn_with_first_block_prop,
        seats.num_center,
        seats.num_opener,
        seats.num_extremes,
        {% for suit in range(6) %}
        seats.suit{{ suit }}_extremes,
        {% endfor %}
        totals.true_rounds,
        turn_totals.turns_player as true_turns_player,
        turn_totals.times_block_taken as true_times_block_taken,
        turn_totals.turns_with_block as true_turns_with_block,
        turn_totals.turns_with_block / turn_totals.turns_player::double as true_turns_with_block_prop,
        turn_totals.most_turns_with_block as true_most_turns_with_block,
        turn_totals.most_turns_with_block
        / turn_totals.turns_player::double as true_most_turns_with_block_prop,
        turn_totals.first_block_lap as true_first_block_lap,
        turn_totals.first_block_lap / totals.true_rounds::double as true_first_block_lap_prop
    from hands
    inner join seats on hands.hand_id = seats.hand_id
    inner join games on hands.hand_id = games.hand_id
    inner join totals on hands.hand_id = totals.hand_id
    inner join entry_totals on seats.hand_id = entry_totals.hand_id and seats.seat = entry_totals.seat
    inner join turn_totals on seats.hand_id = turn_totals.hand_id and seats.seat = turn_totals.seat
)

select * from final
