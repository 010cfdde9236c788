with games as (
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
        games.match_id,
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

by_cluster as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        num_smart,
        num_dumb,
        num_random,
        kind,
        seats,
        {{ cluster() }},
        count(*) as games,
        {{ sums('mean_place', 'place', type='double') }},
        count_if(has_won) as games_won,
        count_if(has_lost) as games_lost
    from kinds
    group by all
)

select
    dataset,
    num_suits,
    cards_per_suit,
    num_players,
    num_smart,
    num_dumb,
    num_random,
    kind,
    sum(games)::bigint as games,
    seats,
    {{ bounded_mean('mean_place', 'dataset, num_players') }},
    seats / num_players::double as fair_win_rate,
    {{ rate('win_rate', 'games_won', 'games') }},
    {{ rate('last_rate', 'games_lost', 'games') }}
from by_cluster
group by
    dataset, num_suits, cards_per_suit, num_players, num_smart, num_dumb, num_random, kind, seats
