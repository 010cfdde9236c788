with

tricks as (
    select * from {{ ref('tricks_taken') }}
    where game = 'kaiser' and hand_status = 'complete'
),

final as (
    select
        trick_no,
        count(*) as tricks,
        avg(points) as mean_points,
        avg(case when taken_by_bidders then points else 0 end) as mean_bidder_points,
        avg(taken_by_bidders::integer) as taken_by_bidders_rate,
        avg(kept_lead::integer) as kept_lead_rate,
        avg(ruffed::integer) as ruffed_rate,
        avg(contains(cards, '5H')::integer) as five_of_hearts_rate,
        avg(contains(cards, '3S')::integer) as three_of_spades_rate
    from tricks
    group by all
)

select * from final
