with

seats as (
    select * from {{ ref('int_kaiser_seats') }}
),

final as (
    select
        player,
        partner,
        count(*) as hands,
        count(bid) as bids,
        count(bid) / count(*) as bid_rate,
        avg(bid) as mean_bid,
        count(*) filter (where is_declarer) as contracts,
        count(*) filter (where is_declarer and team_score > 0) as contracts_made,
        avg((team_score > 0)::integer) filter (where is_declarer) as made_rate,
        avg(team_points) filter (where is_declarer) as mean_points_as_declarer,
        avg(team_score) filter (where is_declarer) as mean_score_as_declarer,
        avg(team_points) filter (where not is_bidding) as mean_points_defending,
        avg(team_points) as mean_points,
        avg(team_score) as mean_score,
        avg(tricks) as mean_tricks
    from seats
    group by all
)

select * from final
