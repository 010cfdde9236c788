with

totals as (
    select
        dataset,
        player,
        partner,
        sum(hands)::bigint as hands,
        sum(bids)::bigint as bids,
        sum(contracts)::bigint as contracts,
        sum(contracts_made)::bigint as contracts_made,
        sum(hands_defending)::bigint as hands_defending,
        {{ mean_of_sums('mean_bid') }},
        {{ mean_of_sums('mean_points_as_declarer') }},
        {{ mean_of_sums('mean_score_as_declarer') }},
        {{ mean_of_sums('mean_points_defending') }},
        {{ mean_of_sums('mean_points') }},
        {{ mean_of_sums('mean_score') }},
        {{ mean_of_sums('mean_tricks') }}
    from {{ ref('int_kaiser_human_vs_computer_sums') }}
    group by all
),

final as (
    select
        dataset,
        player,
        partner,
        hands,
        bids,
        {{ rate('bid_rate', 'bids', 'hands') }},
        mean_bid,
        mean_bid_low,
        mean_bid_high,
        contracts,
        contracts_made,
        {{ rate('made_rate', 'contracts_made', 'contracts') }},
        mean_points_as_declarer,
        mean_points_as_declarer_low,
        mean_points_as_declarer_high,
        mean_score_as_declarer,
        mean_score_as_declarer_low,
        mean_score_as_declarer_high,
        hands_defending,
        mean_points_defending,
        mean_points_defending_low,
        mean_points_defending_high,
        mean_points,
        mean_points_low,
        mean_points_high,
        mean_score,
        mean_score_low,
        mean_score_high,
        mean_tricks,
        mean_tricks_low,
        mean_tricks_high
    from totals
)

select * from final
