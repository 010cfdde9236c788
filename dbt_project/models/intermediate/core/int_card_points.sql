with trumps as (
    select unnest(['C', 'D', 'H', 'S']) as trump
),

cards as (
    select
        'kaiser' as game,
        null as trump,
        card,
        points
    from {{ ref('kaiser_cards') }}
    union all
    select
        'pinochle' as game,
        null as trump,
        card,
        counters as points
    from {{ ref('pinochle_cards') }}
    union all
    select
        'belote' as game,
        trumps.trump,
        ranks.rank || suits.trump as card,
        case when suits.trump = trumps.trump then ranks.trump_points else ranks.plain_points end as points
    from {{ ref('belote_ranks') }} as ranks
    cross join trumps
    cross join trumps as suits
)

select
    game,
    trump,
    map(list(card), list(points::integer)) as points_of
from cards
group by all
