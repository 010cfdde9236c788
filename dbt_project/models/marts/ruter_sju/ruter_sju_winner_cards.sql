with

totals as (
    {{ totals(
        ref('int_ruter_sju_winner_cards_sums'),
        by=['dataset', 'num_suits', 'cards_per_suit', 'num_players', 'card'],
        counts=['times_dealt', 'wins', 'lasts'],
        means=['mean_place']
    ) }}
),

final as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        card,
        times_dealt,
        wins,
        {{ rate('win_rate', 'wins', 'times_dealt') }},
        win_rate * num_players as lift,
        win_rate_low * num_players as lift_low,
        win_rate_high * num_players as lift_high,
        {{ mean_of_sums('mean_place') }},
        {{ rate('last_rate', 'lasts', 'times_dealt') }}
    from totals
)

select * from final
