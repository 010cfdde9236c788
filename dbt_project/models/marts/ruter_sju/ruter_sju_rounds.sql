with

complete_games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_human = 0
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
        count(*) as games,
        {{ mean('mean_rounds', 'true_rounds') }},
        min(true_rounds) as fewest_rounds,
        max(true_rounds) as most_rounds,
        {{ mean('mean_turns', 'turns') }},
        {{ mean('mean_program_rounds', 'rounds') }},
        {{ rate('frozen_rate', 'count_if(is_frozen)', 'games') }}
    from complete_games
    group by dataset, num_suits, cards_per_suit, num_players, num_smart, num_dumb, num_random
)

select * from final
