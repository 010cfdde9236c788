{% set rate = "avg((seats.place = 1)::integer)" %}

with

games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_human = 0
),

seats as (
    select * from {{ ref('int_ruter_sju_seats') }}
),

cards as (
    select * from {{ ref('int_ruter_sju_cards') }}
),

final as (
    select
        games.num_suits,
        games.cards_per_suit,
        games.num_players,
        cards.card,
        count(*) as times_dealt,
        count(*) filter (where seats.place = 1) as wins,
        {{ rate }} as win_rate,
        {{ wilson_low(rate) }} as win_rate_low,
        {{ wilson_high(rate) }} as win_rate_high,
        {{ rate }} * games.num_players as lift,
        avg(seats.place) as mean_place,
        avg((seats.place = games.num_players)::integer) as last_rate
    from cards
    inner join games on cards.hand_id = games.hand_id
    inner join seats on cards.hand_id = seats.hand_id and cards.seat = seats.seat
    group by games.num_suits, games.cards_per_suit, games.num_players, cards.card
)

select * from final
