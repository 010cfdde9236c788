with

declarations as (
    select * from {{ ref('int_belote_declarations') }}
),

hands as (
    select * from {{ ref('stg_playedhand') }}
    where game = 'belote'
),

final as (
    select
        hands.dataset,
        hands.dialect,
        declarations.kind,
        declarations.cards,
        declarations.points,
        count(*) as held,
        count(*) filter (where declarations.counts) as counted,
        {{ rate('counted_rate', 'counted', 'held') }}
    from declarations
    inner join hands on declarations.hand_id = hands.hand_id
    group by all
)

select * from final
