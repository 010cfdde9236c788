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
        dataset,
        contract,
        trump,
        declarer_position,
        declarer,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        {{ rate('made_rate', 'hands_made', 'hands') }},
        {{ mean('mean_points', 'declarer_points') }},
        {{ mean('mean_score', 'declarer_score') }}
    from positioned
    group by all
)

select * from final
