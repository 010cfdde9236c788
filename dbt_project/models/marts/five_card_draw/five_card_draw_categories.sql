with players as (
    select * from {{ ref('five_card_draw_players') }}
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

-- Cards that are known only because they were shown belong to a player who stayed in, and more often won: the
-- rate and the mean are of cards known from the deal on.
by_cluster as (
    select
        dataset,
        category_after as category,
        {{ cluster() }},
        count(*) as hands_held,
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where shown) as hands_shown,
        count(*) filter (where mucked) as hands_mucked,
        count(*) filter (where known_from_deal) as hands_known,
        count(*) filter (where known_from_deal and chips_won > chips_put_in) as hands_won,
        {{ sums('mean_net', 'net', 'known_from_deal') }}
    from players
    where category_after is not null
    group by all
)

select
    classes.dataset,
    classes.category_no,
    classes.category,
    coalesce(any_value(dealt.hands_dealt), 0) as hands_dealt,
    {% for count in ['held', 'folded', 'shown', 'mucked', 'known', 'won'] %}
    coalesce(sum(by_cluster.hands_{{ count }}), 0)::bigint as hands_{{ count }},
    {% endfor %}
    {{ rate('win_rate', 'by_cluster.hands_won', 'by_cluster.hands_known') }},
    {{ mean('mean_net') }}
from classes
left join dealt on {{ same(['dataset', 'category'], 'classes', 'dealt') }}
left join by_cluster on {{ same(['dataset', 'category'], 'classes', 'by_cluster') }}
group by classes.dataset, classes.category_no, classes.category
