with

totals as (
    select
        game,
        dataset,
        player_kind,
        partner_kind,
        human_opponents,
        computer_opponents,
        sum(hands)::bigint as hands,
        sum(hands_won)::bigint as hands_won,
        {{ mean_of_sums('mean_score_difference') }},
        {{ mean_of_sums('mean_place') }},
        {{ mean_of_sums('mean_net') }}
    from {{ ref('int_seatings_sums') }}
    group by all
),

final as (
    select
        game,
        dataset,
        player_kind,
        partner_kind,
        human_opponents,
        computer_opponents,
        hands,
        hands_won,
        {{ rate('win_rate', 'hands_won', 'hands') }},
        mean_score_difference,
        mean_score_difference_low,
        mean_score_difference_high,
        mean_place,
        mean_place_low,
        mean_place_high,
        mean_net,
        mean_net_low,
        mean_net_high
    from totals
)

select * from final
