with

-- A trick is worth 1 point, 5 more with the five of hearts and 3 less with the three of spades: its points
-- say which of them it has, several times as fast as its cards. A hand has one trick of each number.
by_cluster as (
    select
        dataset,
        trick_no,
        {{ cluster(unit='hand_id') }},
        count(*) as tricks,
        {{ sums('mean_points', 'points') }},
        {{ sums('mean_bidder_points', 'case when taken_by_bidders then points else 0 end') }},
        count_if(taken_by_bidders) as taken_by_bidders,
        count_if(kept_lead) as kept_lead,
        count_if(ruffed) as ruffed,
        count_if(points in (3, 6)) as five_of_hearts,
        count_if(points in (-2, 3)) as three_of_spades
    from {{ ref('tricks_taken') }}
    where game = 'kaiser' and hand_status = 'complete'
    group by all
)

select
    dataset,
    trick_no,
    sum(tricks)::bigint as tricks,
    {{ bounded_mean('mean_points') }},
    {{ bounded_mean('mean_bidder_points') }},
    {{ rate('taken_by_bidders_rate', 'taken_by_bidders', 'tricks') }},
    {{ rate('kept_lead_rate', 'kept_lead', 'tricks') }},
    {{ rate('ruffed_rate', 'ruffed', 'tricks') }},
    {{ rate('five_of_hearts_rate', 'five_of_hearts', 'tricks') }},
    {{ rate('three_of_spades_rate', 'three_of_spades', 'tricks') }}
from by_cluster
group by dataset, trick_no
