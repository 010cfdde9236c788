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
        games.dataset,
        games.num_suits,
        games.cards_per_suit,
        games.num_players,
        cards.card,
        count(*) as times_dealt,
        count(*) filter (where seats.place = 1) as wins,
        {{ rate('win_rate', 'wins', 'times_dealt') }},
        win_rate * games.num_players as lift,
        win_rate_low * games.num_players as lift_low,
        win_rate_high * games.num_players as lift_high,
        {{ mean('mean_place', 'seats.place') }},
        {{ rate('last_rate', 'count_if(seats.place = games.num_players)', 'times_dealt') }}
    from cards
    inner join games on cards.hand_id = games.hand_id
    inner join seats on cards.hand_id = seats.hand_id and cards.seat = seats.seat
    group by games.dataset, games.num_suits, games.cards_per_suit, games.num_players, cards.card
)

select * from final
