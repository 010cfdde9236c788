with

totals as (
    {{ totals(
        ref('int_kaiser_human_vs_computer_sums'),
        by=['dataset', 'player', 'partner'],
        counts=['hands', 'bids', 'contracts', 'contracts_made', 'hands_defending'],
        means=[
            'mean_bid', 'mean_points_as_declarer', 'mean_score_as_declarer',
            'mean_points_defending', 'mean_points', 'mean_score', 'mean_tricks'
        ]
    ) }}
),

final as (
    select
        dataset,
        player,
        partner,
        hands,
        bids,
        {{ rate('bid_rate', 'bids', 'hands') }},
        {{ mean_of_sums('mean_bid') }},
        contracts,
        contracts_made,
        {{ rate('made_rate', 'contracts_made', 'contracts') }},
        {{ mean_of_sums('mean_points_as_declarer') }},
        {{ mean_of_sums('mean_score_as_declarer') }},
        hands_defending,
        {{ mean_of_sums('mean_points_defending') }},
        {{ mean_of_sums('mean_points') }},
        {{ mean_of_sums('mean_score') }},
        {{ mean_of_sums('mean_tricks') }}
    from totals
)

select * from final
