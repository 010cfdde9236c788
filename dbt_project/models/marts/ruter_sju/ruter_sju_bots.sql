with

games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_smart + num_dumb + num_random = num_players
),

seats as (
    select * from {{ ref('int_ruter_sju_seats') }}
),

-- The seats of a game depend on one another, so the game is the unit.
kinds as (
    select
        games.hand_id,
        games.dataset,
        games.num_suits,
        games.cards_per_suit,
        games.num_players,
        games.num_smart,
        games.num_dumb,
        games.num_random,
        seats.kind,
        count(*)::tinyint as seats,
        avg(seats.place) as place,
        bool_or(seats.place = 1) as has_won,
        bool_or(seats.place = games.num_players) as has_lost
    from games
    inner join seats on games.hand_id = seats.hand_id
    group by all
),

final as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        num_smart,
        num_dumb,
        num_random,
        kind,
        count(*) as games,
        seats,
        {{ mean('mean_place', 'place') }},
        seats / num_players::double as fair_win_rate,
        {{ rate('win_rate', 'count_if(has_won)', 'games') }},
        {{ rate('last_rate', 'count_if(has_lost)', 'games') }}
    from kinds
    group by all
)

select * from final
