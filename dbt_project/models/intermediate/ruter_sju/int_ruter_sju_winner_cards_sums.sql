{{ config(materialized='incremental') }}

with games as (
    select * from {{ new_rows(ref('ruter_sju_games')) }}
    where status = 'complete' and is_by_the_book and num_human = 0
),

seats as (
    select * from {{ new_rows(ref('int_ruter_sju_seats')) }}
)

select
    games.dataset,
    games.num_suits,
    games.cards_per_suit,
    games.num_players,
    cards.card,
    {{ cluster('games') }},
    count(*) as times_dealt,
    count(*) filter (where seats.place = 1) as wins,
    {{ sums('mean_place', 'seats.place') }},
    count(*) filter (where seats.place = games.num_players) as lasts,
    max(games.ingest_no) as ingest_no
from {{ new_rows(ref('int_ruter_sju_cards')) }} as cards
inner join games on cards.hand_id = games.hand_id
inner join seats on cards.hand_id = seats.hand_id and cards.seat = seats.seat
group by all
