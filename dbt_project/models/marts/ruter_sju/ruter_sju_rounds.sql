{% set grain = [
    'dataset', 'num_suits', 'cards_per_suit', 'num_players',
    'num_smart', 'num_dumb', 'num_random'
] %}

with complete_games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_human = 0
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as games,
        {{ sums('mean_rounds', 'true_rounds') }},
        {{ sums('mean_turns', 'turns') }},
        {{ sums('mean_program_rounds', 'rounds') }},
        count_if(is_frozen) as games_frozen
    from complete_games
    group by all
)

select
    {{ grain | join(', ') }},
    sum(games)::bigint as games,
    {{ mean('mean_rounds') }},
    min(mean_rounds_least) as fewest_rounds,
    max(mean_rounds_most) as most_rounds,
    {{ mean('mean_turns') }},
    {{ mean('mean_program_rounds') }},
    {{ rate('frozen_rate', 'games_frozen', 'games') }}
from by_cluster
group by {{ grain | join(', ') }}
