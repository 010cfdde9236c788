with

totals as (
    {{ totals(
        ref('int_ruter_sju_block_value_sums'),
        by=['dataset', 'num_suits', 'cards_per_suit', 'num_players', 'times_taken'],
        counts=['players', 'wins', 'lasts'],
        means=['mean_place', 'mean_turns_with_block']
    ) }}
),

final as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        times_taken,
        players,
        wins,
        {{ rate('win_rate', 'wins', 'players') }},
        lasts,
        {{ rate('last_rate', 'lasts', 'players') }},
        {{ mean_of_sums('mean_place') }},
        {{ mean_of_sums('mean_turns_with_block') }}
    from totals
)

select * from final
