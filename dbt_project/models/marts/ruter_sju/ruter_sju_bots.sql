{% set grain = [
    'dataset', 'num_suits', 'cards_per_suit', 'num_players',
    'num_smart', 'num_dumb', 'num_random', 'kind', 'seats'
] %}

-- The seats of a game depend on one another, so the game is the unit.
with kinds as (
    select
        hand_id,
        kind,
        count(*)::tinyint as seats,
        avg(place) as place,
        min(place) as first_place,
        max(place) as last_place
    from {{ ref('int_ruter_sju_seats') }}
    group by hand_id, kind
),

played as (
    select
        games.*,
        kinds.kind,
        kinds.seats,
        kinds.place,
        kinds.first_place,
        kinds.last_place
    from {{ ref('ruter_sju_games') }} as games
    inner join kinds on games.hand_id = kinds.hand_id
    where
        games.status = 'complete' and games.is_by_the_book
        and games.num_smart + games.num_dumb + games.num_random = games.num_players
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as games,
        {{ sums('mean_place', 'place', type='double') }},
        count_if(first_place = 1) as games_won,
        count_if(last_place = num_players) as games_lost
    from played
    group by all
)

select
    {{ grain[:8] | join(', ') }},
    sum(games)::bigint as games,
    seats,
    {{ bounded_mean('mean_place', 'dataset, num_players') }},
    seats / num_players::double as fair_win_rate,
    {{ rate('win_rate', 'games_won', 'games') }},
    {{ rate('last_rate', 'games_lost', 'games') }}
from by_cluster
group by {{ grain | join(', ') }}
