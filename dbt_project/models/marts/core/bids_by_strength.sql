with

hands as (
    select * from {{ ref('int_bidding_hands') }}
),

final as (
    select
        game,
        dataset,
        strength,
        longest_suit,
        count(*) as hands,
        count(has_bid) as auctions,
        count(*) filter (where has_bid) as bids,
        {{ rate('bid_rate', 'bids', 'auctions') }},
        count(*) filter (where is_declarer) as contracts,
        count(*) filter (where made) as contracts_made,
        {{ rate('made_rate', 'contracts_made', 'contracts') }},
        {{ mean('mean_lead_declaring', 'lead', 'is_declarer') }},
        count(*) filter (where not has_bid) as passes,
        {{ mean('mean_lead_passing', 'lead', 'not has_bid') }}
    from hands
    group by all
)

select * from final
