with by_cluster as (
    select
        dataset,
        trick_no,
        {{ cluster() }},
        count(*) as plays,
        count(*) filter (where refused > 0) as plays_after_refusal,
        sum(refused) as cards_refused
    from {{ ref('int_pinochle_refusals') }}
    group by all
)

select
    dataset,
    trick_no,
    sum(plays)::bigint as plays,
    sum(plays_after_refusal)::bigint as plays_after_refusal,
    sum(cards_refused)::bigint as cards_refused,
    {{ rate('refused_rate', 'plays_after_refusal', 'plays') }}
from by_cluster
group by dataset, trick_no
