with

totals as (
    {{ totals(
        ref('int_bids_by_strength_sums'),
        by=['game', 'dataset', 'strength', 'longest_suit'],
        counts=['hands', 'auctions', 'bids', 'contracts', 'contracts_made', 'passes'],
        means=['mean_lead_declaring', 'mean_lead_passing']
    ) }}
),

final as (
    select
        game,
        dataset,
        strength,
        longest_suit,
        hands,
        auctions,
        bids,
        {{ rate('bid_rate', 'bids', 'auctions') }},
        contracts,
        contracts_made,
        {{ rate('made_rate', 'contracts_made', 'contracts') }},
        {{ mean_of_sums('mean_lead_declaring') }},
        passes,
        {{ mean_of_sums('mean_lead_passing') }}
    from totals
)

select * from final
