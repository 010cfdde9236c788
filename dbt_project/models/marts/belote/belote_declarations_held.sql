with hands as (
    select * from {{ ref('stg_playedhand') }}
    where game = 'belote'
),

by_cluster as (
    select
        hands.dataset,
        hands.dialect,
        declarations.kind,
        declarations.cards,
        declarations.points,
        {{ cluster('hands') }},
        count(*) as held,
        count(*) filter (where declarations.counts) as counted
    from {{ ref('int_belote_declarations') }} as declarations
    inner join hands on declarations.hand_id = hands.hand_id
    group by all
)

select
    dataset,
    dialect,
    kind,
    cards,
    points,
    sum(held)::bigint as held,
    sum(counted)::bigint as counted,
    {{ rate('counted_rate', 'counted', 'held') }}
from by_cluster
group by dataset, dialect, kind, cards, points
