with games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_human = 0
),

by_cluster as (
    select
        games.dataset,
        games.num_suits,
        games.cards_per_suit,
        games.num_players,
        stats.true_times_block_taken as times_taken,
        {{ cluster('games') }},
        count(*) as players,
        count(*) filter (where stats.final_position = 0) as wins,
        count(*) filter (where stats.final_position = games.num_players - 1) as lasts,
        {{ sums('mean_place', 'stats.final_position + 1') }},
        {{ sums('mean_turns_with_block', 'stats.true_turns_with_block') }}
    from {{ ref('ruter_sju_player_stats') }} as stats
    inner join games on stats.hand_id = games.hand_id
    group by all
)

select
    dataset,
    num_suits,
    cards_per_suit,
    num_players,
    times_taken,
    sum(players)::bigint as players,
    sum(wins)::bigint as wins,
    {{ rate('win_rate', 'wins', 'players') }},
    sum(lasts)::bigint as lasts,
    {{ rate('last_rate', 'lasts', 'players') }},
    {{ bounded_mean('mean_place', 'dataset, num_players') }},
    {{ mean('mean_turns_with_block') }}
from by_cluster
group by dataset, num_suits, cards_per_suit, num_players, times_taken
