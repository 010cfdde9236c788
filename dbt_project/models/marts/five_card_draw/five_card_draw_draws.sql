with players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete' and cards_exchanged is not null
),

by_cluster as (
    select
        dataset,
        cards_exchanged,
        {{ cluster() }},
        count(*) as draws,
        count(*) filter (where rank_before is not null and rank_after is not null) as draws_known,
        count(*) filter (where rank_after < rank_before) as draws_improved,
        count(*) filter (where rank_after > rank_before) as draws_worsened,
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where chips_won > chips_put_in) as hands_won,
        {{ sums('mean_net', 'net') }}
    from players
    group by all
)

select
    dataset,
    cards_exchanged,
    sum(draws)::bigint as draws,
    sum(draws_known)::bigint as draws_known,
    sum(draws_improved)::bigint as draws_improved,
    sum(draws_worsened)::bigint as draws_worsened,
    {{ rate('improved_rate', 'draws_improved', 'draws_known') }},
    sum(hands_folded)::bigint as hands_folded,
    sum(hands_won)::bigint as hands_won,
    {{ rate('win_rate', 'hands_won', 'draws') }},
    {{ mean('mean_net') }}
from by_cluster
group by dataset, cards_exchanged
