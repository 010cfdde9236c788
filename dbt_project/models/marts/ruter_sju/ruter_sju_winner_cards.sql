with

totals as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        card,
        sum(times_dealt)::bigint as times_dealt,
        sum(wins)::bigint as wins,
        sum(lasts)::bigint as lasts,
        {{ mean_of_sums('mean_place') }}
    from {{ ref('int_ruter_sju_winner_cards_sums') }}
    group by all
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
        mean_place,
        mean_place_low,
        mean_place_high,
        {{ rate('last_rate', 'lasts', 'times_dealt') }}
    from totals
)

select * from final
