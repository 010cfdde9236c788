-- The declarations of hands, by cards alone. In a run, a card's rank less its row number in its suit is the
-- same for all cards.
{{ config(materialized='incremental') }}

with openings as (
    select * from {{ new_rows(ref('int_belote_hands')) }}
),

hands as (
    select
        hand_id,
        dealer,
        trump,
        unnest(range(4))::tinyint as seat,
        unnest({{ by_seat('hand', 4) }}) as held
    from {{ new_rows(ref('stg_playedhand')) }}
    where game = 'belote' and status = 'complete'
),

card_indices as (
    select unnest(range(8)) as card_index
),

held_cards as (
    select
        hands.hand_id,
        hands.dealer,
        hands.trump,
        hands.seat,
        hands.held[2 * card_indices.card_index + 1] as rank,
        hands.held[2 * card_indices.card_index + 2] as suit
    from hands
    cross join card_indices
),

ranked as (
    select
        held_cards.*,
        ranks.run_place,
        ranks.four_points,
        ranks.four_place,
        openings.eight_is_belot,
        openings.ace_ends_runs or held_cards.rank <> 'A' as may_run
    from held_cards
    inner join {{ ref('belote_ranks') }} as ranks on held_cards.rank = ranks.rank
    inner join openings on held_cards.hand_id = openings.hand_id
),

in_rows as (
    select
        *,
        run_place
        - row_number() over (partition by hand_id, seat, suit order by run_place) as row_no
    from ranked
    where may_run
),

runs as (
    select
        hand_id,
        dealer,
        trump,
        seat,
        'run' as kind,
        suit,
        count(*) as cards,
        max(run_place) as place,
        eight_is_belot
    from in_rows
    group by hand_id, dealer, trump, seat, suit, row_no, eight_is_belot
),

-- Fewer than three cards are not a run.
worth_of_runs as (
    select * from {{ ref('belote_runs') }}
),

declared_runs as (
    select
        runs.hand_id,
        runs.dealer,
        runs.trump,
        runs.seat,
        runs.kind,
        runs.suit,
        runs.cards,
        runs.place,
        case
            when runs.eight_is_belot then worth_of_runs.points_with_belot
            else worth_of_runs.points
        end as points
    from runs
    inner join worth_of_runs on runs.cards = worth_of_runs.cards
),

fours as (
    select
        hand_id,
        dealer,
        trump,
        seat,
        'four' as kind,
        null as suit,
        count(*) as cards,
        four_place as place,
        four_points as points
    from ranked
    where four_points > 0
    group by hand_id, dealer, trump, seat, rank, four_place, four_points
    having count(*) = 4
),

found as (
    select * from declared_runs
    union all
    select * from fours
),

ordered as (
    select
        found.*,
        openings.ingest_no,
        first_value(found.seat % 2) over (
            partition by found.hand_id
            order by
                found.points desc,
                not openings.by_value_only and found.kind = 'four' desc,
                case when openings.by_value_only then 0 else found.cards end desc,
                case when openings.by_value_only then 0 else found.place end desc,
                not openings.by_value_only and coalesce(found.suit = found.trump, false) desc,
                openings.ties_to_dealer and found.seat % 2 = found.dealer % 2 desc,
                (found.seat - found.dealer + 3) % 4
        ) as best_team
    from found
    inner join openings on found.hand_id = openings.hand_id
)

select
    hand_id,
    seat,
    kind,
    suit,
    cards::tinyint as cards,
    place::tinyint as place,
    points::integer as points,
    seat % 2 = best_team as counts,
    ingest_no
from ordered
