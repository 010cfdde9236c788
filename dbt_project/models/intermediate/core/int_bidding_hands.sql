{% set high_cards = {'kaiser': 'AKQJ', 'pinochle': 'ATKQ'} %}

with seats as (
    select * from {{ ref('stg_seats') }}
    where hand_status = 'complete' and is_declarer is not null and clubs is not null
),

-- What a belote hand is worth with each trump, as one column for each.
card_points as (
    select
        {% for trump in ['c', 'd', 'h', 's'] %}
        any_value(points_of) filter (where trump = '{{ trump | upper }}') as points_{{ trump }},
        {% endfor %}
        game
    from {{ ref('int_card_points') }}
    where game = 'belote'
    group by game
),

with_points as (
    select
        seats.*,
        card_points.points_c,
        card_points.points_d,
        card_points.points_h,
        card_points.points_s
    from seats
    left join card_points on seats.game = card_points.game
),

measured as (
    select
        *,
        case game
            {% for game, ranks in high_cards.items() %}
            when '{{ game }}' then {{ high_card_points("cards", ranks) }} // 2 * 2
            {% endfor %}
            when 'belote' then greatest(
                {% for trump in ['c', 'd', 'h', 's'] %}
                list_sum(list_transform(card_list, lambda card: points_{{ trump }}[card])),
                {% endfor %}
                0
            ) // 10 * 10
        end as strength
    from with_points
)

select
    game,
    hand_id,
    match_id,
    dataset,
    seat,
    strength::smallint as strength,
    greatest(clubs, diamonds, hearts, spades) as longest_suit,
    bid <> 'pass' as has_bid,
    is_declarer,
    case when is_declarer then team_score > 0 end as made,
    team_score - other_score as lead,
    ingest_no
from measured
where strength is not null
