with

totals as (
    select
        game,
        dataset,
        strength,
        longest_suit,
        sum(hands)::bigint as hands,
        sum(auctions)::bigint as auctions,
        sum(bids)::bigint as bids,
        sum(contracts)::bigint as contracts,
        sum(contracts_made)::bigint as contracts_made,
        sum(passes)::bigint as passes,
        {{ mean_of_sums('mean_lead_declaring') }},
        {{ mean_of_sums('mean_lead_passing') }}
    from {{ ref('int_bids_by_strength_sums') }}
    group by all
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
        mean_lead_declaring,
        mean_lead_declaring_low,
        mean_lead_declaring_high,
        passes,
        mean_lead_passing,
        mean_lead_passing_low,
        mean_lead_passing_high
    from totals
)

select * from final
