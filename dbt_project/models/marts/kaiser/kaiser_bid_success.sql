with

complete_hands as (
    select * from {{ ref('hands') }}
    where game = 'kaiser' and status = 'complete'
),

seat_relations as (
    select * from {{ ref('seat_relations') }}
),

positioned as (
    select
        complete_hands.*,
        seat_relations.to_dealer as declarer_position
    from complete_hands
    inner join seat_relations
        on (complete_hands.declarer - complete_hands.dealer + 4) % 4 = seat_relations.steps
),

final as (
    select
        contract,
        trump,
        declarer_position,
        declarer,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        avg(made::integer) as made_rate,
        avg(declarer_points) as mean_points,
        avg(declarer_score) as mean_score
    from positioned
    group by all
)

select * from final
