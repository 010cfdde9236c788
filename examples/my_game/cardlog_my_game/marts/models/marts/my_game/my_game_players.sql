with by_cluster as (
    select
        dataset,
        player_name,
        player_kind,
        {{ cluster('seats') }},
        count(*) as hands,
        {{ sums('mean_points', 'net') }}
    from {{ ref('stg_seats') }} as seats
    where game = 'my_game' and hand_status = 'complete'
    group by all
)

select
    dataset,
    player_name,
    player_kind,
    sum(hands)::bigint as hands,
    {{ mean('mean_points') }}
from by_cluster
group by dataset, player_name, player_kind
