{% set separate = "by_kind.won_by <> 'ordinary'" %}

with

complete_hands as (
    select * from {{ ref('hands') }}
    where game = 'kaiser' and status = 'complete'
),

auctions as (
    select * from {{ ref('int_kaiser_auctions') }}
),

by_kind as (
    select
        complete_hands.dataset,
        auctions.won_by,
        complete_hands.contract,
        count(*) as hands,
        count(*) filter (where auctions.no_trump) as hands_no_trump,
        count(*) filter (where complete_hands.made) as hands_made,
        {{ rate('made_rate', 'hands_made', 'hands') }},
        {{ mean('mean_points', 'complete_hands.declarer_points') }},
        {{ mean('mean_score', 'complete_hands.declarer_score') }}
    from complete_hands
    inner join auctions on complete_hands.hand_id = auctions.hand_id
    group by all
),

final as (
    select
        by_kind.*,
        {{ difference('made_rate_over_ordinary', 'made_rate', 'by_kind', 'ordinary', separate) }},
        {{ difference('mean_points_over_ordinary', 'mean_points', 'by_kind', 'ordinary', separate) }},
        {{ difference('mean_score_over_ordinary', 'mean_score', 'by_kind', 'ordinary', separate) }}
    from by_kind
    left join by_kind as ordinary
        on
            by_kind.dataset is not distinct from ordinary.dataset
            and by_kind.contract = ordinary.contract
            and ordinary.won_by = 'ordinary'
)

select * from final
