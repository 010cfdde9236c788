with

complete_tricks as (
    select * from {{ ref('tricks_taken') }}
    where game = 'kaiser' and hand_status = 'complete'
),

final as (
    select
        dataset,
        trick_no,
        count(*) as tricks,
        {{ mean('mean_points', 'points') }},
        {{ mean('mean_bidder_points', 'if(taken_by_bidders, points, 0)') }},
        {{ rate('taken_by_bidders_rate', 'count_if(taken_by_bidders)', 'tricks') }},
        {{ rate('kept_lead_rate', 'count_if(kept_lead)', 'tricks') }},
        {{ rate('ruffed_rate', 'count_if(ruffed)', 'tricks') }},
        {{ rate('five_of_hearts_rate', "count_if(contains(cards, '5H'))", 'tricks') }},
        {{ rate('three_of_spades_rate', "count_if(contains(cards, '3S'))", 'tricks') }}
    from complete_tricks
    group by all
)

select * from final
