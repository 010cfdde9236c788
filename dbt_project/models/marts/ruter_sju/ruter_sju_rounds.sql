with

games as (
    select * from {{ ref('ruter_sju_games') }}
    where status = 'complete' and is_by_the_book and num_human = 0
),

final as (
    select
        num_suits,
        cards_per_suit,
        num_players,
        num_smart,
        num_dumb,
        num_random,
        count(*) as games,
        avg(true_rounds) as mean_rounds,
        {{ mean_low('true_rounds') }} as mean_rounds_low,
        {{ mean_high('true_rounds') }} as mean_rounds_high,
        min(true_rounds) as fewest_rounds,
        max(true_rounds) as most_rounds,
        avg(turns) as mean_turns,
        avg(rounds) as mean_program_rounds,
        avg(is_frozen::integer) as frozen_rate
    from games
    group by num_suits, cards_per_suit, num_players, num_smart, num_dumb, num_random
)

select * from final
