with

complete_hands as (
    select * from {{ ref('hands') }}
    where game = 'belote' and status = 'complete'
),

recomputed as (
    select * from {{ ref('belote_recomputed_points') }}
),

seat_relations as (
    select * from {{ ref('seat_relations') }}
),

positioned as (
    select
        complete_hands.*,
        recomputed.dialect,
        recomputed.hand_value,
        recomputed.swept_by,
        seat_relations.to_dealer as declarer_position
    from complete_hands
    inner join recomputed on complete_hands.hand_id = recomputed.hand_id
    inner join seat_relations
        on (complete_hands.declarer - complete_hands.dealer + 4) % 4 = seat_relations.steps
),

final as (
    select
        dataset,
        dialect,
        declarer_position,
        trump,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        count(*) filter (where swept_by = declarer_team) as hands_swept,
        {{ rate('made_rate', 'hands_made', 'hands') }},
        {{ mean('mean_points', 'declarer_points') }},
        {{ mean('mean_hand_value', 'hand_value') }},
        {{ mean('mean_score', 'declarer_score') }}
    from positioned
    group by all
)

select * from final
