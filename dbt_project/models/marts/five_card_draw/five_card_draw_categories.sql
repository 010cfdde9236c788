with players as (
    select
        *,
        chips_won > chips_put_in as won
    from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete'
),

datasets as (
    select distinct dataset
    from players
),

classes as (
    select distinct
        datasets.dataset,
        classes.category_no,
        classes.category
    from {{ ref('five_card_draw_classes') }} as classes
    cross join datasets
),

dealt as (
    select
        dataset,
        category_before as category,
        count(*) as hands_dealt
    from players
    where category_before is not null
    group by all
),

held as (
    select
        dataset,
        category_after as category,
        count(*) as hands_held,
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where shown) as hands_shown,
        count(*) filter (where mucked) as hands_mucked
    from players
    where category_after is not null
    group by all
),

-- Cards that are known only because they were shown belong to a player who stayed in, and more often won.
known_by_cluster as (
    select
        dataset,
        category_after as category,
        {{ cluster() }},
        count(*) as hands_known,
        count(*) filter (where won) as hands_won,
        {{ sums('mean_net', 'net') }}
    from players
    where category_after is not null and known_from_deal
    group by all
),

known as (
    select
        dataset,
        category,
        sum(hands_known)::bigint as hands_known,
        sum(hands_won)::bigint as hands_won,
        {{ rate('win_rate', 'hands_won', 'hands_known') }},
        {{ mean('mean_net') }}
    from known_by_cluster
    group by dataset, category
)

select
    classes.dataset,
    classes.category_no,
    classes.category,
    coalesce(dealt.hands_dealt, 0) as hands_dealt,
    coalesce(held.hands_held, 0) as hands_held,
    coalesce(held.hands_folded, 0) as hands_folded,
    coalesce(held.hands_shown, 0) as hands_shown,
    coalesce(held.hands_mucked, 0) as hands_mucked,
    coalesce(known.hands_known, 0) as hands_known,
    coalesce(known.hands_won, 0) as hands_won,
    known.win_rate,
    known.win_rate_low,
    known.win_rate_high,
    known.mean_net,
    known.mean_net_low,
    known.mean_net_high
from classes
left join dealt
    on
        classes.dataset is not distinct from dealt.dataset
        and classes.category = dealt.category
left join held
    on
        classes.dataset is not distinct from held.dataset
        and classes.category = held.category
left join known
    on
        classes.dataset is not distinct from known.dataset
        and classes.category = known.category
