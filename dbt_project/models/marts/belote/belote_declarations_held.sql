with

declarations as (
    select * from {{ ref('int_belote_declarations') }}
),

openings as (
    select * from {{ ref('int_belote_openings') }}
),

final as (
    select
        openings.dataset,
        openings.dialect,
        declarations.kind,
        declarations.cards,
        declarations.points,
        count(*) as held,
        count(*) filter (where declarations.counts) as counted,
        {{ rate('counted_rate', 'counted', 'held') }}
    from declarations
    inner join openings on declarations.hand_id = openings.hand_id
    group by all
)

select * from final
