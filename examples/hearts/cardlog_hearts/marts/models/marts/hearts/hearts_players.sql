-- A seat's return is minus its score, the same for all its decisions.
with scores as (
    select
        hand_id,
        seat,
        -max(hand_return)::integer as score
    from {{ ref('stg_decisions') }}
    where game = 'hearts' and status = 'complete'
    group by all
),

by_cluster as (
    select
        seats.dataset,
        seats.player_name,
        seats.player_kind,
        {{ cluster('seats') }},
        count(*) as hands,
        count_if(seats.won) as won,
        {{ sums('mean_score', 'scores.score') }}
    from scores
    inner join {{ ref('stg_seats') }} as seats on scores.hand_id = seats.hand_id and scores.seat = seats.seat
    group by all
)

select
    dataset,
    player_name,
    player_kind,
    sum(hands)::bigint as hands,
    {{ rate('won_rate', 'won', 'hands') }},
    {{ mean('mean_score') }}
from by_cluster
group by dataset, player_name, player_kind
