with by_cluster as (
    {{ clusters(
        ref('int_ruter_sju_winner_cards_sums'),
        ['dataset', 'num_suits', 'cards_per_suit', 'num_players', 'card'],
        ['times_dealt', 'wins', 'lasts'],
        ['mean_place']
    ) }}
),

figures as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        card,
        sum(times_dealt)::bigint as times_dealt,
        sum(wins)::bigint as wins,
        {{ rate('win_rate', 'wins', 'times_dealt') }},
        {{ bounded_mean('mean_place', 'dataset, num_players') }},
        {{ rate('last_rate', 'lasts', 'times_dealt') }}
    from by_cluster
    group by dataset, num_suits, cards_per_suit, num_players, card
)

select
    dataset,
    num_suits,
    cards_per_suit,
    num_players,
    card,
    times_dealt,
    wins,
    win_rate,
    win_rate_low,
    win_rate_high,
    win_rate * num_players as lift,
    win_rate_low * num_players as lift_low,
    win_rate_high * num_players as lift_high,
    mean_place,
    mean_place_low,
    mean_place_high,
    last_rate,
    last_rate_low,
    last_rate_high
from figures
