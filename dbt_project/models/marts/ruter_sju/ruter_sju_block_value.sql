with

games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_human = 0
),

stats as (
    select * from {{ ref('ruter_sju_player_stats') }}
),

final as (
    select
        games.dataset,
        games.num_suits,
        games.cards_per_suit,
        games.num_players,
        stats.true_times_block_taken as times_taken,
        count(*) as players,
        count(*) filter (where stats.final_position = 0) as wins,
        {{ rate('win_rate', 'wins', 'players') }},
        count(*) filter (where stats.final_position = games.num_players - 1) as lasts,
        {{ rate('last_rate', 'lasts', 'players') }},
        {{ mean('mean_place', 'stats.final_position + 1') }},
        {{ mean('mean_turns_with_block', 'stats.true_turns_with_block') }}
    from stats
    inner join games on stats.hand_id = games.hand_id
    group by all
)

select * from final
