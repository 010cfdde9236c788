{{ config(materialized='incremental') }}

with seats as (
    select
        hand_id,
        count(*) filter (where kind = 'smart')::tinyint as num_smart,
        count(*) filter (where kind = 'dumb')::tinyint as num_dumb,
        count(*) filter (where kind = 'random')::tinyint as num_random,
        count(*) filter (where kind = 'human')::tinyint as num_human,
        min(seat) filter (where place = 1)::tinyint as winner
    from {{ new_rows(ref('int_ruter_sju_seats')) }}
    group by hand_id
),

rounds as (
    select
        hand_id,
        bool_or(is_frozen) as is_frozen
    from {{ new_rows(ref('int_ruter_sju_rounds')) }}
    group by hand_id
),

acts as (
    select
        hand_id,
        count(*) as acts,
        count(card) as cards_placed,
        count(*) filter (where not is_going_on) as turns,
        max(lap_no) + 1 as true_rounds,
        max(round_no) as rounds,
        count(*) filter (where not is_allowed) as acts_not_allowed,
        count(*) filter (where is_allowed is null) as acts_not_known
    from {{ new_rows(ref('ruter_sju_acts')) }}
    group by hand_id
)

select
    hands.hand_id,
    hands.match_id,
    hands.dataset,
    hands.status,
    hands.dialect,
    hands.num_suits,
    hands.cards_per_suit,
    hands.num_players,
    coalesce(seats.num_smart, 0)::tinyint as num_smart,
    coalesce(seats.num_dumb, 0)::tinyint as num_dumb,
    coalesce(seats.num_random, 0)::tinyint as num_random,
    coalesce(seats.num_human, 0)::tinyint as num_human,
    seats.winner,
    coalesce(acts.acts, 0)::integer as acts,
    coalesce(acts.cards_placed, 0)::integer as cards_placed,
    coalesce(acts.turns, 0)::integer as turns,
    coalesce(acts.true_rounds, 0)::integer as true_rounds,
    coalesce(acts.rounds, 0)::integer as rounds,
    coalesce(rounds.is_frozen, false) as is_frozen,
    coalesce(acts.acts_not_allowed, 0)::integer as acts_not_allowed,
    coalesce(acts.acts_not_known, 0)::integer as acts_not_known,
    coalesce(acts.acts_not_allowed, 0) = 0 and coalesce(acts.acts_not_known, 0) = 0 as is_by_the_book,
    hands.ingest_no
from {{ new_rows(ref('int_ruter_sju_hands')) }} as hands
left join seats on hands.hand_id = seats.hand_id
left join acts on hands.hand_id = acts.hand_id
left join rounds on hands.hand_id = rounds.hand_id
