with

totals as (
    {{ totals(
        ref('int_seatings_sums'),
        by=['game', 'dataset', 'player_kind', 'partner_kind', 'human_opponents', 'computer_opponents'],
        counts=['hands', 'hands_won'],
        means=['mean_score_difference', 'mean_place', 'mean_net']
    ) }}
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
        {{ mean_of_sums('mean_score_difference') }},
        {{ mean_of_sums('mean_place') }},
        {{ mean_of_sums('mean_net') }}
    from totals
)

select * from final
