with

seats as (
    select * from {{ ref('int_kaiser_seats') }}
),

final as (
    select
        dataset,
        player,
        partner,
        count(*) as hands,
        count(bid) as bids,
        {{ rate('bid_rate', 'bids', 'hands') }},
        {{ mean('mean_bid', 'bid') }},
        count(*) filter (where is_declarer) as contracts,
        count(*) filter (where is_declarer and team_score > 0) as contracts_made,
        {{ rate('made_rate', 'contracts_made', 'contracts') }},
        {{ mean('mean_points_as_declarer', 'team_points', 'is_declarer') }},
        {{ mean('mean_score_as_declarer', 'team_score', 'is_declarer') }},
        count(*) filter (where not is_bidding) as hands_defending,
        {{ mean('mean_points_defending', 'team_points', 'not is_bidding') }},
        {{ mean('mean_points', 'team_points') }},
        {{ mean('mean_score', 'team_score') }},
        {{ mean('mean_tricks', 'tricks') }}
    from seats
    group by all
)

select * from final
