with

-- A trick is worth 1 point, 5 more with the five of hearts and 3 less with the three of spades: its points
-- say which of them it has, several times as fast as its cards.
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
        {{ rate('five_of_hearts_rate', "count_if(points in (3, 6))", 'tricks') }},
        {{ rate('three_of_spades_rate', "count_if(points in (-2, 3))", 'tricks') }}
    from complete_tricks
    group by all
)

select * from final
