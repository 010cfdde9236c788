with

totals as (
    {{ totals(
        ref('int_ruter_sju_bots_sums'),
        by=[
            'dataset', 'num_suits', 'cards_per_suit', 'num_players',
            'num_smart', 'num_dumb', 'num_random', 'kind', 'seats'
        ],
        counts=['games', 'games_won', 'games_lost'],
        means=['mean_place']
    ) }}
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
        games,
        seats,
        {{ mean_of_sums('mean_place') }},
        seats / num_players::double as fair_win_rate,
        {{ rate('win_rate', 'games_won', 'games') }},
        {{ rate('last_rate', 'games_lost', 'games') }}
    from totals
)

select * from final
