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
        auctions.won_by,
        complete_hands.contract,
        count(*) as hands,
        count(*) filter (where auctions.no_trump) as hands_no_trump,
        count(*) filter (where complete_hands.made) as hands_made,
        avg(complete_hands.made::integer) as made_rate,
        avg(complete_hands.declarer_points) as mean_points,
        avg(complete_hands.declarer_score) as mean_score
    from complete_hands
    inner join auctions on complete_hands.hand_id = auctions.hand_id
    group by all
),

final as (
    select
        by_kind.won_by,
        by_kind.contract,
        by_kind.hands,
        by_kind.hands_no_trump,
        by_kind.hands_made,
        by_kind.made_rate,
        by_kind.mean_points,
        by_kind.mean_score,
        by_kind.made_rate - ordinary.made_rate as made_rate_over_ordinary,
        by_kind.mean_points - ordinary.mean_points as mean_points_over_ordinary,
        by_kind.mean_score - ordinary.mean_score as mean_score_over_ordinary
    from by_kind
    left join by_kind as ordinary
        on by_kind.contract = ordinary.contract and ordinary.won_by = 'ordinary'
)

select * from final
